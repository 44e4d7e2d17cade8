// Agglomerative clusters: the two closest clusters are merged until one is left (M265).
//
// A cluster is called by its lowest row. Of equally close pairs of clusters the one with the lowest first row, then the
// lowest second row, is merged first; it is called by the lower one from then on. Rows have weights: a row of weight 2
// is the same as two rows. Heights, of clusters a and b of weights A and B:
//
//   single      least distance of two rows, one of each       complete   largest distance
//   average     mean distance over all pairs, one of each     centroid   distance of the centers (may be below earlier
//   heights) group       mean distance over all pairs of rows within the merged cluster; in a row of weight w there are
//   w(w-1)/2
//               pairs at distance 0 if w is above 1
//   ward        what the sum of squared distances to the centers grows by: A B / (A + B) |center - center|^2
//
// Linear memory: single by a spanning tree (R. C. Prim, Bell System Technical Journal 36, 1957), ward and centroid by
// centers. The others keep the distances of all pairs. Where linkages allow it (complete, average, ward: a merged
// cluster is never closer to a third than both of its parts were) chains of nearest neighbors are followed to pairs
// that are each other's nearest (F. Murtagh, Computer Journal 26, 1983): O(n^2). They may be merged at once if no other
// cluster is as near; where one is, all is done over by the order of the definition, with lower bounds of every
// cluster's nearest (D. Muellner, Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, 2011),
// which also does those linkages that do not allow it. Mostly O(n^2) too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow {

enum class Linkage { kSingle, kComplete, kAverage, kCentroid, kGroup, kWard };

struct Merge {
  std::int32_t first, second;  // the lowest rows of both clusters, first < second
  double height;
};

// Points row by row, all of one width.
struct LinkagePoints {
  std::span<const double> values;
  std::size_t rows, width;
  bool cityblock;  // else Euclid's distance
};

// Single linkage. O(n^2 width) time, more (at most by a factor of log n) where distances are equal; O(n width) memory.
std::vector<Merge> link_single(const LinkagePoints& points, const InterruptCheck& pause);

// Ward's or centroid linkage. O(n width) memory.
std::vector<Merge> link_by_centers(const LinkagePoints& points, std::span<const double> weights, bool ward,
                                   const InterruptCheck& pause);

// Points most of whose values are 0: of row i the entries from starts[i] to starts[i + 1], features ascending.
struct SparseLinkagePoints {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> features;
  std::span<const double> values;
  bool cityblock;  // else Euclid's distance

  std::size_t rows() const { return starts.size() - 1; }
};

// Distances of all pairs: of row 0 with all that follow, then of row 1, ... T is float or double. Sparse points take
// O(n entries) time instead of O(n^2 width), and give the same distances to the last bit.
template <class T>
void fill_distances(const LinkagePoints& points, std::span<T> distances, ThreadPool& pool);
template <class T>
void fill_distances(const SparseLinkagePoints& points, std::span<T> distances, ThreadPool& pool);

// Any linkage by distances as fill_distances lays them out, which are lost. `tied` is set, and nothing is returned, if
// equal distances were met that only the order of the definition (`by_order`) decides on.
template <class T>
std::vector<Merge> link_by_distances(std::span<T> distances, std::span<const double> weights, Linkage linkage,
                                     bool by_order, bool& tied, const InterruptCheck& pause);

// Merges in the order of their heights, of equal ones the lowest rows first, none before those it is made of. Heights
// are raised to those of their parts, below which they can be by rounding only.
std::vector<Merge> order_merges(std::vector<Merge> merges, std::size_t rows);

}  // namespace hedgerow

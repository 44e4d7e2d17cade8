// k-means: exactly what Lloyd's passes give, without comparing every row with every center.
//
// A pass gives each row to its nearest center, the first of equally near ones, and then moves the centers to the means
// of their rows. Distances and sums are those of kmeans_distances.hpp and kmeans_sums.hpp; every shortcut leaves a
// margin for rounding, so that all ways give the same clusters. Rows are shared out in slices that do not depend on the
// number of threads, and what the slices found is added in their order.
//
// Ways: every distance (scan); bounds of the distances to the own and to all other centers, which fall by what the
// centers moved, and where they do not decide, all centers if they are few, otherwise those near the own one (bounds:
// G. Hamerly, Making k-means even faster, SDM 2010; J. Newling, F. Fleuret, Fast k-means with accurate bounds, ICML
// 2016); boxes of a kD-tree that belong wholly to one center, whose sums are known (tree: T. Kanungo and others, An
// efficient k-means clustering algorithm: analysis and implementation, IEEE PAMI 24, 2002).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "clusters/kmeans_rows.hpp"
#include "clusters/kmeans_sums.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

enum class KMeansAlgorithm { kScan, kBounds, kTree };

// What all ways share.
struct KMeansState {
  PointRows rows;
  std::size_t k;
  std::span<double> centers;       // k times the width
  std::span<std::int32_t> labels;  // -1 before the first pass
  ClusterSums sums;
  double slack;  // more than rounding can do to a distance, relative to it
  ThreadPool& pool;
};

// Gives rows to their nearest centers.
class Assigner {
 public:
  virtual ~Assigner() = default;
  // Returns how many rows have changed; keeps the sums right.
  virtual std::size_t assign() = 0;
  // Told after the centers have moved: how far each did, at most.
  virtual void update_bounds(std::span<const double> distances_moved) = 0;
  // Labels of all rows are right after this.
  virtual void write_labels() {}
};

std::unique_ptr<Assigner> make_bound_assigner(KMeansState& state,
                                              bool use_bounds);  // without `use_bounds`, every distance is made
std::unique_ptr<Assigner> make_neighbor_assigner(KMeansState& state);
std::unique_ptr<Assigner> make_tree_assigner(KMeansState& state);

struct KMeansOptions {
  KMeansAlgorithm algorithm;
  std::size_t passes;  // at most
  double tolerance;    // of the sum of the squared ways of the centers; 0: until no row changes
};

struct KMeansResult {
  std::size_t passes = 0, refilled = 0;
  bool converged = false;
  std::vector<double> sizes, squares;  // weight, and sum of weighted squared distances of each cluster
};

// Moves the centers and labels the rows. A cluster without rows gets the row that is farthest from its center (the
// first of equally far ones), unless that one is alone in its cluster or lies on its center; then the cluster stays
// empty.
KMeansResult kmeans(const PointRows& rows, const KMeansOptions& options, std::span<double> centers,
                    std::span<std::int32_t> labels, ThreadPool& pool);

// The nearest center of each row, and the squared distance.
void assign_nearest_centers(const PointRows& rows, std::span<const double> centers, std::span<std::int32_t> labels,
                            std::span<double> squares, ThreadPool& pool);

// For seeds: the sum of the weighted squared distances to the nearest center, if each of some points became a center
// too, where `nearest` are the squared distances so far.
std::vector<double> compute_seed_potentials(const PointRows& rows, std::span<const double> points,
                                            std::span<const double> nearest, ThreadPool& pool);

}  // namespace hedgerow

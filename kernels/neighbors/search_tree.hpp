// Search trees: the nearest rows among many, or all within a distance, exactly as a comparison with every row gives
// them, ties included. Of equally near rows the first comes first.
//
// A tree of boxes is a kD-tree, one of balls a ball tree. The binary tree of core/row_partition.hpp is packed: its
// leaves become blocks, which are stored column by column, so that vectors of rows are compared at once; three of its
// levels become a node of up to eight children, whose boxes or balls are compared at once too.
//
// A box bounds by the sum of the distances to its sides, made of the same operations in the same order as a distance;
// rounding is monotone, so that the bound is never above the distance of a row inside. A ball of radius r around c is
// ruled out by the triangle inequality: no row in it is nearer than d(q, c) - r, less a margin for all rounding. Both
// hold with missing values: a box or ball with a missing value in a column is in no direction farther than that allows
// (`caps`).
//
// Rows can be added: each goes to the leaf that is nearest to it; a full leaf is divided in two by its longest side (a
// ball by the rows farthest apart). Whoever adds should build anew once the tree is twice as deep as one of halves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/mixed_rows.hpp"
#include "core/row_partition.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

constexpr std::size_t kTreeFan = 8;  // children of a node
constexpr std::size_t kMaxLeafRows = 256;
constexpr std::int32_t kNoTreeChild = -1;

struct SearchTreeShape {
  bool balls = false;
  std::size_t rows = 0, numbers = 0, codes = 0;     // how many; of columns
  std::size_t leaf_rows = 32, block_capacity = 32;  // rows of a block at most, and the space it has, a multiple of 8
};

// Spans of a tree's arrays, which somebody else holds. The root is node 0. A child is a node, whose number is above
// that of its parent, or a block b as -2 - b.
struct SearchTree {
  SearchTreeShape shape;
  MixedDistance distance;
  std::span<const std::int32_t> order;     // (block, room): rows, ascending; -1 where there is none
  std::span<const std::int32_t> counts;    // rows of each block
  std::span<const std::int32_t> depths;    // of each block, in the binary tree
  std::span<const double> numbers;         // (block, column, room)
  std::span<const std::int32_t> codes;     // (block, column, room)
  std::span<const std::int32_t> children;  // (node, child)
  std::span<const std::int32_t> first;     // (node, child): lowest row
  std::span<const double> low, high;       // (node, numeric column, child): sides of boxes; centers of balls are in low
  std::span<const double> caps;            // the same: what a column adds at most; none if no number is missing
  std::span<const std::int32_t> min_codes,
      max_codes;                  // (node, nominal column, child): ranges of codes; modes of balls in least
  std::span<const double> radii;  // (node, child)

  std::size_t blocks() const { return counts.size(); }
  std::size_t nodes() const { return children.size() / kTreeFan; }
};

struct OwnedSearchTree {
  SearchTreeShape shape;
  bool squares = true;
  std::vector<double> missing_distances, mismatch_distances, numbers, low, high, caps, radii;
  std::vector<std::int32_t> order, counts, depths, codes, children, first, min_codes, max_codes;

  OwnedSearchTree() = default;
  explicit OwnedSearchTree(const SearchTree& tree);
  MixedDistance distance() const { return {squares, missing_distances, mismatch_distances}; }
  SearchTree view() const {
    return {shape, distance(), order, counts, depths,    numbers,   codes, children,
            first, low,        high,  caps,   min_codes, max_codes, radii};
  }
};

OwnedSearchTree build_search_tree(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& options,
                                  ThreadPool& pool);

// The tree, which holds the first of these rows and at least one, with those that follow too.
OwnedSearchTree insert_rows(const SearchTree& tree, const MixedRows& rows, ThreadPool& pool);

// Lower bounds of the distances to the children of a node.
void fill_child_bounds(const SearchTree& tree, std::size_t node, const MixedRow& query, double* bounds);
// Distances to the rows of a block.
void fill_block_distances(const SearchTree& tree, std::size_t block, const MixedRow& query, double* distances);

// Goes through the blocks that may hold rows wanted. The collector says what is: `limit()` the largest distance wanted,
// `wants(distance, row)` whether a row at this distance would be, or any behind it; it takes what it gets by `offer`.
template <typename Collector>
class TreeSearch {
 public:
  TreeSearch(const SearchTree& tree, Collector& collector) : tree_(tree), collector_(collector) {}

  void search(const MixedRow& query) {
    query_ = query;
    visit_node(0);
  }

  std::size_t compared() const { return compared_; }  // rows

 private:
  struct ChildBound {
    double bound;
    std::int32_t number, first;
  };

  void visit_node(std::size_t node) {
    alignas(64) double bounds[kTreeFan];
    fill_child_bounds(tree_, node, query_, bounds);
    ChildBound wanted[kTreeFan];
    std::size_t n = 0;
    for (std::size_t child = 0; child < kTreeFan; ++child) {
      const ChildBound one{bounds[child], tree_.children[node * kTreeFan + child],
                           tree_.first[node * kTreeFan + child]};
      if (one.number == kNoTreeChild || !(one.bound <= collector_.limit()) || !collector_.wants(one.bound, one.first))
        continue;
      std::size_t at = n++;
      for (; at > 0 && wanted[at - 1].bound > one.bound; --at) wanted[at] = wanted[at - 1];
      wanted[at] = one;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!collector_.wants(wanted[i].bound, wanted[i].first)) continue;
      if (wanted[i].number < kNoTreeChild)
        scan_block(static_cast<std::size_t>(-2 - wanted[i].number));
      else
        visit_node(static_cast<std::size_t>(wanted[i].number));
    }
  }

  void scan_block(std::size_t block) {
    const auto n = static_cast<std::size_t>(tree_.counts[block]), begin = block * tree_.shape.block_capacity;
    alignas(64) double distances[kMaxLeafRows];
    fill_block_distances(tree_, block, query_, distances);
    compared_ += n;
    double limit = collector_.limit();
    for (std::size_t i = 0; i < n; ++i) {
      if (!(distances[i] <= limit)) continue;
      collector_.offer(distances[i], tree_.order[begin + i], begin + i);
      limit = collector_.limit();
    }
  }

  const SearchTree& tree_;
  Collector& collector_;
  MixedRow query_{};
  std::size_t compared_ = 0;
};

struct Neighbor {
  double distance;
  std::int32_t row;
  std::uint32_t position;  // its place in the blocks
};

inline bool is_nearer_neighbor(const Neighbor& one, const Neighbor& other) {
  return one.distance != other.distance ? one.distance < other.distance : one.row < other.row;
}

// Collects the k nearest rows; k is at least 1. They are a heap whose first is the farthest, in the end in order.
class NearestHeap {
 public:
  explicit NearestHeap(std::size_t k) : k_(k) {}

  void clear() { neighbors_.clear(), limit_ = std::numeric_limits<double>::infinity(); }
  double limit() const { return limit_; }
  bool wants(double distance, std::int32_t row) const {
    return neighbors_.size() < k_ || distance < limit_ || (distance == limit_ && row < neighbors_.front().row);
  }

  void offer(double distance, std::int32_t row, std::size_t at = 0) {
    const Neighbor one{distance, row, static_cast<std::uint32_t>(at)};
    if (neighbors_.size() < k_) {
      neighbors_.push_back(one);
      if (neighbors_.size() < k_) return;
      std::make_heap(neighbors_.begin(), neighbors_.end(), is_nearer_neighbor);
    } else {
      if (!is_nearer_neighbor(one, neighbors_.front())) return;
      replace_farthest(one);
    }
    limit_ = neighbors_.front().distance;
  }

  std::span<const Neighbor> take_sorted() {
    std::sort(neighbors_.begin(), neighbors_.end(), is_nearer_neighbor);
    return neighbors_;
  }

 private:
  // Puts a row in the place of the farthest.
  void replace_farthest(const Neighbor& one) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < k_; child = 2 * at + 1) {
      if (child + 1 < k_ && is_nearer_neighbor(neighbors_[child], neighbors_[child + 1])) ++child;
      if (!is_nearer_neighbor(one, neighbors_[child])) break;
      neighbors_[at] = neighbors_[child];
      at = child;
    }
    neighbors_[at] = one;
  }

  std::size_t k_;
  std::vector<Neighbor> neighbors_;
  double limit_ = std::numeric_limits<double>::infinity();
};

// Collects all rows within a distance.
class RadiusCollector {
 public:
  void clear(double limit) { neighbors_.clear(), limit_ = limit; }
  double limit() const { return limit_; }
  bool wants(double distance, std::int32_t) const { return distance <= limit_; }
  void offer(double distance, std::int32_t row, std::size_t at) {
    neighbors_.push_back({distance, row, static_cast<std::uint32_t>(at)});
  }
  std::vector<Neighbor>& neighbors() { return neighbors_; }

 private:
  std::vector<Neighbor> neighbors_;
  double limit_ = 0;
};

// Queries in an order in which those that lie in the same block follow each other, so that they find it in the cache.
std::vector<std::int32_t> order_queries_by_block(const SearchTree& tree, const MixedRows& queries, ThreadPool& pool);

// The share of the rows that are compared on the way to the k nearest of some rows of the tree itself, spread over it.
double compute_compared_share(const SearchTree& tree, std::size_t k, std::size_t queries);

}  // namespace hedgerow

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

constexpr std::size_t tree_fan = 8;  // children of a node
constexpr std::size_t most_leaf = 256;
constexpr std::int32_t no_child = -1;

struct TreeShape {
  bool balls = false;
  std::size_t rows = 0, numbers = 0, codes = 0;  // how many; of columns
  std::size_t leaf = 32, room = 32;              // rows of a block at most, and the space it has, a multiple of 8
};

// Spans of a tree's arrays, which somebody else holds. The root is node 0. A child is a node, whose number is above
// that of its parent, or a block b as -2 - b.
struct SearchTree {
  TreeShape shape;
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
  std::span<const std::int32_t> least, most;  // (node, nominal column, child): ranges of codes; modes of balls in least
  std::span<const double> radii;              // (node, child)

  std::size_t blocks() const { return counts.size(); }
  std::size_t nodes() const { return children.size() / tree_fan; }
};

struct OwnedTree {
  TreeShape shape;
  bool squares = true;
  std::vector<double> gaps, steps, numbers, low, high, caps, radii;
  std::vector<std::int32_t> order, counts, depths, codes, children, first, least, most;

  OwnedTree() = default;
  explicit OwnedTree(const SearchTree& tree);
  MixedDistance distance() const { return {squares, gaps, steps}; }
  SearchTree view() const {
    return {shape, distance(), order, counts, depths, numbers, codes, children,
            first, low,        high,  caps,   least,  most,    radii};
  }
};

OwnedTree build_tree(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& how,
                     ThreadPool& crew);

// The tree, which holds the first of these rows and at least one, with those that follow too.
OwnedTree grow_tree(const SearchTree& tree, const MixedRows& rows, ThreadPool& crew);

// Lower bounds of the distances to the children of a node.
void tree_bounds(const SearchTree& tree, std::size_t node, const MixedRow& query, double* bounds);
// Distances to the rows of a block.
void block_distances(const SearchTree& tree, std::size_t block, const MixedRow& query, double* distances);

// Goes through the blocks that may hold rows wanted. The collector says what is: `limit()` the largest distance wanted,
// `wants(distance, row)` whether a row at this distance would be, or any behind it; it takes what it gets by `offer`.
template <typename Collector>
class TreeSearch {
 public:
  TreeSearch(const SearchTree& tree, Collector& collector) : tree_(tree), collector_(collector) {}

  void search(const MixedRow& query) {
    query_ = query;
    enter(0);
  }

  std::size_t compared() const { return compared_; }  // rows

 private:
  struct Child {
    double bound;
    std::int32_t number, first;
  };

  void enter(std::size_t node) {
    alignas(64) double bounds[tree_fan];
    tree_bounds(tree_, node, query_, bounds);
    Child wanted[tree_fan];
    std::size_t n = 0;
    for (std::size_t child = 0; child < tree_fan; ++child) {
      const Child one{bounds[child], tree_.children[node * tree_fan + child], tree_.first[node * tree_fan + child]};
      if (one.number == no_child || !(one.bound <= collector_.limit()) || !collector_.wants(one.bound, one.first))
        continue;
      std::size_t at = n++;
      for (; at > 0 && wanted[at - 1].bound > one.bound; --at) wanted[at] = wanted[at - 1];
      wanted[at] = one;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!collector_.wants(wanted[i].bound, wanted[i].first)) continue;
      if (wanted[i].number < no_child)
        scan(static_cast<std::size_t>(-2 - wanted[i].number));
      else
        enter(static_cast<std::size_t>(wanted[i].number));
    }
  }

  void scan(std::size_t block) {
    const auto n = static_cast<std::size_t>(tree_.counts[block]), begin = block * tree_.shape.room;
    alignas(64) double distances[most_leaf];
    block_distances(tree_, block, query_, distances);
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

struct Found {
  double distance;
  std::int32_t row;
  std::uint32_t at;  // its place in the blocks
};

inline bool found_nearer(const Found& one, const Found& other) {
  return one.distance != other.distance ? one.distance < other.distance : one.row < other.row;
}

// Collects the k nearest rows; k is at least 1. They are a heap whose first is the farthest, in the end in order.
class FewNearest {
 public:
  explicit FewNearest(std::size_t k) : k_(k) {}

  void clear() { found_.clear(), limit_ = std::numeric_limits<double>::infinity(); }
  double limit() const { return limit_; }
  bool wants(double distance, std::int32_t row) const {
    return found_.size() < k_ || distance < limit_ || (distance == limit_ && row < found_.front().row);
  }

  void offer(double distance, std::int32_t row, std::size_t at = 0) {
    const Found one{distance, row, static_cast<std::uint32_t>(at)};
    if (found_.size() < k_) {
      found_.push_back(one);
      if (found_.size() < k_) return;
      std::make_heap(found_.begin(), found_.end(), found_nearer);
    } else {
      if (!found_nearer(one, found_.front())) return;
      sink(one);
    }
    limit_ = found_.front().distance;
  }

  std::span<const Found> in_order() {
    std::sort(found_.begin(), found_.end(), found_nearer);
    return found_;
  }

 private:
  // Puts a row in the place of the farthest.
  void sink(const Found& one) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < k_; child = 2 * at + 1) {
      if (child + 1 < k_ && found_nearer(found_[child], found_[child + 1])) ++child;
      if (!found_nearer(one, found_[child])) break;
      found_[at] = found_[child];
      at = child;
    }
    found_[at] = one;
  }

  std::size_t k_;
  std::vector<Found> found_;
  double limit_ = std::numeric_limits<double>::infinity();
};

// Collects all rows within a distance.
class AllWithin {
 public:
  void clear(double limit) { found_.clear(), limit_ = limit; }
  double limit() const { return limit_; }
  bool wants(double distance, std::int32_t) const { return distance <= limit_; }
  void offer(double distance, std::int32_t row, std::size_t at) {
    found_.push_back({distance, row, static_cast<std::uint32_t>(at)});
  }
  std::vector<Found>& found() { return found_; }

 private:
  std::vector<Found> found_;
  double limit_ = 0;
};

// Queries in an order in which those that lie in the same block follow each other, so that they find it in the cache.
std::vector<std::int32_t> order_by_block(const SearchTree& tree, const MixedRows& queries, ThreadPool& crew);

// The share of the rows that are compared on the way to the k nearest of some rows of the tree itself, spread over it.
double share_compared(const SearchTree& tree, std::size_t k, std::size_t queries);

}  // namespace hedgerow

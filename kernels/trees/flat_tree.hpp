// Trees as flat arrays, and what rows that go down them add up to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "trees/columns.hpp"
#include "trees/level_maps.hpp"

namespace hedgerow::trees {

// A tree, breadth first: the children of a node are contiguous and after it.
struct FlatTree {
  std::vector<std::int32_t> columns;  // tested, -1 for a leaf
  std::vector<double> thresholds;     // of numeric tests
  std::vector<std::int32_t> first;    // number of the first child
  std::vector<std::int32_t> missing;  // the child of a missing value; -1: all children, in proportion to their weight
  LevelMaps levels;                   // of nominal tests: the child of each level
  std::vector<double>
      tallies;  // [(node, class)] weights; of numbers weight, sum and sum of squares, or median and mean deviation
  std::vector<std::int32_t> surrogate_starts, surrogate_columns, surrogate_first;  // all empty for none; pruning by
  std::vector<double> surrogate_thresholds;                                        // expected errors keeps none
  LevelMaps surrogate_levels;                                                      // -1 where a surrogate does not say
  // If no value is missing: the rows, where those of each node begin among them, and how many they are. All empty
  // otherwise.
  std::vector<std::uint32_t> order, begins, counts;
};

// The sum of a payload, [(row, width)], over the rows that reach every node. A row whose value is missing goes where
// the tree sends it, or to all children in proportion to the tree's own weights.
std::vector<double> sum_payloads(const FlatTree& tree, std::span<const RawColumn> columns,
                                 std::span<const double> payload, std::size_t width, const InterruptCheck& pause);

// For every numeric test the largest value of its column that is at most its threshold.
std::vector<double> find_values_below_thresholds(const FlatTree& tree, const TreeColumns& columns);

// Of each node of a tree of classes its weight, the share of each class in it, and the first of the largest shares:
// those within 1e-12 of the largest are equal.
struct ClassShares {
  std::vector<double> totals, shares;
  std::vector<std::int32_t> best;
};

// All empty unless all nodes have whole weights, of which there is some: sums are exact in any order then.
ClassShares compute_class_shares(std::span<const double> tallies, std::size_t classes);

}  // namespace hedgerow::trees

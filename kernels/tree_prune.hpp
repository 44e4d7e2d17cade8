// Pruning decision trees by the errors they are expected to make, as C4.5 does (Quinlan 1993).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree_columns.hpp"

namespace hedgerow::trees {

// A tree as flat arrays, children contiguous and after their parent. Missing values go to all children in proportion to
// their weight, or to the child that `missing` names.
struct PlainTree {
  std::vector<std::int32_t> columns, first, missing, level_starts, level_children;
  std::vector<double> thresholds;
  std::vector<double> weights;  // [(node, class)]
  std::vector<std::int32_t> surrogate_starts, surrogate_columns, surrogate_first, surrogate_level_starts,
      surrogate_level_children;  // all empty for none; pruning by expected errors keeps none
  std::vector<double> surrogate_thresholds;
  std::vector<std::uint32_t> order, begins, counts;  // the rows of a node, if no value is missing; see `GrownTree`
};

// The rows that trees are pruned with or counted on.
struct TreeRows {
  std::span<const RawColumn> columns;
  std::span<const std::int32_t> labels;
  std::span<const double> weights;
  std::size_t classes = 0;
};

// The errors to expect of a leaf with `errors` wrong of `n`: the upper limit of a one-sided confidence interval, where `z`
// is the normal quantile of 1 - confidence.
double expected_errors(double n, double errors, double confidence, double z);

// Makes leaves of nodes whose subtrees make no fewer training errors.
PlainTree collapsed(const PlainTree& tree, std::size_t classes);

// Replaces subtrees by leaves, and with `raising` by their heaviest branch, where that is expected to err no more.
// `rows` must be those the tree was grown on.
PlainTree pruned(const PlainTree& tree, const TreeRows& rows, double confidence, double z, bool raising);

// The sum of a payload, [(row, width)], over the rows that reach every node. A row whose value is missing goes where the
// tree sends it, or to all children in proportion to the tree's own weights.
std::vector<double> sums_below(const PlainTree& tree, std::span<const RawColumn> columns, std::span<const double> payload,
                               std::size_t width);

// For every numeric test the largest value of its column that is at most its threshold.
std::vector<double> values_at_most(const PlainTree& tree, const TreeColumns& columns);

}  // namespace hedgerow::trees

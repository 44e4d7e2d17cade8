// Pruning decision trees by the errors they are expected to make, as C4.5 does (Quinlan 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trees/flat_tree.hpp"

namespace hedgerow::trees {

// The rows that a tree was grown on.
struct TrainingRows {
  std::span<const RawColumn> columns;
  std::span<const std::int32_t> labels;
  std::span<const double> weights;
  std::size_t classes = 0;
};

// The errors to expect of a leaf with `errors` wrong of `n`: the upper limit of a one-sided confidence interval, where
// `z` is the normal quantile of 1 - confidence.
double estimate_errors(double n, double errors, double confidence, double z);

// Makes leaves of nodes whose subtrees make no fewer training errors.
FlatTree collapse_tree(const FlatTree& tree, std::size_t classes);

// Replaces subtrees by leaves, and with `raising` by their heaviest branch, where that is expected to err no more.
// `rows` must be those the tree was grown on. Which rows are at each node is told if the tree tells it.
FlatTree prune_tree(const FlatTree& tree, const TrainingRows& rows, double confidence, double z, bool raising,
                    ThreadPool& pool);

}  // namespace hedgerow::trees

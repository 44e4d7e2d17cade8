// Growing decision trees: top down, one split a node, exact thresholds.
//
// Every listed column keeps its known values in ascending order within each node: lists are partitioned stably down the
// tree and never sorted again. Coded columns are counted into histograms. Cases are renumbered within each node, so
// that deep nodes work in the cache; branches of few cases are grown at once (small_nodes.hpp). The tree is the same
// for any number of threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "trees/columns.hpp"
#include "trees/flat_tree.hpp"

namespace hedgerow::trees {

enum class Impurity : std::uint8_t { entropy, gini, squared, absolute };
enum class Branching : std::uint8_t { multiway, groups, binary };
enum class MissingPolicy : std::uint8_t { fractions, direction, surrogate };

constexpr double kTie = 1e-9;          // gains and weights that differ by less are equal
constexpr std::int32_t kNoChild = -1;  // the child of a missing value that goes to all children

struct GrowOptions {
  Impurity impurity = Impurity::entropy;
  Branching branching = Branching::multiway;                // of nominal columns
  MissingPolicy missing_policy = MissingPolicy::fractions;  // what becomes of rows whose tested value is missing
  bool gain_ratio = true;                                   // choose by gain ratio, not by gain
  bool average_gain_guard = true;                           // only among columns of at least average gain
  bool numeric_penalty = true;                              // numeric gains pay log2(candidates)/N
  bool wide_margin = true;  // C4.5's least weight of a side: a tenth of the mean class weight, at most 25
  bool zero_gain = false;   // split even without gain, as ID3 does
  double min_leaf = 2;
  double min_gain = 0;
  double stop_rows = 0;   // leaf if the weight is at most this
  double stop_share = 1;  // leaf if a class has at least this share
  std::int32_t max_depth = std::numeric_limits<std::int32_t>::max();
  std::int32_t tried_columns = 0;  // columns tried at random at a node; 0: all
  bool draw_once = false;          // draw them once for all nodes
  std::uint64_t seed = 0;
  double scale = 1;       // of the impurity, which tolerances are relative to
  double table_rows = 0;  // a branch that grows apart from its tree must know the rows and the weight of the whole
  double table_weight = 0;
  double center = 0;          // of its numbers
  bool real_weights = false;  // take weights as real numbers even where all are whole
  bool list_rows = true;      // tell which rows are at each node
  bool last_tree = false;     // the columns grow no other tree: it may use their lists up
};

// Grows a tree on the rows of positive weight. `labels` are below `classes`. The threshold of a numeric cut is the
// middle of its two neighbors, for binary trees the shortest decimal near it.
FlatTree grow_classes(const TreeColumns& columns, std::span<const std::int32_t> labels, std::int32_t classes,
                      std::span<const double> weights, const GrowOptions& options, ThreadPool& pool);

// Grows a tree that predicts numbers, by squared or absolute error. Sums are of differences from the mean of all rows.
FlatTree grow_numbers(const TreeColumns& columns, std::span<const double> target, std::span<const double> weights,
                      const GrowOptions& options, ThreadPool& pool);

}  // namespace hedgerow::trees

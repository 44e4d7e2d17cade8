// Growing trees level by level from counts, for rows that come in batches and are too many to hold.
//
// A pass sends the rows of every batch down the tree so far (`find_rows_reaching`) and counts them by open node,
// column, bin and class (`count_bins`); counts of batches add up. Then every node takes the split that the kernel of
// tables in memory would take (`split_nodes`, with the searches of splits.hpp): the same one if each different value
// has a bin.
// The result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/columns.hpp"
#include "trees/grow.hpp"
#include "trees/level_maps.hpp"

namespace hedgerow::trees {

// A growing tree as flat arrays by node; children are contiguous.
struct PartialTree {
  std::span<const std::int32_t> columns;  // -1 where there is no test (yet)
  std::span<const double> thresholds;
  std::span<const std::int32_t> first, children, missing;
  LevelMapsView levels;                 // of nominal tests: the child of each level
  std::span<const double> shares;       // of a row whose tested value is missing, the part that this child takes
  std::span<const std::int32_t> slots;  // of a node whose rows are wanted; -1 for others
};

// Rows, or fractions of them, that reached a wanted node. Rows ascend.
struct ReachedRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> slots;
  std::vector<double> weights;
};

// Sends rows of positive weight down. O(rows x depth).
ReachedRows find_rows_reaching(const PartialTree& tree, std::span<const RawColumn> columns,
                               std::span<const double> weights, std::size_t threads);

// A column as it is counted: a bin a level, or a bin for the values above the last one and up to `values[bin]`; one
// more bin for missing values. A number above all values counts in the last bin.
struct BinnedColumn {
  bool nominal = false;
  std::int32_t bins = 0;
  std::span<const double> values;
  bool exact = true;  // each different value has its bin
};

// Where the counts of columns begin within those of a node. A bin has `width` sums and its number of cases.
struct BinLayout {
  BinLayout(std::span<const BinnedColumn> columns, std::size_t width);
  std::vector<std::size_t> starts;
  std::size_t width, cells = 0;
};

// What is added up in a bin: the weight by class, or the weight, sum and sum of squares of a number.
struct RowTargets {
  std::span<const std::int32_t> labels;  // by row
  std::span<const double> numbers;       // by row, without labels
};

// Adds cases to `counts`, [(slot, cells)]; slots beyond are passed over.
void count_bins(std::span<const RawColumn> raw, std::span<const BinnedColumn> columns, const BinLayout& layout,
                const RowTargets& targets, std::span<const std::uint32_t> rows, std::span<const std::int32_t> slots,
                std::span<const double> weights, std::span<double> counts, std::size_t threads);

// The splits of some nodes, in their order; a column of -1 is a leaf. The children of all nodes follow each other.
struct LevelSplits {
  std::vector<std::int32_t> columns, children, missing;
  LevelMaps levels;
  std::vector<double> thresholds;
  std::vector<double> child_tallies, child_shares;
  std::vector<std::int64_t> child_cases;
  std::vector<std::uint8_t> child_open;  // whether it is to be split in turn
};

// Splits nodes by their counts, [(node, cells)]. `classes` is 0 for numbers. `options.table_rows`, `table_weight` and
// `real` must be those of the whole table, so that sums are made as they would be in memory.
LevelSplits split_nodes(std::span<const BinnedColumn> columns, const BinLayout& layout, std::size_t classes,
                        std::span<const double> counts, std::span<const double> tallies,
                        std::span<const std::int32_t> depths, const GrowOptions& options, std::size_t threads);

// Whether a node is a leaf, whatever the columns say.
bool is_leaf_by_tally(std::span<const double> tally, std::size_t classes, std::int32_t depth,
                      const GrowOptions& options);

}  // namespace hedgerow::trees

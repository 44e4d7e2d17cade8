// A binary tree of rows: all of them at the root, every node's rows divided between its two children, few at a leaf.
//
// How a node is divided:
//   LONGEST_SIDE  by the column in which its rows lie farthest apart; the first of several
//   VARIANCE      by the column of the greatest variance: half of the mean squared difference of two rows, which is
//                 defined for levels and missing values too
//     these two at the MEDIAN, or at the MEAN: behind the value that is closest to the mean, as for skewed data; levels
//     go by their codes, equal ones together unless that leaves an eighth of the rows alone; missing values come last
//   FARTHEST      the row that is farthest from the center, and the row farthest from that one: every row goes to the
//                 nearer of the two, ties to the first of them
// Means and farthest rows may divide very unevenly. Below twice the depth of halving, rows are divided into halves.
// The tree is the same for any number of threads. O(rows * log(rows) * columns) time.
//
// After J. H. Friedman, J. L. Bentley, R. A. Finkel, An algorithm for finding best matches in logarithmic expected
// time. ACM Transactions on Mathematical Software 3 (1977); S. M. Omohundro, Five balltree construction algorithms.
// ICSI TR-89-063 (1989); A. W. Moore, The anchors hierarchy. UAI (2000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/mixed_rows.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

enum class PartitionRule { LONGEST_SIDE, VARIANCE, FARTHEST };

struct PartitionOptions {
  PartitionRule rule = PartitionRule::LONGEST_SIDE;
  bool at_mean = false;
  std::size_t leaf = 32;  // rows of a leaf at most
};

struct PartitionNode {
  std::size_t begin, end;              // its rows in the order
  std::int32_t left = -1, right = -1;  // -1: a leaf
  std::int32_t depth = 0, height = 0;  // from the root, and to its farthest leaf

  bool is_leaf() const { return left < 0; }
};

struct Partition {
  std::vector<std::int32_t> order;   // rows; ascending within a leaf
  std::vector<PartitionNode> nodes;  // the root first, children behind their parents
};

Partition partition_rows(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& options,
                         ThreadPool& pool);

// How deep a tree of halves is.
std::size_t compute_halving_depth(std::size_t rows, std::size_t leaf);

// The center of some rows: the mean of the known numbers of each column, NaN if there is none; the most frequent code,
// the first of several, or -1.
struct MixedCenter {
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;

  MixedRow row() const { return {numbers.data(), codes.data()}; }
};

MixedCenter compute_center(const MixedRows& rows, std::span<const std::int32_t> rows_of_node);

// Distances of some rows to one. Where a center has no value in a column, rows without one are at no distance from it.
void compute_distances(const MixedRows& rows, const MixedDistance& distance, std::span<const std::int32_t> rows_of_node,
                       const MixedRow& from, bool is_center, std::vector<double>& out);

}  // namespace hedgerow

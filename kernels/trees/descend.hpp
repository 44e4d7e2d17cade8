// Rows go down trees: the leaf that each row reaches, and what the leaves of many trees add up to.
//
// Several trees stand one after the other in the same arrays; child numbers count from the first node of all. A row is
// tested by the slots of its columns: numeric columns come first (NaN is missing), then nominal ones (-1 is missing).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "trees/level_maps.hpp"

namespace hedgerow {

// The tests of all nodes, as models.nodes.Nodes has them, with slots in place of columns. -1 is a leaf.
struct TreeTests {
  std::span<const std::int32_t> slot;
  std::span<const double> threshold;              // numeric: child 0 takes value <= threshold, child 1 the others
  std::span<const std::int32_t> first;            // number of the first child
  LevelMapsView level;                            // nominal: the child of each level
  std::span<const std::int32_t> missing;          // the child of a missing value; -1: all children, by their share
  std::span<const std::int32_t> surrogate_start;  // nodes + 1; tried in order where the tested value is missing
  std::span<const std::int32_t> surrogate_slot;
  std::span<const double> surrogate_threshold;
  std::span<const std::int32_t> surrogate_first;  // the child that takes value <= threshold
  LevelMapsView surrogate_level;                  // -1: does not say
  std::span<const double> share;                  // of each node in those rows of its parent that take all children
};

// The same, made small for the usual case, once for all rows to come.
struct PackedTree {
  std::vector<std::uint8_t> steps;  // 24 bytes a node, and a last node that stands for "look closer"
  // Where a table or a list tells children: twice the child, + 1 if a leaf. Before all a 0, and whether there are
  // lists.
  std::vector<std::int32_t> child_table;
  std::vector<std::int32_t> children;  // number of children of each node
};

// Throws std::out_of_range when a test, child, level or surrogate lies outside its array.
// numeric: the number of numeric slots; levels: of each nominal slot, in order. O(nodes + listed levels).
PackedTree pack_tree(const TreeTests& tests, std::size_t numeric, std::span<const std::int32_t> levels);

// What `pack_tree` returned, with the tests that it was made from.
struct PackedForest {
  TreeTests tests;
  std::span<const std::uint8_t> steps;
  std::span<const std::int32_t> child_table;
  std::span<const std::int32_t> children;
};

// The values of all rows: a pointer a slot.
struct DescentColumns {
  std::vector<const double*> numbers;
  std::vector<const std::int32_t*> codes;
  std::span<const std::int32_t> levels;         // of each nominal column; a code beyond throws std::out_of_range
  std::span<const std::int64_t> selected_rows;  // the rows that go down, in this order; empty: all of them
  std::size_t n_rows = 0;                       // how many go down
};

// leaf[row] = the leaf reached in a single tree; -1 for a row that takes several.
void find_leaves(const PackedForest& forest, const DescentColumns& columns, std::span<std::int32_t> leaf,
                 const InterruptCheck& pause);

// Whom a forest is asked about: a byte a row for every tree, 0 for no. Empty: all rows.
using RowMasks = std::span<const std::uint8_t* const>;

// sum[(row, j)] += payload[(leaf, j)] for the leaf reached in each tree, or for several by their shares. The sums are
// made in the order of the trees. root: the first node of each tree. O(rows * trees * depth); a missing value that
// takes all children costs the whole subtree.
void add_payloads(const PackedForest& forest, const DescentColumns& columns, std::span<const std::int32_t> root,
                  RowMasks row_masks, std::span<const double> payload, std::size_t width, std::span<double> sum,
                  const InterruptCheck& pause);

// sum[(row, class)] += vote[tree] for the class that each tree decides for: decision[leaf] or, where a row takes
// several leaves, the first of the largest mixed payloads (those within 1e-12 of the largest are equal).
void add_votes(const PackedForest& forest, const DescentColumns& columns, std::span<const std::int32_t> root,
               RowMasks row_masks, std::span<const double> payload, std::size_t width,
               std::span<const std::int32_t> decision, std::span<const double> vote, std::span<double> sum,
               const InterruptCheck& pause);

}  // namespace hedgerow

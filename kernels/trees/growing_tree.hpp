// Trees while they grow: nodes in the order they were made, or parts of a tree that grow apart from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/grow.hpp"
#include "trees/level_maps.hpp"

namespace hedgerow::trees {

// A test that stands in for another whose value is missing.
struct Surrogate {
  std::int32_t column = -1;
  double agreement = 0;  // weight
  double threshold = 0;
  std::int32_t first = 0;          // numeric: the child of the lower side
  std::int32_t levels = 0;         // nominal: how many the column has,
  std::vector<LevelChild> listed;  // and those that it sends to a child, ascending
};

// The nodes of a tree or of a part of it. Children are contiguous.
struct GrowingTree {
  struct GrowingNode {
    std::int32_t column = -1, first = 0, children = 0, missing = kNoChild;
    double threshold = 0;
    std::uint32_t begin = 0, count = 0;  // of its rows; 0 where a value is missing
    std::size_t listed = 0;              // nominal: where the levels that it lists begin,
    std::uint32_t n_listed = 0;          // how many they are,
    std::int32_t rest = kNoChild;        // and the child of the others; `kNoChild`: it has one child per level
    std::int32_t surrogates = -1;        // which of the lists, -1 for none
  };
  std::vector<GrowingNode> nodes;
  std::vector<double> tallies;  // [(node, width)]
  std::vector<LevelChild> listed;
  std::vector<std::vector<Surrogate>> surrogates;

  // Sets the child of each level; `levels` lists some in any order.
  void set_levels(GrowingNode& node, std::int32_t rest, std::span<const LevelChild> levels);

  // Adds nodes. Throws std::overflow_error if they are too many to be numbered.
  void add_nodes(std::size_t more);
};

// Puts a part that was grown apart in the place of its root.
void graft(GrowingTree& tree, std::size_t at, GrowingTree&& subtree, std::size_t width);

// The tree as flat arrays, breadth first; with where the rows of its nodes are, or without.
FlatTree flatten(const GrowingTree& tree, const TreeColumns& columns, std::size_t width, bool with_rows);

}  // namespace hedgerow::trees

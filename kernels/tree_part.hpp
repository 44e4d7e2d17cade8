// Trees while they grow: nodes in the order they were made, or parts of a tree that grow apart from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree_grow.hpp"

namespace hedgerow::trees {

// A test that stands in for another whose value is missing.
struct Surrogate {
  std::int32_t column = -1;
  double agreement = 0;  // weight
  double threshold = 0;
  std::int32_t first = 0;                    // numeric: the child of the lower side
  std::vector<std::int32_t> level_children;  // nominal
};

// The nodes of a tree or of a part of it. Children are contiguous.
struct Part {
  struct Node {
    std::int32_t column = -1, first = 0, children = 0, missing = nowhere;
    double threshold = 0;
    std::uint32_t begin = 0, count = 0;    // of its rows; 0 where a value is missing
    std::uint32_t levels = 0, n_levels = 0;  // where its children by level begin; none for a child a level
    std::int32_t surrogates = -1;            // which of the lists, -1 for none
  };
  std::vector<Node> nodes;
  std::vector<double> tallies;  // [(node, width)]
  std::vector<std::int32_t> level_children;
  std::vector<std::vector<Surrogate>> surrogates;

  void set_levels(Node& node, std::span<const std::int32_t> children) {
    node.levels = static_cast<std::uint32_t>(level_children.size());
    node.n_levels = static_cast<std::uint32_t>(children.size());
    level_children.insert(level_children.end(), children.begin(), children.end());
  }
};

// Puts a part that was grown apart in the place of its root.
void graft(Part& tree, std::size_t at, Part&& part, std::size_t width);

// The tree as flat arrays, breadth first; with where the rows of its nodes are, or without.
PlainTree flat(const Part& tree, const TreeColumns& columns, std::size_t width, bool with_rows);

}  // namespace hedgerow::trees

// Trees while they grow: nodes in the order they were made, or parts of a tree that grow apart from it.
#pragma once

#include <cstdint>
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
    std::size_t begin = 0, count = 0;  // of its rows, if they were put together
    std::vector<std::int32_t> level_children;  // empty for a child a level
    std::vector<Surrogate> surrogates;
  };
  std::vector<Node> nodes;
  std::vector<double> tallies;  // [(node, width)]
};

// Puts a part that was grown apart in the place of its root.
void graft(Part& tree, std::size_t at, Part&& part, std::size_t width);

// The tree as flat arrays, breadth first.
PlainTree flat(const Part& tree, const TreeColumns& columns, std::size_t width);

}  // namespace hedgerow::trees

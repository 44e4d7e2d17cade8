#include "trees/growing_tree.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

namespace hedgerow::trees {

void GrowingTree::set_levels(GrowingNode& node, std::int32_t rest, std::span<const LevelChild> levels) {
  node.rest = rest;
  node.listed = listed.size();
  node.n_listed = static_cast<std::uint32_t>(levels.size());
  listed.insert(listed.end(), levels.begin(), levels.end());
  std::sort(listed.begin() + static_cast<std::ptrdiff_t>(node.listed), listed.end(),
            [](LevelChild a, LevelChild b) { return a.code < b.code; });
}

void GrowingTree::add_nodes(std::size_t more) {
  constexpr auto maximum = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (more > maximum - nodes.size()) throw std::overflow_error("a tree has more than 2147483647 nodes");
  nodes.resize(nodes.size() + more);
}

void graft(GrowingTree& tree, std::size_t at, GrowingTree&& subtree, std::size_t width) {
  const auto shift = static_cast<std::int32_t>(tree.nodes.size()) - 1;
  const auto surrogates = static_cast<std::int32_t>(tree.surrogates.size());
  const std::size_t size = tree.nodes.size(), listed = tree.listed.size();
  for (GrowingTree::GrowingNode& node : subtree.nodes) {
    if (node.column >= 0) node.first += shift;
    if (node.surrogates >= 0) node.surrogates += surrogates;
    node.listed += listed;
  }
  tree.nodes[at] = subtree.nodes[0];
  tree.add_nodes(subtree.nodes.size() - 1);
  std::copy(subtree.nodes.begin() + 1, subtree.nodes.end(), tree.nodes.begin() + static_cast<std::ptrdiff_t>(size));
  tree.tallies.insert(tree.tallies.end(), subtree.tallies.begin() + static_cast<std::ptrdiff_t>(width),
                      subtree.tallies.end());
  tree.listed.insert(tree.listed.end(), subtree.listed.begin(), subtree.listed.end());
  tree.surrogates.insert(tree.surrogates.end(), std::move_iterator(subtree.surrogates.begin()),
                         std::move_iterator(subtree.surrogates.end()));
}

FlatTree flatten(const GrowingTree& tree, const TreeColumns& columns, std::size_t width, bool with_rows) {
  const std::size_t n = tree.nodes.size();
  std::vector<std::uint32_t> order(n, 0);
  FlatTree out;
  out.columns.resize(n);
  out.thresholds.resize(n);
  out.first.resize(n);
  out.missing.resize(n);
  out.tallies.resize(n * width);
  if (with_rows) {
    out.begins.resize(n);
    out.counts.resize(n);
  }
  if (!tree.surrogates.empty()) out.surrogate_starts.assign(n + 1, 0);
  std::size_t end = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const GrowingTree::GrowingNode& node = tree.nodes[order[i]];
    out.columns[i] = node.column;
    out.thresholds[i] = node.threshold;
    std::copy_n(tree.tallies.data() + order[i] * width, width, out.tallies.data() + i * width);
    if (with_rows) {
      out.begins[i] = node.begin;
      out.counts[i] = node.count;
    }
    if (node.column < 0) {
      out.missing[i] = kNoChild;
      out.levels.add_none();
    } else {
      out.missing[i] = node.missing;
      out.first[i] = static_cast<std::int32_t>(end);
      for (std::int32_t c = 0; c < node.children; ++c) order[end++] = static_cast<std::uint32_t>(node.first + c);
      const TreeColumn& column = columns.columns[static_cast<std::size_t>(node.column)];
      if (!column.nominal) {
        out.levels.add_none();
      } else if (node.rest == kNoChild) {
        out.levels.add_child_per_level(column.bins);
      } else {
        out.levels.add(column.bins, node.rest, std::span(tree.listed).subspan(node.listed, node.n_listed));
      }
    }
    if (tree.surrogates.empty()) continue;
    if (node.surrogates >= 0) {
      for (const Surrogate& one : tree.surrogates[static_cast<std::size_t>(node.surrogates)]) {
        out.surrogate_columns.push_back(one.column);
        out.surrogate_thresholds.push_back(one.threshold);
        out.surrogate_first.push_back(one.first);
        out.surrogate_levels.add(one.levels, kNoChild, one.listed);
      }
    }
    out.surrogate_starts[i + 1] = static_cast<std::int32_t>(out.surrogate_columns.size());
  }
  return out;
}

}  // namespace hedgerow::trees

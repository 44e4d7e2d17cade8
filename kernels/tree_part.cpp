#include "tree_part.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hedgerow::trees {

void graft(Part& tree, std::size_t at, Part&& part, std::size_t width) {
  const auto shift = static_cast<std::int32_t>(tree.nodes.size()) - 1;
  const auto levels = static_cast<std::uint32_t>(tree.level_children.size());
  const auto surrogates = static_cast<std::int32_t>(tree.surrogates.size());
  for (Part::Node& node : part.nodes) {
    if (node.column >= 0) node.first += shift;
    if (node.surrogates >= 0) node.surrogates += surrogates;
    node.levels += levels;
  }
  tree.nodes[at] = part.nodes[0];
  tree.nodes.insert(tree.nodes.end(), part.nodes.begin() + 1, part.nodes.end());
  tree.tallies.insert(tree.tallies.end(), part.tallies.begin() + static_cast<std::ptrdiff_t>(width), part.tallies.end());
  tree.level_children.insert(tree.level_children.end(), part.level_children.begin(), part.level_children.end());
  tree.surrogates.insert(tree.surrogates.end(), std::move_iterator(part.surrogates.begin()),
                         std::move_iterator(part.surrogates.end()));
}

PlainTree flat(const Part& tree, const TreeColumns& columns, std::size_t width, bool with_rows) {
  const std::size_t n = tree.nodes.size();
  std::vector<std::uint32_t> order(n, 0);
  PlainTree out;
  out.columns.resize(n);
  out.thresholds.resize(n);
  out.first.resize(n);
  out.missing.resize(n);
  out.tallies.resize(n * width);
  out.level_starts.assign(n + 1, 0);
  out.level_children.reserve(tree.level_children.size());
  if (with_rows) {
    out.begins.resize(n);
    out.counts.resize(n);
  }
  if (!tree.surrogates.empty()) {
    out.surrogate_starts.assign(n + 1, 0);
    out.surrogate_level_starts.push_back(0);
  }
  std::size_t end = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Part::Node& node = tree.nodes[order[i]];
    out.columns[i] = node.column;
    out.thresholds[i] = node.threshold;
    std::copy_n(tree.tallies.data() + order[i] * width, width, out.tallies.data() + i * width);
    if (with_rows) {
      out.begins[i] = node.begin;
      out.counts[i] = node.count;
    }
    if (node.column < 0) {
      out.missing[i] = nowhere;
    } else {
      out.missing[i] = node.missing;
      out.first[i] = static_cast<std::int32_t>(end);
      for (std::int32_t c = 0; c < node.children; ++c) order[end++] = static_cast<std::uint32_t>(node.first + c);
      if (node.n_levels > 0) {
        const auto levels = tree.level_children.begin() + node.levels;
        out.level_children.insert(out.level_children.end(), levels, levels + node.n_levels);
      } else if (columns.columns[static_cast<std::size_t>(node.column)].nominal) {
        for (std::int32_t level = 0; level < node.children; ++level) out.level_children.push_back(level);
      }
    }
    out.level_starts[i + 1] = static_cast<std::int32_t>(out.level_children.size());
    if (tree.surrogates.empty()) continue;
    if (node.surrogates >= 0) {
      for (const Surrogate& one : tree.surrogates[static_cast<std::size_t>(node.surrogates)]) {
        out.surrogate_columns.push_back(one.column);
        out.surrogate_thresholds.push_back(one.threshold);
        out.surrogate_first.push_back(one.first);
        out.surrogate_level_children.insert(out.surrogate_level_children.end(), one.level_children.begin(), one.level_children.end());
        out.surrogate_level_starts.push_back(static_cast<std::int32_t>(out.surrogate_level_children.size()));
      }
    }
    out.surrogate_starts[i + 1] = static_cast<std::int32_t>(out.surrogate_columns.size());
  }
  return out;
}

}  // namespace hedgerow::trees

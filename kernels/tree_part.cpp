#include "tree_part.hpp"

#include <iterator>
#include <utility>

namespace hedgerow::trees {

void graft(Part& tree, std::size_t at, Part&& part, std::size_t width) {
  const auto shift = static_cast<std::int32_t>(tree.nodes.size()) - 1;
  for (Part::Node& node : part.nodes) {
    if (node.column >= 0) node.first += shift;
  }
  tree.nodes[at] = std::move(part.nodes[0]);
  tree.nodes.insert(tree.nodes.end(), std::move_iterator(part.nodes.begin() + 1), std::move_iterator(part.nodes.end()));
  tree.tallies.insert(tree.tallies.end(), part.tallies.begin() + static_cast<std::ptrdiff_t>(width), part.tallies.end());
}

PlainTree flat(const Part& tree, const TreeColumns& columns, std::size_t width) {
  std::vector<std::size_t> order{0};
  PlainTree out;
  out.first.assign(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Part::Node& node = tree.nodes[order[i]];
    if (node.column < 0) continue;
    out.first[i] = static_cast<std::int32_t>(order.size());
    for (std::int32_t c = 0; c < node.children; ++c) order.push_back(static_cast<std::size_t>(node.first + c));
  }
  out.level_starts.push_back(0);
  out.surrogate_starts.push_back(0);
  out.surrogate_level_starts.push_back(0);
  for (const std::size_t i : order) {
    const Part::Node& node = tree.nodes[i];
    out.columns.push_back(node.column);
    out.missing.push_back(node.column < 0 ? nowhere : node.missing);
    out.thresholds.push_back(node.threshold);
    out.begins.push_back(static_cast<std::uint32_t>(node.begin));
    out.counts.push_back(static_cast<std::uint32_t>(node.count));
    if (node.column >= 0 && columns.columns[static_cast<std::size_t>(node.column)].nominal && node.level_children.empty()) {
      for (std::int32_t level = 0; level < node.children; ++level) out.level_children.push_back(level);
    }
    out.level_children.insert(out.level_children.end(), node.level_children.begin(), node.level_children.end());
    out.level_starts.push_back(static_cast<std::int32_t>(out.level_children.size()));
    const auto tally = tree.tallies.begin() + static_cast<std::ptrdiff_t>(i * width);
    out.tallies.insert(out.tallies.end(), tally, tally + static_cast<std::ptrdiff_t>(width));
    for (const Surrogate& one : node.surrogates) {
      out.surrogate_columns.push_back(one.column);
      out.surrogate_thresholds.push_back(one.threshold);
      out.surrogate_first.push_back(one.first);
      out.surrogate_level_children.insert(out.surrogate_level_children.end(), one.level_children.begin(), one.level_children.end());
      out.surrogate_level_starts.push_back(static_cast<std::int32_t>(out.surrogate_level_children.size()));
    }
    out.surrogate_starts.push_back(static_cast<std::int32_t>(out.surrogate_columns.size()));
  }
  return out;
}

}  // namespace hedgerow::trees

// A tree that rows go down while it is pruned: its tests, the weights of its nodes, and where a row goes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "trees/columns.hpp"
#include "trees/prune.hpp"

namespace hedgerow::trees {

class PrunableTree {
 public:
  struct PrunableNode {
    std::int32_t column = -1, first = 0, children = 0, missing = -1;
    std::size_t test = 0;  // its number in the tree that was given
    std::int32_t surrogates = 0, surrogates_end = 0;
    double threshold = 0;
  };

  // `width` numbers a node are its weights; `columns` are those that rows are tested by.
  PrunableTree(const FlatTree& tree, std::span<const RawColumn> columns, std::size_t width)
      : tree_(tree),
        levels_(tree.levels.view()),
        surrogate_levels_(tree.surrogate_levels.view()),
        columns_(columns),
        width_(width),
        weights_(tree.tallies) {
    nodes_.reserve(tree.columns.size());
    for (std::size_t i = 0; i < tree.columns.size(); ++i) nodes_.push_back(make_node(tree, i));
  }

  std::size_t size() const { return nodes_.size(); }
  bool is_leaf(std::size_t node) const { return nodes_[node].column < 0; }
  std::int32_t column(std::size_t node) const { return nodes_[node].column; }
  std::size_t child(std::size_t node, std::size_t c) const { return static_cast<std::size_t>(nodes_[node].first) + c; }
  std::size_t n_children(std::size_t node) const {
    return is_leaf(node) ? 0 : static_cast<std::size_t>(nodes_[node].children);
  }

  void turn_into_leaf(std::size_t node) { nodes_[node].column = -1; }
  // Puts a branch in the place of its parent.
  void raise_branch(std::size_t node, std::size_t branch) { nodes_[node] = nodes_[branch]; }

  double* weights(std::size_t node) { return weights_.data() + node * width_; }
  const double* weights(std::size_t node) const { return weights_.data() + node * width_; }
  std::size_t width() const { return width_; }

  double weight(std::size_t node) const { return std::accumulate(weights(node), weights(node) + width_, 0.0); }
  // The weight of all classes but the heaviest.
  double errors(std::size_t node) const {
    return weight(node) - *std::max_element(weights(node), weights(node) + width_);
  }

  // The child that a row takes; -1 if its value is missing and goes to all.
  std::int32_t find_child(std::size_t node, std::size_t row) const { return find_child(nodes_[node], row); }

  // Calls visit(node) for a node and all below it, a parent before its children, until it returns false.
  template <class Visit>
  bool for_all_below(std::size_t node, const Visit& visit) const {
    std::vector<std::size_t> open{node};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (!visit(at)) return false;
      for (std::size_t c = n_children(at); c-- > 0;) open.push_back(child(at, c));
    }
    return true;
  }

  // What is left of the tree, breadth first; `order` becomes the numbers that its nodes have here.
  FlatTree to_flat_tree(std::vector<std::size_t>& order) const {
    FlatTree out;
    order.assign(1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PrunableNode& node = nodes_[order[i]];
      const bool tests = node.column >= 0;
      out.columns.push_back(node.column);
      out.missing.push_back(tests ? node.missing : -1);
      out.thresholds.push_back(tests ? node.threshold : 0);
      out.first.push_back(tests ? static_cast<std::int32_t>(order.size()) : 0);
      if (tests) {
        for (std::int32_t c = 0; c < node.children; ++c) order.push_back(static_cast<std::size_t>(node.first + c));
        out.levels.add(levels_, node.test);
      } else {
        out.levels.add_none();
      }
      out.tallies.insert(out.tallies.end(), weights(order[i]), weights(order[i]) + width_);
    }
    return out;
  }

 private:
  PrunableNode make_node(const FlatTree& tree, std::size_t i) const {
    PrunableNode node;
    node.column = tree.columns[i];
    if (node.column < 0) return node;
    node.first = tree.first[i];
    node.missing = tree.missing[i];
    node.threshold = tree.thresholds[i];
    node.test = i;
    if (!tree.surrogate_starts.empty()) {
      node.surrogates = tree.surrogate_starts[i];
      node.surrogates_end = tree.surrogate_starts[i + 1];
    }
    node.children = levels_.counts[i] == 0 ? 2 : levels_.largest_child(i) + 1;
    return node;
  }

  std::int32_t find_child(const PrunableNode& node, std::size_t row) const {
    const RawColumn& column = columns_[static_cast<std::size_t>(node.column)];
    if (column.codes) {
      const std::int32_t code = column.codes[row];
      return code < 0 ? find_child_of_missing(node, row) : levels_.child(node.test, code);
    }
    const double value = column.numbers[row];
    return std::isnan(value) ? find_child_of_missing(node, row) : value > node.threshold;
  }

  // The child of a missing value: by the first surrogate that knows, or the node's own.
  std::int32_t find_child_of_missing(const PrunableNode& node, std::size_t row) const {
    for (std::int32_t i = node.surrogates; i < node.surrogates_end; ++i) {
      const auto one = static_cast<std::size_t>(i);
      const RawColumn& column = columns_[static_cast<std::size_t>(tree_.surrogate_columns[one])];
      if (!column.codes) {
        const double value = column.numbers[row];
        if (std::isnan(value)) continue;
        return value > tree_.surrogate_thresholds[one] ? 1 - tree_.surrogate_first[one] : tree_.surrogate_first[one];
      }
      const std::int32_t code = column.codes[row];
      if (code < 0) continue;
      const std::int32_t to = surrogate_levels_.child(one, code);
      if (to >= 0) return to;
    }
    return node.missing;
  }

  const FlatTree& tree_;
  LevelMapsView levels_, surrogate_levels_;
  std::span<const RawColumn> columns_;
  std::size_t width_;
  std::vector<PrunableNode> nodes_;
  std::vector<double> weights_;  // [(node, class)]
};

}  // namespace hedgerow::trees

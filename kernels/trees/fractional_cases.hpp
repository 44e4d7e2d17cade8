// Cases that go down a tree in fractions: a row whose tested value is missing goes to all children, in proportion to
// the known weight of the cases beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "trees/prune.hpp"
#include "trees/pruning_walk.hpp"

namespace hedgerow::trees {

// Cases of a node; without weights each row has its own.
struct WeightedCases {
  std::vector<std::uint32_t> rows;
  std::vector<double> weights;
};

class FractionalDescent {
 public:
  FractionalDescent(const PrunableTree& tree, const TrainingRows& rows) : tree_(tree), rows_(rows) {}

  // The rows of positive weight.
  WeightedCases make_root_cases() const {
    WeightedCases out;
    for (std::size_t row = 0; row < rows_.labels.size(); ++row) {
      if (rows_.weights[row] > 0) out.rows.push_back(static_cast<std::uint32_t>(row));
    }
    return out;
  }

  double weight(const WeightedCases& cases, std::size_t i) const {
    return cases.weights.empty() ? rows_.weights[cases.rows[i]] : cases.weights[i];
  }

  // The cases of every child.
  std::vector<WeightedCases> divide(std::size_t node, const WeightedCases& cases) const {
    std::vector<WeightedCases> out(tree_.n_children(node));
    std::vector<double> known(out.size(), 0);
    bool missing = false;  // a value is missing
    std::vector<std::int32_t> sides(cases.rows.size());
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      sides[i] = tree_.find_child(node, cases.rows[i]);
      if (sides[i] < 0) {
        missing = true;
      } else {
        known[static_cast<std::size_t>(sides[i])] += weight(cases, i);
      }
    }
    double all = std::accumulate(known.begin(), known.end(), 0.0);
    if (!(all > 0)) {  // no value is known, as can be after rows were sent down another branch
      std::fill(known.begin(), known.end(), 1.0);
      all = static_cast<double>(known.size());
    }
    const bool weighted = !cases.weights.empty() || missing;
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      for (std::size_t c = 0; c < out.size(); ++c) {
        if (sides[i] >= 0 ? static_cast<std::size_t>(sides[i]) != c : !(known[c] > 0)) continue;
        out[c].rows.push_back(cases.rows[i]);
        if (weighted) out[c].weights.push_back(weight(cases, i) * (sides[i] < 0 ? known[c] / all : 1.0));
      }
    }
    return out;
  }

  // The weight by class.
  void count_classes(const WeightedCases& cases, double* into) const {
    std::fill(into, into + tree_.width(), 0.0);
    for (std::size_t i = 0; i < cases.rows.size(); ++i) into[rows_.labels[cases.rows[i]]] += weight(cases, i);
  }

  // Sends cases down from a node; calls visit(node, cases) for it and all below.
  template <class Visit>
  void send_down(std::size_t node, WeightedCases cases, const Visit& visit) const {
    std::vector<std::pair<std::size_t, WeightedCases>> open;
    open.emplace_back(node, std::move(cases));
    while (!open.empty()) {
      const auto [at, of] = std::move(open.back());
      open.pop_back();
      visit(at, of);
      if (tree_.is_leaf(at)) continue;
      std::vector<WeightedCases> below = divide(at, of);
      for (std::size_t c = 0; c < below.size(); ++c) open.emplace_back(tree_.child(at, c), std::move(below[c]));
    }
  }

 private:
  const PrunableTree& tree_;
  const TrainingRows& rows_;
};

}  // namespace hedgerow::trees

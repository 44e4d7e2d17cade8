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
struct Cases {
  std::vector<std::uint32_t> rows;
  std::vector<double> weights;
};

class Fractions {
 public:
  Fractions(const Walk& walk, const TreeRows& rows) : walk_(walk), rows_(rows) {}

  // The rows of positive weight.
  Cases all() const {
    Cases out;
    for (std::size_t row = 0; row < rows_.labels.size(); ++row) {
      if (rows_.weights[row] > 0) out.rows.push_back(static_cast<std::uint32_t>(row));
    }
    return out;
  }

  double weight(const Cases& cases, std::size_t i) const {
    return cases.weights.empty() ? rows_.weights[cases.rows[i]] : cases.weights[i];
  }

  // The cases of every child.
  std::vector<Cases> divided(std::size_t node, const Cases& cases) const {
    std::vector<Cases> out(walk_.n_children(node));
    std::vector<double> known(out.size(), 0);
    bool lost = false;  // a value is missing
    std::vector<std::int32_t> sides(cases.rows.size());
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      sides[i] = walk_.side(node, cases.rows[i]);
      if (sides[i] < 0) {
        lost = true;
      } else {
        known[static_cast<std::size_t>(sides[i])] += weight(cases, i);
      }
    }
    double all = std::accumulate(known.begin(), known.end(), 0.0);
    if (!(all > 0)) {  // no value is known, as can be after rows were sent down another branch
      std::fill(known.begin(), known.end(), 1.0);
      all = static_cast<double>(known.size());
    }
    const bool weighed = !cases.weights.empty() || lost;
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      for (std::size_t c = 0; c < out.size(); ++c) {
        if (sides[i] >= 0 ? static_cast<std::size_t>(sides[i]) != c : !(known[c] > 0)) continue;
        out[c].rows.push_back(cases.rows[i]);
        if (weighed) out[c].weights.push_back(weight(cases, i) * (sides[i] < 0 ? known[c] / all : 1.0));
      }
    }
    return out;
  }

  // The weight by class.
  void count(const Cases& cases, double* into) const {
    std::fill(into, into + walk_.width(), 0.0);
    for (std::size_t i = 0; i < cases.rows.size(); ++i) into[rows_.labels[cases.rows[i]]] += weight(cases, i);
  }

  // Sends cases down from a node; calls visit(node, cases) for it and all below.
  template <class Visit>
  void send(std::size_t node, Cases cases, const Visit& visit) const {
    std::vector<std::pair<std::size_t, Cases>> open;
    open.emplace_back(node, std::move(cases));
    while (!open.empty()) {
      const auto [at, of] = std::move(open.back());
      open.pop_back();
      visit(at, of);
      if (walk_.leaf(at)) continue;
      std::vector<Cases> below = divided(at, of);
      for (std::size_t c = 0; c < below.size(); ++c) open.emplace_back(walk_.child(at, c), std::move(below[c]));
    }
  }

 private:
  const Walk& walk_;
  const TreeRows& rows_;
};

}  // namespace hedgerow::trees

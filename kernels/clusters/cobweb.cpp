#include "clusters/cobweb.hpp"

#include <algorithm>
#include <utility>

namespace hedgerow {

namespace {
constexpr std::size_t kRowsPerCheck = 64;  // looks at the clock
}

ConceptTree::ConceptTree(ConceptMeasures measure, ConceptRule rule) : sums_(std::move(measure)), rule_(rule) {
  add_concept(sums_.make_concept());
}

ConceptTree::ConceptTree(ConceptMeasures measure, ConceptRule rule, std::span<const std::int32_t> parents,
                         const ConceptSums::ConceptArrays& arrays)
    : sums_(std::move(measure)), rule_(rule) {
  for (std::size_t at = 0; at < parents.size(); ++at) {
    const std::int32_t own = add_concept(sums_.load(arrays, at));
    if (at) children_[static_cast<std::size_t>(parents[at])].push_back(own);
  }
}

std::int32_t ConceptTree::add_concept(std::size_t concept_) {
  if (concept_ >= children_.size()) children_.resize(concept_ + 1);
  children_[concept_].clear();
  return static_cast<std::int32_t>(concept_);
}

ConceptRow ConceptTree::row(const ConceptRows& rows, std::size_t at) const {
  const auto& measure = sums_.measure();
  return {rows.numbers.data() + at * measure.numbers, rows.codes.data() + at * measure.levels.size(),
          rows.weights.empty() ? 1.0 : rows.weights[at]};
}

void ConceptTree::add_rows(const ConceptRows& rows, const std::function<void()>& pause) {
  for (std::size_t at = 0; at < rows.size; ++at) {
    if (at % kRowsPerCheck == 0) pause();
    add_row(row(rows, at));
  }
}

void ConceptTree::add_row(const ConceptRow& row) {
  sums_.select_row(row);
  weight_ = row.weight;
  are_hosts_scored_ = false;
  if (!(sums_.weight(0) > 0)) {  // the first row of all
    sums_.add_row(0);
    return;
  }
  std::int32_t node = 0;
  bool counted = false;  // whether the row is in the sums of the node
  for (;;) {
    if (children_[static_cast<std::size_t>(node)].empty()) {
      split_leaf(node);
      return;
    }
    if (!counted) sums_.add_row(static_cast<std::size_t>(node));
    const OperatorChoice choice = choose_operator(node);
    if (choice.utility <= rule_.cutoff + rule_.tie) {
      if (choice.merged) sums_.release(choice.merged);
      drop_children(node);
      return;
    }
    if (choice.merged && choice.operation != CobwebOperator::merge) sums_.release(choice.merged);
    switch (choice.operation) {
      case CobwebOperator::new_concept: {
        const std::int32_t leaf = make_leaf_of_row();
        children_[static_cast<std::size_t>(node)].push_back(leaf);
        return;
      }
      case CobwebOperator::host:
        node = children_[static_cast<std::size_t>(node)][choice.best];
        host_scores_.swap(grandchild_scores_);  // weighed already, to see whether splitting helps
        are_hosts_scored_ = true;
        counted = false;
        break;
      case CobwebOperator::merge:
        node = merge_concepts(node, choice);
        are_hosts_scored_ = false;
        counted = false;
        break;
      case CobwebOperator::split:
        split_concept(node, choice.best);
        are_hosts_scored_ = false;
        counted = true;
        break;
    }
  }
}

// A leaf becomes what it was and the row, if telling them apart is worth it.
void ConceptTree::split_leaf(std::int32_t leaf) {
  const auto own = static_cast<std::size_t>(leaf);
  const double gain = sums_.score(own) + sums_.score_of_row() - sums_.score_with_row(own);
  if (gain / (2 * (sums_.weight(own) + weight_)) <= rule_.cutoff + rule_.tie) {
    sums_.add_row(own);
    return;
  }
  const std::size_t old = sums_.copy(own);
  sums_.add_row(own);
  const std::int32_t first = add_concept(old), second = make_leaf_of_row();
  children_[own] = {first, second};
}

std::int32_t ConceptTree::make_leaf_of_row() {
  const std::int32_t leaf = add_concept(sums_.make_concept());
  sums_.add_row(static_cast<std::size_t>(leaf));
  return leaf;
}

void ConceptTree::score_hosts(std::int32_t node) {
  const Children& children = children_[static_cast<std::size_t>(node)];
  host_scores_.resize(children.size());
  for (std::size_t i = 0; i < children.size(); ++i)
    host_scores_[i] = sums_.score_with_row(static_cast<std::size_t>(children[i]));
}

// The best operator for the row, which the node has taken in already. A later one must be better by more than a tie.
ConceptTree::OperatorChoice ConceptTree::choose_operator(std::int32_t node) {
  const Children& children = children_[static_cast<std::size_t>(node)];
  const auto own = static_cast<std::size_t>(node);
  if (!are_hosts_scored_) score_hosts(node);
  const auto k = static_cast<double>(children.size());
  const double weight = sums_.weight(own);
  double total = 0, best = 0, second = 0;
  OperatorChoice choice;
  for (const std::int32_t child : children) total += sums_.score(static_cast<std::size_t>(child));
  for (std::size_t i = 0; i < children.size(); ++i) {
    const double utility =
        (total - sums_.score(static_cast<std::size_t>(children[i])) + host_scores_[i] - sums_.score(own)) /
        (k * weight);
    if (i == 0 || utility > best + rule_.tie) {
      second = best, choice.second = choice.best;
      best = utility, choice.best = i;
    } else if (i == 1 || utility > second + rule_.tie) {
      second = utility, choice.second = i;
    }
  }
  choice.utility = best;
  const auto consider = [&](CobwebOperator operation, double utility) {
    if (utility > choice.utility + rule_.tie) choice.operation = operation, choice.utility = utility;
  };
  consider(CobwebOperator::new_concept, (total + sums_.score_of_row() - sums_.score(own)) / ((k + 1) * weight));
  const auto host = static_cast<std::size_t>(children[choice.best]),
             runner_up = static_cast<std::size_t>(children[choice.second]);
  const double rest = total - sums_.score(host) - sums_.score(own);
  if (children.size() > 2) {
    const std::int32_t low = children[std::min(choice.best, choice.second)],
                       high = children[std::max(choice.best, choice.second)];
    choice.merged = sums_.merge(static_cast<std::size_t>(low), static_cast<std::size_t>(high));
    const double with = sums_.score_with_row(choice.merged);
    consider(CobwebOperator::merge, (rest - sums_.score(runner_up) + with) / ((k - 1) * weight));
  }
  if (!children_[host].empty())
    consider(CobwebOperator::split, compute_split_utility(node, static_cast<std::int32_t>(host), rest));
  return choice;
}

// The children of the host in its place, and the row in the best of them or alone.
double ConceptTree::compute_split_utility(std::int32_t node, std::int32_t host, double rest) {
  const Children& children = children_[static_cast<std::size_t>(host)];
  grandchild_scores_.resize(children.size());
  double total = rest, maximum = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto child = static_cast<std::size_t>(children[i]);
    grandchild_scores_[i] = sums_.score_with_row(child);
    total += sums_.score(child);
    const double gain = grandchild_scores_[i] - sums_.score(child);
    if (i == 0 || gain > maximum) maximum = gain;
  }
  const auto k = static_cast<double>(children_[static_cast<std::size_t>(node)].size() - 1 + children.size());
  const double weight = sums_.weight(static_cast<std::size_t>(node));
  return std::max((total + maximum) / (k * weight), (total + sums_.score_of_row()) / ((k + 1) * weight));
}

// The merged concept takes the place of the older of the two, which become its children.
std::int32_t ConceptTree::merge_concepts(std::int32_t node, const OperatorChoice& choice) {
  const std::int32_t own = add_concept(choice.merged);  // may move the lists of children
  Children& children = children_[static_cast<std::size_t>(node)];
  const std::size_t low = std::min(choice.best, choice.second), high = std::max(choice.best, choice.second);
  children_[static_cast<std::size_t>(own)] = {children[low], children[high]};
  children[low] = own;
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(high));
  return own;
}

void ConceptTree::split_concept(std::int32_t node, std::size_t at) {
  Children& children = children_[static_cast<std::size_t>(node)];
  const auto host = static_cast<std::size_t>(children[at]);
  const Children inner = std::exchange(children_[host], {});
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(at));
  children.insert(children.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
  sums_.release(host);
}

void ConceptTree::drop_children(std::int32_t node) {
  Children left = std::exchange(children_[static_cast<std::size_t>(node)], {});
  while (!left.empty()) {
    const auto own = static_cast<std::size_t>(left.back());
    left.pop_back();
    left.insert(left.end(), children_[own].begin(), children_[own].end());
    Children().swap(children_[own]);
    sums_.release(own);
  }
}

void ConceptTree::sort_rows(const ConceptRows& rows, std::span<const std::uint8_t> stops, std::span<std::int32_t> out,
                            const std::function<void()>& pause) {
  for (std::size_t at = 0; at < rows.size; ++at) {
    if (at % kRowsPerCheck == 0) pause();
    const ConceptRow one = row(rows, at);
    sums_.select_row(one);
    std::int32_t node = 0;
    while (!stops[static_cast<std::size_t>(node)] && !children_[static_cast<std::size_t>(node)].empty()) {
      const Children& children = children_[static_cast<std::size_t>(node)];
      const double unit =
          static_cast<double>(children.size()) * (sums_.weight(static_cast<std::size_t>(node)) + one.weight);
      double maximum = 0;
      std::int32_t best = -1;
      for (const std::int32_t child : children) {
        const auto own = static_cast<std::size_t>(child);
        const double gain = (sums_.score_with_row(own) - sums_.score(own)) / unit;
        if (best < 0 || gain > maximum + rule_.tie) maximum = gain, best = child;
      }
      node = best;
    }
    out[at] = node;
  }
}

std::vector<std::int32_t> ConceptTree::export_tree(ConceptSums::ConceptArrays& arrays) const {
  std::vector<std::int32_t> parents{-1}, order{0};
  for (std::size_t at = 0; at < order.size(); ++at) {
    sums_.append_to(arrays, static_cast<std::size_t>(order[at]));
    for (const std::int32_t child : children_[static_cast<std::size_t>(order[at])]) {
      parents.push_back(static_cast<std::int32_t>(at));
      order.push_back(child);
    }
  }
  return parents;
}

}  // namespace hedgerow

#include "clusters/cobweb.hpp"

#include <algorithm>
#include <utility>

namespace hedgerow {

namespace {
constexpr std::size_t kRowsBetween = 64;  // looks at the clock
}

Concepts::Concepts(ConceptMeasure measure, ConceptRule rule) : sums_(std::move(measure)), rule_(rule) {
  fresh(sums_.make());
}

Concepts::Concepts(ConceptMeasure measure, ConceptRule rule, std::span<const std::int32_t> parents,
                   const ConceptSums::Held& held)
    : sums_(std::move(measure)), rule_(rule) {
  for (std::size_t at = 0; at < parents.size(); ++at) {
    const std::int32_t own = fresh(sums_.take_back(held, at));
    if (at) children_[static_cast<std::size_t>(parents[at])].push_back(own);
  }
}

std::int32_t Concepts::fresh(std::size_t concept_) {
  if (concept_ >= children_.size()) children_.resize(concept_ + 1);
  children_[concept_].clear();
  return static_cast<std::int32_t>(concept_);
}

ConceptRow Concepts::row(const ConceptRows& rows, std::size_t at) const {
  const auto& measure = sums_.measure();
  return {rows.numbers.data() + at * measure.numbers, rows.codes.data() + at * measure.levels.size(),
          rows.weights.empty() ? 1.0 : rows.weights[at]};
}

void Concepts::grow(const ConceptRows& rows, const std::function<void()>& pause) {
  for (std::size_t at = 0; at < rows.size; ++at) {
    if (at % kRowsBetween == 0) pause();
    put(row(rows, at));
  }
}

void Concepts::put(const ConceptRow& row) {
  sums_.take(row);
  weight_ = row.weight;
  known_ = false;
  if (!(sums_.weight(0) > 0)) {  // the first row of all
    sums_.add(0);
    return;
  }
  std::int32_t node = 0;
  bool counted = false;  // whether the row is in the sums of the node
  for (;;) {
    if (children_[static_cast<std::size_t>(node)].empty()) {
      divide(node);
      return;
    }
    if (!counted) sums_.add(static_cast<std::size_t>(node));
    const Choice choice = choose(node);
    if (choice.utility <= rule_.cutoff + rule_.tie) {
      if (choice.merged) sums_.give_back(choice.merged);
      drop_children(node);
      return;
    }
    if (choice.merged && choice.deed != Deed::merge) sums_.give_back(choice.merged);
    switch (choice.deed) {
      case Deed::alone: {
        const std::int32_t leaf = leaf_of_row();
        children_[static_cast<std::size_t>(node)].push_back(leaf);
        return;
      }
      case Deed::host:
        node = children_[static_cast<std::size_t>(node)][choice.best];
        hosted_.swap(grand_);  // weighed already, to see whether splitting helps
        known_ = true;
        counted = false;
        break;
      case Deed::merge:
        node = merge(node, choice);
        known_ = false;
        counted = false;
        break;
      case Deed::split:
        split(node, choice.best);
        known_ = false;
        counted = true;
        break;
    }
  }
}

// A leaf becomes what it was and the row, if telling them apart is worth it.
void Concepts::divide(std::int32_t leaf) {
  const auto own = static_cast<std::size_t>(leaf);
  const double gain = sums_.score(own) + sums_.score_alone() - sums_.score_with(own);
  if (gain / (2 * (sums_.weight(own) + weight_)) <= rule_.cutoff + rule_.tie) {
    sums_.add(own);
    return;
  }
  const std::size_t old = sums_.copy(own);
  sums_.add(own);
  const std::int32_t first = fresh(old), second = leaf_of_row();
  children_[own] = {first, second};
}

std::int32_t Concepts::leaf_of_row() {
  const std::int32_t leaf = fresh(sums_.make());
  sums_.add(static_cast<std::size_t>(leaf));
  return leaf;
}

void Concepts::weigh_hosts(std::int32_t node) {
  const Children& children = children_[static_cast<std::size_t>(node)];
  hosted_.resize(children.size());
  for (std::size_t i = 0; i < children.size(); ++i)
    hosted_[i] = sums_.score_with(static_cast<std::size_t>(children[i]));
}

// The best operator for the row, which the node has taken in already. A later one must be better by more than a tie.
Concepts::Choice Concepts::choose(std::int32_t node) {
  const Children& children = children_[static_cast<std::size_t>(node)];
  const auto own = static_cast<std::size_t>(node);
  if (!known_) weigh_hosts(node);
  const auto k = static_cast<double>(children.size());
  const double weight = sums_.weight(own);
  double total = 0, best = 0, second = 0;
  Choice choice;
  for (const std::int32_t child : children) total += sums_.score(static_cast<std::size_t>(child));
  for (std::size_t i = 0; i < children.size(); ++i) {
    const double utility =
        (total - sums_.score(static_cast<std::size_t>(children[i])) + hosted_[i] - sums_.score(own)) / (k * weight);
    if (i == 0 || utility > best + rule_.tie) {
      second = best, choice.second = choice.best;
      best = utility, choice.best = i;
    } else if (i == 1 || utility > second + rule_.tie) {
      second = utility, choice.second = i;
    }
  }
  choice.utility = best;
  const auto weigh = [&](Deed deed, double utility) {
    if (utility > choice.utility + rule_.tie) choice.deed = deed, choice.utility = utility;
  };
  weigh(Deed::alone, (total + sums_.score_alone() - sums_.score(own)) / ((k + 1) * weight));
  const auto host = static_cast<std::size_t>(children[choice.best]),
             runner_up = static_cast<std::size_t>(children[choice.second]);
  const double rest = total - sums_.score(host) - sums_.score(own);
  if (children.size() > 2) {
    const std::int32_t low = children[std::min(choice.best, choice.second)],
                       high = children[std::max(choice.best, choice.second)];
    choice.merged = sums_.merged(static_cast<std::size_t>(low), static_cast<std::size_t>(high));
    const double with = sums_.score_with(choice.merged);
    weigh(Deed::merge, (rest - sums_.score(runner_up) + with) / ((k - 1) * weight));
  }
  if (!children_[host].empty()) weigh(Deed::split, split_utility(node, static_cast<std::int32_t>(host), rest));
  return choice;
}

// The children of the host in its place, and the row in the best of them or alone.
double Concepts::split_utility(std::int32_t node, std::int32_t host, double rest) {
  const Children& children = children_[static_cast<std::size_t>(host)];
  grand_.resize(children.size());
  double total = rest, most = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto child = static_cast<std::size_t>(children[i]);
    grand_[i] = sums_.score_with(child);
    total += sums_.score(child);
    const double gain = grand_[i] - sums_.score(child);
    if (i == 0 || gain > most) most = gain;
  }
  const auto k = static_cast<double>(children_[static_cast<std::size_t>(node)].size() - 1 + children.size());
  const double weight = sums_.weight(static_cast<std::size_t>(node));
  return std::max((total + most) / (k * weight), (total + sums_.score_alone()) / ((k + 1) * weight));
}

// The merged concept takes the place of the older of the two, which become its children.
std::int32_t Concepts::merge(std::int32_t node, const Choice& choice) {
  const std::int32_t own = fresh(choice.merged);  // may move the lists of children
  Children& children = children_[static_cast<std::size_t>(node)];
  const std::size_t low = std::min(choice.best, choice.second), high = std::max(choice.best, choice.second);
  children_[static_cast<std::size_t>(own)] = {children[low], children[high]};
  children[low] = own;
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(high));
  return own;
}

void Concepts::split(std::int32_t node, std::size_t at) {
  Children& children = children_[static_cast<std::size_t>(node)];
  const auto host = static_cast<std::size_t>(children[at]);
  const Children inner = std::exchange(children_[host], {});
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(at));
  children.insert(children.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
  sums_.give_back(host);
}

void Concepts::drop_children(std::int32_t node) {
  Children left = std::exchange(children_[static_cast<std::size_t>(node)], {});
  while (!left.empty()) {
    const auto own = static_cast<std::size_t>(left.back());
    left.pop_back();
    left.insert(left.end(), children_[own].begin(), children_[own].end());
    Children().swap(children_[own]);
    sums_.give_back(own);
  }
}

void Concepts::sort(const ConceptRows& rows, std::span<const std::uint8_t> stops, std::span<std::int32_t> out,
                    const std::function<void()>& pause) {
  for (std::size_t at = 0; at < rows.size; ++at) {
    if (at % kRowsBetween == 0) pause();
    const ConceptRow one = row(rows, at);
    sums_.take(one);
    std::int32_t node = 0;
    while (!stops[static_cast<std::size_t>(node)] && !children_[static_cast<std::size_t>(node)].empty()) {
      const Children& children = children_[static_cast<std::size_t>(node)];
      const double unit =
          static_cast<double>(children.size()) * (sums_.weight(static_cast<std::size_t>(node)) + one.weight);
      double most = 0;
      std::int32_t best = -1;
      for (const std::int32_t child : children) {
        const auto own = static_cast<std::size_t>(child);
        const double gain = (sums_.score_with(own) - sums_.score(own)) / unit;
        if (best < 0 || gain > most + rule_.tie) most = gain, best = child;
      }
      node = best;
    }
    out[at] = node;
  }
}

std::vector<std::int32_t> Concepts::parts(ConceptSums::Held& held) const {
  std::vector<std::int32_t> parents{-1}, order{0};
  for (std::size_t at = 0; at < order.size(); ++at) {
    sums_.append_to(held, static_cast<std::size_t>(order[at]));
    for (const std::int32_t child : children_[static_cast<std::size_t>(order[at])]) {
      parents.push_back(static_cast<std::int32_t>(at));
      order.push_back(child);
    }
  }
  return parents;
}

}  // namespace hedgerow

// What is searched in, with items in the order of the search, and the set that a search has come to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "items/item_rows.hpp"
#include "items/pair_counts.hpp"

namespace hedgerow::items {

struct SearchProblem {
  ItemRowList rows;
  PairCounts pairs;
  std::vector<Count> counts;  // by item, as all below
  std::vector<Count> bounds;
  std::vector<std::uint8_t> required;  // empty: none is
  std::vector<std::int32_t> group;     // empty: no groups
  std::vector<std::int64_t> max_of_group;
  std::size_t max_length = SIZE_MAX;
  Count spread = INT64_MAX;
  bool maximal = false;

  // Whether some sets that are frequent may not be looked into.
  bool is_narrowed() const { return !group.empty() || spread != INT64_MAX; }
};

// The items of a set with what the conditions ask of them.
class SearchPrefix {
 public:
  explicit SearchPrefix(const SearchProblem& problem) : problem_(problem), of_group_(problem.max_of_group.size(), 0) {}

  std::size_t size() const { return items_.size(); }
  bool is_longest() const { return size() >= problem_.max_length; }
  bool has_required() const { return problem_.required.empty() || required_ > 0; }
  bool is_required(std::uint32_t item) const { return problem_.required.empty() || problem_.required[item]; }

  // Whether it meets the conditions that no larger set meets if it does not. For sets that grew without asking.
  bool is_allowed() const {
    return size() <= problem_.max_length && groups_over_ == 0 &&
           (problem_.spread == INT64_MAX || items_.empty() || highest_.back() - lowest_.back() <= problem_.spread);
  }

  bool accepts(std::uint32_t item) const {
    if (!problem_.group.empty() && problem_.group[item] >= 0) {
      const auto group = static_cast<std::size_t>(problem_.group[item]);
      if (of_group_[group] >= problem_.max_of_group[group]) return false;
    }
    if (problem_.spread == INT64_MAX || items_.empty()) return true;
    const Count count = problem_.counts[item];
    return std::max(highest_.back(), count) - std::min(lowest_.back(), count) <= problem_.spread;
  }

  void push(std::uint32_t item) {
    const Count count = problem_.counts[item];
    if (problem_.spread != INT64_MAX) {
      highest_.push_back(items_.empty() ? count : std::max(highest_.back(), count));
      lowest_.push_back(items_.empty() ? count : std::min(lowest_.back(), count));
    }
    items_.push_back(item);
    required_ += !problem_.required.empty() && problem_.required[item];
    if (!problem_.group.empty() && problem_.group[item] >= 0) {
      const auto group = static_cast<std::size_t>(problem_.group[item]);
      groups_over_ += ++of_group_[group] == problem_.max_of_group[group] + 1;
    }
  }

  void pop() {
    const std::uint32_t item = items_.back();
    items_.pop_back();
    if (problem_.spread != INT64_MAX) {
      highest_.pop_back();
      lowest_.pop_back();
    }
    required_ -= !problem_.required.empty() && problem_.required[item];
    if (!problem_.group.empty() && problem_.group[item] >= 0) {
      const auto group = static_cast<std::size_t>(problem_.group[item]);
      groups_over_ -= of_group_[group]-- == problem_.max_of_group[group] + 1;
    }
  }

 private:
  const SearchProblem& problem_;
  std::vector<std::uint32_t> items_;
  std::vector<Count> highest_, lowest_;  // of item counts, after each item
  std::vector<std::int64_t> of_group_;
  std::size_t required_ = 0, groups_over_ = 0;
};

}  // namespace hedgerow::items

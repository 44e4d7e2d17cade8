// What association rules recommend to baskets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/set_list.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

// The items of each basket are items[starts[i] .. starts[i + 1]); rules[k] is the rule that speaks for items[k].
struct Recommendations {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> items;
  std::vector<std::int32_t> rules;
};

// For each basket (different items, in any order) the items that it lacks and that a rule recommends whose antecedent
// it holds.
//   sets         what rules are made of; rule r is sets[left[r]] => sets[right[r]]
//   group        by item; a basket holds, and is recommended, at most one item of a group; -1: of no group
//   most         so many items a basket at most
// An item is told once, with its first rule. The items of a basket stand in the order of their rules, those of one
// rule in its own order. The first rules are looked at in their order, which is often enough; else those antecedents
// whose rarest item the basket holds. At worst O(baskets * rules).
Recommendations recommend_items(const ItemSetList& baskets, const ItemSetList& sets, std::span<const std::int32_t> left,
                                std::span<const std::int32_t> right, std::span<const std::int32_t> group,
                                std::size_t maximum, ThreadPool& pool);

}  // namespace hedgerow

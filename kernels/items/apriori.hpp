// Frequent item sets level by level (R. Agrawal and R. Srikant, Fast algorithms for mining association rules, VLDB
// 1994).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow {

// At most most[g] items of group g may be in a set. No groups: `group_of` is empty; -1 is no group.
struct ItemGroups {
  std::span<const std::int32_t> group_of;
  std::span<const std::int64_t> limits;
};

struct JoinedSets {
  std::vector<std::int32_t> sets;  // `size + 1` codes a set, lexical order
  std::int64_t joined = 0;         // how many were joined, of which some were dropped
  bool is_complete = true;         // false: there would be more than `most`, and the sets tell nothing
};

// Candidates of the next level: pairs of sets that differ only in their last item are joined, and what has a part that
// is not among the sets is dropped; so is what holds too many items of a group.
//   sets     `size` codes a set, each ascending, all different, in lexical order; size >= 1
//   bounds   if not empty: the least count of a set whose first item is this one, ascending in the items. A part
//   without
//            the first item then needs a higher count, and tells nothing unless its bound is the same.
//   most     candidates, at which the work ends
// A join of single items is dropped by groups only. O(candidates * size) expected time.
JoinedSets join_sets(std::span<const std::int32_t> sets, std::size_t size, std::span<const double> bounds,
                     const ItemGroups& groups, std::size_t maximum, const InterruptCheck& pause);

// Pairs of items, each before the other in order, whose counts reach the bound of the first and differ by at most
// `spread`; pairs of a group that allows one item only are left out, but count as joined.
JoinedSets join_items(std::span<const std::int32_t> items, std::span<const double> counts,
                      std::span<const double> bounds, double spread, const ItemGroups& groups);

// The weight of the rows that hold each candidate.
//   offsets, codes   row i holds codes[offsets[i] .. offsets[i + 1]), ascending, below `items`
//   weights          of the rows; empty if each is 1
//   sets             `size` codes a set, each ascending, all different, in lexical order; size >= 1
// Each row walks the tree of the candidates' common beginnings. O(candidates) memory.
std::vector<double> count_candidates(std::span<const std::int64_t> offsets, std::span<const std::int32_t> codes,
                                     std::span<const double> weights, std::int32_t items,
                                     std::span<const std::int32_t> sets, std::size_t size, const InterruptCheck& pause);

}  // namespace hedgerow

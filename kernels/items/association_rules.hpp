// Association rules from frequent item sets, by growing consequents (Agrawal and Srikant 1994).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "items/set_table.hpp"

namespace hedgerow {

enum class RuleMeasure : int { SUPPORT, CONFIDENCE, LIFT, LEVERAGE, CONVICTION };

// Sets with their counts. Rules are made of the first `sources` sets, of at most 63 items each; all others only help to
// know the counts of parts. The empty set need not be there: its count is `total`.
struct CountedSets {
  ItemSetList sets;
  std::span<const double> counts;
  std::size_t sources;
  double total;
};

enum ItemRole : std::uint8_t { ANTECEDENT = 1, CONSEQUENT = 2 };  // where an item may stand

struct RuleLimits {
  std::span<const std::uint8_t> roles;                             // of every item: a sum of Roles
  double confidence = 0, lift = 0, leverage = -1, conviction = 0;  // the least that a rule must have
  std::size_t min_antecedent = 1, max_antecedent = 63, max_consequent = 63;
  bool drop_redundant =
      false;  // leave a rule out if one with a part of its antecedent and the same consequent is as confident
  RuleMeasure measure = RuleMeasure::CONFIDENCE;
  std::size_t max_rules = std::numeric_limits<std::size_t>::max();  // rules to keep, the best by the measure
  // So many rules are looked at, those of the most frequent sets first; a comparison with a more general one, where
  // rules are folded, counts as one more.
  std::uint64_t max_evaluations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

struct AssociationRules {
  std::vector<std::int32_t> whole, left, right;  // numbers of sets; -1 is the empty set
  std::int64_t n_found = 0;                      // rules that met the limits, kept or not; not all of them if folded
  double bound = 0;                              // rules of sets of this count or more are complete, as it was ended
  bool out_of_time = false;                      // for time; or because all looks were spent
  // Parts whose counts are not known, and rules of which are therefore absent: add them to the sets and call again.
  std::vector<std::int64_t> missing_offsets{0};
  std::vector<std::int32_t> missing_codes;
};

// For a set, consequents of one item that are confident enough are joined to larger ones, as confidence can only fall
// when an item moves from the antecedent to the consequent; counts are looked up.
// Measures, with counts c of the rule, a and b of its sides, and n of all: confidence c / a; lift c n / (a b);
// leverage (c n - a b) / n^2; conviction a (n - b) / (n (a - c)), infinite where a = c.
// Rules are returned by the measure, largest first; ties by count, then by the number of the set, then by the size of
// the consequent, then in its lexical order. The same rules for any number of threads; expected O(1) for a consequent
// that is tried, and 24 bytes for a rule that is kept, of which there are at most twice `max_rules` for each thread.
AssociationRules derive_rules(const CountedSets& sets, const RuleLimits& limits, ThreadPool& pool);

}  // namespace hedgerow

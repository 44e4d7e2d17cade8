// From class association rules to a classifier: precedence, what general rules make needless, and CBA's M1 and M2.
#pragma once

#include "core/thread_pool.hpp"
#include "rules/class_rules.hpp"

namespace hedgerow::cars {

// Rules by precedence, as their numbers: the surer first, of equals the one with more hits, of equals the one generated
// earlier. Shares are compared exactly; with `rounded` weights those that differ by less than 2^-40 are equal.
std::vector<std::int32_t> order_by_precedence(std::span<const std::int64_t> hits, std::span<const std::int64_t> covered,
                                              bool rounded);

// For every rule whether it stays when those go that have a more general rule before them in `order`, of any class or
// only of the same one. Cost: for each rule the general rules that its tests lead to in a tree of tests.
std::vector<std::uint8_t> mark_general_rules(const RuleTests& tests, std::span<const std::int32_t> order,
                                             bool same_class);

// For every rule whether it stays when those go whose pessimistic error, as of C4.5, exceeds that of a rule for the
// same class that lacks one of their tests. `z` is the normal quantile of 1 - confidence, `tick` the weight of a tick.
std::vector<std::uint8_t> mark_pessimistic_rules(const Rows& rows, const RuleTests& tests, double confidence, double z,
                                                 double tick, ThreadPool& pool);

// The ticks by class of all rows that each rule covers.
std::vector<std::int64_t> count_covered(const Rows& rows, const RuleTests& tests, ThreadPool& pool);

// The rules of a classifier in their order, each with the ticks by class of the rows that it covers first.
struct RuleSelection {
  std::vector<std::int32_t> rules;
  std::vector<std::int64_t> covered;
};

// M1: goes through the rules in `order`. A rule that is right about a row not covered so far is chosen, and all that it
// covers is covered from then on; ends when every row is, or with `maximum` rules. Cost: for each rule the words that
// hold rows of its class not covered so far.
RuleSelection select_one_by_one(const Rows& rows, const RuleTests& tests, std::span<const std::int32_t> order,
                                std::size_t maximum, ThreadPool& pool);

// M2: the same rules in two scans. The first finds for every row the first rule that is right about it and whether one
// that is wrong comes before; the second goes through these right rules only, as no other can be chosen.
RuleSelection select_in_two_scans(const Rows& rows, const RuleTests& tests, std::span<const std::int32_t> order,
                                  std::size_t maximum, ThreadPool& pool);

}  // namespace hedgerow::cars

// PRISM: rules of one class at a time, each grown until it is perfect.
//
// For each class: E = all rows that are not taken; while E has rows of the class: start an empty rule; until it is
// perfect or all columns are used, add the test column = level (of a column not yet used) with the largest p / t, where
// t is the weight of the rows of E that pass the rule and the test and p that of the class among them. Ties: the
// largest p, then the first column, then the first level. Remove the covered rows from E. A missing value fails every
// test; a rule also ends when no test is left that a row of the class passes, and a class when that is so for the empty
// rule.
//
// Counts of the rows that pass the first tests of a rule are kept for the next rules, less the rows removed since: most
// rules begin like earlier ones. Cost: a rule about levels * length, plus the rows of its first part that is new.
//
// J. Cendrowska, PRISM: an algorithm for inducing modular rules. Int. J. of Man-Machine Studies 27 (1987).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "rules/nominal_rows.hpp"

namespace hedgerow::prism {

using Column = NominalColumn;

struct PrismRows : NominalRows {
  std::span<const std::uint8_t> taken;  // class by class: whether a row is covered already; empty if none is
};

struct PrismOptions {
  std::size_t max_rules = SIZE_MAX;  // of a class
  std::size_t max_tests = SIZE_MAX;  // of a rule
  bool rounded = false;              // weights are rounded to ticks: shares that differ by less than 2^-40 are equal
};

// Rules in the order found, class by class. `covered` is the weight of all rows of a rule by class, in ticks, also of
// rows removed earlier.
struct PrismRules {
  std::vector<std::int32_t> starts{0}, columns, codes, decisions;
  std::vector<std::int64_t> covered;
};

// Classes are shared out among the threads.
PrismRules learn_rules(const PrismRows& rows, const PrismOptions& options, ThreadPool& pool);

}  // namespace hedgerow::prism

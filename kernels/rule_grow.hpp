// Growing one rule: conditions are added one by one, always the one of the best gain.
//
// Problem: rows of a class (`positive`) and others; add the condition that maximises FOIL's gain until the rule covers no
// other row, no condition gains, or the rule is long enough. Numbers are cut at any place (`<=`, `>`), levels tested by
// `is`, texts by `contains`. A missing value fails every test.
// Ties: the first column; within it the lowest cut, `<=` before `>`, the first level or term.
// Cost: a pass over the sorted or coded values of the covered rows a condition. Threads share the columns.
// Source: W. W. Cohen, Fast effective rule induction (1995); J. R. Quinlan, FOIL (1990).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "crew.hpp"
#include "rule_columns.hpp"

namespace hedgerow::rules {

struct GrowTask {
  std::span<const std::uint32_t> rows;     // to grow on, ascending
  std::span<const std::uint8_t> positive;  // by row of the table: whether it is of the class
  std::span<const double> weight;          // by row of the table; empty if all weigh 1
  std::span<const std::uint8_t> allowed;   // by column: 1 for `<=`, 2 for `>`; others are tested unless 0
  double min_weight = 2;                   // least weight of rows of the class that a condition leaves
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
};

// Memory that growing needs, kept from rule to rule.
struct GrowSpace {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> side;
  std::vector<std::vector<trees::Item>> lists;
};

std::vector<Condition> grow_rule(const RuleColumns& columns, const GrowTask& task, GrowSpace& space, Crew& crew);

}  // namespace hedgerow::rules

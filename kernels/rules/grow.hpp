// Growing one rule: conditions are added one by one, always the one of the best gain.
//
// Problem: rows of a class (`positive`) and others; add the condition that maximises FOIL's gain until the rule covers
// no other row, no condition gains, or the rule is long enough. Numbers are cut at any place (`<=`, `>`), levels tested
// by `is`, texts by `contains`. A missing value fails every test. Ties: the first column; within it the lowest cut,
// `<=` before `>`, the first level or term. Cost: a pass a condition over the codes of the covered rows, which counts
// every column at once. Numbers of many values are coded by blocks; the counts tell the gain of cuts between blocks,
// and bound that of cuts within: no more rows of the class than with the whole block, no fewer others than without it.
// Only blocks that may win, few of them, are sorted. Threads share rows and columns. Source: W. W. Cohen, Fast
// effective rule induction (1995); J. R. Quinlan, FOIL (1990).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "rules/columns.hpp"

namespace hedgerow::rules {

struct GrowTask {
  std::span<const std::uint32_t> rows;     // to grow on, ascending
  std::span<const std::uint8_t> positive;  // by row of the table: whether it is of the class
  std::span<const double> weight;          // by row of the table; empty if all weigh 1
  std::span<const std::uint8_t> allowed;   // by column: 1 for `<=`, 2 for `>`; others are tested unless 0
  double min_weight = 2;                   // least weight of rows of the class that a condition leaves
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
};

std::vector<Condition> grow_rule(const RuleColumns& columns, const GrowTask& task, ThreadPool& pool);

}  // namespace hedgerow::rules

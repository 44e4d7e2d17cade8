// Learning one row after the other by several threads, with delayed updates.
//
// With delay d, rows come in blocks of d + 1. Of every row of a block, the prediction p, the slope l'(p) and the step u
// are computed from the state before the block: from coefficients that lack up to d rows. Then all rows are learned in
// their order: s, G and w of every slot move as in online_updates.hpp, with the rates of that time.
//   In u, q has the rates that the row would have if it were the only one of the block, G and s with its own share; eta
//   has t with all rows before it, and t / N of the rows before the block and of its own.
// Rates only fall while a block is learned, so that a row moves its prediction no further than u meant it to.
// With d = 0 this is learning without delay.
//
// Threads share out the rows of a block for the first part and the slots (by lines of the cache) for the second, where
// each slot is learned row by row: the answer is the same for any number of threads. Two barriers a block. J. Langford,
// A. Smola, M. Zinkevich, Slow learners are fast. NIPS (2009).
#pragma once

#include "linear/online_updates.hpp"

namespace hedgerow {

// As `learn_online`. Where a prediction is no number, none of its block is learned.
std::size_t learn_with_delay(const OnlineRule& rule, const SlotColumns& rows, std::span<const std::int64_t> order,
                             std::span<const double> target, std::span<const std::int32_t> codes,
                             std::span<const std::int32_t> classes, std::span<const double> weight, OnlineCells cells,
                             OnlineSums& sums, std::span<double> predictions, std::size_t threads,
                             const std::function<void()>& pause);

}  // namespace hedgerow

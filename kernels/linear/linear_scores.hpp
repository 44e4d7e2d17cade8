// Values of linear functions, and the probabilities that they stand for.
//
// Problem: given rows and functions f_c = intercept_c + sum over columns of what the row's value adds to c, find all
// f_c of all rows, or softmax(f / temperature). Inputs: columns as they lie, never copied as a whole.
// - Numbers: a number adds slope times itself; a missing one adds what stands for it, slope times `mean` plus `gap`.
// - Numbers with cut points: a number adds what `contributions` has for its interval (how many cuts are below it).
// - Codes: a code adds what `contributions` has for it. `contributions` has one line per function; the last is for
// missing values.
// Where a slope is 0, an infinite number adds nothing.
// Answer: the same for any number of threads, and of a row the same whatever rows are beside it. Rows are cut in blocks
// whose functions stay in the cache; numbers come there in groups of four columns, and functions in tiles of four.
// Machines with fused multiply-add use it, in 8 or 4 lanes, so that last digits differ from those of others.
// Cost: one look at each value, and rows * columns * functions multiplications. Memory: a block a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"

namespace hedgerow {

struct ScoreColumn {
  const double* numbers = nullptr;          // or
  const std::int32_t* codes = nullptr;      // below 0, or not below `choices`: missing
  const double* slopes = nullptr;           // of numbers: one a function
  const double* missing_offsets = nullptr;  // one a function, or none
  double mean = 0;
  const double* contributions = nullptr;  // of codes and of numbers with cuts: (functions, choices + 1)
  std::size_t choices = 0;
  std::span<const double> cuts;  // ascending, choices - 1 of them
  const bool* known = nullptr;   // of codes: whether each counts as known; a missing one does not
};

enum class ScoreLink {
  kNone,     // functions as they are
  kFinite,   // what is not a number is 0, and none is beyond 1e300
  kSoftmax,  // of these, divided by the temperature; the base's function is 0
};

// Where answers go: that of function c for row r to values[places[c] + r * step].
struct ScoreTarget {
  double* values = nullptr;
  std::span<const std::int64_t> positions;
  std::size_t step = 1;
  std::int64_t base = -1;  // place of the class without a function; -1: there is none
  ScoreLink link = ScoreLink::kNone;
  double temperature = 1;
};

// `added` is empty or holds what else functions have for each row: a line of `rows` numbers a function. `known` is
// empty or one a row, and is set where a column holds something known.
void compute_linear_scores(std::span<const ScoreColumn> columns, std::span<const double> intercepts,
                           const double* added, std::size_t rows, const ScoreTarget& target, std::span<bool> known,
                           ThreadPool& pool);

}  // namespace hedgerow

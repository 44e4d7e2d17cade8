// Logistic regression row by row with annealed rates and a lazy L1 penalty, as Mahout's trainer has it.
#pragma once

#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"

namespace hedgerow {

// Rows of slots with values other than 0, a class each; the slots of row i are [starts[i], starts[i + 1]), each once.
struct MahoutSgdRows {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> slots;
  std::span<const double> values;
  std::span<const std::int32_t> label;  // in [0, classes)
  std::span<const double> weight;       // empty: all 1
};

struct MahoutSgdOptions {
  double rate, penalty, decay, offset, exponent, damping;
};

// What is learned so far. The first class has no coefficients: its function is 0.
struct MahoutSgdState {
  std::span<double> beta;                   // (classes - 1, slots)
  std::span<std::int64_t> penalized_until;  // of every slot: the step up to which its penalty is paid
  std::span<double> row_counts;             // of every slot: rows that had it
  std::int64_t step = 0;                    // rows so far
};

// Learn from the rows in order. At step t the rate is rate * decay^t * (t + offset)^exponent, and a slot that n rows
// have had learns by it times sqrt(calm / (calm + n)). Before a row is looked at, the slots that it has pay the penalty
// of all steps since they were last paid for: penalty times their rate of now a step, not beyond 0. Then each
// coefficient moves by the rate times (1 if the class is its own, else 0, less its probability) times value. O(values *
// classes).
void learn_mahout_sgd(const MahoutSgdRows& rows, const MahoutSgdOptions& options, MahoutSgdState& state,
                      const InterruptCheck& pause);

// Pay what all slots still owe.
void finish_mahout_sgd(const MahoutSgdOptions& options, MahoutSgdState& state);

}  // namespace hedgerow

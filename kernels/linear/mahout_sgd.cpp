#include "linear/mahout_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hedgerow {
namespace {

constexpr std::size_t kRowsPerCheck = 4096;

double compute_rate(const MahoutSgdOptions& options, std::int64_t step) {
  const auto t = static_cast<double>(step);
  return options.rate * std::pow(options.decay, t) * std::pow(t + options.offset, options.exponent);
}

double damp_rate(const MahoutSgdOptions& options, double rows_seen) {
  return std::sqrt(options.damping / (options.damping + rows_seen));
}

// Lower the coefficients of a slot by what it owes.
void apply_pending_penalty(const MahoutSgdOptions& options, MahoutSgdState& state, double rate, std::size_t slot) {
  const auto pending = state.step - state.penalized_until[slot];
  if (pending <= 0) return;
  state.penalized_until[slot] = state.step;
  const double minimum =
      options.penalty * rate * damp_rate(options, state.row_counts[slot]) * static_cast<double>(pending);
  const std::size_t slots = state.penalized_until.size();
  for (std::size_t at = slot; at < state.beta.size(); at += slots) {
    auto& value = state.beta[at];
    value = std::abs(value) <= minimum ? 0 : value - std::copysign(minimum, value);
  }
}

// Functions become probabilities, the first class's function being 0.
void apply_softmax(std::vector<double>& functions) {
  const double top = std::max(0.0, *std::max_element(functions.begin(), functions.end()));
  double sum = std::exp(-top);
  for (auto& one : functions) sum += one = std::exp(one - top);
  for (auto& one : functions) one /= sum;
}

}  // namespace

void learn_mahout_sgd(const MahoutSgdRows& rows, const MahoutSgdOptions& options, MahoutSgdState& state,
                      const InterruptCheck& pause) {
  const std::size_t slots = state.penalized_until.size(), n_functions = slots ? state.beta.size() / slots : 0;
  std::vector<double> probabilities(n_functions);
  for (std::size_t row = 0; row < rows.label.size(); ++row, ++state.step) {
    if (pause && row % kRowsPerCheck == 0) pause();
    const auto first = static_cast<std::size_t>(rows.starts[row]),
               last = static_cast<std::size_t>(rows.starts[row + 1]);
    const double rate = compute_rate(options, state.step);
    std::fill(probabilities.begin(), probabilities.end(), 0);
    for (std::size_t i = first; i < last; ++i) {
      const auto slot = static_cast<std::size_t>(rows.slots[i]);
      apply_pending_penalty(options, state, rate, slot);
      for (std::size_t c = 0; c < n_functions; ++c) probabilities[c] += state.beta[c * slots + slot] * rows.values[i];
    }
    apply_softmax(probabilities);
    const double weight = rows.weight.empty() ? 1 : rows.weight[row];
    for (std::size_t i = first; i < last; ++i) {
      const auto slot = static_cast<std::size_t>(rows.slots[i]);
      const double by = weight * rate * damp_rate(options, state.row_counts[slot]) * rows.values[i];
      for (std::size_t c = 0; c < n_functions; ++c) {
        const bool is_own = static_cast<std::size_t>(rows.label[row]) == c + 1;
        state.beta[c * slots + slot] += (is_own - probabilities[c]) * by;
      }
    }
    for (std::size_t i = first; i < last; ++i) state.row_counts[static_cast<std::size_t>(rows.slots[i])] += 1;
  }
}

void finish_mahout_sgd(const MahoutSgdOptions& options, MahoutSgdState& state) {
  ++state.step;  // the last row's own step is paid for too
  const double rate = compute_rate(options, state.step);
  for (std::size_t slot = 0; slot < state.penalized_until.size(); ++slot)
    apply_pending_penalty(options, state, rate, slot);
}

}  // namespace hedgerow

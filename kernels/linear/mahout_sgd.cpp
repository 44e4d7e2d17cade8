#include "linear/mahout_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hedgerow {
namespace {

constexpr std::size_t rows_between_pauses = 4096;

double rate_at(const Annealing& how, std::int64_t step) {
  const auto t = static_cast<double>(step);
  return how.rate * std::pow(how.decay, t) * std::pow(t + how.offset, how.exponent);
}

double calmed(const Annealing& how, double seen) { return std::sqrt(how.calm / (how.calm + seen)); }

// Lower the coefficients of a slot by what it owes.
void pay(const Annealing& how, Annealed& state, double rate, std::size_t slot) {
  const auto owed = state.step - state.settled[slot];
  if (owed <= 0) return;
  state.settled[slot] = state.step;
  const double least = how.penalty * rate * calmed(how, state.seen[slot]) * static_cast<double>(owed);
  const std::size_t slots = state.settled.size();
  for (std::size_t at = slot; at < state.beta.size(); at += slots) {
    auto& value = state.beta[at];
    value = std::abs(value) <= least ? 0 : value - std::copysign(least, value);
  }
}

// Functions become probabilities, the first class's function being 0.
void to_shares(std::vector<double>& functions) {
  const double top = std::max(0.0, *std::max_element(functions.begin(), functions.end()));
  double sum = std::exp(-top);
  for (auto& one : functions) sum += one = std::exp(one - top);
  for (auto& one : functions) one /= sum;
}

}  // namespace

void learn_annealed(const AnnealedRows& rows, const Annealing& how, Annealed& state, const InterruptCheck& pause) {
  const std::size_t slots = state.settled.size(), told = slots ? state.beta.size() / slots : 0;
  std::vector<double> shares(told);
  for (std::size_t row = 0; row < rows.label.size(); ++row, ++state.step) {
    if (pause && row % rows_between_pauses == 0) pause();
    const auto first = static_cast<std::size_t>(rows.starts[row]),
               last = static_cast<std::size_t>(rows.starts[row + 1]);
    const double rate = rate_at(how, state.step);
    std::fill(shares.begin(), shares.end(), 0);
    for (std::size_t i = first; i < last; ++i) {
      const auto slot = static_cast<std::size_t>(rows.slots[i]);
      pay(how, state, rate, slot);
      for (std::size_t c = 0; c < told; ++c) shares[c] += state.beta[c * slots + slot] * rows.values[i];
    }
    to_shares(shares);
    const double weight = rows.weight.empty() ? 1 : rows.weight[row];
    for (std::size_t i = first; i < last; ++i) {
      const auto slot = static_cast<std::size_t>(rows.slots[i]);
      const double by = weight * rate * calmed(how, state.seen[slot]) * rows.values[i];
      for (std::size_t c = 0; c < told; ++c) {
        const bool is_own = static_cast<std::size_t>(rows.label[row]) == c + 1;
        state.beta[c * slots + slot] += (is_own - shares[c]) * by;
      }
    }
    for (std::size_t i = first; i < last; ++i) state.seen[static_cast<std::size_t>(rows.slots[i])] += 1;
  }
}

void settle_annealed(const Annealing& how, Annealed& state) {
  ++state.step;  // the last row's own step is paid for too
  const double rate = rate_at(how, state.step);
  for (std::size_t slot = 0; slot < state.settled.size(); ++slot) pay(how, state, rate, slot);
}

}  // namespace hedgerow

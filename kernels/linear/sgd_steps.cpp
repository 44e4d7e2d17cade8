#include "linear/sgd_steps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hedgerow {

namespace {

constexpr std::size_t rows_between_pauses = 1024;

template <typename Rows>
bool numbers(const Rows& rows, std::span<const double> target, std::span<const double> weight, double rate,
             std::span<double> theta, const InterruptCheck& pause) {
  double said = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (pause && i % rows_between_pauses == 0) pause();
    rows.sums(i, theta, {&said, 1});
    const double error = target[i] - said;
    const double step = rate * (weight.empty() ? error : weight[i] * error);
    if (!std::isfinite(step)) return false;
    rows.add(i, step, 0, 1, theta);
  }
  return true;
}

// Turns the sums of all classes into their probabilities; with `based` that of the first is 0 and not among them.
void to_shares(std::span<double> sums, bool based) {
  double top = based ? 0 : sums[0];
  for (const double sum : sums) top = std::max(top, sum);
  double total = based ? std::exp(-top) : 0;
  for (double& sum : sums) total += sum = std::exp(sum - top);
  for (double& sum : sums) sum /= total;
}

template <typename Rows>
bool classes_of(const Rows& rows, std::span<const std::int32_t> label, std::size_t classes, bool based,
                std::span<const double> weight, double rate, std::span<double> theta, const InterruptCheck& pause) {
  const std::size_t functions = classes - based;
  std::vector<double> share(functions);
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (pause && i % rows_between_pauses == 0) pause();
    rows.sums(i, theta, share);
    to_shares(share, based);
    for (std::size_t c = 0; c < functions; ++c) {
      const double error = (static_cast<std::size_t>(label[i]) == c + based ? 1.0 : 0.0) - share[c];
      const double step = rate * (weight.empty() ? error : weight[i] * error);
      if (!std::isfinite(step)) return false;
      rows.add(i, step, c, functions, theta);
    }
  }
  return true;
}

}  // namespace

bool step_rows(const DenseRows& rows, std::span<const double> target, std::span<const double> weight, double rate,
               std::span<double> theta, const InterruptCheck& pause) {
  return numbers(rows, target, weight, rate, theta, pause);
}

bool step_rows(const SparseRows& rows, std::span<const double> target, std::span<const double> weight, double rate,
               std::span<double> theta, const InterruptCheck& pause) {
  return numbers(rows, target, weight, rate, theta, pause);
}

bool step_class_rows(const DenseRows& rows, std::span<const std::int32_t> label, std::size_t classes, bool based,
                     std::span<const double> weight, double rate, std::span<double> theta,
                     const InterruptCheck& pause) {
  return classes_of(rows, label, classes, based, weight, rate, theta, pause);
}

bool step_class_rows(const SparseRows& rows, std::span<const std::int32_t> label, std::size_t classes, bool based,
                     std::span<const double> weight, double rate, std::span<double> theta,
                     const InterruptCheck& pause) {
  return classes_of(rows, label, classes, based, weight, rate, theta, pause);
}

}  // namespace hedgerow

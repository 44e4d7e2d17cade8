#include "linear/sgd_steps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hedgerow {

namespace {

constexpr std::size_t kRowsPerCheck = 1024;

template <typename Rows>
bool run_regression_steps(const Rows& rows, std::span<const double> target, std::span<const double> weight, double rate,
                          std::span<double> theta, const InterruptCheck& pause) {
  double output = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (pause && i % kRowsPerCheck == 0) pause();
    rows.evaluate(i, theta, {&output, 1});
    const double error = target[i] - output;
    const double step = rate * (weight.empty() ? error : weight[i] * error);
    if (!std::isfinite(step)) return false;
    rows.add_row(i, step, 0, 1, theta);
  }
  return true;
}

// Turns the sums of all classes into their probabilities; with `based` that of the first is 0 and not among them.
void apply_softmax(std::span<double> sums, bool based) {
  double top = based ? 0 : sums[0];
  for (const double sum : sums) top = std::max(top, sum);
  double total = based ? std::exp(-top) : 0;
  for (double& sum : sums) total += sum = std::exp(sum - top);
  for (double& sum : sums) sum /= total;
}

template <typename Rows>
bool run_class_steps(const Rows& rows, std::span<const std::int32_t> label, std::size_t classes, bool based,
                     std::span<const double> weight, double rate, std::span<double> theta,
                     const InterruptCheck& pause) {
  const std::size_t functions = classes - based;
  std::vector<double> share(functions);
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (pause && i % kRowsPerCheck == 0) pause();
    rows.evaluate(i, theta, share);
    apply_softmax(share, based);
    for (std::size_t c = 0; c < functions; ++c) {
      const double error = (static_cast<std::size_t>(label[i]) == c + based ? 1.0 : 0.0) - share[c];
      const double step = rate * (weight.empty() ? error : weight[i] * error);
      if (!std::isfinite(step)) return false;
      rows.add_row(i, step, c, functions, theta);
    }
  }
  return true;
}

}  // namespace

bool run_sgd_steps(const DenseDesignRows& rows, std::span<const double> target, std::span<const double> weight,
                   double rate, std::span<double> theta, const InterruptCheck& pause) {
  return run_regression_steps(rows, target, weight, rate, theta, pause);
}

bool run_sgd_steps(const SparseDesignRows& rows, std::span<const double> target, std::span<const double> weight,
                   double rate, std::span<double> theta, const InterruptCheck& pause) {
  return run_regression_steps(rows, target, weight, rate, theta, pause);
}

bool run_class_sgd_steps(const DenseDesignRows& rows, std::span<const std::int32_t> label, std::size_t classes,
                         bool based, std::span<const double> weight, double rate, std::span<double> theta,
                         const InterruptCheck& pause) {
  return run_class_steps(rows, label, classes, based, weight, rate, theta, pause);
}

bool run_class_sgd_steps(const SparseDesignRows& rows, std::span<const std::int32_t> label, std::size_t classes,
                         bool based, std::span<const double> weight, double rate, std::span<double> theta,
                         const InterruptCheck& pause) {
  return run_class_steps(rows, label, classes, based, weight, rate, theta, pause);
}

}  // namespace hedgerow

#include "text/log_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr double kTiny = 1e-280;  // sums below this have lost digits to underflow

constexpr double kMaxDeviations =
    1e150;  // standard deviations: what is farther counts as this, so that squares are finite

// 1 / deviation, finite even for the smallest deviations.
double invert_deviation(double deviation) { return std::min(1 / deviation, std::numeric_limits<double>::max()); }

// The logarithm of a normal curve's peak, 1 / (deviation sqrt(2 pi)).
double log_normal_peak(double deviation) { return -std::log(deviation) - 0.5 * std::log(2 * std::numbers::pi); }

// ((x - center) / deviation)^2 / 2, finite for all finite numbers.
inline double half_square(double x, double center, double inverse) {
  const double away = std::min(std::abs((x - center) * inverse), kMaxDeviations);
  return 0.5 * away * away;
}

// log sum_j share_j exp(-((x - point_j) / width)^2 / 2), factoring out the largest term.
double log_density_far_from_points(double x, std::span<const double> point, std::span<const double> share,
                                   std::size_t classes, std::size_t klass, double inverse) {
  double nearest = std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t j = 0; j < point.size(); ++j)
    if (share[j * classes + klass] > 0) nearest = std::min(nearest, half_square(x, point[j], inverse));
  for (std::size_t j = 0; j < point.size(); ++j)
    if (const double part = share[j * classes + klass]; part > 0)
      sum += part * std::exp(nearest - half_square(x, point[j], inverse));
  return std::log(sum) - nearest;
}

// None of the arrays overlap, which the compiler must know to work on several classes at once.
HEDGEROW_AVX2_CLONES void add_densities(std::span<const double> value, const double* __restrict mean,
                                        const double* __restrict inverse, const double* __restrict constant,
                                        double* __restrict to, std::size_t classes) {
  for (const double x : value) {
    if (!std::isnan(x))
      for (std::size_t klass = 0; klass < classes; ++klass)
        to[klass] += constant[klass] - half_square(x, mean[klass], inverse[klass]);
    to += classes;
  }
}

}  // namespace

void add_level_scores(std::span<const std::int32_t> code, std::span<const double> evidence, std::size_t classes,
                      std::span<double> scores) {
  const std::size_t levels = evidence.size() / classes;
  for (std::size_t row = 0; row < code.size(); ++row) {
    if (code[row] == -1) continue;
    const auto level = static_cast<std::size_t>(code[row]);
    if (level >= levels) throw std::out_of_range("a level code is out of range");
    const double* from = evidence.data() + level * classes;
    double* to = scores.data() + row * classes;
    for (std::size_t klass = 0; klass < classes; ++klass) to[klass] += from[klass];
  }
}

void add_normal_scores(std::span<const double> value, std::span<const double> mean, std::span<const double> deviation,
                       std::span<double> scores) {
  const std::size_t classes = mean.size();
  std::vector<double> inverse(classes), constant(classes);
  for (std::size_t klass = 0; klass < classes; ++klass) {
    inverse[klass] = invert_deviation(deviation[klass]);
    constant[klass] = log_normal_peak(deviation[klass]);
  }
  add_densities(value, mean.data(), inverse.data(), constant.data(), scores.data(), classes);
}

void add_kernel_scores(std::span<const double> value, std::span<const double> point, std::span<const double> share,
                       std::span<const double> width, std::span<double> scores) {
  const std::size_t classes = width.size();
  std::vector<double> inverse(classes), constant(classes), density(classes);
  for (std::size_t klass = 0; klass < classes; ++klass) {
    inverse[klass] = invert_deviation(width[klass]);
    constant[klass] = log_normal_peak(width[klass]);
  }
  for (std::size_t row = 0; row < value.size(); ++row) {
    const double x = value[row];
    if (std::isnan(x)) continue;
    std::fill(density.begin(), density.end(), 0.0);
    for (std::size_t j = 0; j < point.size(); ++j)
      for (std::size_t klass = 0; klass < classes; ++klass)
        if (const double part = share[j * classes + klass]; part > 0)
          density[klass] += part * std::exp(-half_square(x, point[j], inverse[klass]));
    for (std::size_t klass = 0; klass < classes; ++klass) {
      double logarithm = std::log(density[klass]);
      if (density[klass] < kTiny)
        logarithm = log_density_far_from_points(x, point, share, classes, klass, inverse[klass]);
      scores[row * classes + klass] += logarithm + constant[klass];
    }
  }
}

bool subtract_best(std::size_t classes, std::span<double> scores) {
  bool none = false;
  for (std::size_t start = 0; start < scores.size(); start += classes) {
    const auto row = scores.subspan(start, classes);
    const double best = *std::max_element(row.begin(), row.end());
    if (best == -std::numeric_limits<double>::infinity()) {
      none = true;
      continue;
    }
    for (double& score : row) score -= best;
  }
  return none;
}

void divide_by_sum(std::size_t classes, std::span<double> scores) {
  for (std::size_t start = 0; start < scores.size(); start += classes) {
    const auto row = scores.subspan(start, classes);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& score : row) score /= sum;
  }
}

}  // namespace hedgerow

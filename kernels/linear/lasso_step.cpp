#include "linear/lasso_step.hpp"

#include <cmath>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

HEDGEROW_AVX2_CLONES void add_scaled(const double* from, double factor, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * from[i];
}

}  // namespace

std::size_t solve_lasso_step(std::span<const double> hessian, std::span<const double> gradient,
                             std::span<const double> l1, std::span<double> theta, double tolerance, std::size_t passes,
                             const InterruptCheck& pause) {
  const std::size_t n = theta.size();
  std::vector<double> slope(gradient.begin(), gradient.end());  // of the quadratic, where theta stands
  bool all = true;
  std::size_t pass = 0;
  while (pass < passes) {
    ++pass;
    if (pause) pause();
    double maximum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double curvature = hessian[i * n + i], old_value = theta[i];
      if (!(curvature > 0) || (!all && old_value == 0 && l1[i] > 0)) continue;
      const double to = old_value - slope[i] / curvature, free = l1[i] / curvature;
      const double new_value = to > free ? to - free : to < -free ? to + free : 0.0;
      if (new_value == old_value) continue;
      theta[i] = new_value;
      add_scaled(hessian.data() + i * n, new_value - old_value, n, slope.data());
      maximum = std::max(maximum, std::abs(new_value - old_value) * std::sqrt(curvature));
    }
    if (maximum <= tolerance) {
      if (all) break;
      all = true;
    } else {
      all = false;
    }
  }
  return pass;
}

}  // namespace hedgerow

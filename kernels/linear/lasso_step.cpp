#include "linear/lasso_step.hpp"

#include <cmath>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

HEDGEROW_AVX2_CLONES void add_times(const double* from, double factor, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * from[i];
}

}  // namespace

std::size_t lasso_step(std::span<const double> hessian, std::span<const double> gradient, std::span<const double> l1,
                       std::span<double> theta, double tolerance, std::size_t passes, const InterruptCheck& pause) {
  const std::size_t n = theta.size();
  std::vector<double> slope(gradient.begin(), gradient.end());  // of the quadratic, where theta stands
  bool all = true;
  std::size_t pass = 0;
  while (pass < passes) {
    ++pass;
    if (pause) pause();
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double bend = hessian[i * n + i], was = theta[i];
      if (!(bend > 0) || (!all && was == 0 && l1[i] > 0)) continue;
      const double to = was - slope[i] / bend, free = l1[i] / bend;
      const double now = to > free ? to - free : to < -free ? to + free : 0.0;
      if (now == was) continue;
      theta[i] = now;
      add_times(hessian.data() + i * n, now - was, n, slope.data());
      most = std::max(most, std::abs(now - was) * std::sqrt(bend));
    }
    if (most <= tolerance) {
      if (all) break;
      all = true;
    } else {
      all = false;
    }
  }
  return pass;
}

}  // namespace hedgerow

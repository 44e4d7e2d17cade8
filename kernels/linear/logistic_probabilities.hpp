// Probabilities of classes from their linear functions, four rows at a time, and the cost of a block of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/four_doubles.hpp"
#include "core/target_avx2.hpp"

namespace hedgerow {

// Lines of `stride` numbers, a function each.
struct ProbabilityLines {
  double* values;  // in: the linear functions; out: the probabilities
  double* top;     // out: the largest function, or 0 with a base
  double* norm;    // out: the sum of e^(function - top) over all classes
  std::size_t functions, stride;
  bool based;
};

// `length` is a multiple of 4.
HEDGEROW_AVX2_CLONES inline void compute_probabilities(const ProbabilityLines& lines, std::size_t length) {
  for (std::size_t r = 0; r < length; r += 4) {
    double* at = lines.values + r;
    if (lines.based && lines.functions == 1) {  // one exponential for both classes
      const Lanes t = load(at);
      const Lanes e = exp_nonpositive(t > 0.0 ? -t : t);
      const Lanes norm = 1.0 + e, q = 1.0 / norm;
      store(lines.top + r, max_lanes(t, Lanes{}));
      store(lines.norm + r, norm);
      store(at, t > 0.0 ? q : e * q);
      continue;
    }
    Lanes top = lines.based ? Lanes{} : load(at);
    for (std::size_t c = 0; c < lines.functions; ++c) top = max_lanes(load(at + c * lines.stride), top);
    Lanes norm = lines.based ? exp_nonpositive(-top) : Lanes{};
    for (std::size_t c = 0; c < lines.functions; ++c) {
      const Lanes e = exp_nonpositive(load(at + c * lines.stride) - top);
      store(at + c * lines.stride, e);
      norm += e;
    }
    const Lanes q = 1.0 / norm;
    for (std::size_t c = 0; c < lines.functions; ++c) store(at + c * lines.stride, load(at + c * lines.stride) * q);
    store(lines.top + r, top);
    store(lines.norm + r, norm);
  }
}

// The sum of weight * log(norm) of n rows. Without weights the logarithm is taken of products, which stay numbers.
inline double sum_log_norms(const double* norm, const double* weight, std::size_t n, std::size_t classes) {
  double sum = 0;
  if (weight) {
    for (std::size_t r = 0; r < n; ++r) sum += weight[r] * std::log(norm[r]);
    return sum;
  }
  const std::size_t maximum =
      std::max<std::size_t>(1, static_cast<std::size_t>(700 / std::log(static_cast<double>(classes) + 1)));
  for (std::size_t begin = 0; begin < n; begin += 4 * maximum) {
    const std::size_t end = std::min(n, begin + 4 * maximum);
    double product[4] = {1, 1, 1, 1};
    std::size_t r = begin;
    for (; r + 4 <= end; r += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) product[lane] *= norm[r + lane];
    }
    for (std::size_t lane = 0; lane < 4; ++lane) sum += std::log(product[lane]);
    for (; r < end; ++r) sum += std::log(norm[r]);
  }
  return sum;
}

}  // namespace hedgerow

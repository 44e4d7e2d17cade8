// The two passes over all rows that make a step of sequential minimal optimisation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hedgerow {

constexpr std::size_t kPassStep = 16;    // arrays of a pass are this many numbers longer than they must be, or fewer
constexpr double kMinCurvature = 1e-12;  // curvature taken where a kernel that is not positive definite has none

// Who may rise most, and the ends of what may rise and what may fall.
struct GradientExtremes {
  double up;
  std::int64_t at;  // -1: none
  double low;
};

// F of a row is -y G, G the gradient. Blocked rows have inf in `up` (cannot rise) or `low` (cannot fall), others 0.
template <class T>
struct SmoKernels {
  // F -= step (one - other), and the ends after it.
  GradientExtremes (*advance)(double* F, const T* one, const T* other, double step, const T* up, const T* low,
                              std::size_t n);
  // The row that may fall with most gain, (best - F)^2 / curvature, where a row rises whose F is `best`; -1: none.
  std::int64_t (*choose_partner)(const double* F, const T* row, const T* low, const T* diagonal, double best,
                                 T row_diagonal, std::size_t n);
  // F -= step * row
  void (*add)(double* F, const T* row, double step, std::size_t n);
};

// What the machine has. All give the same results, whatever the width of its vectors.
template <class T>
SmoKernels<T> choose_smo_kernels();

}  // namespace hedgerow

// Linear machines by dual coordinate descent, many at once.
//
// Problem: for each machine with signs y (0: it does not see the row) and bounds C, minimize
//   w.w / 2 + sum of r alpha^2 / 2 - sum of alpha,  w = sum of y alpha x,  sum of y alpha = 0,  0 <= alpha <= U
// where r = 0 and U = C, or r = 1 / (2 C) and U is infinite if slack is squared.
// Inputs: rows of a sparse matrix. The weights of all machines lie side by side at every feature, so that a visit of a
// row moves the alphas of all machines by vector instructions. Order: of every pass a new one, drawn from the seed and
// the number of the pass. Rows whose alpha is at a bound and seems to stay there are left out for a machine, until all
// others have settled. The intercept b is free: it is the multiplier of sum of y alpha = 0, and moves by rho * that sum
// after every pass. End of a machine: a pass over all of its rows in which the slopes of the alphas differ by no more
// than the tolerance, and rho * sum of y alpha is no larger. Answer: the same for any number of threads; machines do
// not touch each other. Sources: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, A dual coordinate
// descent method for large-scale linear SVM. ICML 2008. Multipliers: M. J. D. Powell and M. R. Hestenes, both 1969.
// Cost: a pass takes numbers * machines steps at most. Memory: features and rows times machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow {

struct DualDescentRows {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  std::span<const double> values;
};

struct DualDescentOptions {
  bool squared = false;
  double rho = 1, tolerance = 1e-3;
  std::size_t max_passes = 1000;
  std::uint64_t seed = 1;
};

// Moves alphas (rows x machines), weights (features x machines) and offsets b (machines), which must agree at the
// start.
// Returns the passes of every machine; of one that did not settle, one more than the most.
std::vector<std::int64_t> run_dual_coordinate_descent(const DualDescentRows& rows, std::span<const std::int8_t> signs,
                                                      std::span<const double> bounds, const DualDescentOptions& options,
                                                      std::size_t machines, std::span<double> weights,
                                                      std::span<double> alphas, std::span<double> offsets,
                                                      ThreadPool& pool);

}  // namespace hedgerow

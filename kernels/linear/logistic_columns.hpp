// The log-likelihood of classes, its gradient and its curvature, in one pass over columns as they lie.
//
// Problem: rows z_i of features followed by a 1, classes y_i, weights w_i. Class c has the linear function theta_c z_i;
// with `based` the first class has none and its function is 0. The probability of a class is the exponential of its
// function over the sum of all of them. Find the cost, -sum of w_i log P(y_i), its gradient (by function) and, if
// `with_curvature`, its matrix of second derivatives: the block of functions a and b is the sum of w_i P_a ((a = b) -
// P_b) z_i z_i'. Inputs: columns of numbers or of codes as in core/column_products.hpp, but a missing number counts as
// `missing_value`.
// Answer: the same for any number of threads on one machine (products are summed in its own vectors, fused). Rows are
// cut in blocks and these in runs by their number and that of the features alone. A block is brought to the cache once,
// feature by feature; all else happens there. Cost: rows * features * functions * 2 multiplications; curved rows *
// features^2 / 2 * functions * (functions + 1) / 2 more. Memory: gradient and curvature a run, of which there are at
// most 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/column_products.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

struct LogisticColumn : DesignColumn {
  double missing_value = 0;  // what stands for a missing number, centered and scaled
};

struct LogisticSums {
  double cost = 0;
  std::vector<double> gradient;   // (functions, features + 1)
  std::vector<double> curvature;  // (functions * (features + 1))^2, or empty
};

LogisticSums compute_logistic_sums(std::span<const LogisticColumn> columns, std::span<const std::int32_t> labels,
                                   std::span<const double> weight, std::span<const double> theta, std::size_t functions,
                                   bool based, bool with_curvature, ThreadPool& pool);

}  // namespace hedgerow

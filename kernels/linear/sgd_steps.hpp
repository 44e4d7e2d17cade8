// Stochastic gradient steps, one row after the other.
//
// On squared errors: for each row x with target y and weight w, error = y - (theta_0 + theta' x); theta_0 += rate w
// error; theta_j += rate w error x_j. (Textbook's rule: every theta, the intercept too, moves by the error of one row
// alone.) On the log-likelihood of classes: the same, with error = (1 if the row is of class c, else 0) - P(c) for the
// function of every class: P(c) = exp(sum_c) / sum of exp(sum). With `based` the first class has no function, and its
// sum is 0; of two classes that is the logistic function. `theta` is changed in place and lies as design_rows.hpp
// tells. Cost: two passes over the row's numbers. Ends early, returning false, when theta is no longer a number.
// `pause` is called now and then, and may throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"
#include "linear/design_rows.hpp"

namespace hedgerow {

bool run_sgd_steps(const DenseDesignRows& rows, std::span<const double> target, std::span<const double> weight,
                   double rate, std::span<double> theta, const InterruptCheck& pause);
bool run_sgd_steps(const SparseDesignRows& rows, std::span<const double> target, std::span<const double> weight,
                   double rate, std::span<double> theta, const InterruptCheck& pause);

// `label` is below `classes`, of which there are two or more.
bool run_class_sgd_steps(const DenseDesignRows& rows, std::span<const std::int32_t> label, std::size_t classes,
                         bool based, std::span<const double> weight, double rate, std::span<double> theta,
                         const InterruptCheck& pause);
bool run_class_sgd_steps(const SparseDesignRows& rows, std::span<const std::int32_t> label, std::size_t classes,
                         bool based, std::span<const double> weight, double rate, std::span<double> theta,
                         const InterruptCheck& pause);

}  // namespace hedgerow

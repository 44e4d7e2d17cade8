// The minimum of a quadratic with absolute values: gradient'd + d'Hd/2 + the sum of l1 |theta + d|, by coordinate
// descent.
//
// Inputs: the Hessian H (n by n, positive on its diagonal wherever a feature may move), gradient, theta and l1, n
// numbers each. Answer: theta + d in place of theta, with exact zeros; how many passes it took. Coordinates go in their
// order; after each pass over all of them, those that are not zero are gone over alone until they settle. Ends when no
// coordinate moves by more than `tolerance` of its own scale, 1 over the root of its curvature. Cost: n multiplications
// a coordinate that moves.
#pragma once

#include <cstddef>
#include <span>

#include "core/thread_pool.hpp"

namespace hedgerow {

std::size_t solve_lasso_step(std::span<const double> hessian, std::span<const double> gradient,
                             std::span<const double> l1, std::span<double> theta, double tolerance, std::size_t passes,
                             const InterruptCheck& pause);

}  // namespace hedgerow

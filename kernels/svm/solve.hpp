// A kernel machine's problem solved in single precision where that is enough, and otherwise in double.
#pragma once

#include <span>

#include "svm/smo.hpp"

namespace hedgerow {

// Unless `single`, double precision from the start. What single precision has found is checked by F of all rows in
// double, which is then what is returned, where that costs little; or else by F of some rows, those at the ends among
// them: unless the tolerance would hold with F as far off everywhere, double precision goes on from there. It does so,
// too, where many steps have led to no solution and F is further off than the tolerance allows. `alpha` is where to
// begin.
SvmSolution solve_svm(KernelRows& rows, bool single, const SvmProblem& problem, const SvmOptions& options,
                      std::span<const double> alpha, ThreadPool& pool);

}  // namespace hedgerow

#include "svm/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/simd_vectors.hpp"

namespace hedgerow {

namespace {

constexpr double kSingleToleranceShare = 0.9;  // of the tolerance is asked of single precision: room for its errors
constexpr double kErrorMargin = 1.5;           // errors of rows not looked at, by the largest of those that were
constexpr double kMinShare = 0.3;              // of the tolerance asked of single precision; for less, double is faster
constexpr std::size_t kEndRows = 16;           // looked at, at either end
constexpr std::size_t kSpreadRows = 32;        // and anywhere
constexpr std::size_t kBlock = 16;
constexpr std::int64_t kTrialSteps =
    20000;  // steps of single precision, or 10 a row, after which its errors are looked at first
constexpr double kCheapProducts = 1 << 28;  // products that are spent on F of all rows in double precision, or
constexpr double kCheapRowShare = 0.2;      // as many rows as this share of those that were made
constexpr int kMaxRounds = 3;               // of double precision, if the conditions do not hold by F made anew

// Rows that may rise with the largest F, those that may fall with the smallest, and some of all.
std::vector<std::int32_t> choose_rows_to_check(const SvmProblem& problem, const SvmSolution& solution) {
  const std::size_t n = solution.alpha.size();
  std::vector<std::int32_t> out, rising, falling;
  for (std::size_t i = 0; i < n; ++i) {
    const bool below = solution.alpha[i] < problem.bounds[i], above = solution.alpha[i] > 0;
    if (problem.signs[i] > 0 ? below : above) rising.push_back(static_cast<std::int32_t>(i));
    if (problem.signs[i] > 0 ? above : below) falling.push_back(static_cast<std::int32_t>(i));
  }
  const auto take = [&](std::vector<std::int32_t>& rows, double way) {
    const auto maximum = static_cast<std::ptrdiff_t>(std::min(kEndRows, rows.size()));
    std::partial_sort(rows.begin(), rows.begin() + maximum, rows.end(), [&](std::int32_t a, std::int32_t b) {
      const double fa = way * solution.F[static_cast<std::size_t>(a)],
                   fb = way * solution.F[static_cast<std::size_t>(b)];
      return fa != fb ? fa > fb : a < b;
    });
    out.insert(out.end(), rows.begin(), rows.begin() + maximum);
  };
  take(rising, 1.0);
  take(falling, -1.0);
  for (std::size_t a = 0; a < std::min(n, kSpreadRows); ++a) {
    out.push_back(static_cast<std::int32_t>(a * n / std::min(n, kSpreadRows)));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// How far F of some rows is from what it is in double precision, at most.
double find_largest_error(const KernelRows& rows, std::span<const std::int32_t> order, const SvmProblem& problem,
                          const SvmSolution& solution, const ThreadPool& pool) {
  const std::size_t n = rows.size();
  std::vector<double> weight(n);
  std::vector<std::int32_t> position(n);
  for (std::size_t b = 0; b < n; ++b) {
    const auto i = static_cast<std::size_t>(order[b]);
    weight[b] = problem.signs[i] * solution.alpha[i];
    position[i] = static_cast<std::int32_t>(b);
  }
  const auto checked = choose_rows_to_check(problem, solution);
  const std::size_t stride = (n + 63) / 64 * 64;
  AlignedDoubles buffer(kBlock * stride);
  double error = 0.0;
  for (std::size_t at = 0; at < checked.size(); at += kBlock) {
    pool.check_interrupt();
    const std::size_t m = std::min(kBlock, checked.size() - at);
    std::int32_t which[kBlock];
    double* out[kBlock];
    for (std::size_t a = 0; a < m; ++a) {
      which[a] = position[static_cast<std::size_t>(checked[at + a])];
      out[a] = buffer.data() + a * stride;
    }
    rows.fill_rows(which, m, 0, n, out);
    for (std::size_t a = 0; a < m; ++a) {
      const auto i = static_cast<std::size_t>(checked[at + a]);
      const double sum = std::inner_product(weight.begin(), weight.end(), out[a], 0.0);
      const double F = -problem.signs[i] * (problem.linear[i] + problem.ridge[i] * solution.alpha[i]) - sum;
      error = std::max(error, std::abs(F - solution.F[i]));
    }
  }
  return error;
}

// Whether F of all rows, in double precision, costs little, beside what the solution has cost.
bool is_full_check_cheap(const KernelRows& rows, const SvmSolution& solution, const SvmOptions& options) {
  const auto support =
      static_cast<double>(std::count_if(solution.alpha.begin(), solution.alpha.end(), [](double a) { return a != 0; }));
  const double products =
      support * static_cast<double>(rows.size()) * static_cast<double>(options.products_per_value + 8);
  return products <= kCheapProducts || support <= kCheapRowShare * static_cast<double>(solution.rows_made);
}

// F of all rows by kernel values in double precision.
std::vector<double> compute_exact_F(const KernelRows& rows, std::span<const std::int32_t> order,
                                    const SvmProblem& problem, const SvmSolution& solution, ThreadPool& pool) {
  const std::size_t n = rows.size();
  std::vector<double> out(n), sums(n);
  std::vector<std::int32_t> support;  // by position
  for (std::size_t b = 0; b < n; ++b) {
    if (solution.alpha[static_cast<std::size_t>(order[b])] != 0) support.push_back(static_cast<std::int32_t>(b));
  }
  const std::size_t piece = std::max<std::size_t>((n / pool.size() / 2 + 64) / 64 * 64, 64);
  AlignedDoubles buffer(kBlock * ((n + 63) / 64 * 64 + piece));
  for (std::size_t at = 0; at < support.size(); at += kBlock) {
    pool.check_interrupt();
    const std::size_t m = std::min(kBlock, support.size() - at);
    pool.parallel_for((n + piece - 1) / piece, [&](std::size_t number, std::size_t) {
      const std::size_t from = number * piece, to = std::min(from + piece, n);
      double* lines[kBlock];
      for (std::size_t a = 0; a < m; ++a) lines[a] = buffer.data() + kBlock * from + a * piece;
      rows.fill_rows(support.data() + at, m, from, to, lines);
      for (std::size_t a = 0; a < m; ++a) {
        const auto i = static_cast<std::size_t>(order[static_cast<std::size_t>(support[at + a])]);
        const double weight = problem.signs[i] * solution.alpha[i];
        for (std::size_t c = from; c < to; ++c) sums[c] += weight * lines[a][c - from];
      }
    });
  }
  for (std::size_t b = 0; b < n; ++b) {
    const auto i = static_cast<std::size_t>(order[b]);
    out[i] = -problem.signs[i] * (problem.linear[i] + problem.ridge[i] * solution.alpha[i]) - sums[b];
  }
  return out;
}

// By how much the worst pair of rows breaks the conditions.
double compute_violation(const SvmProblem& problem, const SvmSolution& solution) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double up = -inf, low = inf;
  for (std::size_t i = 0; i < solution.alpha.size(); ++i) {
    const bool below = solution.alpha[i] < problem.bounds[i], above = solution.alpha[i] > 0;
    if (problem.signs[i] > 0 ? below : above) up = std::max(up, solution.F[i]);
    if (problem.signs[i] > 0 ? above : below) low = std::min(low, solution.F[i]);
  }
  return up == -inf || low == inf ? 0.0 : std::max(up - low, 0.0);
}

}  // namespace

SvmSolution solve_svm(KernelRows& rows, bool single, const SvmProblem& problem, const SvmOptions& options,
                      std::span<const double> alpha, ThreadPool& pool) {
  SvmSolution before;
  std::vector<double> start(alpha.begin(), alpha.end());
  single = single && std::isfinite(rows.estimate_single_error());
  if (single) {
    SmoSolver<float> smo(rows, problem, options, start, pool);
    double tolerance = kSingleToleranceShare * options.tolerance;
    std::int64_t until = std::max(kTrialSteps, 10 * static_cast<std::int64_t>(rows.size()));
    for (;;) {
      smo.run_steps(tolerance, until);
      before = smo.get_solution();
      const bool is_accurate = std::all_of(before.F.begin(), before.F.end(), [](double f) { return std::isfinite(f); });
      if (!is_accurate) break;
      start = before.alpha;
      const bool ended = before.steps >= options.max_steps;
      double doubt;  // how far the violation may be off
      if ((before.converged || ended) && is_full_check_cheap(rows, before, options)) {
        const double measured_violation = before.violation;
        before.F = compute_exact_F(rows, smo.order(), problem, before, pool);
        before.violation = compute_violation(problem, before);
        before.converged = before.converged && before.violation <= options.tolerance;
        if (before.converged || ended) return before;
        doubt = std::max(before.violation - measured_violation, 0.0);
      } else {
        doubt = 2 * kErrorMargin * find_largest_error(rows, smo.order(), problem, before, pool);
        if (ended || (before.converged && before.violation + doubt <= options.tolerance)) return before;
      }
      // the errors change little: a little closer, and it will do
      const double closer = options.tolerance - kErrorMargin * doubt;
      if (!(closer > kMinShare * options.tolerance)) break;
      if (before.steps >= until) {
        until = 2 * before.steps;
      } else if (before.steps < until && closer < tolerance) {
        tolerance = closer;
      } else {
        break;
      }
    }
    smo.restore_rows();
  }
  SvmOptions rest = options;
  rest.max_steps -= before.steps;
  SmoSolver<double> smo(rows, problem, rest, start, pool);
  SvmSolution out;
  for (int round = 0; round < kMaxRounds; ++round) {
    smo.run_steps(options.tolerance);
    out = smo.get_solution();
    const bool converged = out.converged;
    if (!is_full_check_cheap(rows, out, options)) break;
    smo.recompute_F(options.tolerance);
    out = smo.get_solution();
    if (out.converged || !converged) break;
  }
  out.steps += before.steps;
  out.rows_made += before.rows_made;
  out.rows_made_ahead += before.rows_made_ahead;
  out.rows_used += before.rows_used;
  out.polished = single;
  return out;
}

}  // namespace hedgerow

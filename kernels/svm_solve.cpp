#include "svm_solve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hedgerow {

namespace {

constexpr double kSharper = 0.9;        // of the tolerance is asked of single precision: room for its errors
constexpr double kSure = 1.5;           // errors of rows not looked at, by the largest of those that were
constexpr double kLeastShare = 0.3;     // of the tolerance asked of single precision; for less, double is faster
constexpr std::size_t kEndRows = 16;    // looked at, at either end
constexpr std::size_t kSpreadRows = 32; // and anywhere
constexpr std::size_t kBlock = 16;

// Rows that may rise with the largest F, those that may fall with the smallest, and some of all.
std::vector<std::int32_t> rows_to_check(const SvmProblem& problem, const SvmState& state) {
  const std::size_t n = state.alpha.size();
  std::vector<std::int32_t> out, rising, falling;
  for (std::size_t i = 0; i < n; ++i) {
    const bool below = state.alpha[i] < problem.bounds[i], above = state.alpha[i] > 0;
    if (problem.signs[i] > 0 ? below : above) rising.push_back(static_cast<std::int32_t>(i));
    if (problem.signs[i] > 0 ? above : below) falling.push_back(static_cast<std::int32_t>(i));
  }
  const auto take = [&](std::vector<std::int32_t>& rows, double way) {
    const auto most = static_cast<std::ptrdiff_t>(std::min(kEndRows, rows.size()));
    std::partial_sort(rows.begin(), rows.begin() + most, rows.end(), [&](std::int32_t a, std::int32_t b) {
      const double fa = way * state.F[static_cast<std::size_t>(a)], fb = way * state.F[static_cast<std::size_t>(b)];
      return fa != fb ? fa > fb : a < b;
    });
    out.insert(out.end(), rows.begin(), rows.begin() + most);
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
double largest_error(const KernelRows& rows, std::span<const std::int32_t> order, const SvmProblem& problem,
                     const SvmState& state, const Crew& crew) {
  const std::size_t n = rows.size();
  std::vector<double> weight(n);
  std::vector<std::int32_t> position(n);
  for (std::size_t b = 0; b < n; ++b) {
    const auto i = static_cast<std::size_t>(order[b]);
    weight[b] = problem.signs[i] * state.alpha[i];
    position[i] = static_cast<std::int32_t>(b);
  }
  const auto checked = rows_to_check(problem, state);
  const std::size_t stride = (n + 63) / 64 * 64;
  Aligned room(kBlock * stride);
  double error = 0.0;
  for (std::size_t at = 0; at < checked.size(); at += kBlock) {
    crew.pause();
    const std::size_t m = std::min(kBlock, checked.size() - at);
    std::int32_t which[kBlock];
    double* out[kBlock];
    for (std::size_t a = 0; a < m; ++a) {
      which[a] = position[static_cast<std::size_t>(checked[at + a])];
      out[a] = room.data() + a * stride;
    }
    rows.rows(which, m, 0, n, out);
    for (std::size_t a = 0; a < m; ++a) {
      const auto i = static_cast<std::size_t>(checked[at + a]);
      const double sum = std::inner_product(weight.begin(), weight.end(), out[a], 0.0);
      const double F = -problem.signs[i] * (problem.linear[i] + problem.ridge[i] * state.alpha[i]) - sum;
      error = std::max(error, std::abs(F - state.F[i]));
    }
  }
  return error;
}

}  // namespace

SvmState solve_svm(KernelRows& rows, bool single, const SvmProblem& problem, const SvmOptions& options,
                   std::span<const double> alpha, Crew& crew) {
  SvmState before;
  std::vector<double> start(alpha.begin(), alpha.end());
  single = single && std::isfinite(rows.single_error());
  if (single) {
    Smo<float> smo(rows, problem, options, start, crew);
    double tolerance = kSharper * options.tolerance;
    for (;;) {
      smo.run(tolerance);
      before = smo.state();
      const bool sound = std::all_of(before.F.begin(), before.F.end(), [](double f) { return std::isfinite(f); });
      if (!sound) break;
      start = before.alpha;
      if (before.steps >= options.most) return before;
      if (!before.settled) break;
      const double doubt = 2 * kSure * largest_error(rows, smo.order(), problem, before, crew);
      if (before.violation + doubt <= options.tolerance) return before;
      // the errors change little: a little closer, and it will do
      const double closer = options.tolerance - kSure * doubt;
      if (!(closer > kLeastShare * options.tolerance) || closer >= tolerance) break;
      tolerance = closer;
    }
    smo.restore_rows();
  }
  SvmOptions rest = options;
  rest.most -= before.steps;
  Smo<double> smo(rows, problem, rest, start, crew);
  smo.run(options.tolerance);
  SvmState out = smo.state();
  out.steps += before.steps;
  out.made += before.made;
  out.ahead += before.ahead;
  out.used += before.used;
  out.polished = single;
  return out;
}

}  // namespace hedgerow

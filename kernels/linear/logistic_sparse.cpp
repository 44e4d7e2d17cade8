#include "linear/logistic_sparse.hpp"

#include <algorithm>
#include <cmath>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kMaxRunNumbers = std::size_t{1}
                                       << 22;  // numbers of all runs' gradients, if there are more than 2
constexpr std::size_t kRowsPerCheck = 4096;    // rows between looks up

HEDGEROW_AVX2_CLONES void add_scaled(const double* from, double factor, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * from[i];
}

// Turns the functions of a row into probabilities; returns log of the sum of their exponentials.
double compute_row_probabilities(double* functions, std::size_t n, bool based) {
  double top = based ? 0.0 : functions[0];
  for (std::size_t c = 0; c < n; ++c) top = std::max(top, functions[c]);
  double norm = based ? std::exp(-top) : 0.0;
  for (std::size_t c = 0; c < n; ++c) norm += functions[c] = std::exp(functions[c] - top);
  for (std::size_t c = 0; c < n; ++c) functions[c] /= norm;
  return top + std::log(norm);
}

}  // namespace

SparseLogisticSums compute_sparse_logistic_sums(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                                                std::span<const double> values, std::span<const std::int32_t> labels,
                                                std::span<const double> weight, std::span<const double> theta,
                                                std::size_t functions, bool based, bool with_probabilities,
                                                ThreadPool& pool) {
  const std::size_t rows = labels.size(), last = theta.size() - functions;
  const std::size_t maximum = std::clamp<std::size_t>(kMaxRunNumbers / theta.size(), 2, 16);
  const std::size_t run_rows = std::max<std::size_t>(1, (rows + maximum - 1) / maximum);
  const std::size_t runs = (rows + run_rows - 1) / run_rows;
  std::vector<SparseLogisticSums> sums(runs);
  SparseLogisticSums out{0, std::vector<double>(theta.size()),
                         std::vector<double>(with_probabilities ? rows * functions : 0)};
  pool.parallel_for(runs, [&](std::size_t run, std::size_t thread) {
    auto& sum = sums[run];
    sum.gradient.resize(theta.size());
    std::vector<double> row(functions);
    for (std::size_t i = run * run_rows; i < std::min(rows, (run + 1) * run_rows); ++i) {
      if (i % kRowsPerCheck == 0) {
        if (pool.has_failed()) return;
        if (thread == 0) pool.check_interrupt();
      }
      std::copy(theta.begin() + static_cast<std::ptrdiff_t>(last), theta.end(), row.begin());
      for (auto at = static_cast<std::size_t>(starts[i]); at < static_cast<std::size_t>(starts[i + 1]); ++at) {
        add_scaled(theta.data() + static_cast<std::size_t>(ids[at]) * functions, values[at], functions, row.data());
      }
      const double count = weight.empty() ? 1.0 : weight[i];
      const auto label = static_cast<std::size_t>(labels[i]);
      const double own = label < based ? 0.0 : row[label - based];
      sum.cost += count * (compute_row_probabilities(row.data(), functions, based) - own);
      if (with_probabilities)
        std::copy(row.begin(), row.end(), out.probabilities.begin() + static_cast<std::ptrdiff_t>(i * functions));
      if (label >= based) row[label - based] -= 1;
      for (double& error : row) error *= count;
      for (auto at = static_cast<std::size_t>(starts[i]); at < static_cast<std::size_t>(starts[i + 1]); ++at) {
        add_scaled(row.data(), values[at], functions,
                   sum.gradient.data() + static_cast<std::size_t>(ids[at]) * functions);
      }
      add_scaled(row.data(), 1.0, functions, sum.gradient.data() + last);
    }
  });
  for (const auto& sum : sums) {
    out.cost += sum.cost;
    add_scaled(sum.gradient.data(), 1.0, theta.size(), out.gradient.data());
  }
  return out;
}

}  // namespace hedgerow

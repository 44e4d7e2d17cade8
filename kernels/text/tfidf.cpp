#include "text/tfidf.hpp"

#include <algorithm>
#include <cmath>

namespace hedgerow {
namespace {

double compute_norm(std::span<const double> values, Norm norm) {
  double sum = 0;
  for (const auto value : values) sum += norm == Norm::L1 ? std::abs(value) : value * value;
  return norm == Norm::L1 ? sum : std::sqrt(sum);
}

// Scales and norms a row.
void scale_and_normalize_row(std::span<const std::int32_t> ids, std::span<const double> scale, Norm norm,
                             std::span<double> values) {
  if (!scale.empty())
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scale[static_cast<std::size_t>(ids[i])];
  normalize_row(norm, values);
}

// Calls each(first, last) with where the entries of every row begin and end.
template <typename Visit>
void for_each_row(std::span<const std::int64_t> starts, ThreadPool& pool, Visit&& visit) {
  constexpr std::size_t BLOCK = 1024;  // rows
  const auto n_rows = starts.size() - 1;
  pool.parallel_for((n_rows + BLOCK - 1) / BLOCK, [&](std::size_t number, std::size_t) {
    for (auto row = number * BLOCK; row < std::min(n_rows, (number + 1) * BLOCK); ++row)
      visit(static_cast<std::size_t>(starts[row]), static_cast<std::size_t>(starts[row + 1]));
  });
}

}  // namespace

void normalize_row(Norm norm, std::span<double> values) {
  if (norm == Norm::NONE) return;
  if (const auto length = compute_norm(values, norm); length > 0)
    for (auto& value : values) value /= length;
}

TermFrequency::TermFrequency(Tf tf) : tf_(tf) {
  for (std::size_t i = 1; i < logs_.size(); ++i) logs_[i] = log_frequency(static_cast<std::int32_t>(i));
}

double TermFrequency::log_frequency(std::int32_t count) { return 1 + std::log(static_cast<double>(count)); }

void TermWeigher::weigh_row(std::span<const std::int32_t> ids, std::span<const std::int32_t> counts,
                            std::span<double> values) const {
  const bool divided = options_.tf == Tf::RELATIVE_TO_SUM || options_.tf == Tf::RELATIVE_TO_MAX;
  const auto divisor = divided ? frequency_.row_divisor(counts) : 1.0;
  if (options_.tf == Tf::COUNT) {
    std::copy(counts.begin(), counts.end(), values.begin());
  } else {
    for (std::size_t i = 0; i < counts.size(); ++i) values[i] = frequency_.weight(counts[i], divisor);
  }
  scale_and_normalize_row(ids, options_.scale, options_.norm, values);
}

double TermFrequency::row_divisor(std::span<const std::int32_t> counts) const {
  std::int64_t sum = 0, maximum = 0;
  for (const auto count : counts) {
    sum += count;
    maximum = std::max<std::int64_t>(maximum, count);
  }
  return static_cast<double>(tf_ == Tf::RELATIVE_TO_SUM ? sum : maximum);
}

UninitializedVector<double> weigh_counts(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                                         std::span<const std::int32_t> counts, const TermWeighting& options,
                                         ThreadPool& pool) {
  UninitializedVector<double> values(counts.size());
  const TermWeigher weigher(options);
  for_each_row(starts, pool, [&](std::size_t first, std::size_t last) {
    weigher.weigh_row(ids.subspan(first, last - first), counts.subspan(first, last - first),
                      std::span(values).subspan(first, last - first));
  });
  return values;
}

void sum_rows(std::span<const std::int32_t> ids, std::span<const std::int32_t> counts, std::span<std::int64_t> rows,
              std::span<std::int64_t> totals) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ++rows[ids[i]];
    totals[ids[i]] += counts[i];
  }
}

void sum_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
              std::span<const std::int32_t> counts, std::span<const double> weights, std::span<double> rows,
              std::span<double> totals) {
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const auto weight = weights[row];
    for (auto i = starts[row]; i < starts[row + 1]; ++i) {
      rows[ids[i]] += weight;
      totals[ids[i]] += weight * counts[i];
    }
  }
}

void weigh_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids, std::span<const double> scale,
                Norm norm, std::span<double> values, ThreadPool& pool) {
  for_each_row(starts, pool, [&](std::size_t first, std::size_t last) {
    scale_and_normalize_row(ids.subspan(first, last - first), scale, norm, values.subspan(first, last - first));
  });
}

}  // namespace hedgerow

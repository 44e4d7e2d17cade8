#include "text/tfidf.hpp"

#include <algorithm>
#include <cmath>

namespace hedgerow {
namespace {

double length_of(std::span<const double> values, Norm norm) {
  double sum = 0;
  for (const auto value : values) sum += norm == Norm::L1 ? std::abs(value) : value * value;
  return norm == Norm::L1 ? sum : std::sqrt(sum);
}

// Scales and norms a row.
void weigh_row(std::span<const std::int32_t> ids, std::span<const double> scale, Norm norm, std::span<double> values) {
  if (!scale.empty())
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scale[static_cast<std::size_t>(ids[i])];
  norm_row(norm, values);
}

// Calls each(first, last) with where the entries of every row begin and end.
template <typename Each>
void each_row(std::span<const std::int64_t> starts, ThreadPool& crew, Each&& each) {
  constexpr std::size_t BLOCK = 1024;  // rows
  const auto n_rows = starts.size() - 1;
  crew.parallel_for((n_rows + BLOCK - 1) / BLOCK, [&](std::size_t number, std::size_t) {
    for (auto row = number * BLOCK; row < std::min(n_rows, (number + 1) * BLOCK); ++row)
      each(static_cast<std::size_t>(starts[row]), static_cast<std::size_t>(starts[row + 1]));
  });
}

}  // namespace

void norm_row(Norm norm, std::span<double> values) {
  if (norm == Norm::NONE) return;
  if (const auto length = length_of(values, norm); length > 0)
    for (auto& value : values) value /= length;
}

Frequency::Frequency(Tf tf) : tf_(tf) {
  for (std::size_t i = 1; i < logs_.size(); ++i) logs_[i] = log_of(static_cast<std::int32_t>(i));
}

double Frequency::log_of(std::int32_t count) { return 1 + std::log(static_cast<double>(count)); }

void Weigher::row(std::span<const std::int32_t> ids, std::span<const std::int32_t> counts,
                  std::span<double> values) const {
  const bool divided = how_.tf == Tf::SHARE || how_.tf == Tf::MOST;
  const auto divisor = divided ? frequency_.divisor(counts) : 1.0;
  if (how_.tf == Tf::COUNT) {
    std::copy(counts.begin(), counts.end(), values.begin());
  } else {
    for (std::size_t i = 0; i < counts.size(); ++i) values[i] = frequency_.of(counts[i], divisor);
  }
  weigh_row(ids, how_.scale, how_.norm, values);
}

double Frequency::divisor(std::span<const std::int32_t> counts) const {
  std::int64_t sum = 0, most = 0;
  for (const auto count : counts) {
    sum += count;
    most = std::max<std::int64_t>(most, count);
  }
  return static_cast<double>(tf_ == Tf::SHARE ? sum : most);
}

UninitializedVector<double> weigh_counts(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                                         std::span<const std::int32_t> counts, const Weighing& how, ThreadPool& crew) {
  UninitializedVector<double> values(counts.size());
  const Weigher weigher(how);
  each_row(starts, crew, [&](std::size_t first, std::size_t last) {
    weigher.row(ids.subspan(first, last - first), counts.subspan(first, last - first),
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
                Norm norm, std::span<double> values, ThreadPool& crew) {
  each_row(starts, crew, [&](std::size_t first, std::size_t last) {
    weigh_row(ids.subspan(first, last - first), scale, norm, values.subspan(first, last - first));
  });
}

}  // namespace hedgerow

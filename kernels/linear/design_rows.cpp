#include "linear/design_rows.hpp"

#include <algorithm>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kLanes = 4, kMany = 16;  // sums of long rows are added up in more lanes
constexpr std::size_t kCacheLineNumbers = 8;   // numbers of a line of the cache
constexpr std::size_t kMaxLines = 16;          // of a row that are fetched ahead
constexpr std::size_t kPrefetchDistance = 8;   // features of a sparse row that are fetched ahead

HEDGEROW_AVX2_CLONES double dot(const double* a, const double* b, std::size_t n) {
  double lane[kLanes] = {}, many[kMany] = {};
  std::size_t i = 0;
  for (; i + kMany <= n; i += kMany) {
    for (std::size_t l = 0; l < kMany; ++l) many[l] += a[i + l] * b[i + l];
  }
  for (std::size_t l = 0; l < kMany; ++l) lane[l % kLanes] += many[l];
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += a[i + l] * b[i + l];
  }
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + rest;
}

HEDGEROW_AVX2_CLONES void add_scaled(double factor, const double* row, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * row[i];
}

// Several functions: every value times the coefficients of its place, which lie side by side.
HEDGEROW_AVX2_CLONES void add_products(const double* row, std::size_t width, const double* coefficients,
                                       std::size_t functions, double* out) {
  for (std::size_t i = 0; i < width; ++i, coefficients += functions) {
    const double value = row[i];
    if (value == 0) continue;
    for (std::size_t c = 0; c < functions; ++c) out[c] += value * coefficients[c];
  }
}

HEDGEROW_AVX2_CLONES void add_sparse(const std::int32_t* ids, const double* values, std::size_t n,
                                     const double* coefficients, std::size_t functions, double* out) {
  for (std::size_t e = 0; e < n; ++e) {
    if (e + kPrefetchDistance < n) {  // features lie anywhere: those to come are fetched meanwhile
      const double* next = coefficients + static_cast<std::size_t>(ids[e + kPrefetchDistance]) * functions;
      for (std::size_t c = 0; c < functions; c += 8) __builtin_prefetch(next + c);
    }
    const double value = values[e], *own = coefficients + static_cast<std::size_t>(ids[e]) * functions;
    for (std::size_t c = 0; c < functions; ++c) out[c] += value * own[c];
  }
}

}  // namespace

void DenseDesignRows::prefetch(std::size_t row) const {
  const double* own = values.data() + row * width;
  for (std::size_t i = 0; i < std::min(width, kCacheLineNumbers * kMaxLines); i += kCacheLineNumbers)
    __builtin_prefetch(own + i);
}

void DenseDesignRows::evaluate(std::size_t row, std::span<const double> coefficients, std::span<double> out) const {
  const std::size_t functions = out.size();
  const double *own = values.data() + row * width, *slopes = coefficients.data() + functions;
  if (functions == 1) {
    out[0] = coefficients[0] + dot(own, slopes, width);
    return;
  }
  for (std::size_t c = 0; c < functions; ++c) out[c] = coefficients[c];
  add_products(own, width, slopes, functions, out.data());
}

void DenseDesignRows::add_row(std::size_t row, double factor, std::size_t function, std::size_t functions,
                              std::span<double> coefficients) const {
  const double* own = values.data() + row * width;
  double* slopes = coefficients.data() + functions + function;
  coefficients[function] += factor;
  if (functions == 1) {
    add_scaled(factor, own, width, slopes);
    return;
  }
  for (std::size_t i = 0; i < width; ++i) slopes[i * functions] += factor * own[i];
}

void SparseDesignRows::prefetch(std::size_t row) const {
  const auto begin = static_cast<std::size_t>(starts[row]), end = static_cast<std::size_t>(starts[row + 1]);
  for (std::size_t e = begin; e < std::min(end, begin + kCacheLineNumbers * kMaxLines); e += kCacheLineNumbers) {
    __builtin_prefetch(values.data() + e);
    __builtin_prefetch(ids.data() + e);
  }
}

void SparseDesignRows::evaluate(std::size_t row, std::span<const double> coefficients, std::span<double> out) const {
  const std::size_t functions = out.size();
  const auto begin = static_cast<std::size_t>(starts[row]), end = static_cast<std::size_t>(starts[row + 1]);
  const double* slopes = coefficients.data() + functions;
  if (functions == 1) {
    double sum = coefficients[0];
    for (std::size_t e = begin; e < end; ++e) sum += slopes[ids[e]] * values[e];
    out[0] = sum;
    return;
  }
  for (std::size_t c = 0; c < functions; ++c) out[c] = coefficients[c];
  add_sparse(ids.data() + begin, values.data() + begin, end - begin, slopes, functions, out.data());
}

void SparseDesignRows::add_row(std::size_t row, double factor, std::size_t function, std::size_t functions,
                               std::span<double> coefficients) const {
  const auto begin = static_cast<std::size_t>(starts[row]), end = static_cast<std::size_t>(starts[row + 1]);
  double* slopes = coefficients.data() + functions + function;
  coefficients[function] += factor;
  for (std::size_t e = begin; e < end; ++e) slopes[static_cast<std::size_t>(ids[e]) * functions] += factor * values[e];
}

}  // namespace hedgerow

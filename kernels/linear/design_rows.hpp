// Rows of a design matrix, dense or sparse, beside the coefficients of one or several linear functions.
//
// Coefficients lie feature by feature: those of all `functions` for the constant input 1, then those for the first
// feature, and so on; so a sparse row reads a few cells side by side. With one function they are intercept and slopes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgerow {

// `width` numbers a row.
struct DenseDesignRows {
  std::span<const double> values;
  std::size_t rows = 0, width = 0;

  void prefetch(std::size_t row) const;  // it will be asked for soon
  // out[c] = constant + sum of value times coefficient, of each function c.
  void evaluate(std::size_t row, std::span<const double> coefficients, std::span<double> out) const;
  // Adds `factor` times the row, and to the constant `factor`, to the coefficients of one function.
  void add_row(std::size_t row, double factor, std::size_t function, std::size_t functions,
               std::span<double> coefficients) const;
};

// Row i has the `ids` (features) and `values` from starts[i] to starts[i + 1].
struct SparseDesignRows {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  std::span<const double> values;
  std::size_t rows = 0;

  void prefetch(std::size_t row) const;
  void evaluate(std::size_t row, std::span<const double> coefficients, std::span<double> out) const;
  void add_row(std::size_t row, double factor, std::size_t function, std::size_t functions,
               std::span<double> coefficients) const;
};

}  // namespace hedgerow

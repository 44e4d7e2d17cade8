// Rows of a design matrix, dense or sparse, beside the coefficients of one or several linear functions.
//
// Coefficients lie place by place: those of all `functions` for the constant input 1, then those for the first place,
// and so on; so a sparse row reads a few cells side by side. With one function they are intercept and slopes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgerow {

// `width` numbers a row.
struct DenseRows {
  std::span<const double> values;
  std::size_t rows = 0, width = 0;

  void fetch(std::size_t row) const;  // it will be asked for soon
  // out[c] = constant + sum of value times coefficient, of each function c.
  void sums(std::size_t row, std::span<const double> coefficients, std::span<double> out) const;
  // Adds `factor` times the row, and to the constant `factor`, to the coefficients of one function.
  void add(std::size_t row, double factor, std::size_t function, std::size_t functions,
           std::span<double> coefficients) const;
};

// Row i has the `ids` (places) and `values` from starts[i] to starts[i + 1].
struct SparseRows {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  std::span<const double> values;
  std::size_t rows = 0;

  void fetch(std::size_t row) const;
  void sums(std::size_t row, std::span<const double> coefficients, std::span<double> out) const;
  void add(std::size_t row, double factor, std::size_t function, std::size_t functions,
           std::span<double> coefficients) const;
};

}  // namespace hedgerow

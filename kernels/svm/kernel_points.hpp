// Points packed for tiles of kernel values: dense ones in panels, sparse ones row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernel_tiles.hpp"

namespace hedgerow {

// Rows of a matrix that others hold: some of the lines of `numbers`, each `width` long, less `center` if there is one.
struct DenseRowsView {
  const double* numbers = nullptr;
  std::size_t width = 0;
  const std::int64_t* rows = nullptr;  // nullptr: all, in order
  const double* center = nullptr;

  const double* row(std::size_t i) const { return numbers + (rows ? static_cast<std::size_t>(rows[i]) : i) * width; }
};

// The mean of `n` rows.
inline std::vector<double> compute_center(const DenseRowsView& rows, std::size_t n) {
  std::vector<double> out(rows.width);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < rows.width; ++k) out[k] += rows.row(i)[k] / static_cast<double>(n);
  }
  return out;
}

// Puts `n` rows from `first` on side by side, `lanes` of them, and their squared norms; what is beyond them is 0.
template <class T>
void pack_points(const DenseRowsView& rows, std::size_t first, std::size_t n, std::size_t lanes, T* out, T* norms) {
  for (std::size_t c = 0; c < n; ++c) {
    const double* from = rows.row(first + c);
    for (std::size_t k = 0; k < rows.width; ++k) {
      out[k * lanes + c] = static_cast<T>(rows.center ? from[k] - rows.center[k] : from[k]);
    }
  }
  for (std::size_t c = n; c < lanes; ++c) {
    for (std::size_t k = 0; k < rows.width; ++k) out[k * lanes + c] = T{0};
  }
  tile_functions<T>().dense_norms(out, lanes, rows.width, norms);
}

// All rows, in panels or groups of `lanes`.
template <class T>
struct PackedPoints {
  PackedPoints(const DenseRowsView& rows, std::size_t n, std::size_t lanes)
      : values((n + lanes - 1) / lanes * lanes * rows.width), norms((n + lanes - 1) / lanes * lanes) {
    for (std::size_t begin = 0; begin < n; begin += lanes) {
      pack_points<T>(rows, begin, std::min(lanes, n - begin), lanes, values.data() + begin * rows.width,
                     norms.data() + begin);
    }
  }

  AlignedArray<T> values, norms;
};

// Some rows of a sparse matrix, copied.
template <class T>
struct PackedSparsePoints {
  PackedSparsePoints(const SparseRowsView<double>& from, std::span<const std::int64_t> rows)
      : norms(rows.size() + kPanelPoints<T>) {
    starts.push_back(0);
    for (const std::int64_t row : rows) {
      for (std::int64_t i = from.starts[row]; i < from.starts[row + 1]; ++i) {
        ids.push_back(from.ids[i]);
        values.push_back(static_cast<T>(from.values[i]));
      }
      starts.push_back(static_cast<std::int64_t>(ids.size()));
    }
    tile_functions<T>().sparse_norms(view(), rows.size(), norms.data());
  }

  SparseRowsView<T> view() const { return {starts.data(), ids.data(), values.data()}; }

  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> ids;
  std::vector<T> values;
  AlignedArray<T> norms;
};

// Spreads rows over the lanes of a block of `lanes` numbers a feature, or wipes them out again.
template <class T>
void scatter_row(const SparseRowsView<T>& rows, std::size_t row, std::size_t lane, std::size_t lanes, T* out,
                 bool clear) {
  for (std::int64_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
    out[static_cast<std::size_t>(rows.ids[i]) * lanes + lane] = clear ? T{0} : rows.values[i];
  }
}

// About the largest rounding error of a float value, by the largest value, of points with squared norms up to `largest`
// and sums of `terms` products: the error of a sum grows with the root of their number, where errors have either sign.
inline double estimate_float_error(const KernelFunction& function, double largest, double terms) {
  constexpr double unit = std::numeric_limits<float>::epsilon() / 2, maximum = std::numeric_limits<float>::max() / 4;
  constexpr double none = std::numeric_limits<double>::infinity();
  if (!(largest < maximum)) return none;
  const double product = largest * unit * std::sqrt(terms + 1);
  switch (function.kind) {
    case KernelKind::kLinear:
      return unit * std::sqrt(terms + 1);
    case KernelKind::kRbf:  // the slope of e^-t is at most 1, and d2 has three such errors
      return 3 * function.gamma * product + 2 * unit;
    case KernelKind::kPoly: {
      const double inner = std::abs(function.gamma) * largest + std::abs(function.theta);
      const double value = std::pow(inner, function.degree);
      if (!(value < maximum)) return none;
      return function.degree * (unit * std::sqrt(terms + 1) + 2 * unit);
    }
    case KernelKind::kSigmoid:
      return std::abs(function.gamma) * product + 3 * unit;
  }
  return 0;
}

}  // namespace hedgerow

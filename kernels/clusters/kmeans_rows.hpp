// The rows that k-means goes through, and how they are shared out.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hedgerow {

// Rows one after the other, and their weights, if they are not all 1.
struct PointRows {
  const double* values;
  std::size_t n, width;
  const double* weights;

  const double* row(std::size_t i) const { return values + i * width; }
  double weight(std::size_t i) const { return weights ? weights[i] : 1.0; }
};

constexpr std::size_t kMaxSlices = 16, kSliceRows = 1024, kWholePanel = 16;

// The slices that rows are shared out in.
struct RowSlices {
  std::size_t rows, n;
  explicit RowSlices(std::size_t all) : rows(all), n(std::min(kMaxSlices, (all + kSliceRows - 1) / kSliceRows)) {}
  // Whole panels, but for the last.
  std::size_t begin(std::size_t slice) const {
    return slice >= n ? rows : rows * slice / n / kWholePanel * kWholePanel;
  }
};

}  // namespace hedgerow

// Rows of kernel values that are known already, or that others make whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "svm/kernel_rows.hpp"

namespace hedgerow {

// Own::fill(which, m, from, to, out) gives the rows; points_ says which point stands at every position.
template <class Derived>
class PositionedKernelRows : public KernelRows {
 public:
  explicit PositionedKernelRows(std::vector<std::int64_t> points) : points_(std::move(points)) {}
  std::size_t size() const override { return points_.size(); }
  void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                 float* const* out) const override {
    static_cast<const Derived*>(this)->fill(which, m, from, to, out);
  }
  void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                 double* const* out) const override {
    static_cast<const Derived*>(this)->fill(which, m, from, to, out);
  }
  void reorder(const std::int32_t* order) override {
    std::vector<std::int64_t> points(points_.size());
    for (std::size_t q = 0; q < points.size(); ++q) points[q] = points_[static_cast<std::size_t>(order[q])];
    points_ = std::move(points);
  }
  double estimate_single_error() const override { return 6e-8; }

 protected:
  // The entries of a whole row, which lie by point, that stand at positions `from` to `to`.
  template <class T>
  void copy_entries(const double* row, std::size_t from, std::size_t to, T* out) const {
    for (std::size_t c = from; c < to; ++c) out[c - from] = static_cast<T>(row[points_[c]]);
  }

  std::vector<std::int64_t> points_;
};

// Rows of a matrix that is given, of which `points` are those of the problem.
class PrecomputedKernelRows : public PositionedKernelRows<PrecomputedKernelRows> {
 public:
  PrecomputedKernelRows(const double* matrix, std::size_t stride, std::span<const std::int64_t> points)
      : PositionedKernelRows({points.begin(), points.end()}), matrix_(matrix), stride_(stride) {}
  double diagonal(std::size_t i) const override { return line(i)[points_[i]]; }

  template <class T>
  void fill(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, T* const* out) const {
    for (std::size_t a = 0; a < m; ++a) copy_entries(line(static_cast<std::size_t>(which[a])), from, to, out[a]);
  }

 private:
  const double* line(std::size_t i) const { return matrix_ + static_cast<std::size_t>(points_[i]) * stride_; }

  const double* matrix_;
  std::size_t stride_;
};

}  // namespace hedgerow

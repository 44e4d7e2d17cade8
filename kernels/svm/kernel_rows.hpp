// Values of a kernel function between rows, as solvers of support vector machines ask for them.
//
// Problem: given points, at positions 0 to n - 1, find K(x_i, x_j) for a few i and a range of j.
// Answer: of floats or of doubles. It does not depend on what else is asked for, is the same both ways, and the same
// for equal points; a Gaussian is 1 on the diagonal and for equal points (core/kernel_tiles.hpp). For the Gaussian of
// dense points, |x - z|^2 = |x|^2 + |z|^2 - 2 x.z is taken of points less their mean, and is never below 0. Cost: rows
// * columns * width multiplications, in tiles of 8 rows; a single row is bound by memory. Memory: the points once as
// floats, once as doubles, each when first asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/kernel_functions.hpp"

namespace hedgerow {

class KernelRows {
 public:
  virtual ~KernelRows() = default;
  virtual std::size_t size() const = 0;

  // out[a][c - from] = K(which[a], c) for from <= c < to. Several threads may ask at a time.
  virtual void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                         float* const* out) const = 0;
  virtual void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                         double* const* out) const = 0;

  virtual double diagonal(std::size_t i) const = 0;

  // Position q now holds what position order[q] held; a permutation of all. Nobody may ask meanwhile.
  virtual void reorder(const std::int32_t* order) = 0;

  // About the largest rounding error of a value that is a float, by the largest value; infinite if there is no such
  // float.
  virtual double estimate_single_error() const = 0;
};

// Rows of a matrix, one behind the other. Their numbers are finite.
std::unique_ptr<KernelRows> make_dense_kernel_rows(const double* points, std::size_t width,
                                                   std::span<const std::int64_t> rows, const KernelFunction& function);

// Sparse rows, whose ids ascend and are below `width`.
std::unique_ptr<KernelRows> make_sparse_kernel_rows(const std::int64_t* starts, const std::int32_t* ids,
                                                    const double* values, std::size_t width,
                                                    std::span<const std::int64_t> rows, const KernelFunction& function);

}  // namespace hedgerow

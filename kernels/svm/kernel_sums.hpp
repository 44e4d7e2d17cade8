// Sums over support vectors.
//
// Problem: given vectors v_j, coefficients a_jf and offsets b_f of functions, find f(x) = sum over j of a_jf K(v_j, x)
// + b_f of many rows x. Answer: sums of doubles in the order of the vectors, eight at a time; of a row the same
// whatever the others, for any number of threads. K is of doubles, or of floats (`single`), with errors as in
// kernel_rows.hpp; values of K are never kept. Cost: rows * vectors * (width + functions with a coefficient other than
// 0 among eight vectors): vectors of one class had better lie together. Memory: the vectors once, a block of rows a
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernel_functions.hpp"
#include "core/kernel_tiles.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

// Lines of `width` numbers, or sparse rows, whose ids ascend and are below `width`, if there are starts.
struct KernelPoints {
  std::size_t n = 0, width = 0;
  const double* dense = nullptr;
  SparseRowsView<double> sparse{};

  bool is_sparse() const { return sparse.starts != nullptr; }
};

// Vectors and rows are both dense or both sparse. `coefs` is (vectors, functions), `out` (functions, rows).
void compute_kernel_sums(const KernelFunction& function, const KernelPoints& vectors, std::span<const double> coefs,
                         std::span<const double> offsets, const KernelPoints& rows, bool single, double* out,
                         ThreadPool& pool);

}  // namespace hedgerow

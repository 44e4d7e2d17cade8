// A sparse matrix times a narrow dense one.
//
// Problem: rows that are lists of features and values, and a matrix with one line per feature; find the sum of values
// times lines of every row. Answer: the same for any number of threads: a row is summed by one of them, in its order.
// Cost: values * columns multiplications. Memory: the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"

namespace hedgerow {

// `out` has (starts.size() - 1) * columns numbers.
void multiply_sparse(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                     std::span<const double> values, std::span<const double> lines, std::size_t columns,
                     std::span<double> out, ThreadPool& pool);

}  // namespace hedgerow

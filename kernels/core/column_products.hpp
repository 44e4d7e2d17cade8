// Products of columns.
//
// Problem: given rows, each a vector z_i of features followed by a 1, and weights w_i, find G = sum of w_i z_i z_i'.
// Its last line holds the sums of the features, its last number the weight of all rows.
// Inputs: columns of numbers or of codes, never copied as a whole. A number takes one feature, (x - center) * factor,
// where a missing one is 0, and a second one if `width` is 2, which is 1 where it is missing. Of a code c the place
// `table[c]` is 1, of a missing one the last of the table; -1 is no place.
// Answer: the same for any number of threads. Rows are cut in blocks and these in runs by their number and that of the
// features alone; a block is brought to the cache once, feature by feature, and multiplied in tiles of 4 by 4 or 4 by 3
// features. Machines with fused multiply-add use it, in 8 or 4 lanes, so that the last digits of sums differ from those
// of others. Weights: each value is multiplied by the root of its row's weight on its way to the cache. Cost: rows *
// features^2 / 2 multiplications. Memory: a matrix of features^2 a run, of which there are 4 to 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow {

struct DesignColumn {
  const double* numbers = nullptr;      // or
  const std::int32_t* codes = nullptr;  // -1 is missing, others are below the table's size - 1
  double center = 0, factor = 1;
  std::span<const std::int32_t> table;
  std::size_t width = 1;
};

// Returns G, (features + 1)^2 numbers. `weight` is empty where every row counts 1.
std::vector<double> compute_gram(std::span<const DesignColumn> columns, std::span<const double> weight,
                                 std::size_t rows, ThreadPool& pool);

}  // namespace hedgerow

// The rows of a table as points, side by side in one matrix.
//
// Problem: columns of numbers and of codes become features: a number one, and a second one if `width` is 2, which is 1
// where it is missing; a code one a level, which is 1 for the level of the row and 0 for others. Every place is seen as
// (x - center) * factor.
// Inputs: columns as in core/column_products.hpp, whose own centers and factors do not count; center and factor of
// every feature; `missing_values`, what stands at each place of a value that is missing, on the scale of the points. A
// code without a feature counts as missing. Answer: the matrix, row by row, and whether all of it is within
// `max_absolute` of 0; the same for any number of threads. Cost: one pass; a block of rows is filled column by column
// while it is in the cache.
#pragma once

#include <cstddef>
#include <span>

#include "core/column_products.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

struct FeatureFrame {
  std::span<const double> centers, factors, missing_values;  // of every feature
  double max_absolute;
};

bool fill_design_points(std::span<const DesignColumn> columns, const FeatureFrame& frame, std::size_t rows,
                        std::span<double> out, ThreadPool& pool);

}  // namespace hedgerow

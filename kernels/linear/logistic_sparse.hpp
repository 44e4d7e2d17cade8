// The same of sparse rows: the log-likelihood of classes and its gradient, and the probabilities if they are wanted.
//
// Problem: as in logistic_columns.hpp, of rows that are lists of features and values. `theta` has one line per feature
// and the intercepts last, so that a value meets the functions of all classes side by side.
// Answer: the same for any number of threads: rows are cut in runs by their number and the size of theta alone.
// Cost: values * functions * 2 multiplications. Memory: one gradient per run, of which there are 2 to 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow {

struct SparseLogisticSums {
  double cost = 0;
  std::vector<double> gradient;       // (features + 1, functions)
  std::vector<double> probabilities;  // (rows, functions), or empty
};

SparseLogisticSums compute_sparse_logistic_sums(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                                                std::span<const double> values, std::span<const std::int32_t> labels,
                                                std::span<const double> weight, std::span<const double> theta,
                                                std::size_t functions, bool based, bool with_probabilities,
                                                ThreadPool& pool);

}  // namespace hedgerow

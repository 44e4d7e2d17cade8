// Sums of the terms' values by class: sparse, term by term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow {

// Values of terms, row by row: row i has the terms ids[starts[i], starts[i + 1]), with these values.
template <typename Value>
struct TermValueRows {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  std::span<const Value> values;
};

// The rows of class k are rows[starts[k], starts[k + 1]), and it has so large a share of each.
struct ClassRows {
  std::span<const std::int64_t> starts, rows;
  std::span<const double> shares;
};

// Term t has the sums [starts[t], starts[t + 1]), none of them 0, of ascending classes.
struct ClassSums {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> classes;
  std::vector<double> sums;
};

struct ClassSumsView {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> classes;
  std::span<const double> sums;
};

// Sums the values of every term, times the rows' shares, by class, in the order of the class's rows. The same for any
// number of threads. O(entries of the rows of all classes + terms).
template <typename Value>
ClassSums sum_by_class(const TermValueRows<Value>& rows, const ClassRows& members, std::size_t n_terms,
                       ThreadPool& pool);

// One thing plus `factor` times another. Term t of each has a place among `n_terms`; places ascend. O(sums + terms).
ClassSums add_class_sums(const ClassSumsView& one, std::span<const std::int64_t> positions, const ClassSumsView& other,
                         std::span<const std::int64_t> other_positions, double factor, std::size_t n_terms);

}  // namespace hedgerow

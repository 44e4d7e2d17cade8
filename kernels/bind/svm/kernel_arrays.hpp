// Kernel functions and the points they are of, as they come from Python, checked.
#pragma once

#include <memory>

#include "bind/bind.hpp"
#include "svm/kernel_rows.hpp"
#include "svm/kernel_sums.hpp"

namespace bind {

// KernelFunction.numbers: code, factor, what is added, power.
using KernelFunctionNumbers = std::tuple<int, double, double, int>;

inline hedgerow::KernelFunction make_kernel_function(const KernelFunctionNumbers& numbers) {
  const auto [kind, gamma, theta, degree] = numbers;
  if (kind < 0 || kind > 3) throw nb::value_error("there is no such kernel function");
  if (degree < 1) throw nb::value_error("the degree must be above 0");
  return {static_cast<hedgerow::KernelKind>(kind), gamma, theta, degree};
}

// A matrix, or starts, ids and values of sparse rows, and their width.
inline hedgerow::KernelPoints make_points(nb::handle given) {
  hedgerow::KernelPoints out;
  if (nb::isinstance<In2<double>>(given)) {
    const auto matrix = nb::cast<In2<double>>(given, false);
    out.n = matrix.shape(0);
    out.width = matrix.shape(1);
    out.dense = matrix.data();
    return out;
  }
  const auto parts = nb::cast<nb::tuple>(given, false);
  check_same_length(nb::len(parts), 4, "sparse rows are starts, ids, values and a width");
  const auto starts = nb::cast<In<std::int64_t>>(parts[0], false);
  const auto ids = nb::cast<In<std::int32_t>>(parts[1], false);
  const auto values = nb::cast<In<double>>(parts[2], false);
  out.width = nb::cast<std::size_t>(parts[3], false);
  check_offsets(as_span(starts), ids.size());
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  check_below(as_span(ids), out.width, "an id is not below the width");
  out.n = starts.size() - 1;
  out.sparse = {starts.data(), ids.data(), values.data()};
  return out;
}

// Rows of kernel values between some of the points.
inline std::unique_ptr<hedgerow::KernelRows> make_kernel_rows(const hedgerow::KernelPoints& points,
                                                              std::span<const std::int64_t> which,
                                                              const hedgerow::KernelFunction& function) {
  const auto& [starts, ids, values] = points.sparse;
  if (points.is_sparse()) return hedgerow::make_sparse_kernel_rows(starts, ids, values, points.width, which, function);
  return hedgerow::make_dense_kernel_rows(points.dense, points.width, which, function);
}

}  // namespace bind

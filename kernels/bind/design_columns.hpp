// The columns of a table as kernels of linear models take them (core/column_products.hpp), their weights, and threads
// for them.
#pragma once

#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "core/column_products.hpp"
#include "core/thread_pool.hpp"

namespace bind {

// The weight of every row; nothing where each counts 1.
inline std::span<const double> make_row_weights(const std::optional<In<double>>& weight, std::size_t rows) {
  if (!weight) return {};
  check_same_length(weight->size(), rows, "weight and rows differ in length");
  return as_span(*weight);
}

// One column as it comes: numbers, or codes with a table of their places.
inline hedgerow::DesignColumn make_design_column(nb::handle array, nb::handle table, std::size_t width,
                                                 std::size_t rows) {
  hedgerow::DesignColumn out;
  out.width = width;
  if (table.is_none()) {
    const auto numbers = nb::cast<In<double>>(array, false);
    check_same_length(numbers.size(), rows, "columns differ in length");
    if (width != 1 && width != 2) throw nb::value_error("numbers take one place or two");
    out.numbers = numbers.data();
    return out;
  }
  const auto codes = nb::cast<In<std::int32_t>>(array, false);
  const auto positions = nb::cast<In<std::int32_t>>(table, false);
  check_same_length(codes.size(), rows, "columns differ in length");
  if (!positions.size()) throw nb::value_error("a table lacks the place of missing values");
  for (const std::int32_t position : as_span(positions)) {
    if (position >= static_cast<std::int64_t>(width)) throw nb::value_error("a place is not below the width");
  }
  for (const std::int32_t code : as_span(codes)) {
    if (code >= static_cast<std::int64_t>(positions.size()) - 1)
      throw nb::value_error("a code is not below its number of levels");
  }
  out.codes = codes.data();
  out.table = as_span(positions);
  return out;
}

// All columns, whose kind holds what a DesignColumn does, with their centers and factors.
template <typename Column>
std::vector<Column> make_design_columns(const nb::list& arrays, const nb::list& tables,
                                        const std::vector<std::size_t>& widths, const In<double>& centers,
                                        const In<double>& factors, std::size_t rows) {
  const std::size_t n = widths.size();
  check_same_length(nb::len(arrays), n, "columns and widths differ in length");
  check_same_length(nb::len(tables), n, "tables and widths differ in length");
  check_same_length(centers.size(), n, "centers and widths differ in length");
  check_same_length(factors.size(), n, "factors and widths differ in length");
  std::vector<Column> columns(n);
  for (std::size_t i = 0; i < n; ++i) {
    static_cast<hedgerow::DesignColumn&>(columns[i]) = make_design_column(arrays[i], tables[i], widths[i], rows);
    columns[i].center = centers.data()[i];
    columns[i].factor = factors.data()[i];
  }
  return columns;
}

// No more threads than there are cells for.
inline hedgerow::ThreadPool make_pool(std::size_t cells, std::size_t threads) {
  constexpr std::size_t kFewCells = 50000;  // for a thread of its own to be worth it
  return hedgerow::ThreadPool(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, cells / kFewCells)),
                              Interrupts());
}

}  // namespace bind

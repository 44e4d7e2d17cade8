// Rows of nominal columns as they come from Python, checked.
#pragma once

#include <vector>

#include "bind/trees/grow.hpp"
#include "rules/nominal_rows.hpp"

namespace bind {

// Classes and weights of `rows` rows.
inline void check_rows(In<std::int32_t> label, std::int32_t classes, In<std::int64_t> weight, std::size_t rows) {
  check_same_length(label.size(), rows, "label and columns differ in length");
  if (weight.size()) check_same_length(weight.size(), rows, "weight and columns differ in length");
  if (classes < 0) throw nb::value_error("the number of classes is negative");
  check_below(as_span(label), static_cast<std::size_t>(classes), "a label is not below the number of classes");
  for (const std::int64_t one : as_span(weight)) {
    if (one <= 0) throw nb::value_error("a weight is not positive");
  }
}

// The rows, together with the arrays they point into.
struct CheckedNominalRows {
  CheckedNominalRows(const nb::list& arrays, const std::vector<std::int32_t>& levels, In<std::int32_t> label,
                     std::int32_t classes, In<std::int64_t> weight)
      : raw(check_columns(arrays, levels, label.size())) {
    check_rows(label, classes, weight, raw.rows);
    for (const auto& column : raw.columns) {
      if (!column.codes) throw nb::value_error("these rules take nominal columns only");
      columns.push_back({column.codes, column.levels});
    }
    rows = {columns, as_span(label), classes, as_span(weight)};
  }

  CheckedColumns raw;
  std::vector<hedgerow::NominalColumn> columns;
  hedgerow::NominalRows rows;
};

}  // namespace bind

// What the binding files of trees share.
#pragma once

#include <vector>

#include "bind.hpp"
#include "tree_columns.hpp"
#include "tree_grow.hpp"

namespace bind {

constexpr std::size_t few_cells = 20000;  // of a table, for a thread of its own to be worth it

// Columns as they come, together with the arrays they point into.
struct RawColumns {
  std::vector<nb::object> kept;
  std::vector<hedgerow::trees::RawColumn> columns;
  std::size_t rows;
};

// Checks columns of `rows` rows; numbers have -1 levels.
RawColumns raw_columns(const nb::list& arrays, const std::vector<std::int32_t>& levels, std::size_t rows);

hedgerow::trees::GrowOptions grow_options(const nb::dict& given);

}  // namespace bind

// What the binding files of trees share.
#pragma once

#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "trees/columns.hpp"
#include "trees/grow.hpp"
#include "trees/level_maps.hpp"

namespace bind {

constexpr std::size_t kFewCells = 20000;  // of a table, for a thread of its own to be worth it

// Columns as they come, together with the arrays they point into.
struct CheckedColumns {
  std::vector<nb::object> arrays;
  std::vector<hedgerow::trees::RawColumn> columns;
  std::size_t rows;
};

// Checks columns of `rows` rows; numbers have -1 levels.
CheckedColumns check_columns(const nb::list& arrays, const std::vector<std::int32_t>& levels, std::size_t rows);

hedgerow::trees::GrowOptions make_grow_options(const nb::dict& given);

// The level maps of so many tests among the arrays of a tree, which the dict keeps; and the way back.
hedgerow::LevelMapsView make_level_maps_view(const nb::dict& parts, const std::string& prefix, std::size_t tests);
void put_level_maps(nb::dict& parts, const std::string& prefix, hedgerow::LevelMaps&& maps);

}  // namespace bind

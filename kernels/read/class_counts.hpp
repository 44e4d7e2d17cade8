// Counting a column by class: the one pass over the rows that naive Bayes and 1R learn from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

// Weight of the rows by level and class: out[(level, class)], row-major, `levels` + 1 by `classes`.
//   code    level of each row in [-1, levels); -1, missing, is counted in the last line
//   label   class of each row in [-1, classes); rows of class -1 are passed over
//   weight  of each row, or empty when every row weighs 1
// Throws std::out_of_range for a code or label outside. O(rows).
std::vector<double> count_levels(std::span<const std::int32_t> code, std::span<const std::int32_t> label,
                                 std::span<const double> weight, std::size_t levels, std::size_t classes);

// How often each of `order` is picked by its place. Throws std::out_of_range for a pick outside, or an order that is
// not one of the places. O(picks).
std::vector<std::int64_t> count_picks(std::span<const std::int64_t> order, std::span<const std::int64_t> picks);

}  // namespace hedgerow

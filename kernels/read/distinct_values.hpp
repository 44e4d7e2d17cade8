// The different values of a column, as long as they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

// Returns the different values in ascending order, and how many rows hold each; or, once there are more than `maximum`,
// nothing but the flag.
//   value   numbers, NaN is passed over      label   rows of class -1 are passed over
// O(rows), and O(1) after the value that is one too many.
struct DistinctValues {
  std::vector<double> values;
  std::vector<std::int64_t> rows;
  bool too_many = false;
};
DistinctValues count_distinct_values(std::span<const double> value, std::span<const std::int32_t> label,
                                     std::size_t maximum);

}  // namespace hedgerow

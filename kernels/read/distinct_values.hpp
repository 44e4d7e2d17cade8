// The different values of a column, as long as they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

// Returns the different values in ascending order, and how many rows hold each; or, once there are more than `most`,
// nothing but the flag.
//   value   numbers, NaN is passed over      label   rows of class -1 are passed over
// O(rows), and O(1) after the value that is one too many.
struct Distinct {
  std::vector<double> values;
  std::vector<std::int64_t> rows;
  bool many = false;
};
Distinct distinct_values(std::span<const double> value, std::span<const std::int32_t> label, std::size_t most);

}  // namespace hedgerow

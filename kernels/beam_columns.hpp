// Columns of a beam search: numbers ranked once, and the rows of candidates in the order of each numeric column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "beam.hpp"

namespace hedgerow::beam {

using RowList = std::vector<std::uint32_t>;

// A numeric column: the different values in ascending order, and the rank of each row's value.
struct Ranked {
  std::vector<double> values;
  std::vector<std::uint32_t> ranks;
  RowList sorted;  // the rows with a value, ascending by value, then by number

  explicit Ranked(const double* numbers, std::size_t rows) : ranks(rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (!std::isnan(numbers[row])) sorted.push_back(static_cast<std::uint32_t>(row));
    }
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
    for (const std::uint32_t row : sorted) {
      if (values.empty() || values.back() < numbers[row]) values.push_back(numbers[row]);
      ranks[row] = static_cast<std::uint32_t>(values.size() - 1);
    }
  }
};

// The rows of a candidate.
struct Part {
  RowList rows;                    // ascending
  std::vector<RowList> sorted;     // by column, if numeric and looked at already
  std::vector<std::int64_t> counts;
  std::int64_t n = 0;
  std::vector<std::uint8_t> has;   // by row of the table
  std::shared_ptr<Part> parent;    // whose lists are inherited
};

inline bool passes(const trees::RawColumn& column, const Test& test, std::uint32_t row) {
  if (test.kind == Kind::is) return column.codes[row] == test.level;
  const double value = column.numbers[row];
  return test.kind == Kind::at_most ? value <= test.threshold : value > test.threshold;
}

// Gives a part the order of its rows in a numeric column: from its parent's, or by sorting if it is much smaller.
inline void inherit(Part& part, std::size_t c, const Ranked& column, const double* numbers) {
  RowList& list = part.sorted[c];
  const RowList& whole = part.parent->sorted[c];
  if (part.rows.size() * 16 >= whole.size()) {
    list.reserve(part.rows.size());
    for (const std::uint32_t row : whole) {
      if (part.has[row]) list.push_back(row);
    }
    return;
  }
  std::vector<std::uint64_t> keys;
  keys.reserve(part.rows.size());
  for (const std::uint32_t row : part.rows) {
    if (!std::isnan(numbers[row])) keys.push_back((static_cast<std::uint64_t>(column.ranks[row]) << 32) | row);
  }
  std::sort(keys.begin(), keys.end());
  list.reserve(keys.size());
  for (const std::uint64_t key : keys) list.push_back(static_cast<std::uint32_t>(key));
}

}  // namespace hedgerow::beam

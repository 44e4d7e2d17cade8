// Columns of a beam search: numbers ranked once, and the rows of candidates in the order of each numeric column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "rules/beam.hpp"

namespace hedgerow::beam {

using RowList = std::vector<std::uint32_t>;
using Keys = std::vector<std::uint64_t>;  // the rank of a row's value in the upper half, the row in the lower

inline std::uint32_t row_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
inline std::uint32_t rank_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }

// A numeric column: the different values in ascending order, and the rank of each row's value.
struct Ranked {
  std::vector<double> values;
  std::vector<std::uint32_t> ranks;
  Keys sorted;  // the rows with a value, ascending

  explicit Ranked(const double* numbers, std::size_t rows) : ranks(rows) {
    RowList known;
    for (std::size_t row = 0; row < rows; ++row) {
      if (!std::isnan(numbers[row])) known.push_back(static_cast<std::uint32_t>(row));
    }
    std::stable_sort(known.begin(), known.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
    sorted.reserve(known.size());
    for (const std::uint32_t row : known) {
      if (values.empty() || values.back() < numbers[row]) values.push_back(numbers[row]);
      ranks[row] = static_cast<std::uint32_t>(values.size() - 1);
      sorted.push_back((static_cast<std::uint64_t>(ranks[row]) << 32) | row);
    }
  }
};

// The rows of a candidate.
struct Part {
  RowList rows;              // ascending
  std::vector<Keys> sorted;  // by column, if numeric and looked at already
  std::vector<std::int64_t> counts;
  std::int64_t n = 0;
  std::vector<std::uint8_t> has;  // by row of the table
  std::shared_ptr<Part> parent;   // whose lists are inherited
};

inline bool passes(const trees::RawColumn& column, const Test& test, std::uint32_t row) {
  if (test.kind == Kind::is) return column.codes[row] == test.level;
  const double value = column.numbers[row];
  return test.kind == Kind::at_most ? value <= test.threshold : value > test.threshold;
}

// Gives a part the order of its rows in a numeric column: from its parent's, or by sorting if it is much smaller.
inline void inherit(Part& part, std::size_t c, const Ranked& column, const double* numbers) {
  Keys& list = part.sorted[c];
  const Keys& whole = part.parent->sorted[c];
  list.reserve(part.rows.size());
  if (part.rows.size() * 16 >= whole.size()) {
    for (const std::uint64_t key : whole) {
      if (part.has[row_of(key)]) list.push_back(key);
    }
    return;
  }
  for (const std::uint32_t row : part.rows) {
    if (!std::isnan(numbers[row])) list.push_back((static_cast<std::uint64_t>(column.ranks[row]) << 32) | row);
  }
  std::sort(list.begin(), list.end());
}

}  // namespace hedgerow::beam

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

using RowNumbers = std::vector<std::uint32_t>;
using RankedRows = std::vector<std::uint64_t>;  // the rank of a row's value in the upper half, the row in the lower

inline std::uint32_t get_row(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
inline std::uint32_t get_rank(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }

// A numeric column: the different values in ascending order, and the rank of each row's value.
struct RankedColumn {
  std::vector<double> values;
  std::vector<std::uint32_t> ranks;
  RankedRows sorted;  // the rows with a value, ascending

  explicit RankedColumn(const double* numbers, std::size_t rows) : ranks(rows) {
    RowNumbers known;
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
struct CandidateRows {
  RowNumbers rows;                 // ascending
  std::vector<RankedRows> sorted;  // by column, if numeric and looked at already
  std::vector<std::int64_t> counts;
  std::int64_t n = 0;
  std::vector<std::uint8_t> contains;     // by row of the table
  std::shared_ptr<CandidateRows> parent;  // whose lists are inherited
};

inline bool passes(const trees::RawColumn& column, const BeamTest& test, std::uint32_t row) {
  if (test.kind == TestKind::is) return column.codes[row] == test.level;
  const double value = column.numbers[row];
  return test.kind == TestKind::at_most ? value <= test.threshold : value > test.threshold;
}

// Gives a part the order of its rows in a numeric column: from its parent's, or by sorting if it is much smaller.
inline void inherit_order(CandidateRows& candidate, std::size_t c, const RankedColumn& column, const double* numbers) {
  RankedRows& list = candidate.sorted[c];
  const RankedRows& whole = candidate.parent->sorted[c];
  list.reserve(candidate.rows.size());
  if (candidate.rows.size() * 16 >= whole.size()) {
    for (const std::uint64_t key : whole) {
      if (candidate.contains[get_row(key)]) list.push_back(key);
    }
    return;
  }
  for (const std::uint32_t row : candidate.rows) {
    if (!std::isnan(numbers[row])) list.push_back((static_cast<std::uint64_t>(column.ranks[row]) << 32) | row);
  }
  std::sort(list.begin(), list.end());
}

}  // namespace hedgerow::beam

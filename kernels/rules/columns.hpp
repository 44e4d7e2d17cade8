// What rules test: columns of numbers and levels turned into small codes, then columns of terms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trees/columns.hpp"

namespace hedgerow::rules {

enum class ConditionKind : std::uint8_t { at_most, above, is, contains };

// `value` is a threshold, the code of a level, or the number of a term.
struct Condition {
  std::int32_t column;
  ConditionKind test;
  double value;
};

// Which terms each row has: ascending from `terms[starts[row]]` to before `terms[starts[row + 1]]`.
struct TermColumn {
  const std::int64_t* starts = nullptr;
  const std::int32_t* terms = nullptr;
  std::int32_t vocabulary = 0;

  bool has(std::size_t row, std::int32_t term) const {
    return std::binary_search(terms + starts[row], terms + starts[row + 1], term);
  }
};

// A column of numbers or levels. Codes up to `kMaxSmallCode` sit in one byte, all such columns of a row side by side,
// so that a row is counted with one trip to memory; the code after the last stands for missing. Numbers of more
// different values are coded by blocks of neighboring values, each of about as many rows.
struct RuleColumn {
  trees::RawColumn raw;
  bool nominal = false;
  bool in_blocks = false;       // whether a code stands for several values
  std::int32_t bins = 0;        // how many codes there are
  std::int32_t slot = -1;       // the place in a row of bytes; -1 for columns of more levels
  std::int64_t n_distinct = 0;  // how many different values occur
  std::vector<double> values;   // of numbers: the value of each code, NaN for a block of several
};

struct RuleColumns {
  RuleColumns(std::span<const trees::RawColumn> raw, std::vector<TermColumn> term_columns, std::size_t n_rows,
              ThreadPool& pool);

  std::size_t size() const { return dense.size() + terms.size(); }

  // How many different values of each column occur; of a column of terms how many there are.
  std::vector<std::int64_t> count_distinct() const;

  const std::uint8_t* codes(std::size_t row) const { return bytes.data() + row * stride; }

  std::size_t rows = 0;
  std::vector<RuleColumn> dense;
  std::vector<TermColumn> terms;    // numbered after the dense ones
  std::vector<std::uint8_t> bytes;  // row by row, `stride` a row
  std::size_t stride = 0;
};

// Calls `use` with the test as a function of the row. A missing value fails every test.
template <typename Use>
void with_test(const RuleColumns& columns, const Condition& condition, Use&& use) {
  const auto number = static_cast<std::size_t>(condition.column);
  const double value = condition.value;
  const auto code =
      condition.test < ConditionKind::is ? 0 : static_cast<std::int32_t>(value);  // thresholds are no codes
  if (condition.test == ConditionKind::contains) {
    const TermColumn& column = columns.terms[number - columns.dense.size()];
    use([&column, code](std::uint32_t row) { return column.has(row, code); });
    return;
  }
  const trees::RawColumn& column = columns.dense[number].raw;
  if (condition.test == ConditionKind::is) {
    use([codes = column.codes, code](std::uint32_t row) { return codes[row] == code; });
  } else if (condition.test == ConditionKind::at_most) {
    use([numbers = column.numbers, value](std::uint32_t row) { return numbers[row] <= value; });
  } else {
    use([numbers = column.numbers, value](std::uint32_t row) { return numbers[row] > value; });
  }
}

}  // namespace hedgerow::rules

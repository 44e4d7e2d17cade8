// What rules test: dense columns made ready as for trees, then columns of terms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tree_columns.hpp"

namespace hedgerow::rules {

enum class Test : std::uint8_t { at_most, above, is, contains };

// `value` is a threshold, the code of a level, or the number of a term.
struct Condition {
  std::int32_t column;
  Test test;
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

struct RuleColumns {
  RuleColumns(std::span<const trees::RawColumn> raw, std::vector<TermColumn> term_columns, std::size_t rows, Crew& crew)
      : dense(raw, rows, crew), terms(std::move(term_columns)) {}

  std::size_t size() const { return dense.columns.size() + terms.size(); }

  // How many different values of each column occur; of a column of terms how many there are.
  std::vector<std::int64_t> distinct() const {
    std::vector<std::int64_t> out;
    for (const trees::TreeColumn& column : dense.columns) {
      if (column.listed) {
        out.push_back(std::int64_t{column.items.back().rank} + 1);
      } else if (!column.nominal) {
        out.push_back(column.bins);
      } else {
        std::vector<bool> seen(static_cast<std::size_t>(column.bins), false);
        for (std::size_t row = 0; row < dense.rows; ++row) {
          if (column.raw.codes[row] >= 0) seen[static_cast<std::size_t>(column.raw.codes[row])] = true;
        }
        out.push_back(std::count(seen.begin(), seen.end(), true));
      }
    }
    for (const TermColumn& column : terms) out.push_back(column.vocabulary);
    return out;
  }

  trees::TreeColumns dense;
  std::vector<TermColumn> terms;  // numbered after the dense ones
};

// Calls `use` with the test as a function of the row. A missing value fails every test.
template <typename Use>
void with_test(const RuleColumns& columns, const Condition& condition, Use&& use) {
  const auto number = static_cast<std::size_t>(condition.column);
  const double value = condition.value;
  const auto code = condition.test < Test::is ? 0 : static_cast<std::int32_t>(value);  // thresholds are no codes
  if (condition.test == Test::contains) {
    const TermColumn& column = columns.terms[number - columns.dense.columns.size()];
    use([&column, code](std::uint32_t row) { return column.has(row, code); });
    return;
  }
  const trees::RawColumn& column = columns.dense.columns[number].raw;
  if (condition.test == Test::is) {
    use([codes = column.codes, code](std::uint32_t row) { return codes[row] == code; });
  } else if (condition.test == Test::at_most) {
    use([numbers = column.numbers, value](std::uint32_t row) { return numbers[row] <= value; });
  } else {
    use([numbers = column.numbers, value](std::uint32_t row) { return numbers[row] > value; });
  }
}

}  // namespace hedgerow::rules

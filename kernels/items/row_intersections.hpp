// What every so many rows have in common: where rows are few and items many, the quick way to maximal sets, as such a
// set is what some rows, just as many as the bound asks for, have in common.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "items/bit_columns.hpp"

namespace hedgerow::items {

// How many ways there are to take k of n; `maximum` + 1 if more than `maximum`.
inline std::uint64_t count_combinations(std::uint64_t k, std::uint64_t n, std::uint64_t maximum) {
  if (k > n) return 0;
  std::uint64_t combinations = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) {
    combinations = combinations * (n - i + 1) / i;
    if (combinations > maximum) return maximum + 1;
  }
  return combinations;
}

class RowIntersections {
 public:
  // Items are the positions in `candidates`, of which those before `outer` are in no set that is looked for.
  RowIntersections(const BitColumns& columns, std::span<const ColumnCandidate> candidates, std::size_t outer)
      : rows_(columns.rows), words_((candidates.size() + 63) / 64), bits_(rows_ * words_, 0), inner_(words_, 0) {
    for (std::size_t item = 0; item < candidates.size(); ++item) {
      const std::uint64_t* column = columns.column(candidates[item].column);
      const std::uint64_t bit = std::uint64_t{1} << item % 64;
      for (std::size_t row = 0; row < rows_; ++row) {
        if (column[row / 64] >> row % 64 & 1) bits_[row * words_ + item / 64] |= bit;
      }
      if (item >= outer) inner_[item / 64] |= bit;
    }
  }

  // Calls tell(items, rows) once for each set of items that k rows have in common and that has only inner items;
  // `rows`, in ascending order, are all that hold it. Ends when may_continue() is false.
  template <typename Report, typename MayContinue>
  void for_each_set(std::size_t k, Report report, MayContinue may_continue) {
    k_ = k;
    common_.assign((k + 1) * words_, ~std::uint64_t{0});
    chosen_rows_.clear();
    choose_row(0, report, may_continue);
  }

 private:
  const std::uint64_t* row(std::size_t number) const { return bits_.data() + number * words_; }

  template <typename Report, typename MayContinue>
  bool choose_row(std::size_t from, Report& report, MayContinue& may_continue) {
    if (!may_continue()) return false;
    const std::size_t depth = chosen_rows_.size();
    if (depth == k_) {
      report_intersection(report);
      return true;
    }
    const std::uint64_t* before = common_.data() + depth * words_;
    std::uint64_t* common = common_.data() + (depth + 1) * words_;
    for (std::size_t number = from; number + (k_ - depth) <= rows_; ++number) {
      intersect(before, row(number), words_, common);
      if (!intersects(common, inner_.data())) continue;
      chosen_rows_.push_back(number);
      const bool goes_on = choose_row(number + 1, report, may_continue);
      chosen_rows_.pop_back();
      if (!goes_on) return false;
    }
    return true;
  }

  // Told by the first k of the rows that hold it, and by no others.
  template <typename Report>
  void report_intersection(Report& report) {
    const std::uint64_t* common = common_.data() + k_ * words_;
    for (std::size_t word = 0; word < words_; ++word) {
      if (common[word] & ~inner_[word]) return;
    }
    holding_rows_.clear();
    for (std::size_t number = 0; number < rows_; ++number) {
      if (!is_subset(common, row(number), words_)) continue;
      if (holding_rows_.size() < k_ && chosen_rows_[holding_rows_.size()] != number) return;
      holding_rows_.push_back(number);
    }
    items_.clear();
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t left = common[word]; left; left &= left - 1) {
        items_.push_back(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
    report(std::span<const std::size_t>(items_), std::span<const std::size_t>(holding_rows_));
  }

  bool intersects(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t word = 0; word < words_; ++word) {
      if (a[word] & b[word]) return true;
    }
    return false;
  }

  std::size_t rows_, words_, k_ = 0;
  std::vector<std::uint64_t> bits_, inner_, common_;
  std::vector<std::size_t> chosen_rows_, holding_rows_, items_;
};

}  // namespace hedgerow::items

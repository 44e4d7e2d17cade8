// Rows of numbers and levels, and how far apart two of them are.
//
// The distance of two rows, before any root is taken, is a sum over the columns in their order, numbers first: of
// numbers the squared difference (or the absolute one, for city block), or the column's gap where one is missing; of
// codes 0 if they are equal, otherwise, or if one is missing, the column's step. Whoever adds up does so in this order,
// so that sums are the same to the last bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

// Column by column: numbers, which are finite or missing (NaN), and codes, missing if negative.
struct MixedRows {
  std::span<const double> numbers;
  std::span<const std::int32_t> codes;
  std::size_t size = 0, n_numbers = 0, n_codes = 0;

  const double* number(std::size_t column) const { return numbers.data() + column * size; }
  const std::int32_t* code(std::size_t column) const { return codes.data() + column * size; }
};

struct MixedDistance {
  bool squares = true;            // else absolute differences
  std::span<const double> gaps;   // of each numeric column
  std::span<const double> steps;  // of each nominal column

  double of(double apart) const { return squares ? apart * apart : std::abs(apart); }
};

// One row that others are compared with.
struct MixedRow {
  const double* numbers;
  const std::int32_t* codes;
};

// Copies one row after the other to where its columns are together.
class RowReader {
 public:
  explicit RowReader(const MixedRows& rows) : rows_(rows), numbers_(rows.n_numbers), codes_(rows.n_codes) {}

  MixedRow operator()(std::size_t row) {
    for (std::size_t d = 0; d < numbers_.size(); ++d) numbers_[d] = rows_.number(d)[row];
    for (std::size_t c = 0; c < codes_.size(); ++c) codes_[c] = rows_.code(c)[row];
    return {numbers_.data(), codes_.data()};
  }

 private:
  MixedRows rows_;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
};

inline double distance_of(const MixedDistance& distance, const MixedRow& one, const MixedRow& other) {
  double sum = 0;
  for (std::size_t d = 0; d < distance.gaps.size(); ++d) {
    const double apart = one.numbers[d] - other.numbers[d];
    sum += apart == apart ? distance.of(apart) : distance.gaps[d];
  }
  for (std::size_t c = 0; c < distance.steps.size(); ++c)
    sum += one.codes[c] == other.codes[c] && one.codes[c] >= 0 ? 0.0 : distance.steps[c];
  return sum;
}

}  // namespace hedgerow

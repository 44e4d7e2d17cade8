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
  bool squared = true;                         // else absolute differences
  std::span<const double> missing_distances;   // of each numeric column
  std::span<const double> mismatch_distances;  // of each nominal column

  double number_distance(double difference) const { return squared ? difference * difference : std::abs(difference); }
};

// One row that others are compared with.
struct MixedRow {
  const double* numbers;
  const std::int32_t* codes;
};

// Copies one row after the other to where its columns are together.
class MixedRowReader {
 public:
  explicit MixedRowReader(const MixedRows& rows) : rows_(rows), numbers_(rows.n_numbers), codes_(rows.n_codes) {}

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

inline double compute_distance(const MixedDistance& distance, const MixedRow& one, const MixedRow& other) {
  double sum = 0;
  for (std::size_t d = 0; d < distance.missing_distances.size(); ++d) {
    const double difference = one.numbers[d] - other.numbers[d];
    sum += difference == difference ? distance.number_distance(difference) : distance.missing_distances[d];
  }
  for (std::size_t c = 0; c < distance.mismatch_distances.size(); ++c)
    sum += one.codes[c] == other.codes[c] && one.codes[c] >= 0 ? 0.0 : distance.mismatch_distances[c];
  return sum;
}

}  // namespace hedgerow

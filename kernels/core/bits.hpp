// Rows as bits of words: 64 rows a word, the first row in the lowest bit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hedgerow {

constexpr std::size_t kWordBits = 64;

// What the rows of a word weigh together; `weights` begins with that of the word's first row.
inline std::int64_t sum_weights(std::uint64_t bits, const std::int64_t* weights) {
  std::int64_t sum = 0;
  for (; bits; bits &= bits - 1) sum += weights[std::countr_zero(bits)];
  return sum;
}

}  // namespace hedgerow

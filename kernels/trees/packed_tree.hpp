// One step down a tree as descend.cpp takes it and packed_tree.cpp lays it out.
//
// Every value of a row becomes a word, a signed whole number, so that a test of numbers and a test of two groups of
// levels are one and the same: child 1 if (word & mask) > limit, else child 0. A number's word has its bits, changed so
// that words compare as the numbers do. A nominal column has two words: the bit of its level (0 if it has more than
// 31) for tests by groups, and 1 + its code for tests by tables.
//
// A table has an entry for a missing value and one for each level. A test that lists only few of many levels has a list
// in its place: the entries of a missing value and of the levels that are not listed, the number of listed levels,
// their codes in ascending order, and their entries.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hedgerow {

using TestWord = std::int64_t;

struct PackedStep {
  TestWord mask;        // numeric: all bits; groups: the levels of child 1; leaves and tables: none
  TestWord limit;       // numeric: the threshold; tables: where they begin in `child_table`; lists: the same, negative
  std::uint32_t first;  // first child; of a leaf itself
  std::uint32_t location;  // place of the tested word in a part of a block, and flags
};
static_assert(sizeof(PackedStep) == 24);

// Flags of Step.where.
constexpr std::uint32_t kFirstIsLeaf = 1, kSecondIsLeaf = 2;  // child 0, child 1 is a leaf, and need not be fetched
constexpr std::uint32_t kMissingSecond = 4;                   // a missing value takes the second of two children
constexpr std::uint32_t kMissingNeedsCloserLook = 8;          // a missing value needs a closer look
constexpr std::uint32_t kTable = 16;  // more than two children, or too many levels for a bit each; a table or a list
constexpr std::uint32_t kLocationShift = 5, kMaxLocations = std::uint32_t{1} << 27;

constexpr std::int32_t kMaxBits = 31;
constexpr std::size_t kFewLevels = 64;  // of a test that always has a table; others have one if they list a quarter
constexpr TestWord kMissing = std::numeric_limits<TestWord>::min();  // of every kind: below all numbers, no level's bit

// The word of a number, and whether it is missing: all bits or none. Bits only, so that compilers do several at once.
struct EncodedNumber {
  TestWord word, missing;
};

inline EncodedNumber encode_number(double number) {
  constexpr TestWord maximum = std::numeric_limits<TestWord>::max(), infinite = std::bit_cast<TestWord>(HUGE_VAL);
  const auto bits = std::bit_cast<TestWord>(number + 0.0);       // one zero, whatever its sign
  const TestWord missing = (infinite - (bits & maximum)) >> 63;  // beyond infinity is NaN
  const TestWord word = bits ^ ((bits >> 63) & maximum);         // below 0, larger bits are smaller numbers
  return {(word & ~missing) | (kMissing & missing), missing};
}

// Rows go down in parts, word by word in a part, that should stay in a near cache.
constexpr std::size_t rows_per_part(std::size_t words) {
  std::size_t rows = 1024;
  while (rows > 64 && rows * words * sizeof(TestWord) > (std::size_t{1} << 16)) rows /= 2;
  return rows;
}

}  // namespace hedgerow

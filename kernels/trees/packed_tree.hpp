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

using Word = std::int64_t;

struct Step {
  Word mask;            // numeric: all bits; groups: the levels of child 1; leaves and tables: none
  Word limit;           // numeric: the threshold; tables: where they begin in `turn`; lists: the same, negative
  std::uint32_t first;  // first child; of a leaf itself
  std::uint32_t where;  // place of the tested word in a part of a block, and flags
};
static_assert(sizeof(Step) == 24);

// Flags of Step.where.
constexpr std::uint32_t kFirstEnds = 1, kSecondEnds = 2;  // child 0, child 1 is a leaf, and need not be fetched
constexpr std::uint32_t kMissingSecond = 4;               // a missing value takes the second of two children
constexpr std::uint32_t kMissingLook = 8;                 // a missing value needs a closer look
constexpr std::uint32_t kTable = 16;  // more than two children, or too many levels for a bit each; a table or a list
constexpr std::uint32_t kPlaceShift = 5, kMostPlaces = std::uint32_t{1} << 27;

constexpr std::int32_t kMostBits = 31;
constexpr std::size_t kFewLevels = 64;  // of a test that always has a table; others have one if they list a quarter
constexpr Word kMissing = std::numeric_limits<Word>::min();  // of every kind: below all numbers, no level's bit

// The word of a number, and whether it is missing: all bits or none. Bits only, so that compilers do several at once.
struct NumberWord {
  Word word, missing;
};

inline NumberWord number_word(double number) {
  constexpr Word most = std::numeric_limits<Word>::max(), infinite = std::bit_cast<Word>(HUGE_VAL);
  const auto bits = std::bit_cast<Word>(number + 0.0);    // one zero, whatever its sign
  const Word missing = (infinite - (bits & most)) >> 63;  // beyond infinity is NaN
  const Word word = bits ^ ((bits >> 63) & most);         // below 0, larger bits are smaller numbers
  return {(word & ~missing) | (kMissing & missing), missing};
}

// Rows go down in parts, word by word in a part, that should stay in a near cache.
constexpr std::size_t part_rows(std::size_t words) {
  std::size_t rows = 1024;
  while (rows > 64 && rows * words * sizeof(Word) > (std::size_t{1} << 16)) rows /= 2;
  return rows;
}

}  // namespace hedgerow

// Class association rules: what mining them and choosing among them have in common.
//
// A rule is a set of tests column = level, each of another column, and a class. Of the rows that pass all tests, its
// covered rows, those of the class are its hits. A missing value, -1, passes no test.
// Source: B. Liu, W. Hsu and Y. Ma, Integrating classification and association rule mining, KDD 1998.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/bits.hpp"
#include "rules/nominal_rows.hpp"

namespace hedgerow::cars {

using BitWord = std::uint64_t;
using Column = NominalColumn;
using Rows = NominalRows;

// Rules one behind the other: the tests of rule r stand at starts[r] up to starts[r + 1], by column.
struct RuleTests {
  std::span<const std::int32_t> starts, columns, codes, decisions;

  std::size_t size() const { return decisions.size(); }
};

// Rows in the order of their classes, as places of bits: every class begins with a word of its own, so that the count
// of a class is that of the bits in a range of words.
class ClassRowLayout {
 public:
  explicit ClassRowLayout(const Rows& rows);

  std::size_t words() const { return starts_.back(); }
  std::size_t position(std::size_t row) const { return positions_[row]; }
  // The words of a class.
  std::size_t begin(std::size_t label) const { return starts_[label]; }
  std::size_t end(std::size_t label) const { return starts_[label + 1]; }

  // The sum of what bits of a word weigh.
  std::int64_t weigh_bits(std::size_t word, BitWord bits) const;

 private:
  std::vector<std::uint32_t> positions_;
  std::vector<std::size_t> starts_;
  std::vector<std::int64_t> weight_;  // by place; empty if every row counts once
};

// The rows that pass each test that rules have, as bits.
class TestBits {
 public:
  TestBits(const Rows& rows, const ClassRowLayout& layout, const RuleTests& tests);

  // The tests of a rule, each as the words of its bits.
  std::span<const BitWord* const> tests_of(std::size_t rule) const {
    return std::span(bits_of_).subspan(static_cast<std::size_t>(starts_[rule]),
                                       static_cast<std::size_t>(starts_[rule + 1] - starts_[rule]));
  }

  // The rows of a word that pass all tests of a rule, the one at `without` left out.
  static BitWord find_passing_rows(std::span<const BitWord* const> tests, std::size_t word,
                                   std::size_t without = SIZE_MAX) {
    BitWord bits = ~BitWord{0};
    for (std::size_t test = 0; test < tests.size(); ++test) {
      if (test != without) bits &= tests[test][word];
    }
    return bits;
  }

 private:
  std::span<const std::int32_t> starts_;
  std::vector<BitWord> bits_;
  std::vector<const BitWord*> bits_of_;
};

}  // namespace hedgerow::cars

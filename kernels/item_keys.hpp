// Codes of a set packed in a few words that compare as the sets do, and a radix sort of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "item_rows.hpp"

namespace hedgerow::items {

template <std::size_t Words>
struct Keyed {
  std::array<std::uint64_t, Words> key;  // the most significant word first
  Count count;

  bool operator<(const Keyed& other) const { return key < other.key; }
};

// How the ranks of a set's items (all below n, ascending) stand in a key. Few items: a bit each, the first being the
// highest, and inverted, so that of sets of the same size the one with earlier items has the lower key. Many: ranks side by
// side.
struct Packing {
  explicit Packing(std::size_t n) : n_items(n), width(std::max(1, static_cast<int>(std::bit_width(n ? n - 1 : 0)))) {}

  bool is_mask() const { return n_items <= 128; }
  std::size_t per_word() const { return 64 / static_cast<std::size_t>(width); }
  std::size_t words(std::size_t length) const {
    return is_mask() ? (n_items + 63) / 64 : (length + per_word() - 1) / per_word();
  }

  std::size_t n_items;
  int width;
};

// Stable, least digit first; digits in which all keys agree are skipped.
template <std::size_t Words>
void sort_keys(std::vector<Keyed<Words>>& keys) {
  constexpr std::size_t few = 512, digit_bits = 11, digits = 64 / digit_bits + 1, values = 1 << digit_bits;
  if (keys.size() < few) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  std::vector<Keyed<Words>> other(keys.size());
  std::vector<std::array<std::uint32_t, values>> tallies(digits);
  for (std::size_t word = Words; word-- > 0;) {
    for (auto& tally : tallies) tally.fill(0);
    for (const auto& one : keys) {
      for (std::size_t digit = 0; digit < digits; ++digit) {
        ++tallies[digit][one.key[word] >> digit * digit_bits & (values - 1)];
      }
    }
    for (std::size_t digit = 0; digit < digits; ++digit) {
      auto& tally = tallies[digit];
      const std::size_t shift = digit * digit_bits;
      if (tally[keys[0].key[word] >> shift & (values - 1)] == keys.size()) continue;
      std::uint32_t sum = 0;
      for (auto& value : tally) value = std::exchange(sum, sum + value);
      for (const auto& one : keys) other[tally[one.key[word] >> shift & (values - 1)]++] = one;
      keys.swap(other);
    }
  }
}

}  // namespace hedgerow::items

// Codes of a set packed in a few words that compare as the sets do, and a radix sort of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "items/item_rows.hpp"

namespace hedgerow::items {

template <std::size_t Words>
struct PackedSet {
  std::array<std::uint64_t, Words> key;  // the most significant word first
  Count count;

  bool operator<(const PackedSet& other) const { return key < other.key; }
};

// How the ranks of a set's items (all below n, ascending) stand in a key. Few items: a bit each, the first being the
// highest, and inverted, so that of sets of the same size the one with earlier items has the lower key. Many: ranks
// side by side.
struct KeyPacking {
  explicit KeyPacking(std::size_t n)
      : n_items(n), width(std::max(1, static_cast<int>(std::bit_width(n ? n - 1 : 0)))) {}

  bool is_mask() const { return n_items <= 128; }
  std::size_t per_word() const { return 64 / static_cast<std::size_t>(width); }
  std::size_t words(std::size_t length) const {
    return is_mask() ? (n_items + 63) / 64 : (length + per_word() - 1) / per_word();
  }

  std::size_t n_items;
  int width;
};

// Sorts by bytes, the highest first, from one room to the other and back; parts that are small by then are sorted by
// comparing, and stay in a near cache.
template <std::size_t Words>
class KeySort {
 public:
  using Key = PackedSet<Words>;

  // The sorted keys are in `keys` afterwards; `other` is as large.
  static void sort(std::span<Key> keys, std::span<Key> other) { sort_part(keys, other, 0, false); }

 private:
  static constexpr std::size_t few = 48, bytes = 8 * Words, values = 256;

  static std::uint8_t byte_of(const Key& one, std::size_t byte) {
    return static_cast<std::uint8_t>(one.key[byte / 8] >> (56 - byte % 8 * 8));
  }

  // `keys` agree in all bytes before this one. `back`: the result is wanted in `other`.
  static void sort_part(std::span<Key> keys, std::span<Key> other, std::size_t byte, bool back) {
    if (keys.size() <= few || byte == bytes) {
      if (byte < bytes) std::sort(keys.begin(), keys.end());
      if (back) std::copy(keys.begin(), keys.end(), other.begin());
      return;
    }
    std::array<std::uint32_t, values> ends{};
    for (const Key& one : keys) ++ends[byte_of(one, byte)];
    if (ends[byte_of(keys[0], byte)] == keys.size()) {
      sort_part(keys, other, byte + 1, back);
      return;
    }
    std::uint32_t sum = 0;
    for (auto& end : ends) end = std::exchange(sum, sum + end);
    for (const Key& one : keys) other[ends[byte_of(one, byte)]++] = one;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      if (end > begin) sort_part(other.subspan(begin, end - begin), keys.subspan(begin, end - begin), byte + 1, !back);
      begin = end;
    }
  }
};

}  // namespace hedgerow::items

// Words to codes, in the order of first appearance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/delimited_layout.hpp"

namespace hedgerow {

// An open-addressing table. A word of up to eight bytes is its own key, so that most lookups compare one
// number; a longer one is keyed by its hash and compared in full. Missing tokens share the table under the
// code -1. A word that is a missing token but for blanks around it is missing as well.
class Dictionary {
 public:
  static constexpr std::int32_t MISSING = -1;

  Dictionary() : slots_(32), mask_(31) {}

  // What a word of `length` bytes is looked up by. `limit` ends the readable bytes behind `begin`.
  static std::uint64_t key_of(const Byte* begin, std::size_t length, const Byte* limit) {
    return length <= 8 ? pack_short(begin, length, limit) : hash_long(begin, length);
  }

  // The code of [begin, end), which is added if new.
  std::int32_t find_or_add(const Byte* begin, const Byte* end, const Byte* limit) {
    const auto length = static_cast<std::size_t>(end - begin);
    return find_or_add(key_of(begin, length, limit), begin, length);
  }
  std::int32_t find_or_add(std::span<const Byte> word) {
    return find_or_add(word.data(), word.data() + word.size(), word.data() + word.size());
  }
  std::int32_t find_or_add(std::uint64_t key, const Byte* begin, std::size_t length) {
    return find_or_add(hash_of(key, length), key, begin, length);
  }
  std::int32_t find_or_add(std::uint32_t hash, std::uint64_t key, const Byte* begin, std::size_t length) {
    auto at = hash & mask_;
    for (; slots_[at].length != EMPTY; at = (at + 1) & mask_)
      if (matches(slots_[at], key, begin, length)) return std::max(slots_[at].code, MISSING);
    return add(at, key, begin, length);
  }

  // The code of a word, or -1 if it is not there.
  std::int32_t find(std::uint64_t key, const Byte* begin, std::size_t length) const {
    return find(hash_of(key, length), key, begin, length);
  }
  std::int32_t find(std::uint32_t hash, std::uint64_t key, const Byte* begin, std::size_t length) const {
    for (auto at = hash & mask_; slots_[at].length != EMPTY; at = (at + 1) & mask_)
      if (matches(slots_[at], key, begin, length)) return std::max(slots_[at].code, MISSING);
    return MISSING;
  }

  // Makes room for so many words of so many bytes, all that are expected.
  void reserve(std::size_t words, std::size_t bytes);

  // Says that a word will be looked up soon, so that its slot is at hand by then.
  void prefetch(std::uint32_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

  // Where the search for a word begins.
  static std::uint32_t hash_of(std::uint64_t key, std::size_t length) {
    auto mixed = (key ^ (length * 0x9E3779B97F4A7C15ull)) * 0xD6E8FEB86659FD93ull;
    mixed ^= mixed >> 32;
    return static_cast<std::uint32_t>(mixed * 0xD6E8FEB86659FD93ull >> 32);
  }

  // The code of a word that never means missing, though it may be spelled so.
  std::int32_t find_or_add_literal(std::span<const Byte> word);

  void add_missing(std::span<const Byte> word);
  bool is_missing(const Byte* begin, const Byte* end) const;

  std::size_t size() const { return starts_.size(); }
  std::span<const Byte> word(std::int32_t code) const {
    return std::span(pool_).subspan(static_cast<std::size_t>(starts_[code]), lengths_[code]);
  }
  // Append the words, from code `first` on.
  void append_words_to(ByteRows& rows, std::size_t first = 0) const;

 private:
  static constexpr std::uint32_t EMPTY = ~0u;
  struct DictionarySlot {
    std::uint64_t key = 0;
    std::uint32_t length = EMPTY;
    std::int32_t code = MISSING;  // below 0: a missing token, ~code among them
  };

  static std::uint64_t pack_short(const Byte* begin, std::size_t length, const Byte* limit) {
    if (limit - begin >= 8) return length == 8 ? load8(begin) : load8(begin) & ~(~0ull << (8 * length));
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < length; ++i) word |= static_cast<std::uint64_t>(begin[i]) << (8 * i);
    return word;
  }
  static std::uint64_t hash_long(const Byte* begin, std::size_t length);

  bool matches(const DictionarySlot& slot, std::uint64_t key, const Byte* begin, std::size_t length) const {
    return slot.key == key && slot.length == length &&
           (length <= 8 || equal_long_words(pool_.data() + start_of(slot), begin, length));
  }
  // Whether two words of more than eight bytes are the same; up to sixteen these are their first and their last eight.
  static bool equal_long_words(const Byte* a, const Byte* b, std::size_t length) {
    if (length > 16) return std::memcmp(a, b, length) == 0;
    return load8(a) == load8(b) && load8(a + length - 8) == load8(b + length - 8);
  }
  std::int64_t start_of(const DictionarySlot& slot) const {
    return slot.code < 0 ? missing_starts_[static_cast<std::size_t>(~slot.code)] : starts_[slot.code];
  }

  std::int32_t add(std::size_t at, std::uint64_t key, const Byte* begin, std::size_t length);
  std::int32_t new_code(const Byte* begin, std::size_t length);
  void insert(std::size_t at, std::uint64_t key, const Byte* begin, std::size_t length, std::int32_t code);
  void grow(std::size_t slots);

  std::vector<DictionarySlot> slots_;
  std::size_t mask_;  // slots, which are a power of two, less one
  std::size_t used_ = 0;
  std::vector<Byte> pool_;
  std::vector<std::int64_t> starts_;  // of every code's word in the pool
  std::vector<std::uint32_t> lengths_;
  std::vector<std::int64_t> missing_starts_;  // of every missing token in the pool
  std::vector<std::int32_t> literals_;        // codes of words that are spelled like a missing token
};

}  // namespace hedgerow

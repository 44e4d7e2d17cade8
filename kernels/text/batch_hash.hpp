// Names that are hashed side by side: MurmurHash3 of 64 short names costs little more than that of eight.
//
// A name is taken in by its first blocks of four bytes and its last one, so that the hashes of all are computed by the
// same steps, in lanes; those that are longer than SHORT are hashed one by one. The hashes are those of `murmur3`.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/delimited_layout.hpp"
#include "text/vocabulary.hpp"

namespace hedgerow {

class NameBatch {
 public:
  static constexpr std::size_t CAPACITY = 64;
  static constexpr std::size_t READABLE_BYTES = 16;    // bytes that must be readable from where a name begins
  static constexpr std::size_t MAX_SHORT_LENGTH = 15;  // the length of a name that is hashed with others, at most

  std::size_t size() const { return n_; }
  bool is_full() const { return n_ == CAPACITY; }
  void clear() { n_ = n_long_ = 0; }

  const Byte* name(std::size_t i) const { return name_[i]; }
  std::uint32_t length(std::size_t i) const { return length_[i]; }
  std::uint32_t hash(std::size_t i) const { return hash_[i]; }
  std::uint32_t id(std::size_t i) const { return id_[i]; }

  // Takes a name in; READABLE_BYTES bytes can be read.
  [[gnu::always_inline]] void add(const Byte* name, std::size_t length) {
    const auto i = n_++;
    name_[i] = name;
    length_[i] = static_cast<std::uint32_t>(length);
    first_[i] = load4(name);
    second_[i] = load4(name + 4);
    third_[i] = load4(name + 8);
    last_[i] = load4(name + (length & 12));
    long_[n_long_] = static_cast<std::uint8_t>(i);
    n_long_ += length > MAX_SHORT_LENGTH;
  }

  // Takes in one of which no more can be read than it has.
  void add_unpadded(const Byte* name, std::size_t length) {
    const auto i = n_++;
    name_[i] = name;
    length_[i] = static_cast<std::uint32_t>(length);
    first_[i] = second_[i] = third_[i] = last_[i] = 0;
    long_[n_long_++] = static_cast<std::uint8_t>(i);
  }

  // The hashes of all, and their ids: a hash's size as a signed number, of which `mask` is kept.
  void compute_hashes(std::uint32_t mask) {
    hash_short_names(mask);
    for (std::size_t k = 0; k < n_long_; ++k) {
      const auto i = long_[k];
      hash_[i] = murmur3({name_[i], length_[i]});
      id_[i] = id_of(hash_[i], mask);
    }
  }

 private:
  static std::uint32_t load4(const Byte* from) {
    std::uint32_t block;
    std::memcpy(&block, from, 4);
    if constexpr (std::endian::native == std::endian::big) block = __builtin_bswap32(block);
    return block;
  }

  static constexpr std::uint32_t id_of(std::uint32_t hash, std::uint32_t mask) {
    const auto sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(hash) >> 31);
    return ((hash ^ sign) - sign) & mask;
  }

  void hash_short_names(std::uint32_t mask);

  std::size_t n_ = 0, n_long_ = 0;
  std::uint32_t first_[CAPACITY], second_[CAPACITY], third_[CAPACITY], last_[CAPACITY];
  std::uint32_t length_[CAPACITY], hash_[CAPACITY], id_[CAPACITY];
  const Byte* name_[CAPACITY];
  std::uint8_t long_[CAPACITY + 1];
};

}  // namespace hedgerow

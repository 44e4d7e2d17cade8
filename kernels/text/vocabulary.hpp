// Vocabularies: put together, and hashed.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/bytes.hpp"

namespace hedgerow {

// Two lists of different words, each ascending by bytes, as one, and the places of their words in it. O(bytes).
struct MergedWords {
  ByteRows words;
  std::vector<std::int64_t> first, second;
};
MergedWords merge_words(const ByteRowsView& first, const ByteRowsView& second);

// MurmurHash3 (x86, 32 bits, seed 0; Austin Appleby, public domain).
inline std::uint32_t murmur3(std::span<const std::uint8_t> bytes) {
  // The third mixing step of the hash for a block of four bytes, and for what remains.
  const auto mixed = [](std::uint32_t block) { return std::rotl(block * 0xCC9E2D51u, 15) * 0x1B873593u; };
  std::uint32_t hash = 0;
  const auto whole = bytes.size() / 4 * 4;
  for (std::size_t at = 0; at < whole; at += 4) {
    std::uint32_t block;
    std::memcpy(&block, bytes.data() + at, 4);
    if constexpr (std::endian::native == std::endian::big) block = __builtin_bswap32(block);
    hash = std::rotl(hash ^ mixed(block), 13) * 5 + 0xE6546B64u;
  }
  if (whole < bytes.size()) {
    std::uint32_t block = 0;
    for (std::size_t at = whole; at < bytes.size(); ++at)
      block |= static_cast<std::uint32_t>(bytes[at]) << (8 * (at - whole));
    hash ^= mixed(block);
  }
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
  return hash ^ hash >> 16;
}

// The same of every word, as a signed number, as scikit-learn's HashingVectorizer
// has it. O(bytes).
std::vector<std::int32_t> hash_words(const ByteRowsView& words);

}  // namespace hedgerow

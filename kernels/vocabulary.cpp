#include "vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <compare>

namespace hedgerow {
namespace {

// The third mixing step of the hash for a block of four bytes, and for what remains.
std::uint32_t mixed(std::uint32_t block) { return std::rotl(block * 0xCC9E2D51u, 15) * 0x1B873593u; }

std::uint32_t murmur3(std::span<const std::uint8_t> bytes) {
  std::uint32_t hash = 0;
  const auto whole = bytes.size() / 4 * 4;
  const auto block_at = [&](std::size_t at, std::size_t size) {
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < size; ++i) block |= static_cast<std::uint32_t>(bytes[at + i]) << (8 * i);
    return block;
  };
  for (std::size_t at = 0; at < whole; at += 4) hash = std::rotl(hash ^ mixed(block_at(at, 4)), 13) * 5 + 0xE6546B64u;
  if (whole < bytes.size()) hash ^= mixed(block_at(whole, bytes.size() - whole));
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
  return hash ^ hash >> 16;
}

}  // namespace

MergedWords merge_words(const Words& first, const Words& second) {
  MergedWords out;
  out.words.offsets.push_back(0);
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    auto order = std::strong_ordering::less;
    if (i == first.size()) {
      order = std::strong_ordering::greater;
    } else if (j < second.size()) {
      const auto a = first[i], b = second[j];
      order = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    }
    const auto word = order > 0 ? second[j] : first[i];
    const auto place = static_cast<std::int64_t>(out.words.offsets.size()) - 1;
    if (order <= 0) out.first.push_back(place), ++i;
    if (order >= 0) out.second.push_back(place), ++j;
    out.words.data.insert(out.words.data.end(), word.begin(), word.end());
    out.words.offsets.push_back(static_cast<std::int64_t>(out.words.data.size()));
  }
  return out;
}

std::vector<std::int32_t> hash_words(const Words& words) {
  std::vector<std::int32_t> out;
  out.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) out.push_back(static_cast<std::int32_t>(murmur3(words[i])));
  return out;
}

}  // namespace hedgerow

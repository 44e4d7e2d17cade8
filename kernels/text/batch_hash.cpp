#include "text/batch_hash.hpp"

#include "core/target_avx2.hpp"

namespace hedgerow {
namespace {

[[gnu::always_inline]] inline std::uint32_t mix_block(std::uint32_t block) {
  return std::rotl(block * 0xCC9E2D51u, 15) * 0x1B873593u;
}

[[gnu::always_inline]] inline std::uint32_t mix_hash(std::uint32_t hash, std::uint32_t block) {
  return std::rotl(hash ^ mix_block(block), 13) * 5 + 0xE6546B64u;
}

struct NameBlocks {
  const std::uint32_t *first, *second, *third, *last, *length;
};

HEDGEROW_AVX2_CLONES void hash_blocks(const NameBlocks& in, std::size_t n, std::uint32_t mask,
                                      std::uint32_t* __restrict hashes, std::uint32_t* __restrict ids) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto length = in.length[i];
    const auto one = mix_hash(0, in.first[i]);
    std::uint32_t hash = length >= 4 ? one : 0;
    const auto two = mix_hash(hash, in.second[i]);
    hash = length >= 8 ? two : hash;
    const auto three = mix_hash(hash, in.third[i]);
    hash = length >= 12 ? three : hash;
    hash ^= mix_block(in.last[i] & ((1u << (length % 4 * 8)) - 1));
    hash ^= length;
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    hash ^= hash >> 16;
    hashes[i] = hash;
    const auto sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(hash) >> 31);
    ids[i] = ((hash ^ sign) - sign) & mask;
  }
}

}  // namespace

void NameBatch::hash_short_names(std::uint32_t mask) {
  const auto all = (n_ + 7) / 8 * 8;  // whole lanes
  for (auto i = n_; i < all; ++i) first_[i] = second_[i] = third_[i] = last_[i] = length_[i] = 0;
  hash_blocks({first_, second_, third_, last_, length_}, all, mask, hash_, id_);
}

}  // namespace hedgerow

// Follows walks through the tree of sets, and has the set at hand at every step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "items/set_store.hpp"

namespace hedgerow::items {

// The set as the ranks of its items, ascending.
class RankFollower {
 public:
  explicit RankFollower(std::span<const std::uint32_t> rank) : rank_(rank) {}

  void begin(const SetPath& path) {
    std::uint32_t depth = 0;
    for (const std::uint32_t item : path.prefix) follow(item, ++depth);
  }

  void follow(std::uint32_t item, std::uint32_t depth) {
    if (path_.size() < depth) path_.resize(depth);
    path_[depth - 1] = rank_[item];
    if (depth > kLongPath) return;
    if (levels_.size() <= depth) levels_.resize(depth + 1);
    const auto& shorter = levels_[depth - 1];
    auto& ranks = levels_[depth];
    ranks.resize(depth);
    const std::uint32_t rank = rank_[item];
    std::size_t at = depth - 1;
    for (; at > 0 && shorter[at - 1] > rank; --at) ranks[at] = shorter[at - 1];
    ranks[at] = rank;
    std::copy_n(shorter.begin(), at, ranks.begin());
  }

  std::span<const std::uint32_t> ranks(std::uint32_t depth) {
    if (depth <= kLongPath) return levels_[depth];
    sorted_.assign(path_.begin(), path_.begin() + depth);
    std::sort(sorted_.begin(), sorted_.end());
    return sorted_;
  }

 private:
  static constexpr std::uint32_t kLongPath = 64;  // longer ones are sorted when they are wanted, not step by step

  std::span<const std::uint32_t> rank_;
  std::vector<std::vector<std::uint32_t>> levels_{1};
  std::vector<std::uint32_t> path_, sorted_;
};

// The set as a mask of at most 128 bits, inverted, the first rank being the highest bit: a bit more than the one
// before.
class MaskFollower {
 public:
  explicit MaskFollower(std::span<const std::uint32_t> rank) : rank_(rank) {}
  using Mask = std::array<std::uint64_t, 2>;

  void begin(const SetPath& path) {
    std::uint32_t depth = 0;
    for (const std::uint32_t item : path.prefix) follow(item, ++depth);
  }

  void follow(std::uint32_t item, std::uint32_t depth) {
    if (levels_.size() <= depth) levels_.resize(depth + 1, Mask{~0ull, ~0ull});
    Mask mask = levels_[depth - 1];
    const std::uint32_t rank = rank_[item];
    mask[rank / 64] ^= std::uint64_t{1} << (63 - rank % 64);
    levels_[depth] = mask;
  }

  const Mask& mask(std::uint32_t depth) const { return levels_[depth]; }

 private:
  std::span<const std::uint32_t> rank_;
  std::vector<Mask> levels_{1, Mask{~0ull, ~0ull}};
};

}  // namespace hedgerow::items

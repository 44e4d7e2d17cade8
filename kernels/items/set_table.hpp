// Finding sets of items among many.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/set_list.hpp"

namespace hedgerow {

// A hash table of sets whose codes ascend. The hash of a set is the sum of its items' hashes, so that the hash of a
// part of a set takes a subtraction. Expected O(1) for a look-up, plus the comparison of the items; of equal sets the
// first is found.
class SetTable {
 public:
  explicit SetTable(ItemSetList sets) : sets_(sets), slots_(std::bit_ceil(2 * sets.size() + 2)) {
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const auto items = sets[set];
      const std::uint64_t hash = hash_of(items);
      if (find(hash, items) < 0) insert(hash, static_cast<std::int32_t>(set));
    }
  }

  static std::uint64_t hash_of(std::int32_t item) {  // the finalizer of splitmix64
    std::uint64_t x = (static_cast<std::uint64_t>(item) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  static std::uint64_t hash_of(std::span<const std::int32_t> items) {
    std::uint64_t hash = 0;
    for (const std::int32_t item : items) hash += hash_of(item);
    return hash;
  }

  // The number of the set with this hash for which same(items) holds; -1 if there is none.
  template <typename Same>
  std::int32_t find_if(std::uint64_t hash, Same same) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const SetTableSlot& slot = slots_[at];
      if (slot.set < 0) return -1;
      if (slot.tag == tag(hash) && same(sets_[static_cast<std::size_t>(slot.set)])) return slot.set;
    }
  }

  std::int32_t find(std::uint64_t hash, std::span<const std::int32_t> items) const {
    return find_if(hash, [&](std::span<const std::int32_t> other) { return std::ranges::equal(items, other); });
  }

 private:
  struct SetTableSlot {
    std::uint32_t tag = 0;
    std::int32_t set = -1;
  };

  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  void insert(std::uint64_t hash, std::int32_t set) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].set >= 0) at = (at + 1) & mask;
    slots_[at] = {tag(hash), set};
  }

  ItemSetList sets_;
  std::vector<SetTableSlot> slots_;
};

}  // namespace hedgerow

// Found sets in their documented order: smaller ones first, then lexically by code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "items/set_store.hpp"
#include "items/uninitialized_array.hpp"

namespace hedgerow::items {

struct OrderedSets {
  UninitializedArray<std::int64_t> offsets;  // one more than there are sets
  UninitializedArray<std::int32_t> codes;
  UninitializedArray<std::int64_t> counts;  // in ticks
};

// Items of steps are places in `codes`. Sets of up to two words of packed codes are sorted by radix, longer ones by
// comparing them. Cost: about six passes over the sets. The walks are used up.
OrderedSets order_sets(std::vector<SetPath>&& paths, std::span<const std::int32_t> codes, ThreadPool& pool);

}  // namespace hedgerow::items

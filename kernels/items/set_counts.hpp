// How often given sets of items are in rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "items/item_sets.hpp"

namespace hedgerow::items {

// The weight of the rows that hold all items of each set. Sets need not be sorted, nor codes in them; the empty set is
// in every row. Sets that begin with the same items share the work. Rows are taken in blocks of bits, a column an item.
// Cost: a pass over the rows, and of a block's bits for each set that has a row in it.
std::vector<double> count_sets(const ItemTable& table, std::span<const std::int64_t> set_offsets,
                               std::span<const std::int32_t> set_codes, ThreadPool& pool);

}  // namespace hedgerow::items

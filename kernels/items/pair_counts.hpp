// How many rows hold two items, for all pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/thread_pool.hpp"
#include "items/item_rows.hpp"

namespace hedgerow::items {

// One pass over the rows, each thread with its own table of counts. Only for items so few that such a table
// stays in a cache, and rows that weigh 1; else the table is empty, and pairs are counted class by class.
class PairCounts {
 public:
  PairCounts() = default;
  PairCounts(const ItemRowList& rows, ThreadPool& pool);

  bool empty() const { return counts_.empty(); }
  // Counts of pairs with `item` as the lower one, to be looked up by the higher one.
  const std::uint32_t* counts_with(std::uint32_t item) const { return counts_.data() + begin(item); }

 private:
  // The row of an item in the triangle, moved so that the higher item is the place in it.
  std::ptrdiff_t begin(std::uint32_t item) const {
    const auto n = static_cast<std::ptrdiff_t>(n_items_), at = static_cast<std::ptrdiff_t>(item);
    return at * n - at * (at + 1) / 2;
  }

  std::uint32_t n_items_ = 0;
  std::vector<std::uint32_t> counts_;
};

}  // namespace hedgerow::items

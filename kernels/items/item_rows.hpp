// Rows of items as lists of codes, and how often items are together with one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow::items {

using Count = std::int64_t;  // rows, or ticks of weight

// Codes ascend inside a row. A row ends with a mark: n_items + number of the row; a mark stands in front of all rows
// too, so that a row can be walked both ways from any of its codes.
struct ItemRowList {
  std::uint32_t n_items = 0;
  std::vector<std::uint32_t> codes;
  std::vector<std::uint32_t> begins;     // of an item's places; n_items + 1
  std::vector<std::uint32_t> positions;  // where in `codes` an item stands, row by row
  std::vector<Count> weights;            // by row; empty: all are 1

  std::span<const std::uint32_t> positions_of(std::uint32_t item) const {
    return std::span(positions).subspan(begins[item], begins[item + 1] - begins[item]);
  }
  bool is_item(std::uint32_t code) const { return code < n_items; }
  Count weight(std::uint32_t row_mark) const { return weights.empty() ? 1 : weights[row_mark - n_items]; }
};

// Asks for the codes of a place that will be looked at soon: rows of an item lie far from each other.
inline void prefetch_row([[maybe_unused]] const ItemRowList& rows, std::span<const std::uint32_t> positions,
                         std::size_t now) {
#if defined(__GNUC__)
  constexpr std::size_t soon = 16;
  __builtin_prefetch(rows.codes.data() + positions[std::min(now + soon, positions.size() - 1)]);
#endif
}

// Rows of a table, with items renamed; those that are none of `n_items` are left out, and so are rows with less than
// `minimum` items. `weights` by row of the table, 0 leaves the row out; empty: all are 1.
// Cost: two passes over the codes in the order of items.
ItemRowList make_row_list(std::span<const std::int64_t> offsets, std::span<const std::int32_t> codes,
                          std::span<const std::uint32_t> new_names, std::uint32_t n_items,
                          std::span<const Count> weights, std::size_t minimum);

// The counts of all items after `item` (from `from` on, if that is lower), in the rows that hold it.
// counts: n_items long; all from `from` on are set.
void count_cooccurrences(const ItemRowList& rows, std::uint32_t item, std::uint32_t from, std::span<Count> counts);

// Rows of `item`, with items renamed: those that are none of `n_items` are left out; rows of less than `minimum` items
// too. Names must ascend with codes.
ItemRowList project_rows(const ItemRowList& rows, std::uint32_t item, std::uint32_t from,
                         std::span<const std::uint32_t> new_names, std::uint32_t n_items, std::size_t minimum);

}  // namespace hedgerow::items

// Columns made ready for growing trees: sorted once, or turned into small codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"

namespace hedgerow::trees {

constexpr std::size_t kMaxRows = 0x7FFFFFFF;  // cases are numbered in 32 bits, one of which may tell a side

// A known value of a column: its rank among the different values, and the case that has it.
struct RankedCase {
  std::uint32_t rank;
  std::uint32_t case_index;
};

// A column as it comes: numbers with NaN for missing, or level codes with -1 for missing.
struct RawColumn {
  const double* numbers = nullptr;
  const std::int32_t* codes = nullptr;
  std::int32_t levels = 0;
};

// A column is *listed* (numbers with many different values: known values in ascending order) or *coded* (levels, and
// numbers with few different values). Codes up to `kMaxSmallCode` sit in one byte, all small columns of a row side by
// side, so that a row is counted with one trip to memory; the code after the last stands for missing.
struct TreeColumn {
  RawColumn raw;
  bool nominal = false;
  bool listed = false;
  bool has_missing = false;               // has missing values
  std::int32_t bins = 0;                  // of a coded column: levels or different values
  std::int32_t slot = -1;                 // of a small coded column: its place in a row of bytes; -1 for others
  std::vector<double> values;             // of a coded numeric column: the value of each code
  mutable std::vector<RankedCase> items;  // of a listed column: ascending; empty once the last tree has used them up
  std::vector<std::uint32_t> ranks;       // of a listed column, if asked for: by row
};

// Memory that one tree leaves to the next: to get it anew from the system each time costs more than to use it.
class ItemListPool {
 public:
  // At least so many items, of any value.
  std::vector<RankedCase> take(std::size_t n) {
    std::vector<RankedCase> list;
    {
      std::lock_guard lock(mutex_);
      if (!lists_.empty()) {
        list = std::move(lists_.back());
        lists_.pop_back();
      }
    }
    if (list.size() < n) list = std::vector<RankedCase>(n + n / 16);
    return list;
  }

  void put(std::vector<std::vector<RankedCase>>&& lists) {
    std::lock_guard lock(mutex_);
    for (auto& list : lists) lists_.push_back(std::move(list));
  }

 private:
  std::mutex mutex_;
  std::vector<std::vector<RankedCase>> lists_;
};

struct TreeColumns {
  static constexpr std::int32_t kMaxSmallCode = 255;

  TreeColumns(std::span<const RawColumn> raw, std::size_t rows, ThreadPool& pool);

  // The columns that have more than one known value.
  std::vector<std::size_t> find_varying_columns() const;

  // Whether a tree that tries so many columns a node had better sort them there than keep all of them sorted.
  bool sorts_at_nodes(std::size_t tried) const;

  // Gives listed columns their rank by row if trees are going to sort at their nodes.
  void rank_rows(std::size_t tried, ThreadPool& pool);

  // The code of a row in a coded column; `bins` for missing.
  std::int32_t code(const TreeColumn& column, std::size_t row) const {
    if (column.slot >= 0) return bytes[row * stride + static_cast<std::size_t>(column.slot)];
    const std::int32_t code = column.raw.codes[row];
    return code < 0 ? column.bins : code;
  }

  std::size_t rows = 0;
  std::vector<TreeColumn> columns;
  std::vector<std::uint8_t> bytes;  // row by row, `stride` a row
  std::size_t stride = 0;
  mutable ItemListPool list_pool;
};

}  // namespace hedgerow::trees

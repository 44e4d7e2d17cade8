// Rows of counted terms, packed until the terms' final ids are known.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/delimited_layout.hpp"

namespace hedgerow {

// Some rows, counted by one thread: ids are its own. As all rows are held until ids are final, they are
// packed: how many terms a row has, how many bytes its ids take each, the ids, a byte a count, and counts that take
// more.
struct TermChunk {
  std::size_t first, last, thread = 0;
  std::size_t n_entries = 0;
  std::vector<Byte> packed = {};
};

// Chunks of about so many bytes, which do not depend on the number of threads.
std::vector<TermChunk> split_into_chunks(const ByteRowsView& rows, std::int64_t bytes = 1 << 18);

// Which counts are kept: those of every row, and the sums of all rows.
struct KeptCounts {
  bool rows = true, sums = false;
};

// Counts the terms of one row after the other; kept by a thread from chunk to chunk.
class RowCounts {
 public:
  explicit RowCounts(KeptCounts kept = {}) : kept_(kept) {}

  // Says that a term will be counted soon.
  void prefetch(std::int32_t id) const { __builtin_prefetch(last_entry_.data() + id); }

  // Whether a term is new in its row cannot be foretold, so that nothing branches on it.
  void add(std::int32_t id) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= last_entry_.size()) last_entry_.resize(at + at / 2 + 64, 0);
    if (size_ == ids_.size()) grow();
    const auto old = last_entry_[at];
    const bool fresh = old < row_begin_;
    const auto entry_number = fresh ? row_begin_ + static_cast<std::uint32_t>(size_) : old;
    last_entry_[at] = entry_number;
    ids_[entry_number - row_begin_] = id;
    ++counts_[entry_number - row_begin_];
    size_ += fresh;
  }

  void end_row();

  // Hands the rows over, and is ready for the next chunk.
  void finish_chunk(TermChunk& chunk);

  // Adds the sums of every id to those at its place; -1 is nowhere.
  void add_sums(std::span<const std::int32_t> positions, std::span<std::int64_t> rows,
                std::span<std::int64_t> totals) const;

 private:
  void grow();
  void pack_row();
  void sum_row();

  KeptCounts kept_;
  std::vector<std::uint32_t> last_entry_;   // the place of each term's last entry, all rows counted through from 1
  std::uint32_t row_begin_ = 1;             // the place of the row's first entry
  std::size_t size_ = 0;                    // different terms of the row
  std::vector<std::int32_t> ids_, counts_;  // of the row; what follows are zeros
  std::size_t n_entries_ = 0;
  std::vector<Byte> packed_;
  struct RowTotals {
    std::int64_t total = 0;
    std::int64_t rows = 0;  // that have the term
  };
  std::vector<RowTotals> sums_;  // by term
};

namespace chunk_packing {

constexpr Byte MANY = 255;  // a count that does not fit in a byte

inline void store4(Byte* at, std::uint32_t value) {
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
  std::memcpy(at, &value, 4);
}

inline std::uint32_t load4(const Byte* at) {
  std::uint32_t value;
  std::memcpy(&value, at, 4);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
  return value;
}

}  // namespace chunk_packing

// Calls row(n) and then entry(id, count) n times, for every row of a chunk.
template <typename VisitRow, typename VisitEntry>
void unpack_chunk(const TermChunk& chunk, VisitRow&& visit_row, VisitEntry&& visit_entry) {
  const auto* at = chunk.packed.data();
  for (auto left = chunk.last - chunk.first; left; --left) {
    const auto n = chunk_packing::load4(at);
    visit_row(n);
    if (!n) {
      at += 4;
      continue;
    }
    const int width = at[4];
    const auto mask = ~0u >> (32 - 8 * width);
    const auto* ids = at + 5;
    const auto* counts = ids + static_cast<std::size_t>(width) * n;
    at = counts + n;
    for (std::uint32_t i = 0; i < n; ++i, ids += width) {
      std::uint32_t count = counts[i];
      if (count == chunk_packing::MANY) {
        count = chunk_packing::load4(at);
        at += 4;
      }
      visit_entry(chunk_packing::load4(ids) & mask, static_cast<std::int32_t>(count));
    }
  }
}

}  // namespace hedgerow

#include "text/term_chunks.hpp"

#include <algorithm>

namespace hedgerow {

std::vector<TermChunk> split_into_chunks(const ByteRowsView& rows, std::int64_t bytes) {
  std::vector<TermChunk> chunks;
  for (std::size_t first = 0; first < rows.size();) {
    auto last = first + 1;
    while (last < rows.size() && rows.offsets[last + 1] - rows.offsets[first] <= bytes) ++last;
    chunks.push_back({first, last});
    first = last;
  }
  return chunks;
}

void RowCounts::grow() {
  ids_.resize(ids_.size() * 2 + 64);
  counts_.resize(ids_.size(), 0);
}

void RowCounts::end_row() {
  if (kept_.rows) pack_row();
  if (kept_.sums) sum_row();
  std::fill_n(counts_.begin(), size_, 0);
  row_begin_ += static_cast<std::uint32_t>(size_);
  size_ = 0;
  if (row_begin_ >> 31) {  // no place passes 32 bits
    std::fill(last_entry_.begin(), last_entry_.end(), 0);
    row_begin_ = 1;
  }
}

void RowCounts::pack_row() {
  using namespace chunk_packing;
  const auto n = size_;
  const auto from = packed_.size();
  if (!n) {
    packed_.resize(from + 4);
    store4(packed_.data() + from, 0);
    return;
  }
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < n; ++i) all |= static_cast<std::uint32_t>(ids_[i]);
  const auto width = std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(all)) + 7) / 8);
  const auto size = 5 + (width + 1) * n;
  packed_.resize(from + size + 4);  // a number is written with 4 bytes, though fewer may count
  store4(packed_.data() + from, static_cast<std::uint32_t>(n));
  auto* at = packed_.data() + from + 4;
  *at++ = static_cast<Byte>(width);
  for (std::size_t i = 0; i < n; ++i, at += width) store4(at, static_cast<std::uint32_t>(ids_[i]));
  std::size_t n_many = 0;
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = static_cast<Byte>(std::min<std::int32_t>(counts_[i], MANY));
    n_many += counts_[i] >= MANY;
  }
  packed_.resize(from + size + 4 * n_many);
  if (n_many) {
    at = packed_.data() + from + size;
    for (std::size_t i = 0; i < n; ++i) {
      if (counts_[i] < MANY) continue;
      store4(at, static_cast<std::uint32_t>(counts_[i]));
      at += 4;
    }
  }
  n_entries_ += n;
}

void RowCounts::sum_row() {
  if (sums_.size() < last_entry_.size()) sums_.resize(last_entry_.size());
  for (std::size_t i = 0; i < size_; ++i) {
    auto& [total, rows] = sums_[ids_[i]];
    total += counts_[i];
    ++rows;
  }
}

void RowCounts::finish_chunk(TermChunk& chunk) {
  packed_.resize(packed_.size() + 4);  // so that the last number can be read with 4 bytes
  if (kept_.rows) chunk.packed.assign(packed_.begin(), packed_.end());
  chunk.n_entries = n_entries_;
  packed_.clear();
  n_entries_ = 0;
}

void RowCounts::add_sums(std::span<const std::int32_t> positions, std::span<std::int64_t> rows,
                         std::span<std::int64_t> totals) const {
  for (std::size_t id = 0; id < std::min(positions.size(), sums_.size()); ++id) {
    if (positions[id] < 0) continue;
    rows[positions[id]] += sums_[id].rows;
    totals[positions[id]] += sums_[id].total;
  }
}

}  // namespace hedgerow

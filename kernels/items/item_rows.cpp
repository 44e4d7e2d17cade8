#include "items/item_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "core/target_avx2.hpp"

namespace hedgerow::items {
namespace {

constexpr std::uint64_t max_codes = UINT32_MAX;

// The places of every item, from rows that are complete.
void index_positions(ItemRowList& rows) {
  rows.begins.assign(rows.n_items + std::size_t{1}, 0);
  for (const std::uint32_t code : rows.codes) {
    if (rows.is_item(code)) ++rows.begins[code + 1];
  }
  for (std::size_t item = 0; item < rows.n_items; ++item) rows.begins[item + 1] += rows.begins[item];
  rows.positions.resize(rows.begins.back());
  std::vector<std::uint32_t> next(rows.begins.begin(), rows.begins.end() - 1);
  for (std::size_t position = 0; position < rows.codes.size(); ++position) {
    const std::uint32_t code = rows.codes[position];
    if (rows.is_item(code)) rows.positions[next[code]++] = static_cast<std::uint32_t>(position);
  }
}

constexpr std::size_t kShortRow = 24, kLanes = 8;
constexpr std::size_t kSpareCodes = 1;  // a code that is written before it is known to be none

// Every code goes to the place that the number of lower ones tells; no branch depends on codes. They are unique.
HEDGEROW_AVX2_CLONES void sort_short(std::uint32_t* codes, std::size_t n) {
  std::array<std::uint32_t, kShortRow> given;
  given.fill(UINT32_MAX);
  std::copy_n(codes, n, given.begin());
  const std::size_t rounds = (n + kLanes - 1) / kLanes;
  for (std::size_t i = 0; i < n; ++i) {
    std::array<std::uint32_t, kLanes> lower{};
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lower[lane] += given[round * kLanes + lane] < given[i];
    }
    codes[std::accumulate(lower.begin(), lower.end(), std::uint32_t{0})] = given[i];
  }
}

// Where the row that a code stands in begins.
std::uint32_t find_row_begin(const ItemRowList& rows, std::uint32_t position) {
  while (rows.is_item(rows.codes[position - 1])) --position;
  return position;
}

}  // namespace

ItemRowList make_row_list(std::span<const std::int64_t> offsets, std::span<const std::int32_t> codes,
                          std::span<const std::uint32_t> new_names, std::uint32_t n_items,
                          std::span<const Count> weights, std::size_t minimum) {
  ItemRowList out;
  out.n_items = n_items;
  if (codes.size() + offsets.size() + n_items > max_codes)
    throw std::length_error("more than four billion items in rows");
  std::size_t size = 1;
  for (const std::int32_t code : codes) size += new_names[static_cast<std::size_t>(code)] < n_items;
  out.codes.resize(size + offsets.size() + kSpareCodes);
  std::uint32_t* to = out.codes.data();
  *to++ = n_items;
  std::uint32_t row = 0;
  for (std::size_t at = 0; at + 1 < offsets.size(); ++at) {
    if (!weights.empty() && weights[at] == 0) continue;
    std::size_t length = 0;
    for (auto i = offsets[at]; i < offsets[at + 1]; ++i) {
      const std::uint32_t name = new_names[static_cast<std::size_t>(codes[static_cast<std::size_t>(i)])];
      to[length] = name;  // without a branch, which would be a guess
      length += name < n_items;
    }
    if (length < minimum || length == 0) continue;
    if (length <= kShortRow)
      sort_short(to, length);
    else
      std::sort(to, to + length);
    to += length;
    *to++ = n_items + row++;
    if (!weights.empty()) out.weights.push_back(weights[at]);
  }
  out.codes.resize(static_cast<std::size_t>(to - out.codes.data()));
  index_positions(out);
  return out;
}

void count_cooccurrences(const ItemRowList& rows, std::uint32_t item, std::uint32_t from, std::span<Count> counts) {
  std::fill(counts.begin() + from, counts.begin() + rows.n_items, 0);
  const std::uint32_t* codes = rows.codes.data();
  const std::uint32_t row_mark = rows.n_items;
  const auto positions = rows.positions_of(item);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    prefetch_row(rows, positions, i);
    const std::uint32_t position = positions[i], begin = from > item ? position + 1 : find_row_begin(rows, position);
    if (rows.weights.empty()) {
      for (std::uint32_t at = begin; codes[at] < row_mark; ++at) ++counts[codes[at]];
      continue;
    }
    std::uint32_t end = position;
    while (rows.is_item(codes[end])) ++end;
    const Count weight = rows.weight(codes[end]);
    for (std::uint32_t at = begin; at < end; ++at) counts[codes[at]] += weight;
  }
}

ItemRowList project_rows(const ItemRowList& rows, std::uint32_t item, std::uint32_t from,
                         std::span<const std::uint32_t> new_names, std::uint32_t n_items, std::size_t minimum) {
  ItemRowList out;
  out.n_items = n_items;
  out.codes.push_back(n_items);
  std::uint32_t row = 0;
  for (const std::uint32_t position : rows.positions_of(item)) {
    const std::size_t begin = out.codes.size();
    std::uint32_t at = from > item ? position + 1 : find_row_begin(rows, position);
    for (; rows.is_item(rows.codes[at]); ++at) {
      const std::uint32_t name = new_names[rows.codes[at]];
      if (name < n_items) out.codes.push_back(name);
    }
    if (out.codes.size() - begin < minimum) {
      out.codes.resize(begin);
      continue;
    }
    out.codes.push_back(n_items + row++);
    if (!rows.weights.empty()) out.weights.push_back(rows.weight(rows.codes[at]));
  }
  index_positions(out);
  return out;
}

}  // namespace hedgerow::items

#include "items/item_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "core/target_avx2.hpp"

namespace hedgerow::items {
namespace {

constexpr std::uint64_t most_codes = UINT32_MAX;

// The places of every item, from rows that are complete.
void index(RowList& rows) {
  rows.begins.assign(rows.n_items + std::size_t{1}, 0);
  for (const std::uint32_t code : rows.codes) {
    if (rows.is_item(code)) ++rows.begins[code + 1];
  }
  for (std::size_t item = 0; item < rows.n_items; ++item) rows.begins[item + 1] += rows.begins[item];
  rows.places.resize(rows.begins.back());
  std::vector<std::uint32_t> next(rows.begins.begin(), rows.begins.end() - 1);
  for (std::size_t place = 0; place < rows.codes.size(); ++place) {
    const std::uint32_t code = rows.codes[place];
    if (rows.is_item(code)) rows.places[next[code]++] = static_cast<std::uint32_t>(place);
  }
}

constexpr std::size_t short_row = 24, lanes = 8;
constexpr std::size_t spare = 1;  // a code that is written before it is known to be none

// Every code goes to the place that the number of lower ones tells; no branch depends on codes. They are unique.
HEDGEROW_AVX2_CLONES void sort_short(std::uint32_t* codes, std::size_t n) {
  std::array<std::uint32_t, short_row> given;
  given.fill(UINT32_MAX);
  std::copy_n(codes, n, given.begin());
  const std::size_t rounds = (n + lanes - 1) / lanes;
  for (std::size_t i = 0; i < n; ++i) {
    std::array<std::uint32_t, lanes> lower{};
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t lane = 0; lane < lanes; ++lane) lower[lane] += given[round * lanes + lane] < given[i];
    }
    codes[std::accumulate(lower.begin(), lower.end(), std::uint32_t{0})] = given[i];
  }
}

// Where the row that a code stands in begins.
std::uint32_t row_begin(const RowList& rows, std::uint32_t place) {
  while (rows.is_item(rows.codes[place - 1])) --place;
  return place;
}

}  // namespace

RowList row_list(std::span<const std::int64_t> offsets, std::span<const std::int32_t> codes,
                 std::span<const std::uint32_t> renamed, std::uint32_t n_items, std::span<const Count> weights,
                 std::size_t least) {
  RowList out;
  out.n_items = n_items;
  if (codes.size() + offsets.size() + n_items > most_codes)
    throw std::length_error("more than four billion items in rows");
  std::size_t size = 1;
  for (const std::int32_t code : codes) size += renamed[static_cast<std::size_t>(code)] < n_items;
  out.codes.resize(size + offsets.size() + spare);
  std::uint32_t* to = out.codes.data();
  *to++ = n_items;
  std::uint32_t row = 0;
  for (std::size_t at = 0; at + 1 < offsets.size(); ++at) {
    if (!weights.empty() && weights[at] == 0) continue;
    std::size_t length = 0;
    for (auto i = offsets[at]; i < offsets[at + 1]; ++i) {
      const std::uint32_t name = renamed[static_cast<std::size_t>(codes[static_cast<std::size_t>(i)])];
      to[length] = name;  // without a branch, which would be a guess
      length += name < n_items;
    }
    if (length < least || length == 0) continue;
    if (length <= short_row)
      sort_short(to, length);
    else
      std::sort(to, to + length);
    to += length;
    *to++ = n_items + row++;
    if (!weights.empty()) out.weights.push_back(weights[at]);
  }
  out.codes.resize(static_cast<std::size_t>(to - out.codes.data()));
  index(out);
  return out;
}

void count_with(const RowList& rows, std::uint32_t item, std::uint32_t from, std::span<Count> counts) {
  std::fill(counts.begin() + from, counts.begin() + rows.n_items, 0);
  const std::uint32_t* codes = rows.codes.data();
  const std::uint32_t mark = rows.n_items;
  const auto places = rows.places_of(item);
  for (std::size_t i = 0; i < places.size(); ++i) {
    prefetch_row(rows, places, i);
    const std::uint32_t place = places[i], begin = from > item ? place + 1 : row_begin(rows, place);
    if (rows.weights.empty()) {
      for (std::uint32_t at = begin; codes[at] < mark; ++at) ++counts[codes[at]];
      continue;
    }
    std::uint32_t end = place;
    while (rows.is_item(codes[end])) ++end;
    const Count weight = rows.weight(codes[end]);
    for (std::uint32_t at = begin; at < end; ++at) counts[codes[at]] += weight;
  }
}

RowList rows_with(const RowList& rows, std::uint32_t item, std::uint32_t from, std::span<const std::uint32_t> renamed,
                  std::uint32_t n_items, std::size_t least) {
  RowList out;
  out.n_items = n_items;
  out.codes.push_back(n_items);
  std::uint32_t row = 0;
  for (const std::uint32_t place : rows.places_of(item)) {
    const std::size_t begin = out.codes.size();
    std::uint32_t at = from > item ? place + 1 : row_begin(rows, place);
    for (; rows.is_item(rows.codes[at]); ++at) {
      const std::uint32_t name = renamed[rows.codes[at]];
      if (name < n_items) out.codes.push_back(name);
    }
    if (out.codes.size() - begin < least) {
      out.codes.resize(begin);
      continue;
    }
    out.codes.push_back(n_items + row++);
    if (!rows.weights.empty()) out.weights.push_back(rows.weight(rows.codes[at]));
  }
  index(out);
  return out;
}

}  // namespace hedgerow::items

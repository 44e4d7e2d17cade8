#include "items/bit_columns.hpp"

#include <bit>

#include "core/bits.hpp"
#include "core/target_avx2.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace hedgerow::items {
namespace {

HEDGEROW_POPCOUNT_CLONES void count_unweighted(const std::uint64_t* bits, std::size_t words, const std::uint64_t* rows,
                                               ColumnCandidate* candidates, std::size_t n) {
  if (words == 1) {
    const std::uint64_t word = rows[0];
    for (std::size_t i = 0; i < n; ++i) candidates[i].count = std::popcount(word & bits[candidates[i].column]);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t* column = bits + candidates[i].column * words;
    std::uint64_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
      count += static_cast<std::uint64_t>(std::popcount(rows[word] & column[word]));
    }
    candidates[i].count = static_cast<Count>(count);
  }
}

Count weigh_rows(const BitColumns& columns, const std::uint64_t* rows, const std::uint64_t* column) {
  Count sum = 0;
  for (std::size_t word = 0; word < columns.words; ++word) {
    sum += sum_weights(rows[word] & column[word], columns.weights.data() + word * kWordBits);
  }
  return sum;
}

// Puts bits side by side.
struct BitAppender {
  std::uint64_t* out;
  unsigned filled = 0;

  [[gnu::always_inline]] void add(std::uint64_t some, unsigned width) {
    *out |= some << filled;
    filled += width;
    if (filled < kWordBits) return;
    ++out;
    filled -= static_cast<unsigned>(kWordBits);
    if (filled) *out |= some >> (width - filled);
  }
};

// Appends the bits of `column` in the rows given.
void extract_bits(const std::uint64_t* column, const std::uint64_t* rows, std::size_t words, std::uint64_t* out) {
  BitAppender appending{out};
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t left = rows[word]; left; left &= left - 1) {
      appending.add(column[word] >> std::countr_zero(left) & 1, 1);
    }
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("bmi2,popcnt")]] void extract_bits_bmi2(const std::uint64_t* column, const std::uint64_t* rows,
                                                      std::size_t words, std::uint64_t* out) {
  BitAppender appending{out};
  for (std::size_t word = 0; word < words; ++word) {
    if (rows[word])
      appending.add(_pext_u64(column[word], rows[word]), static_cast<unsigned>(std::popcount(rows[word])));
  }
}
bool has_bmi2() {
  static const bool has = __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return has;
}
#else
void extract_bits_bmi2(const std::uint64_t*, const std::uint64_t*, std::size_t, std::uint64_t*) {}
bool has_bmi2() { return false; }
#endif

}  // namespace

void BitColumns::clear(std::size_t columns) {
  words = (rows + kWordBits - 1) / kWordBits;
  bits.assign(columns * words + 1, 0);  // one more: what squeezes bits together may touch the word after the last
}

void fill_bit_columns(const ItemRowList& rows, std::uint32_t item, std::uint32_t from,
                      std::span<const std::uint32_t> new_names, std::uint32_t n_items, std::size_t minimum,
                      BitColumns& out) {
  const auto positions = rows.positions_of(item);
  out.rows = positions.size();
  out.weights.clear();
  out.clear(n_items);
  const std::uint32_t* codes = rows.codes.data();
  const std::uint32_t mark = rows.n_items;
  const bool whole = from <= item;
  std::vector<std::uint32_t> buffer(n_items + std::size_t{1});
  std::uint32_t* names = buffer.data();
  std::size_t row = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    prefetch_row(rows, positions, i);
    const std::uint32_t* at = codes + positions[i] + 1;
    if (whole) {
      while (at[-1] < mark) --at;
    }
    std::size_t n = 0;
    for (; *at < mark; ++at) {
      const std::uint32_t name = new_names[*at];
      names[n] = name;  // without a branch, which would be a guess
      n += name < n_items;
    }
    if (n < minimum) continue;
    const std::uint64_t bit = std::uint64_t{1} << row % kWordBits;
    std::uint64_t* word = out.bits.data() + row / kWordBits;
    for (std::size_t name = 0; name < n; ++name) word[names[name] * out.words] |= bit;
    if (!rows.weights.empty()) out.weights.push_back(rows.weight(*at));
    ++row;
  }
  const std::size_t words = (row + kWordBits - 1) / kWordBits;
  if (words < out.words) {
    for (std::size_t column = 0; column < n_items; ++column) {
      for (std::size_t word = 0; word < words; ++word)
        out.bits[column * words + word] = out.bits[column * out.words + word];
    }
  }
  out.rows = row;
  out.words = words;
}

void count_candidate_rows(const BitColumns& columns, const std::uint64_t* rows, std::span<ColumnCandidate> candidates) {
  if (columns.weights.empty()) {
    count_unweighted(columns.bits.data(), columns.words, rows, candidates.data(), candidates.size());
    return;
  }
  for (ColumnCandidate& one : candidates) one.count = weigh_rows(columns, rows, columns.column(one.column));
}

void intersect(const std::uint64_t* a, const std::uint64_t* b, std::size_t words, std::uint64_t* out) {
  for (std::size_t word = 0; word < words; ++word) out[word] = a[word] & b[word];
}

bool is_subset(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  for (std::size_t word = 0; word < words; ++word) {
    if (a[word] & ~b[word]) return false;
  }
  return true;
}

HEDGEROW_POPCOUNT_CLONES std::size_t count_rows(const std::uint64_t* rows, std::size_t words) {
  std::uint64_t count = 0;
  for (std::size_t word = 0; word < words; ++word) count += static_cast<std::uint64_t>(std::popcount(rows[word]));
  return count;
}

void pack_rows(const BitColumns& columns, const std::uint64_t* rows, std::size_t n_rows,
               std::span<ColumnCandidate> candidates, BitColumns& out) {
  out.rows = n_rows;
  out.clear(candidates.size());
  out.names.resize(candidates.size());
  out.weights.clear();
  if (!columns.weights.empty()) {
    for (std::size_t word = 0; word < columns.words; ++word) {
      for (std::uint64_t left = rows[word]; left; left &= left - 1) {
        out.weights.push_back(columns.weights[word * kWordBits + static_cast<std::size_t>(std::countr_zero(left))]);
      }
    }
  }
  const bool fast = has_bmi2();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::uint64_t* column = columns.column(candidates[i].column);
    std::uint64_t* to = out.bits.data() + i * out.words;
    if (fast)
      extract_bits_bmi2(column, rows, columns.words, to);
    else
      extract_bits(column, rows, columns.words, to);
    out.names[i] = columns.names[candidates[i].column];
    candidates[i].column = static_cast<std::uint32_t>(i);
  }
}

}  // namespace hedgerow::items

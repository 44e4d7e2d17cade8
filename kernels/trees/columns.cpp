#include "trees/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace hedgerow::trees {
namespace {

// The values of a column if there are no more than `maximum` different ones, ascending; empty otherwise.
std::vector<double> find_few_values(const double* numbers, std::size_t rows, std::size_t maximum) {
  constexpr std::size_t cells = 1024;
  std::array<double, cells> table;
  std::array<bool, cells> taken{};
  std::vector<double> varying;
  for (std::size_t row = 0; row < rows; ++row) {
    const double value = numbers[row] + 0.0;  // one zero
    if (std::isnan(value)) continue;
    std::size_t cell = (std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15ull) >> 54;
    while (taken[cell] && table[cell] != value) cell = (cell + 1) % cells;
    if (taken[cell]) continue;
    if (varying.size() == maximum) return {};
    taken[cell] = true;
    table[cell] = value;
    varying.push_back(value);
  }
  std::sort(varying.begin(), varying.end());
  return varying;
}

class ValueCodes {
 public:
  explicit ValueCodes(const std::vector<double>& values) {
    for (std::size_t code = 0; code < values.size(); ++code) {
      std::size_t cell = first_cell(values[code]);
      while (codes_[cell] >= 0) cell = (cell + 1) % cells;
      codes_[cell] = static_cast<std::int32_t>(code);
      table_[cell] = values[code];
    }
  }

  std::int32_t operator()(double value) const {
    std::size_t cell = first_cell(value + 0.0);
    while (table_[cell] != value) cell = (cell + 1) % cells;
    return codes_[cell];
  }

 private:
  static constexpr std::size_t cells = 1024;
  static std::size_t first_cell(double value) {
    return (std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15ull) >> 54;
  }

  std::array<double, cells> table_ = [] {
    std::array<double, cells> none;
    none.fill(std::numeric_limits<double>::quiet_NaN());
    return none;
  }();
  std::array<std::int32_t, cells> codes_ = [] {
    std::array<std::int32_t, cells> none;
    none.fill(-1);
    return none;
  }();
};

std::uint32_t make_float_key(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// Sorts by the value rounded to a float, three radix passes, then each run of equal floats by the value itself.
void sort_items(const double* numbers, std::size_t rows, std::vector<RankedCase>& items,
                std::vector<RankedCase>& spare) {
  constexpr std::size_t digits = 11, cells = std::size_t{1} << digits;
  std::array<std::array<std::uint32_t, cells>, 3> counts{};
  items.clear();
  for (std::size_t row = 0; row < rows; ++row) {
    if (std::isnan(numbers[row])) continue;
    const std::uint32_t key = make_float_key(numbers[row] + 0.0);
    items.push_back({key, static_cast<std::uint32_t>(row)});
    ++counts[0][key & (cells - 1)];
    ++counts[1][(key >> digits) & (cells - 1)];
    ++counts[2][key >> (2 * digits)];
  }
  spare.resize(items.size());
  for (std::size_t pass = 0; pass < 3; ++pass) {
    auto& count = counts[pass];
    if (std::find(count.begin(), count.end(), items.size()) != count.end()) continue;  // one digit only
    std::uint32_t start = 0;
    for (auto& cell : count) start += std::exchange(cell, start);
    for (const RankedCase item : items) spare[count[(item.rank >> (pass * digits)) & (cells - 1)]++] = item;
    items.swap(spare);
  }
  std::uint32_t rank = 0;
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin + 1;
    if (end == items.size() || items[end].rank != items[begin].rank) {  // alone: no need to fetch its value
      items[begin].rank = rank++;
      begin = end;
      continue;
    }
    bool mixed = false;
    const double value = numbers[items[begin].case_index];
    for (; end < items.size() && items[end].rank == items[begin].rank; ++end)
      mixed |= numbers[items[end].case_index] != value;
    if (mixed) {
      std::sort(items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end),
                [&](RankedCase a, RankedCase b) {
                  return numbers[a.case_index] < numbers[b.case_index] ||
                         (numbers[a.case_index] == numbers[b.case_index] && a.case_index < b.case_index);
                });
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin && numbers[items[i].case_index] != numbers[items[i - 1].case_index]) ++rank;
      items[i].rank = rank;
    }
    ++rank;
    begin = end;
  }
}

}  // namespace

TreeColumns::TreeColumns(std::span<const RawColumn> raw, std::size_t n_rows, ThreadPool& pool) : rows(n_rows) {
  columns.resize(raw.size());
  std::vector<std::vector<RankedCase>> spare(pool.size());
  pool.parallel_for(raw.size(), [&](std::size_t number, std::size_t thread) {
    TreeColumn& column = columns[number];
    column.raw = raw[number];
    column.nominal = raw[number].codes != nullptr;
    if (column.nominal) {
      column.bins = raw[number].levels;
      column.has_missing = std::any_of(raw[number].codes, raw[number].codes + rows, [](auto code) { return code < 0; });
      return;
    }
    const double* numbers = raw[number].numbers;
    column.values = find_few_values(numbers, rows, kMaxSmallCode);
    column.listed = column.values.empty();
    if (column.listed) {
      column.items.reserve(rows);
      sort_items(numbers, rows, column.items, spare[thread]);
      column.has_missing = column.items.size() < rows;
      column.listed = !column.items.empty();  // else: no value is known
    }
    if (!column.listed) {
      column.bins = static_cast<std::int32_t>(column.values.size());
      column.has_missing = std::any_of(numbers, numbers + rows, [](double value) { return std::isnan(value); });
    }
  });
  for (TreeColumn& column : columns) {
    if (!column.listed && column.bins <= kMaxSmallCode) column.slot = static_cast<std::int32_t>(stride++);
  }
  bytes.resize(rows * stride);
  constexpr std::size_t block = 1 << 14;
  pool.parallel_for((rows + block - 1) / block, [&](std::size_t number, std::size_t) {
    const std::size_t begin = number * block, end = std::min(rows, begin + block);
    for (const TreeColumn& column : columns) {
      if (column.slot < 0) continue;
      std::uint8_t* out = bytes.data() + column.slot;
      const auto none = static_cast<std::uint8_t>(column.bins);
      if (column.nominal) {
        const std::int32_t* codes = column.raw.codes;
        for (std::size_t row = begin; row < end; ++row) {
          out[row * stride] = codes[row] < 0 ? none : static_cast<std::uint8_t>(codes[row]);
        }
      } else {
        const ValueCodes code(column.values);
        const double* numbers = column.raw.numbers;
        for (std::size_t row = begin; row < end; ++row) {
          out[row * stride] = std::isnan(numbers[row]) ? none : static_cast<std::uint8_t>(code(numbers[row]));
        }
      }
    }
  });
}

std::vector<std::size_t> TreeColumns::find_varying_columns() const {
  std::vector<std::size_t> varying;
  for (std::size_t number = 0; number < columns.size(); ++number) {
    const TreeColumn& column = columns[number];
    bool several = column.listed || (!column.nominal && column.bins > 1);
    std::int32_t seen = column.bins;
    for (std::size_t row = 0; column.nominal && !several && row < rows; ++row) {
      const std::int32_t one = code(column, row);
      several = one != column.bins && seen != column.bins && one != seen;
      if (one != column.bins) seen = one;
    }
    if (several) varying.push_back(number);
  }
  return varying;
}

bool TreeColumns::sorts_at_nodes(std::size_t tried) const {
  const auto listed =
      static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), [](const auto& c) { return c.listed; }));
  return tried > 0 && listed > 5 * tried;
}

void TreeColumns::rank_rows(std::size_t tried, ThreadPool& pool) {
  if (!sorts_at_nodes(tried)) return;
  pool.parallel_for(columns.size(), [&](std::size_t number, std::size_t) {
    TreeColumn& column = columns[number];
    if (!column.listed || !column.ranks.empty()) return;
    column.ranks.assign(rows, std::numeric_limits<std::uint32_t>::max());
    for (const RankedCase item : column.items) column.ranks[item.case_index] = item.rank;
  });
}

}  // namespace hedgerow::trees

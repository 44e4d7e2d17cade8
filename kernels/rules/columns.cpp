#include "rules/columns.hpp"

#include <limits>

namespace hedgerow::rules {
namespace {

using trees::RankedCase;
using trees::TreeColumn;
using trees::TreeColumns;

std::int64_t count_levels(const trees::RawColumn& raw, std::size_t rows) {
  std::vector<bool> seen(static_cast<std::size_t>(raw.levels), false);
  for (std::size_t row = 0; row < rows; ++row) {
    if (raw.codes[row] >= 0) seen[static_cast<std::size_t>(raw.codes[row])] = true;
  }
  return std::count(seen.begin(), seen.end(), true);
}

// Calls use(block, code) for every block: `kMaxSmallCode` at most, and equal values share one.
template <typename Use>
void divide_into_blocks(std::span<const RankedCase> items, Use&& use) {
  constexpr std::size_t maximum = TreeColumns::kMaxSmallCode;
  const std::size_t enough = (items.size() + maximum - 1) / maximum;
  std::uint8_t code = 0;
  for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    end = std::min(begin + enough, items.size());
    while (end < items.size() && items[end].rank == items[end - 1].rank) ++end;
    use(items.subspan(begin, end - begin), code++);
  }
}

}  // namespace

RuleColumns::RuleColumns(std::span<const trees::RawColumn> raw, std::vector<TermColumn> term_columns,
                         std::size_t n_rows, ThreadPool& pool)
    : rows(n_rows), dense(raw.size()), terms(std::move(term_columns)) {
  const TreeColumns tree_columns(raw, rows, pool);
  for (std::size_t number = 0; number < dense.size(); ++number) {
    const TreeColumn& from = tree_columns.columns[number];
    if (from.listed || from.slot >= 0) dense[number].slot = static_cast<std::int32_t>(stride++);
  }
  bytes.resize(rows * stride);
  pool.parallel_for(dense.size(), [&](std::size_t number, std::size_t) {
    const TreeColumn& from = tree_columns.columns[number];
    RuleColumn& to = dense[number];
    to.raw = from.raw;
    to.nominal = from.nominal;
    to.in_blocks = from.listed;
    to.bins = from.bins;
    to.values = from.values;
    const auto write = [&](std::size_t row, std::uint8_t code) {
      bytes[row * stride + static_cast<std::size_t>(to.slot)] = code;
    };
    if (from.listed) {
      to.bins = TreeColumns::kMaxSmallCode;
      for (std::size_t row = 0; from.has_missing && row < rows; ++row) write(row, TreeColumns::kMaxSmallCode);
      to.values.assign(TreeColumns::kMaxSmallCode, std::numeric_limits<double>::quiet_NaN());
      divide_into_blocks(from.items, [&](std::span<const RankedCase> block, std::uint8_t code) {
        for (const RankedCase item : block) write(item.case_index, code);
        if (block.front().rank == block.back().rank) to.values[code] = from.raw.numbers[block.front().case_index];
      });
      to.n_distinct = std::int64_t{from.items.back().rank} + 1;
    } else {
      for (std::size_t row = 0; to.slot >= 0 && row < rows; ++row) {
        write(row, static_cast<std::uint8_t>(tree_columns.code(from, row)));
      }
      to.n_distinct = from.nominal ? count_levels(from.raw, rows) : from.bins;
    }
  });
}

std::vector<std::int64_t> RuleColumns::count_distinct() const {
  std::vector<std::int64_t> out;
  for (const RuleColumn& column : dense) out.push_back(column.n_distinct);
  for (const TermColumn& column : terms) out.push_back(column.vocabulary);
  return out;
}

}  // namespace hedgerow::rules

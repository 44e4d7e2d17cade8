#include <algorithm>
#include <array>
#include <numeric>

#include "weigh.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t BLOCK = 512;  // rows that are folded together

struct Entry {
  std::uint32_t column, row;
  double value;
};

// Sorts entries by column, below `behind`; those of one column stay in order.
void sort_by_column(std::vector<Entry>& entries, std::vector<Entry>& other, std::uint64_t behind) {
  constexpr int BITS = 11;
  other.resize(entries.size());
  for (int shift = 0; (behind - 1) >> shift; shift += BITS) {
    const auto digit = [&](const Entry& entry) { return entry.column >> shift & ((1u << BITS) - 1); };
    std::array<std::size_t, (1 << BITS) + 1> starts{};
    for (const auto& entry : entries) ++starts[digit(entry) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const auto& entry : entries) other[starts[digit(entry)]++] = entry;
    entries.swap(other);
  }
}

// Some rows, folded: how many entries each has, and all of them.
struct Part {
  std::vector<std::int64_t> sizes;
  std::vector<std::int32_t> ids;
  std::vector<double> values;
};

// Deals sorted entries out to their rows, and takes those of one column together.
Part dealt(const std::vector<Entry>& entries, std::vector<std::int64_t> next) {
  Part out{std::vector<std::int64_t>(next.size(), 0), {}, {}};
  std::vector<std::int32_t> ids(entries.size());
  std::vector<double> values(entries.size());
  for (const auto& [column, row, value] : entries) {
    auto& size = out.sizes[row];
    const auto at = next[row] + size;
    if (size && ids[at - 1] == static_cast<std::int32_t>(column)) {
      values[at - 1] += value;
      continue;
    }
    ids[at] = static_cast<std::int32_t>(column);
    values[at] = value;
    ++size;
  }
  for (std::size_t row = 0; row < next.size(); ++row) {
    const auto from = next[row], to = from + out.sizes[row];
    out.ids.insert(out.ids.end(), ids.begin() + from, ids.begin() + to);
    out.values.insert(out.values.end(), values.begin() + from, values.begin() + to);
  }
  return out;
}

}  // namespace

FoldedRows fold_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                     std::span<const double> values, std::span<const std::int32_t> columns, std::size_t n_columns,
                     Crew& crew) {
  const auto n_rows = starts.size() - 1;
  std::vector<Part> parts((n_rows + BLOCK - 1) / BLOCK);
  std::vector<std::array<std::vector<Entry>, 2>> rooms(crew.members());
  crew.share(parts.size(), [&](std::size_t number, std::size_t member) {
    auto& [entries, other] = rooms[member];
    entries.clear();
    std::vector<std::int64_t> next;
    const auto first = number * BLOCK, last = std::min(n_rows, first + BLOCK);
    for (auto row = first; row < last; ++row) {
      next.push_back(starts[row] - starts[first]);
      for (auto at = starts[row]; at < starts[row + 1]; ++at)
        entries.push_back({static_cast<std::uint32_t>(columns[ids[at]]), static_cast<std::uint32_t>(row - first),
                           values[at]});
    }
    sort_by_column(entries, other, n_columns);
    parts[number] = dealt(entries, std::move(next));
  });
  FoldedRows out;
  out.starts.push_back(0);
  std::size_t total = 0;
  for (const auto& part : parts) total += part.ids.size();
  out.ids.reserve(total);
  out.values.reserve(total);
  for (auto& part : parts) {
    for (const auto size : part.sizes) out.starts.push_back(out.starts.back() + size);
    out.ids.insert(out.ids.end(), part.ids.begin(), part.ids.end());
    out.values.insert(out.values.end(), part.values.begin(), part.values.end());
    part = {};
  }
  return out;
}

}  // namespace hedgerow

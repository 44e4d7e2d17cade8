#include "read/class_counts.hpp"

#include <cstddef>
#include <stdexcept>

namespace hedgerow {

namespace {

// Skewed columns update one cell again and again; two tables in turn halve the wait for the store.
template <typename Cell, typename Weight>
std::vector<double> count_cells(std::span<const std::int32_t> code, std::span<const std::int32_t> label, Weight weight,
                                std::size_t levels, std::size_t classes) {
  const std::size_t cells = (levels + 1) * classes;
  std::vector<Cell> even(cells), odd(cells);
  bool outside = false;
  for (std::size_t row = 0; row < code.size(); ++row) {
    if (label[row] == -1) continue;
    const std::size_t level = code[row] == -1 ? levels : static_cast<std::size_t>(code[row]);
    const std::size_t klass = static_cast<std::size_t>(label[row]);
    if (level > levels || klass >= classes || code[row] < -1) {
      outside = true;
      continue;
    }
    auto& table = row % 2 ? odd : even;
    table[level * classes + klass] += weight(row);
  }
  if (outside) throw std::out_of_range("a level or class code is out of range");
  std::vector<double> out(cells);
  for (std::size_t i = 0; i < cells; ++i) out[i] = static_cast<double>(even[i] + odd[i]);
  return out;
}

}  // namespace

std::vector<double> count_levels(std::span<const std::int32_t> code, std::span<const std::int32_t> label,
                                 std::span<const double> weight, std::size_t levels, std::size_t classes) {
  if (weight.empty()) return count_cells<std::int64_t>(code, label, [](std::size_t) { return 1; }, levels, classes);
  return count_cells<double>(code, label, [weight](std::size_t row) { return weight[row]; }, levels, classes);
}

std::vector<std::int64_t> count_picks(std::span<const std::int64_t> order, std::span<const std::int64_t> picks) {
  std::vector<std::int64_t> counts(order.size());
  const auto n = static_cast<std::uint64_t>(order.size());
  for (const std::int64_t pick : picks) {
    if (static_cast<std::uint64_t>(pick) >= n) throw std::out_of_range("a pick is out of range");
    const auto at = static_cast<std::uint64_t>(order[static_cast<std::size_t>(pick)]);
    if (at >= n) throw std::out_of_range("an order is out of range");
    ++counts[at];
  }
  return counts;
}

}  // namespace hedgerow

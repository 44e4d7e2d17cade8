#include "distinct.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace hedgerow {

Distinct distinct_values(std::span<const double> value, std::span<const std::int32_t> label, std::size_t most) {
  Distinct out;
  const std::size_t mask = std::bit_ceil(4 * (most + 1)) - 1;  // at most a quarter full: probes stay short
  const int shift = 64 - std::popcount(mask);
  std::vector<double> table(mask + 1, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::int64_t> rows(mask + 1);
  std::vector<std::size_t> taken;  // slots
  for (std::size_t row = 0; row < value.size(); ++row) {
    if (label[row] == -1 || std::isnan(value[row])) continue;
    const double x = value[row] + 0.0;  // no negative zero: it equals zero but has other bits
    auto slot = static_cast<std::size_t>((std::bit_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u) >> shift);
    while (!std::isnan(table[slot]) && table[slot] != x) slot = (slot + 1) & mask;
    ++rows[slot];
    if (table[slot] == x) continue;
    if (taken.size() == most) return {{}, {}, true};
    table[slot] = x;
    taken.push_back(slot);
  }
  std::sort(taken.begin(), taken.end(), [&](std::size_t a, std::size_t b) { return table[a] < table[b]; });
  for (const auto slot : taken) {
    out.values.push_back(table[slot]);
    out.rows.push_back(rows[slot]);
  }
  return out;
}

}  // namespace hedgerow

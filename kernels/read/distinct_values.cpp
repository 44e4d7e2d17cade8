#include "read/distinct_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace hedgerow {

namespace {

constexpr std::size_t kSlots = 256, kSmallIntegers = 1024;

// Numbers and how often each was seen: small whole ones by their place, others in a hash table, which starts small,
// for most columns hold few values or very many.
class ValueCounts {
 public:
  explicit ValueCounts(std::size_t slots)
      : slot_values_(slots, std::numeric_limits<double>::quiet_NaN()), slot_counts_(slots) {}

  // Returns false if the number would be one more than `maximum`.
  bool add(double x, std::size_t maximum) {
    if (x >= 0 && x < kSmallIntegers)
      if (const auto index = static_cast<std::size_t>(x); static_cast<double>(index) == x) {
        if (!small_counts_[index] && used_slots_.size() + n_small_ == maximum) return false;
        n_small_ += !small_counts_[index]++;
        return true;
      }
    std::size_t slot = find_slot(x);
    if (std::isnan(slot_values_[slot])) {
      if (used_slots_.size() + n_small_ == maximum) return false;
      if (4 * used_slots_.size() > slot_values_.size()) {  // at most a quarter full: probes stay short
        grow();
        slot = find_slot(x);
      }
      slot_values_[slot] = x;
      used_slots_.push_back(slot);
    }
    ++slot_counts_[slot];
    return true;
  }

  DistinctValues ascending() const {
    std::vector<std::pair<double, std::int64_t>> values;
    for (std::size_t index = 0; index < kSmallIntegers; ++index)
      if (small_counts_[index]) values.emplace_back(static_cast<double>(index), small_counts_[index]);
    for (const auto slot : used_slots_) values.emplace_back(slot_values_[slot], slot_counts_[slot]);
    if (!used_slots_.empty()) std::sort(values.begin(), values.end());
    DistinctValues out;
    for (const auto& [value, rows] : values) {
      out.values.push_back(value);
      out.rows.push_back(rows);
    }
    return out;
  }

 private:
  std::size_t find_slot(double x) const {
    const std::size_t mask = slot_values_.size() - 1;
    const int shift = 64 - std::popcount(mask);
    auto slot = static_cast<std::size_t>((std::bit_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u) >> shift);
    while (!std::isnan(slot_values_[slot]) && slot_values_[slot] != x) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    const ValueCounts small = *this;
    slot_values_.assign(4 * slot_values_.size(), std::numeric_limits<double>::quiet_NaN());
    slot_counts_.assign(slot_values_.size(), 0);
    for (auto& slot : used_slots_) {
      const auto from = slot;
      slot = find_slot(small.slot_values_[from]);
      slot_values_[slot] = small.slot_values_[from];
      slot_counts_[slot] = small.slot_counts_[from];
    }
  }

  std::array<std::int64_t, kSmallIntegers> small_counts_{};
  std::size_t n_small_ = 0;
  std::vector<double> slot_values_;  // NaN is a free slot
  std::vector<std::int64_t> slot_counts_;
  std::vector<std::size_t> used_slots_;  // slots
};

}  // namespace

DistinctValues count_distinct_values(std::span<const double> value, std::span<const std::int32_t> label,
                                     std::size_t maximum) {
  ValueCounts counts(kSlots);
  for (std::size_t row = 0; row < value.size(); ++row) {
    if (label[row] == -1 || std::isnan(value[row])) continue;
    const double x = value[row] + 0.0;  // no negative zero: it equals zero but has other bits
    if (!counts.add(x, maximum)) return {{}, {}, true};
  }
  return counts.ascending();
}

}  // namespace hedgerow

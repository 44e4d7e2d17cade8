#include "read/distinct_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace hedgerow {

namespace {

constexpr std::size_t kSlots = 256, kWhole = 1024;

// Numbers and how often each was seen: small whole ones by their place, others in a hash table, which starts small,
// for most columns hold few values or very many.
class Seen {
 public:
  explicit Seen(std::size_t slots) : value_(slots, std::numeric_limits<double>::quiet_NaN()), rows_(slots) {}

  // Returns false if the number would be one more than `most`.
  bool see(double x, std::size_t most) {
    if (x >= 0 && x < kWhole)
      if (const auto place = static_cast<std::size_t>(x); static_cast<double>(place) == x) {
        if (!whole_[place] && taken_.size() + n_whole_ == most) return false;
        n_whole_ += !whole_[place]++;
        return true;
      }
    std::size_t slot = slot_of(x);
    if (std::isnan(value_[slot])) {
      if (taken_.size() + n_whole_ == most) return false;
      if (4 * taken_.size() > value_.size()) {  // at most a quarter full: probes stay short
        grow();
        slot = slot_of(x);
      }
      value_[slot] = x;
      taken_.push_back(slot);
    }
    ++rows_[slot];
    return true;
  }

  Distinct ascending() const {
    std::vector<std::pair<double, std::int64_t>> found;
    for (std::size_t place = 0; place < kWhole; ++place)
      if (whole_[place]) found.emplace_back(static_cast<double>(place), whole_[place]);
    for (const auto slot : taken_) found.emplace_back(value_[slot], rows_[slot]);
    if (!taken_.empty()) std::sort(found.begin(), found.end());
    Distinct out;
    for (const auto& [value, rows] : found) {
      out.values.push_back(value);
      out.rows.push_back(rows);
    }
    return out;
  }

 private:
  std::size_t slot_of(double x) const {
    const std::size_t mask = value_.size() - 1;
    const int shift = 64 - std::popcount(mask);
    auto slot = static_cast<std::size_t>((std::bit_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u) >> shift);
    while (!std::isnan(value_[slot]) && value_[slot] != x) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    const Seen small = *this;
    value_.assign(4 * value_.size(), std::numeric_limits<double>::quiet_NaN());
    rows_.assign(value_.size(), 0);
    for (auto& slot : taken_) {
      const auto from = slot;
      slot = slot_of(small.value_[from]);
      value_[slot] = small.value_[from];
      rows_[slot] = small.rows_[from];
    }
  }

  std::array<std::int64_t, kWhole> whole_{};
  std::size_t n_whole_ = 0;
  std::vector<double> value_;  // NaN is a free slot
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> taken_;  // slots
};

}  // namespace

Distinct distinct_values(std::span<const double> value, std::span<const std::int32_t> label, std::size_t most) {
  Seen seen(kSlots);
  for (std::size_t row = 0; row < value.size(); ++row) {
    if (label[row] == -1 || std::isnan(value[row])) continue;
    const double x = value[row] + 0.0;  // no negative zero: it equals zero but has other bits
    if (!seen.see(x, most)) return {{}, {}, true};
  }
  return seen.ascending();
}

}  // namespace hedgerow

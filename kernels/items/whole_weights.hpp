// Weights of rows as whole ticks, so that sums are exact in any order.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "items/item_rows.hpp"

namespace hedgerow::items {

// A tick is a power of two: the largest in which all weights are whole, if their sum is then below 2^52; else the
// smallest with which it is, and weights are rounded.
class TickWeights {
 public:
  explicit TickWeights(std::span<const double> weights) {
    if (weights.empty()) return;
    double sum = 0;
    for (const double weight : weights) sum += weight;
    int exponent = 0;
    const int highest = sum > 0 ? 51 - std::ilogb(sum) : 0;
    while (exponent < highest && !are_all_whole(weights, exponent)) ++exponent;
    scale_ = std::ldexp(1.0, std::min(exponent, highest));
    for (const double weight : weights) row_ticks_.push_back(static_cast<Count>(std::llround(weight * scale_)));
  }

  double scale() const { return scale_; }
  std::span<const Count> row_ticks() const { return row_ticks_; }
  Count ticks_of_row(std::size_t row) const { return row_ticks_.empty() ? 1 : row_ticks_[row]; }
  double to_weight(Count ticks) const { return static_cast<double>(ticks) / scale_; }

 private:
  static bool are_all_whole(std::span<const double> weights, int exponent) {
    for (const double weight : weights) {
      const double scaled = std::ldexp(weight, exponent);
      if (scaled != std::floor(scaled)) return false;
    }
    return true;
  }

  double scale_ = 1;
  std::vector<Count> row_ticks_;
};

}  // namespace hedgerow::items

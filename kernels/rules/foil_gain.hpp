// The gain of one more condition, p1 (log2 p1/(p1+n1) - log2 p0/(p0+n0)), and the best of many with few logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgerow::rules {

// Gains are equal if they differ by less than this share.
constexpr double kEqualGains = 1e-10;
// What is less than the best gain by more than this share is out, whatever the rounding of sums.
constexpr double kNearGains = 1e-8;

// The weight of rows of the class (p) and of others (n).
struct ClassWeights {
  double p = 0;
  double n = 0;
};

// Adds the weight of those of some rows that are `is_counted`; `weight` is by row of the table, and empty if all weigh
// 1.
template <typename IsCounted>
void add_class_weights(ClassWeights& sum, std::span<const std::uint32_t> rows, std::span<const std::uint8_t> positive,
                       std::span<const double> weight, IsCounted&& is_counted) {
  if (weight.empty()) {
    std::size_t all = 0, own = 0;
    for (const std::uint32_t row : rows) {
      const bool counts = is_counted(row);
      all += counts;
      own += counts & (positive[row] != 0);
    }
    sum.p += static_cast<double>(own);
    sum.n += static_cast<double>(all - own);
    return;
  }
  for (const std::uint32_t row : rows) {
    if (is_counted(row)) (positive[row] ? sum.p : sum.n) += weight[row];
  }
}

// The best gain so far. Of equal gains the first stays.
//
// The logarithm lies below its tangents. The one that touches it at the share p1/(p1+n1) of the best condition so far
// tells nearly all others, with a few multiplications, that they cannot win: if it is slope * share + offset, then
// gain <= p1 (slope p1/(p1+n1) + offset - log2 p0/(p0+n0)).
class BestGain {
 public:
  BestGain(ClassWeights before, double min_weight)
      : gain(kEqualGains * before.p), before_(std::log2(before.p / (before.p + before.n))), min_weight_(min_weight) {
    set_tangent(before.p / (before.p + before.n));
  }

  // Whether a condition that leaves `after` gains more than all before.
  bool improves(ClassWeights after) { return may_improve(after) && does_improve(after); }

  // Whether what leaves `after` may, but for rounding, gain as much as the best so far.
  bool may_reach(ClassWeights after) const {
    if (after.p < min_weight_ * (1 - kNearGains) || after.p <= 0) return false;
    const double total = after.p + after.n, needed = gain * (1 - kNearGains);
    return after.p * (tangent_own_ * after.p + tangent_other_ * after.n) >= needed * total &&
           after.p * (std::log2(after.p / total) - before_) >= needed;
  }

  double gain;
  ClassWeights best;  // what the condition of the best gain leaves, if there is one

 private:
  bool may_improve(ClassWeights after) const {
    return after.p * (tangent_own_ * after.p + tangent_other_ * after.n) >= gain * (after.p + after.n);
  }

  bool does_improve(ClassWeights after) {
    if (after.p < min_weight_ || after.p <= 0) return false;
    const double share = after.p / (after.p + after.n);
    const double found = after.p * (std::log2(share) - before_);
    if (found <= gain * (1 + kEqualGains)) return false;
    gain = found;
    best = after;
    set_tangent(share);
    return true;
  }

  void set_tangent(double share) {
    const double slope = 1 / (share * std::log(2.0));
    tangent_other_ = std::log2(share) - 1 / std::log(2.0) - before_;
    tangent_own_ = slope + tangent_other_;
  }

  double before_, min_weight_;
  double tangent_own_ = 0, tangent_other_ = 0;
};

// The best cut of a column: `<=` takes the values up to it, `>` the others.
class BestCut {
 public:
  // `directions`: 1 for `<=`, 2 for `>`; `all` is the weight of all known values.
  BestCut(ClassWeights before, double min_weight, ClassWeights all, int directions)
      : best(before, min_weight), all_(all), directions_(directions) {}

  // Whether a cut above values of the weight `below` gains more than all before.
  bool improves(ClassWeights below) {
    const bool is_below = (directions_ & 1) && best.improves(below);
    const bool is_above = (directions_ & 2) && best.improves({all_.p - below.p, std::max(0.0, all_.n - below.n)});
    if (is_below || is_above) above = is_above;
    return is_below || is_above;
  }

  // Whether a cut somewhere within `block`, above values of the weight `below`, may gain as much as `floor`.
  bool may_reach(const BestGain& floor, ClassWeights below, ClassWeights block) const {
    if ((directions_ & 1) && floor.may_reach({below.p + block.p, below.n})) return true;
    return (directions_ & 2) && floor.may_reach({all_.p - below.p, std::max(0.0, all_.n - below.n - block.n)});
  }

  BestGain best;
  bool above = false;

 private:
  ClassWeights all_;
  int directions_;
};

}  // namespace hedgerow::rules

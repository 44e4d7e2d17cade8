// The gain of one more condition, p1 (log2 p1/(p1+n1) - log2 p0/(p0+n0)), and the best of many with few logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hedgerow::rules {

// Gains are equal if they differ by less than this share.
constexpr double equal_gains = 1e-10;

// The weight of rows of the class (p) and of others (n).
struct Weight {
  double p = 0;
  double n = 0;
};

// The best gain so far. Of equal gains the first stays.
//
// The logarithm lies below its tangents. The one that touches it at the share p1/(p1+n1) of the best condition so far
// tells nearly all others, with a few multiplications, that they cannot win: if it is slope * share + offset, then
// gain <= p1 (slope p1/(p1+n1) + offset - log2 p0/(p0+n0)).
class BestGain {
 public:
  BestGain(Weight before, double min_weight)
      : gain(equal_gains * before.p), before_(std::log2(before.p / (before.p + before.n))), least_(min_weight) {
    touch(before.p / (before.p + before.n));
  }

  // Whether a condition that leaves `after` gains more than all before.
  bool improves(Weight after) { return may_improve(after) && does_improve(after); }

  double gain;

 private:
  bool may_improve(Weight after) const {
    return after.p * (own_ * after.p + other_ * after.n) >= gain * (after.p + after.n);
  }

  bool does_improve(Weight after) {
    if (after.p < least_ || after.p <= 0) return false;
    const double share = after.p / (after.p + after.n);
    const double found = after.p * (std::log2(share) - before_);
    if (found <= gain * (1 + equal_gains)) return false;
    gain = found;
    touch(share);
    return true;
  }

  void touch(double share) {
    const double slope = 1 / (share * std::log(2.0));
    other_ = std::log2(share) - 1 / std::log(2.0) - before_;
    own_ = slope + other_;
  }

  double before_, least_;
  double own_ = 0, other_ = 0;
};

// The best cut of a column, between two neighboring values that are known by `low` and `high`: rows, or codes. `<=` takes
// the values up to the lower one, `>` the others.
class BestCut {
 public:
  // `directions`: 1 for `<=`, 2 for `>`; `all` is the weight of all known values.
  BestCut(Weight before, double min_weight, Weight all, int directions)
      : best_(before, min_weight), all_(all), directions_(directions) {}

  void look(std::uint32_t below_at, std::uint32_t above_at, Weight below) {
    if ((directions_ & 1) && best_.improves(below)) low = below_at, high = above_at, above = false, found = true;
    const Weight rest{all_.p - below.p, std::max(0.0, all_.n - below.n)};
    if ((directions_ & 2) && best_.improves(rest)) low = below_at, high = above_at, above = true, found = true;
  }

  double gain() const { return best_.gain; }

  std::uint32_t low = 0, high = 0;
  bool above = false;
  bool found = false;

 private:
  BestGain best_;
  Weight all_;
  int directions_;
};

}  // namespace hedgerow::rules

// The gain of one more condition, p1 (log2 p1/(p1+n1) - log2 p0/(p0+n0)), and the best of many with few logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hedgerow::rules {

// Gains are equal if they differ by less than this share.
constexpr double equal_gains = 1e-10;

// The weight of rows of the class (p) and of others (n).
struct Weight {
  double p = 0;
  double n = 0;
};

// The best gain so far. Of equal gains the first stays.
class BestGain {
 public:
  BestGain(Weight before, double min_weight)
      : gain(equal_gains * before.p), before_(std::log2(before.p / (before.p + before.n))), least_(min_weight) {
    touch(before.p / (before.p + before.n));
  }

  // Whether a condition that leaves `after` gains more than all before. The logarithm lies below its tangents: one of
  // them, touching at the best share so far, tells most conditions that they cannot win.
  bool improves(Weight after) {
    if (after.p < least_ || after.p <= 0) return false;
    const double share = after.p / (after.p + after.n);
    if (after.p * (slope_ * share + offset_) < gain) return false;
    const double found = after.p * (std::log2(share) - before_);
    if (found <= gain * (1 + equal_gains)) return false;
    gain = found;
    touch(share);
    return true;
  }

  double gain;

 private:
  void touch(double share) {
    slope_ = 1 / (share * std::log(2.0));
    offset_ = std::log2(share) - 1 / std::log(2.0) - before_ + 1e-12;
  }

  double before_, least_;
  double slope_ = 0, offset_ = 0;
};

// Neighbouring values of a column that no sensible cut parts: one value, or several with rows of one side only. The
// first and last of them are whatever the column finds its values by.
struct Block {
  Weight weight;
  std::uint32_t first = 0, last = 0;

  bool joins(const Block& next) const {
    return (weight.n == 0 && next.weight.n == 0) || (weight.p == 0 && next.weight.p == 0);
  }
};

inline void append(std::vector<Block>& blocks, const Block& value) {
  if (blocks.empty() || !blocks.back().joins(value)) {
    blocks.push_back(value);
    return;
  }
  blocks.back().weight.p += value.weight.p;
  blocks.back().weight.n += value.weight.n;
  blocks.back().last = value.last;
}

// The best cut behind a block, if any gains: `<=` takes the blocks up to it, `>` the others. A cut below is only worth a
// look after rows of the class and before others, since every row of the class adds to the gain and every other lowers
// it; a cut above the other way round. `directions`: 1 for `<=`, 2 for `>`.
struct Cut {
  std::size_t after = 0;
  bool above = false;
  bool found = false;
};

inline Cut best_cut(const std::vector<Block>& blocks, int directions, BestGain& best) {
  Cut cut;
  Weight all, below;
  for (const Block& block : blocks) {
    all.p += block.weight.p;
    all.n += block.weight.n;
  }
  for (std::size_t at = 0; at + 1 < blocks.size(); ++at) {
    const Weight here = blocks[at].weight, next = blocks[at + 1].weight;
    below.p += here.p;
    below.n += here.n;
    if ((directions & 1) && here.p > 0 && next.n > 0 && best.improves(below)) cut = {at, false, true};
    if ((directions & 2) && here.n > 0 && next.p > 0 && best.improves({all.p - below.p, std::max(0.0, all.n - below.n)})) {
      cut = {at, true, true};
    }
  }
  return cut;
}

}  // namespace hedgerow::rules

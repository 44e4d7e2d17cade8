#include "rules/description_length.hpp"

#include <algorithm>
#include <cmath>

namespace hedgerow::rules {
namespace {

constexpr double rounding = 1e-9;  // fewer bits are none

// An expected share that excludes nothing: what is not expected at all would take endless bits to tell.
double clamp_share(double share, double n) {
  const double minimum = 0.5 / (n + 1);
  return std::clamp(share, minimum, 1 - minimum);
}

class RuleSetShortener {
 public:
  explicit RuleSetShortener(const RuleSetRows& rules) : rules_(rules), depth_(rules.positive.size(), 0) {
    for (const auto& rows : rules.rows) {
      add_rule_weights(covered_, rows, [this](std::uint32_t row) { return depth_[row]++ == 0; });
    }
    for (const double bits : rules.bits) theory_bits_ += bits;
  }

  RuleSetDescription describe(bool shorten) {
    RuleSetDescription out{theory_bits_ + compute_exceptions(covered_),
                           std::vector<std::uint8_t>(rules_.rows.size(), 1)};
    for (std::size_t number = rules_.rows.size(); shorten && number-- > 0;) {
      ClassWeights alone;
      add_rule_weights(alone, rules_.rows[number], [this](std::uint32_t row) { return depth_[row] == 1; });
      const ClassWeights rest{covered_.p - alone.p, covered_.n - alone.n};
      const double bits = theory_bits_ - rules_.bits[number] + compute_exceptions(rest);
      if (bits >= out.bits - rounding) continue;
      out.bits = bits;
      out.is_kept[number] = 0;
      theory_bits_ -= rules_.bits[number];
      covered_ = rest;
      for (const std::uint32_t row : rules_.rows[number]) --depth_[row];
    }
    return out;
  }

 private:
  template <typename IsCounted>
  void add_rule_weights(ClassWeights& sum, std::span<const std::uint32_t> rows, IsCounted&& is_counted) const {
    add_class_weights(sum, rows, rules_.positive, rules_.weight, is_counted);
  }

  double compute_exceptions(ClassWeights covered) const {
    const ClassWeights inside{std::max(covered.p, 0.0), std::max(covered.n, 0.0)};
    const ClassWeights left{std::max(rules_.all.p - covered.p, 0.0), std::max(rules_.all.n - covered.n, 0.0)};
    return compute_exception_bits(inside, left, rules_.false_positives);
  }

  const RuleSetRows& rules_;
  std::vector<std::uint16_t> depth_;  // how many rules cover each row
  ClassWeights covered_;
  double theory_bits_ = 0;
};

}  // namespace

double compute_subset_bits(double n, double k, double share) {
  const double chosen = k > 0 ? -k * std::log2(share) : 0.0;
  return chosen - (n > k ? (n - k) * std::log2(1 - share) : 0.0);
}

double compute_exception_bits(ClassWeights covered, ClassWeights left, double false_positives) {
  const double inside = covered.p + covered.n, outside = left.p + left.n, wrong = covered.n + left.p;
  const double bits = std::log2(inside + outside + 1);
  if (inside > outside) {
    const double found = compute_subset_bits(inside, covered.n, clamp_share(false_positives * wrong / inside, inside));
    return bits + found + (outside > 0 ? compute_subset_bits(outside, left.p, left.p / outside) : 0.0);
  }
  if (outside <= 0) return bits;
  const double missed =
      compute_subset_bits(outside, left.p, clamp_share((1 - false_positives) * wrong / outside, outside));
  return bits + missed + (inside > 0 ? compute_subset_bits(inside, covered.n, covered.n / inside) : 0.0);
}

RuleSetDescription describe_rules(const RuleSetRows& rules, bool shorten) {
  return RuleSetShortener(rules).describe(shorten);
}

}  // namespace hedgerow::rules

// What a conjunction is worth by the counts of its rows: see beam.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rules/beam.hpp"

namespace hedgerow::beam {

// Counts by class, and their sum.
struct ClassCounts {
  const std::int64_t* by_class;
  std::int64_t n;
};

class RuleEvaluator {
 public:
  RuleEvaluator(const BeamOptions& options, std::size_t classes, std::int64_t total)
      : options_(options),
        classes_(classes),
        has_wanted_class_(options.wanted_class >= 0),
        shares_(classes),
        logs_(classes) {
    if (options.tick == 1 && total <= max_tabled) {
      table_.resize(static_cast<std::size_t>(total) + 1);
      for (std::size_t n = 1; n < table_.size(); ++n)
        table_[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
    }
  }

  // The rows that remain, against which shares and significance are taken.
  void set_remaining(ClassCounts all) {
    for (std::size_t c = 0; c < classes_; ++c) {
      shares_[c] = all.n ? static_cast<double>(all.by_class[c]) / static_cast<double>(all.n) : 0;
      logs_[c] = shares_[c] > 0 ? std::log2(shares_[c]) : 0;
    }
    if (has_wanted_class_) wanted_weight_ = all.by_class[options_.wanted_class], total_ = all.n;
  }

  double value(ClassCounts counts) const {
    if (options_.quality == RuleQuality::entropy)
      return has_wanted_class_ ? compute_purity(counts) : -compute_entropy(counts);
    const std::size_t c = class_of(counts);
    return estimate_accuracy(counts.by_class[c], counts.n, c);
  }

  // Whether an estimate is surely below a value; a quick look, which may miss that it is.
  bool falls_short(ClassCounts counts, double value) const {
    if (options_.quality == RuleQuality::entropy) return false;
    const std::size_t c = class_of(counts);
    const bool laplace = options_.quality == RuleQuality::laplace;
    const double right = weight(counts.by_class[c]) + (laplace ? 1 : options_.m * shares_[c]);
    return right < value * (weight(counts.n) + (laplace ? options_.k : options_.m));
  }

  // The likelihood ratio; at least 0.
  double likelihood_ratio(ClassCounts counts) const {
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) sum += xlogx(counts.by_class[c]) - weight(counts.by_class[c]) * logs_[c];
    return std::max(0.0, 2 * std::log(2.0) * (sum - xlogx(counts.n)));
  }

  // Whether the wanted class, if there is one, has a larger share than in all rows that remain.
  bool exceeds_remaining_share(ClassCounts counts) const {
    if (!has_wanted_class_) return true;
    return static_cast<__int128>(counts.by_class[options_.wanted_class]) * total_ >
           static_cast<__int128>(wanted_weight_) * counts.n;
  }

  bool is_significant(ClassCounts counts) const {
    return options_.critical <= 0 || likelihood_ratio(counts) >= options_.critical;
  }

  // Whether some of these rows might make a rule of a larger value that is significant.
  bool may_exceed(ClassCounts counts, std::int64_t best) const {
    double maximum = 0;
    for (std::size_t c = 0; c < classes_; ++c) maximum -= 2 * std::log(2.0) * weight(counts.by_class[c]) * logs_[c];
    if (options_.critical > 0 && maximum < options_.critical * (1 - 1e-9)) return false;
    for (std::size_t c = 0; c < classes_; ++c) {
      if (has_wanted_class_ && static_cast<std::int32_t>(c) != options_.wanted_class) continue;
      const std::int64_t n = counts.by_class[c];
      const double bound = options_.quality == RuleQuality::entropy ? 0 : estimate_accuracy(n, n, c);
      if (n > 0 && make_key(bound) > best) return true;
    }
    return false;
  }

  // Values that agree to 1e-12 are equal.
  static std::int64_t make_key(double value) { return std::llrint(value * 1e12); }

  // A value whose key is smaller, whatever was rounded; likewise those below it.
  static double clearly_below(std::int64_t key) { return (static_cast<double>(key) - 2) * 1e-12 - 1e-13; }

 private:
  static constexpr std::int64_t max_tabled = 1 << 22;

  double weight(std::int64_t ticks) const { return static_cast<double>(ticks) * options_.tick; }

  double xlogx(std::int64_t ticks) const {
    if (!table_.empty()) return table_[static_cast<std::size_t>(ticks)];
    const double x = weight(ticks);
    return ticks > 0 ? x * std::log2(x) : 0;
  }

  std::size_t class_of(ClassCounts counts) const {
    if (has_wanted_class_) return static_cast<std::size_t>(options_.wanted_class);
    if (classes_ == 2) return counts.by_class[1] > counts.by_class[0];
    return static_cast<std::size_t>(std::max_element(counts.by_class, counts.by_class + classes_) - counts.by_class);
  }

  double compute_entropy(ClassCounts counts) const {
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) sum += xlogx(counts.by_class[c]);
    return std::max(0.0, (xlogx(counts.n) - sum) / weight(counts.n));
  }

  double compute_purity(ClassCounts counts) const {
    const std::int64_t p = counts.by_class[options_.wanted_class];
    const double bits = std::max(0.0, (xlogx(counts.n) - xlogx(p) - xlogx(counts.n - p)) / weight(counts.n));
    return 2 * p >= counts.n ? -bits : bits - 2;
  }

  double estimate_accuracy(std::int64_t right, std::int64_t n, std::size_t c) const {
    if (options_.quality == RuleQuality::laplace) return (weight(right) + 1) / (weight(n) + options_.k);
    return (weight(right) + options_.m * shares_[c]) / (weight(n) + options_.m);
  }

  const BeamOptions& options_;
  const std::size_t classes_;
  const bool has_wanted_class_;
  std::int64_t wanted_weight_ = 0, total_ = 0;  // of the remaining rows
  std::vector<double> shares_, logs_, table_;
};

}  // namespace hedgerow::beam

#include "linear/perceptron_winnow.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kRowsPerCheck = 1024;
constexpr std::size_t kPrefetchRows = 6;    // rows that are fetched ahead where they come in any order
constexpr std::size_t kJudgedRows = 20000;  // that a pass may judge for the pocket, or as many as there are
constexpr int kTabledExponents = 512;       // exponents of Winnow whose powers are kept
constexpr double kFarthest = 230;  // logarithm of the largest weight of Winnow, 1e100; its reciprocal is the least

// One pass of any rule. A rule can `evaluate` a row (are its functions right?), `update` by a share of the row it last
// looked at, tell whether its decision on a row `is_right`, `prefetch` a row that comes soon, and its coefficients are
// `parameters()`.
template <typename Rule>
class MistakePass {
 public:
  MistakePass(Rule& rule, const LabeledRows& labeled, std::span<double> pocket, MistakeProgress& progress,
              const InterruptCheck& pause)
      : rule_(rule), rows_shown_(labeled), pocket_(pocket), progress_(progress), pause_(pause) {}

  std::size_t run() {
    const std::size_t n = rows_shown_.order.empty() ? rows_shown_.label.size() : rows_shown_.order.size();
    std::size_t mistaken = 0;
    for (std::size_t at = 0; at < n; ++at) {
      if (at % kRowsPerCheck == 0 && pause_) pause_();
      const std::size_t row = rows_shown_.order.empty() ? at : static_cast<std::size_t>(rows_shown_.order[at]);
      if (!rows_shown_.order.empty() && at + kPrefetchRows < n)
        rule_.prefetch(static_cast<std::size_t>(rows_shown_.order[at + kPrefetchRows]));
      if (weight(row) == 0) continue;
      if (rule_.evaluate(row)) {
        count_correct(weight(row));
      } else {
        ++mistaken;
        if (check_pocket()) rule_.evaluate(row);
        learn_row(row);
      }
    }
    if (!pocket_.empty() && mistaken) count_mistakes();
    if (!pocket_.empty() && !mistaken) update_pocket(0);
    return mistaken;
  }

 private:
  double weight(std::size_t row) const { return rows_shown_.weight.empty() ? 1.0 : rows_shown_.weight[row]; }

  void count_correct(double weight) {
    progress_.correct_run += weight;
    progress_.weight_shown += weight;
  }

  void learn_row(std::size_t row) {
    progress_.correct_run = 0;
    double left = weight(row);
    for (int times = 0; left > 0; ++times) {
      if (times > 0 && rule_.evaluate(row)) {
        count_correct(left);
        return;
      }
      if (times == kMaxShown) {
        progress_.weight_shown += left;
        return;
      }
      if (times > 0 && check_pocket()) rule_.evaluate(row);
      const double share = std::min(left, 1.0);
      rule_.update(row, share, progress_.weight_shown);
      progress_.weight_shown += share;
      left -= share;
    }
  }

  // A run has ended; whether other rows were looked at.
  bool check_pocket() {
    if (pocket_.empty()) return false;
    const bool record = progress_.correct_run > progress_.longest_checked_run;
    if (judged_ >= (record ? std::max(kJudgedRows, rows_shown_.label.size()) : kJudgedRows)) return false;
    progress_.longest_checked_run = std::max(progress_.longest_checked_run, progress_.correct_run);
    count_mistakes();
    return true;
  }

  // Counts all mistakes, or as many as the pocket has.
  void count_mistakes() {
    double mistakes = 0;
    for (std::size_t row = 0; row < rows_shown_.label.size(); ++row, ++judged_) {
      if (row % kRowsPerCheck == 0 && pause_) pause_();
      if (rule_.is_right(row)) continue;
      mistakes += weight(row);
      if (progress_.pocket_mistakes >= 0 && mistakes >= progress_.pocket_mistakes) return;
    }
    update_pocket(mistakes);
  }

  void update_pocket(double mistakes) {
    if (progress_.pocket_mistakes >= 0 && mistakes >= progress_.pocket_mistakes) return;
    progress_.pocket_mistakes = mistakes;
    std::ranges::copy(rule_.parameters(), pocket_.begin());
  }

  Rule& rule_;
  const LabeledRows& rows_shown_;
  std::span<double> pocket_;
  MistakeProgress& progress_;
  const InterruptCheck& pause_;
  std::size_t judged_ = 0;  // rows that were judged for the pocket
};

std::size_t find_largest(std::span<const double> sums) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < sums.size(); ++c) {
    if (sums[c] > sums[best]) best = c;
  }
  return best;
}

template <typename Rows>
class PerceptronRule {
 public:
  PerceptronRule(const Rows& rows, const LabeledRows& labeled, std::span<double> coefficients, std::span<double> sums)
      : rows_(rows),
        rows_shown_(labeled),
        coefficients_(coefficients),
        sums_(sums),
        outputs_(labeled.classes == 2 ? 1 : labeled.classes) {}

  void prefetch(std::size_t row) const { rows_.prefetch(row); }

  bool is_right(std::size_t row) { return evaluate(row); }

  bool evaluate(std::size_t row) {
    rows_.evaluate(row, coefficients_, outputs_);
    best_ = outputs_.size() == 1 ? (outputs_[0] > 0 ? 0 : 1) : find_largest(outputs_);
    return best_ == static_cast<std::size_t>(rows_shown_.label[row]);
  }

  void update(std::size_t row, double share, double before) {
    const auto own = static_cast<std::size_t>(rows_shown_.label[row]);
    if (outputs_.size() == 1) {
      add_row(row, own == 0 ? share : -share, 0, before);
    } else {
      add_row(row, share, own, before);
      add_row(row, -share, best_, before);
    }
  }

  std::span<const double> parameters() const { return coefficients_; }

 private:
  void add_row(std::size_t row, double factor, std::size_t function, double before) {
    rows_.add_row(row, factor, function, outputs_.size(), coefficients_);
    if (!sums_.empty()) rows_.add_row(row, factor * before, function, outputs_.size(), sums_);
  }

  const Rows& rows_;
  const LabeledRows& rows_shown_;
  std::span<double> coefficients_, sums_;
  std::vector<double> outputs_;
  std::size_t best_ = 0;
};

HEDGEROW_AVX2_CLONES void add_feature_weights(std::span<const std::int32_t> ids, const double* weights,
                                              std::size_t functions, double* out) {
  for (const std::int32_t id : ids) {
    const double* own = weights + static_cast<std::size_t>(id) * functions;
    for (std::size_t c = 0; c < functions; ++c) out[c] += own[c];
  }
}

class WinnowUpdater {
 public:
  WinnowUpdater(const FeatureSets& rows, const LabeledRows& labeled, const WinnowOptions& rule,
                std::span<double> exponents, std::span<double> sums, std::span<double> last_changed)
      : rows_(rows),
        rows_shown_(labeled),
        rule_(rule),
        exponents_(exponents),
        sums_(sums),
        last_changed_(last_changed),
        weights_(exponents.size()),
        outputs_(labeled.classes == 2 ? 1 : labeled.classes),
        max_exponent_(std::floor(kFarthest / std::log(rule.alpha))) {
    for (int e = -kTabledExponents; e <= kTabledExponents; ++e)
      tabled_weights_.push_back(compute_winnow_weight(rule, e));
    for (std::size_t i = 0; i < exponents.size(); ++i) weights_[i] = compute_weight(exponents[i]);
  }

  void prefetch(std::size_t row) const {
    const auto ids = features_of_row(row);
    for (std::size_t i = 0; i < ids.size(); i += 16) __builtin_prefetch(ids.data() + i);
  }

  // Whether every function is right on its own class.
  bool evaluate(std::size_t row) {
    sum_weights(row);
    bool right = true;
    for (std::size_t c = 0; c < outputs_.size(); ++c) right &= (outputs_[c] > rule_.theta) == (get_label(row) == c);
    return right;
  }

  // Whether the largest sum is that of its class.
  bool is_right(std::size_t row) {
    sum_weights(row);
    return get_label(row) == (outputs_.size() == 1 ? (outputs_[0] > rule_.theta ? 0 : 1) : find_largest(outputs_));
  }

  void update(std::size_t row, double share, double before) {
    for (std::size_t c = 0; c < outputs_.size(); ++c) {
      const bool outputs = get_label(row) == c;
      if ((outputs_[c] > rule_.theta) == outputs) continue;
      for (const std::int32_t id : features_of_row(row)) {
        move_exponent(static_cast<std::size_t>(id) * outputs_.size() + c, outputs ? share : -share, before);
      }
    }
  }

  std::span<const double> parameters() const { return exponents_; }

 private:
  std::size_t get_label(std::size_t row) const { return static_cast<std::size_t>(rows_shown_.label[row]); }

  std::span<const std::int32_t> features_of_row(std::size_t row) const {
    const auto begin = static_cast<std::size_t>(rows_.starts[row]),
               end = static_cast<std::size_t>(rows_.starts[row + 1]);
    return rows_.ids.subspan(begin, end - begin);
  }

  void sum_weights(std::size_t row) {
    std::ranges::fill(outputs_, 0.0);
    add_feature_weights(features_of_row(row), weights_.data(), outputs_.size(), outputs_.data());
  }

  // A power that is looked up where the exponent is whole, as it is unless rows have fractions as weights.
  double compute_weight(double exponent) const {
    const bool whole = std::abs(exponent) <= kTabledExponents && exponent == std::trunc(exponent);
    return whole ? tabled_weights_[static_cast<std::size_t>(static_cast<int>(exponent) + kTabledExponents)]
                 : compute_winnow_weight(rule_, exponent);
  }

  void move_exponent(std::size_t at, double step, double before) {
    if (!sums_.empty()) {
      sums_[at] += weights_[at] * (before - last_changed_[at]);
      last_changed_[at] = before;
    }
    exponents_[at] = std::clamp(exponents_[at] + step, -max_exponent_, max_exponent_);
    weights_[at] = compute_weight(exponents_[at]);
  }

  const FeatureSets& rows_;
  const LabeledRows& rows_shown_;
  const WinnowOptions& rule_;
  std::span<double> exponents_, sums_, last_changed_;
  std::vector<double> weights_, outputs_, tabled_weights_;
  double max_exponent_;
};

template <typename Rows>
std::size_t run_pass(const Rows& rows, const LabeledRows& labeled, std::span<double> coefficients,
                     std::span<double> sums, std::span<double> pocket, MistakeProgress& progress,
                     const InterruptCheck& pause) {
  PerceptronRule<Rows> rule(rows, labeled, coefficients, sums);
  return MistakePass(rule, labeled, pocket, progress, pause).run();
}

}  // namespace

std::size_t run_perceptron_pass(const DenseDesignRows& rows, const LabeledRows& labeled, std::span<double> coefficients,
                                std::span<double> sums, std::span<double> pocket, MistakeProgress& progress,
                                const InterruptCheck& pause) {
  return run_pass(rows, labeled, coefficients, sums, pocket, progress, pause);
}

std::size_t run_perceptron_pass(const SparseDesignRows& rows, const LabeledRows& labeled,
                                std::span<double> coefficients, std::span<double> sums, std::span<double> pocket,
                                MistakeProgress& progress, const InterruptCheck& pause) {
  return run_pass(rows, labeled, coefficients, sums, pocket, progress, pause);
}

std::size_t run_winnow_pass(const FeatureSets& rows, const LabeledRows& labeled, const WinnowOptions& rule,
                            std::span<double> exponents, std::span<double> sums, std::span<double> last_changed,
                            std::span<double> pocket, MistakeProgress& progress, const InterruptCheck& pause) {
  WinnowUpdater updater(rows, labeled, rule, exponents, sums, last_changed);
  return MistakePass(updater, labeled, pocket, progress, pause).run();
}

double compute_winnow_weight(const WinnowOptions& rule, double exponent) {
  const double weight = rule.start * std::pow(rule.alpha, exponent);
  return rule.balanced ? weight - rule.start * std::pow(rule.alpha, -exponent) : weight;
}

}  // namespace hedgerow

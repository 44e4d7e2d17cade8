#include "linear/perceptron_winnow.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kPauseRows = 1024;
constexpr std::size_t kAhead = 6;           // rows that are fetched ahead where they come in any order
constexpr std::size_t kJudgedRows = 20000;  // that a pass may judge for the pocket, or as many as there are
constexpr int kWhole = 512;                 // exponents of Winnow whose powers are kept
constexpr double kFarthest = 230;  // logarithm of the largest weight of Winnow, 1e100; its reciprocal is the least

// One pass of any rule. A rule can `look` at a row (are its functions right?), `change` by a share of the row it last
// looked at, tell whether its decision on a row is `right`, `fetch` a row that comes soon, and its coefficients are
// `kept()`.
template <typename Rule>
class Pass {
 public:
  Pass(Rule& rule, const Shown& shown, std::span<double> pocket, Progress& progress, const InterruptCheck& pause)
      : rule_(rule), shown_(shown), pocket_(pocket), progress_(progress), pause_(pause) {}

  std::size_t run() {
    const std::size_t n = shown_.order.empty() ? shown_.label.size() : shown_.order.size();
    std::size_t mistaken = 0;
    for (std::size_t at = 0; at < n; ++at) {
      if (at % kPauseRows == 0 && pause_) pause_();
      const std::size_t row = shown_.order.empty() ? at : static_cast<std::size_t>(shown_.order[at]);
      if (!shown_.order.empty() && at + kAhead < n) rule_.fetch(static_cast<std::size_t>(shown_.order[at + kAhead]));
      if (weight(row) == 0) continue;
      if (rule_.look(row)) {
        pass_by(weight(row));
      } else {
        ++mistaken;
        if (look_into()) rule_.look(row);
        learn(row);
      }
    }
    if (!pocket_.empty() && mistaken) judge();
    if (!pocket_.empty() && !mistaken) keep(0);
    return mistaken;
  }

 private:
  double weight(std::size_t row) const { return shown_.weight.empty() ? 1.0 : shown_.weight[row]; }

  void pass_by(double weight) {
    progress_.run += weight;
    progress_.shown += weight;
  }

  void learn(std::size_t row) {
    progress_.run = 0;
    double left = weight(row);
    for (int times = 0; left > 0; ++times) {
      if (times > 0 && rule_.look(row)) {
        pass_by(left);
        return;
      }
      if (times == kMostShown) {
        progress_.shown += left;
        return;
      }
      if (times > 0 && look_into()) rule_.look(row);
      const double share = std::min(left, 1.0);
      rule_.change(row, share, progress_.shown);
      progress_.shown += share;
      left -= share;
    }
  }

  // A run has ended; whether other rows were looked at.
  bool look_into() {
    if (pocket_.empty()) return false;
    const bool record = progress_.run > progress_.longest;
    if (judged_ >= (record ? std::max(kJudgedRows, shown_.label.size()) : kJudgedRows)) return false;
    progress_.longest = std::max(progress_.longest, progress_.run);
    judge();
    return true;
  }

  // Counts all mistakes, or as many as the pocket has.
  void judge() {
    double wrong = 0;
    for (std::size_t row = 0; row < shown_.label.size(); ++row, ++judged_) {
      if (row % kPauseRows == 0 && pause_) pause_();
      if (rule_.right(row)) continue;
      wrong += weight(row);
      if (progress_.fewest >= 0 && wrong >= progress_.fewest) return;
    }
    keep(wrong);
  }

  void keep(double wrong) {
    if (progress_.fewest >= 0 && wrong >= progress_.fewest) return;
    progress_.fewest = wrong;
    std::ranges::copy(rule_.kept(), pocket_.begin());
  }

  Rule& rule_;
  const Shown& shown_;
  std::span<double> pocket_;
  Progress& progress_;
  const InterruptCheck& pause_;
  std::size_t judged_ = 0;  // rows that were judged for the pocket
};

std::size_t largest(std::span<const double> sums) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < sums.size(); ++c) {
    if (sums[c] > sums[best]) best = c;
  }
  return best;
}

template <typename Rows>
class Perceptron {
 public:
  Perceptron(const Rows& rows, const Shown& shown, std::span<double> coefficients, std::span<double> sums)
      : rows_(rows),
        shown_(shown),
        coefficients_(coefficients),
        sums_(sums),
        said_(shown.classes == 2 ? 1 : shown.classes) {}

  void fetch(std::size_t row) const { rows_.fetch(row); }

  bool right(std::size_t row) { return look(row); }

  bool look(std::size_t row) {
    rows_.sums(row, coefficients_, said_);
    best_ = said_.size() == 1 ? (said_[0] > 0 ? 0 : 1) : largest(said_);
    return best_ == static_cast<std::size_t>(shown_.label[row]);
  }

  void change(std::size_t row, double share, double before) {
    const auto own = static_cast<std::size_t>(shown_.label[row]);
    if (said_.size() == 1) {
      add(row, own == 0 ? share : -share, 0, before);
    } else {
      add(row, share, own, before);
      add(row, -share, best_, before);
    }
  }

  std::span<const double> kept() const { return coefficients_; }

 private:
  void add(std::size_t row, double factor, std::size_t function, double before) {
    rows_.add(row, factor, function, said_.size(), coefficients_);
    if (!sums_.empty()) rows_.add(row, factor * before, function, said_.size(), sums_);
  }

  const Rows& rows_;
  const Shown& shown_;
  std::span<double> coefficients_, sums_;
  std::vector<double> said_;
  std::size_t best_ = 0;
};

HEDGEROW_AVX2_CLONES void add_places(std::span<const std::int32_t> ids, const double* weights, std::size_t functions,
                                     double* out) {
  for (const std::int32_t id : ids) {
    const double* own = weights + static_cast<std::size_t>(id) * functions;
    for (std::size_t c = 0; c < functions; ++c) out[c] += own[c];
  }
}

class Winnow {
 public:
  Winnow(const PlaceRows& rows, const Shown& shown, const WinnowRule& rule, std::span<double> exponents,
         std::span<double> sums, std::span<double> since)
      : rows_(rows),
        shown_(shown),
        rule_(rule),
        exponents_(exponents),
        sums_(sums),
        since_(since),
        weights_(exponents.size()),
        said_(shown.classes == 2 ? 1 : shown.classes),
        farthest_(std::floor(kFarthest / std::log(rule.alpha))) {
    for (int e = -kWhole; e <= kWhole; ++e) whole_.push_back(winnow_weight(rule, e));
    for (std::size_t i = 0; i < exponents.size(); ++i) weights_[i] = weight(exponents[i]);
  }

  void fetch(std::size_t row) const {
    const auto ids = places(row);
    for (std::size_t i = 0; i < ids.size(); i += 16) __builtin_prefetch(ids.data() + i);
  }

  // Whether every function is right on its own class.
  bool look(std::size_t row) {
    sum(row);
    bool right = true;
    for (std::size_t c = 0; c < said_.size(); ++c) right &= (said_[c] > rule_.theta) == (own(row) == c);
    return right;
  }

  // Whether the largest sum is that of its class.
  bool right(std::size_t row) {
    sum(row);
    return own(row) == (said_.size() == 1 ? (said_[0] > rule_.theta ? 0 : 1) : largest(said_));
  }

  void change(std::size_t row, double share, double before) {
    for (std::size_t c = 0; c < said_.size(); ++c) {
      const bool its = own(row) == c;
      if ((said_[c] > rule_.theta) == its) continue;
      for (const std::int32_t id : places(row)) {
        move(static_cast<std::size_t>(id) * said_.size() + c, its ? share : -share, before);
      }
    }
  }

  std::span<const double> kept() const { return exponents_; }

 private:
  std::size_t own(std::size_t row) const { return static_cast<std::size_t>(shown_.label[row]); }

  std::span<const std::int32_t> places(std::size_t row) const {
    const auto begin = static_cast<std::size_t>(rows_.starts[row]),
               end = static_cast<std::size_t>(rows_.starts[row + 1]);
    return rows_.ids.subspan(begin, end - begin);
  }

  void sum(std::size_t row) {
    std::ranges::fill(said_, 0.0);
    add_places(places(row), weights_.data(), said_.size(), said_.data());
  }

  // A power that is looked up where the exponent is whole, as it is unless rows have fractions as weights.
  double weight(double exponent) const {
    const bool whole = std::abs(exponent) <= kWhole && exponent == std::trunc(exponent);
    return whole ? whole_[static_cast<std::size_t>(static_cast<int>(exponent) + kWhole)]
                 : winnow_weight(rule_, exponent);
  }

  void move(std::size_t at, double step, double before) {
    if (!sums_.empty()) {
      sums_[at] += weights_[at] * (before - since_[at]);
      since_[at] = before;
    }
    exponents_[at] = std::clamp(exponents_[at] + step, -farthest_, farthest_);
    weights_[at] = weight(exponents_[at]);
  }

  const PlaceRows& rows_;
  const Shown& shown_;
  const WinnowRule& rule_;
  std::span<double> exponents_, sums_, since_;
  std::vector<double> weights_, said_, whole_;
  double farthest_;
};

template <typename Rows>
std::size_t perceptron(const Rows& rows, const Shown& shown, std::span<double> coefficients, std::span<double> sums,
                       std::span<double> pocket, Progress& progress, const InterruptCheck& pause) {
  Perceptron<Rows> rule(rows, shown, coefficients, sums);
  return Pass(rule, shown, pocket, progress, pause).run();
}

}  // namespace

std::size_t perceptron_pass(const DenseRows& rows, const Shown& shown, std::span<double> coefficients,
                            std::span<double> sums, std::span<double> pocket, Progress& progress,
                            const InterruptCheck& pause) {
  return perceptron(rows, shown, coefficients, sums, pocket, progress, pause);
}

std::size_t perceptron_pass(const SparseRows& rows, const Shown& shown, std::span<double> coefficients,
                            std::span<double> sums, std::span<double> pocket, Progress& progress,
                            const InterruptCheck& pause) {
  return perceptron(rows, shown, coefficients, sums, pocket, progress, pause);
}

std::size_t winnow_pass(const PlaceRows& rows, const Shown& shown, const WinnowRule& rule, std::span<double> exponents,
                        std::span<double> sums, std::span<double> since, std::span<double> pocket, Progress& progress,
                        const InterruptCheck& pause) {
  Winnow learned(rows, shown, rule, exponents, sums, since);
  return Pass(learned, shown, pocket, progress, pause).run();
}

double winnow_weight(const WinnowRule& rule, double exponent) {
  const double weight = rule.start * std::pow(rule.alpha, exponent);
  return rule.balanced ? weight - rule.start * std::pow(rule.alpha, -exponent) : weight;
}

}  // namespace hedgerow

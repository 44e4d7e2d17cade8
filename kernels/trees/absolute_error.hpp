// Growing trees of numbers by absolute error: a leaf predicts the weighted median of its cases, and its impurity is
// their mean absolute deviation from it.
//
// Medians do not add up as sums do, so splits are searched in the cases themselves and not in histograms. A Fenwick
// tree over the values of a node gives the deviations of a growing set of cases in O(log m) a step; a column costs O(m
// log m).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "trees/splits.hpp"

namespace hedgerow::trees {

struct AbsoluteCase {
  double weight;
  double value;
  std::uint32_t rank;  // of the value among the different values of its node
};

// A tally is the weight, the median, and the mean absolute deviation from it. Adding a case adds its weight only: the
// rest is set by `compute_median_tally` once all cases are known.
struct AbsoluteTarget {
  using Count = double;
  using Case = AbsoluteCase;
  static constexpr bool classes = false, additive = false;

  static void add(double* tally, const Case& one) { tally[0] += one.weight; }
  static double weight(const double* tally, std::size_t) { return tally[0]; }
  static double purity(const double* tally, std::size_t) { return -tally[0] * tally[2]; }

  // Puts the cases of a node in order by value, equals as they come, and gives each its place.
  static void sort_cases(Case* cases, std::size_t m, std::vector<std::uint32_t>& order) {
    order.resize(m);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cases[a].value < cases[b].value; });
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < m; ++i) {
      if (i > 0 && cases[order[i]].value != cases[order[i - 1]].value) ++rank;
      cases[order[i]].rank = rank;
    }
  }

  // Sets the median and the deviation of some of the cases in `order`; `weight` gives what each brings, 0 for nothing.
  // Where the halves are equal the median is the middle of two values.
  template <class Weight>
  static void compute_median_tally(const Case* cases, std::span<const std::uint32_t> order, const Weight& weight,
                                   double* tally) {
    double total = 0, upto = 0, median = 0, away = 0;
    for (const std::uint32_t i : order) total += weight(i);
    if (!(total > 0)) return;
    const double half = total / 2, slack = 1e-12 * half;
    bool found = false;
    for (const std::uint32_t i : order) {
      const double brought = weight(i);
      if (!(brought > 0)) continue;
      if (found) {
        median += (cases[i].value - median) / 2;
        break;
      }
      upto += brought;
      if (upto < half - slack) continue;
      median = cases[i].value;
      found = true;
      if (std::abs(upto - half) > slack) break;
    }
    for (const std::uint32_t i : order) {
      const double brought = weight(i);
      if (brought > 0) away += brought * std::abs(cases[i].value - median);
    }
    tally[1] = median;
    tally[2] = away / total;
  }

  std::size_t width = 3;
  double center = 0;  // the median of all rows
};

// The sum of absolute deviations of a growing set of cases from its median.
class AbsoluteDeviations {
 public:
  // Begins with the cases of a node; values are taken from near their center, so that sums lose little.
  void begin(const AbsoluteCase* cases, std::size_t m, double center) {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < m; ++i) last = std::max(last, cases[i].rank);
    values_.resize(last + 1);
    for (std::size_t i = 0; i < m; ++i) values_[cases[i].rank] = cases[i].value - center;
    size_ = std::bit_ceil(values_.size());
  }

  void clear() {
    cells_.assign(size_ + 1, {});
    total_ = {};
  }

  void add(const AbsoluteCase& one) {
    const double sum = one.weight * values_[one.rank];
    for (std::size_t at = one.rank + 1; at <= size_; at += at & (~at + 1)) {
      cells_[at].weight += one.weight;
      cells_[at].sum += sum;
    }
    total_.weight += one.weight;
    total_.sum += sum;
  }

  double weight() const { return total_.weight; }

  double sum() const {
    const double half = total_.weight / 2;
    FenwickCell below;
    std::size_t at = 0;
    for (std::size_t step = size_ / 2; step > 0; step /= 2) {
      const FenwickCell& cell = cells_[at + step];
      if (below.weight + cell.weight >= half) continue;
      at += step;
      below.weight += cell.weight;
      below.sum += cell.sum;
    }
    const double median = values_[std::min(at, values_.size() - 1)];
    return std::max(0.0, median * (2 * below.weight - total_.weight) + total_.sum - 2 * below.sum);
  }

 private:
  struct FenwickCell {
    double weight = 0, sum = 0;
  };
  std::vector<double> values_;      // by place
  std::vector<FenwickCell> cells_;  // a Fenwick tree over the places
  FenwickCell total_;
  std::size_t size_ = 0;  // a power of two
};

// Finds binary splits by absolute error.
template <>
class Splitter<AbsoluteTarget> {
 public:
  using Case = AbsoluteCase;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  Splitter(const AbsoluteTarget& target, const GrowOptions& options, double) : target_(target), options_(options) {}

  // Begins with a node of `m` cases and a column whose known cases are `items`.
  void begin(std::span<const RankedCase> items, const Case* cases, std::size_t m, const double* tally) {
    items_ = items;
    cases_ = cases;
    tally_ = tally;
    deviations_.begin(cases, m, tally[1]);
    missing_cases_.clear();
    if (items.size() == m) return;
    known_.assign(m, 0);
    for (const RankedCase item : items) known_[item.case_index] = 1;
    for (std::uint32_t i = 0; i < m; ++i) {
      if (!known_[i]) missing_cases_.push_back(i);
    }
  }

  // The best cut of a numeric column, whose items are ascending; `last` becomes how many are on the left.
  void split_numeric(ColumnSplit& split) {
    split.clear();
    ends_.clear();
    sorted_cases_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i > 0 && items_[i].rank != items_[i - 1].rank) ends_.push_back(i);
      sorted_cases_.push_back(items_[i].case_index);
    }
    const std::size_t best = search_cuts(split);
    if (split.valid) split.last = static_cast<std::uint32_t>(ends_[best]);
  }

  // The best two groups of levels in order by their means; items are in order by level.
  void split_binary(ColumnSplit& split) {
    split.clear();
    order_levels();
    ends_.clear();
    sorted_cases_.clear();
    for (const std::uint32_t level : order_) {
      if (!sorted_cases_.empty()) ends_.push_back(sorted_cases_.size());
      for (std::size_t i = starts_[level]; i < starts_[level + 1]; ++i) sorted_cases_.push_back(items_[i].case_index);
    }
    const std::size_t best = search_cuts(split);
    if (!split.valid) return;
    in_first_group_.assign(codes_.size(), 0);
    for (std::size_t i = 0; i <= best; ++i) in_first_group_[order_[i]] = 1;
    assign_children<double>(codes_, weights_, in_first_group_, split);
  }

 private:
  void order_levels() {
    codes_.clear();
    starts_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i > 0 && items_[i].rank == items_[i - 1].rank) continue;
      codes_.push_back(items_[i].rank);
      starts_.push_back(i);
    }
    starts_.push_back(items_.size());
    weights_.clear();
    means_.clear();
    for (std::size_t level = 0; level < codes_.size(); ++level) {
      double weight = 0, sum = 0;
      for (std::size_t i = starts_[level]; i < starts_[level + 1]; ++i) {
        const Case& one = cases_[items_[i].case_index];
        weight += one.weight;
        sum += one.weight * (one.value - target_.center);
      }
      weights_.push_back(weight);
      means_.push_back(make_mean_key(sum / weight, options_.scale));
    }
    order_.resize(codes_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return means_[a] < means_[b]; });
  }

  // Tries all cuts of the line, which are before the positions `ends_`; returns the number of the best end.
  std::size_t search_cuts(ColumnSplit& split) {
    std::size_t best = 0;
    if (ends_.empty()) return best;
    const std::size_t n = ends_.size();
    const bool located = options_.missing_policy == MissingPolicy::direction && !missing_cases_.empty();
    double found = -std::numeric_limits<double>::infinity(), base = 0, known = 0;
    for (std::int32_t side = 0; side < (located ? 2 : 1); ++side) {
      low_.resize(n);
      high_.resize(n);
      scan_side(located && side == 0, false, low_);
      if (side == 0) {
        base = located ? -AbsoluteTarget::purity(tally_, 3) : deviations_.sum();
        known = deviations_.weight() - (located ? sum_missing_weight() : 0.0);
      }
      scan_side(located && side == 1, true, high_);
      const double margin = kTie * known * options_.scale;
      const double minimum = std::max(options_.min_leaf, 1e-300) - kTie;
      for (std::size_t i = 0; i < n; ++i) {
        const SideDeviation &left = low_[i], &right = high_[i];
        if (left.weight < minimum || right.weight < minimum) continue;
        const double purity = -(left.deviations + right.deviations);
        if (!(purity > found + margin)) continue;
        found = purity;
        best = i;
        if (located) split.missing = side;
      }
    }
    if (std::isinf(found)) return best;
    split.gain = (found + base) / tally_[0];
    split.valid = split.gain > gain_tolerance(options_);
    return best;
  }

  struct SideDeviation {
    double weight = 0, deviations = 0;
  };

  double sum_missing_weight() const {
    double weight = 0;
    for (const std::uint32_t i : missing_cases_) weight += cases_[i].weight;
    return weight;
  }

  // Takes in case after case, from the left or from the right end of the line, and notes what that side has at each
  // cut.
  void scan_side(bool with_missing, bool backward, std::vector<SideDeviation>& sides) {
    deviations_.clear();
    if (with_missing) {
      for (const std::uint32_t i : missing_cases_) deviations_.add(cases_[i]);
    }
    const std::size_t n = sorted_cases_.size(), cuts = ends_.size();
    std::size_t taken = 0;
    for (std::size_t number = 0; number < cuts; ++number) {
      const std::size_t cut = backward ? cuts - 1 - number : number;
      const std::size_t upto = backward ? n - ends_[cut] : ends_[cut];
      for (; taken < upto; ++taken) deviations_.add(cases_[sorted_cases_[backward ? n - 1 - taken : taken]]);
      sides[cut] = {deviations_.weight(), deviations_.sum()};
    }
    for (; taken < n; ++taken) deviations_.add(cases_[sorted_cases_[backward ? n - 1 - taken : taken]]);
  }

  const AbsoluteTarget& target_;
  const GrowOptions& options_;
  std::span<const RankedCase> items_;
  const Case* cases_ = nullptr;
  const double* tally_ = nullptr;
  AbsoluteDeviations deviations_;
  std::vector<std::uint32_t> missing_cases_, sorted_cases_, codes_, order_;
  std::vector<std::size_t> ends_, starts_;
  std::vector<double> weights_, means_;
  std::vector<std::uint8_t> known_, in_first_group_;
  std::vector<SideDeviation> low_, high_;
};

}  // namespace hedgerow::trees

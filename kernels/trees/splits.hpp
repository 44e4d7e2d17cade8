// The best split of one column at one node.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "trees/grow.hpp"
#include "trees/impurity.hpp"
#include "trees/level_maps.hpp"
#include "trees/sorted_cut.hpp"
#include "trees/value_groups.hpp"

namespace hedgerow::trees {

constexpr std::size_t kMaxExactLevels = 10;  // levels of which all subsets are tried
constexpr std::size_t kMaxGroups = 255;

// The mean of a level as what levels are put in order by: means that differ by rounding only are equal. `away` is the
// distance from the center of all rows, `spread` the size of such distances.
inline double make_mean_key(double away, double spread) {
  return spread > 0 ? std::nearbyint(away / (kTie * spread)) : 0;
}

// What a split must gain more than.
inline double gain_tolerance(const GrowOptions& options) { return kTie * options.scale; }

// The middle of two neighbors, below the upper one.
inline double choose_midpoint(double low, double high) {
  const double between = low + (high - low) / 2;
  return between < high ? between : low;
}

struct ColumnSplit {
  bool valid = false;
  double gain = 0;  // impurity decrease a unit of weight, penalties paid
  double info = 0;  // entropy of the branches, missing values being one more; two branches: only where ratios choose
  double low = 0, high = 0;                 // numeric: the neighbors of the cut,
  std::uint32_t low_row = 0, high_row = 0;  // or, if cases were looked at one by one, rows that have them
  std::uint32_t last = 0, next = 0;  // numeric: rank or code of the last value on the left, the first on the right
  std::vector<LevelChild> listed;    // nominal: levels of the node and their children, in any order,
  std::int32_t rest = kNoChild;      // and the child of all others; `kNoChild`: there is one child per level
  std::int32_t children = 2;
  std::int32_t missing = kNoChild;

  double ratio() const { return info > 0 ? gain / info : 0; }
  void clear() {
    valid = false;
    gain = info = low = high = 0;
    listed.clear();
    rest = kNoChild;
    children = 2;
    missing = kNoChild;
  }
};

// Turns two groups of the levels that occur (`in_first_group` marks the first) into the children of a split. Child 0 is
// the group with fewer levels, of equals that with the first; levels not seen join the heavier one.
template <class Count>
void assign_children(std::span<const std::uint32_t> codes, std::span<const Count> weights,
                     std::vector<std::uint8_t>& in_first_group, ColumnSplit& split) {
  const auto in_first = static_cast<std::size_t>(std::count(in_first_group.begin(), in_first_group.end(), 1));
  if (2 * in_first > in_first_group.size() || (2 * in_first == in_first_group.size() && !in_first_group[0])) {
    for (auto& one : in_first_group) one = 1 - one;
    if (split.missing != kNoChild) split.missing = 1 - split.missing;
  }
  double weight[2] = {0, 0};
  for (std::size_t i = 0; i < in_first_group.size(); ++i)
    weight[in_first_group[i] ? 0 : 1] += static_cast<double>(weights[i]);
  split.rest = weight[1] > weight[0] + kTie ? 1 : 0;
  for (std::size_t i = 0; i < in_first_group.size(); ++i) {
    const std::int32_t child = in_first_group[i] ? 0 : 1;
    if (child != split.rest) split.listed.push_back({static_cast<std::int32_t>(codes[i]), child});
  }
}

// A coded column counted at a node: only the codes that occur, ascending.
template <class Count>
struct CodeBins {
  std::vector<std::uint32_t> codes;
  std::vector<Count> weights;  // by code
  std::vector<Count> tallies;  // [(code, width)]
  std::vector<Count> known, missing;

  void clear(std::size_t width) {
    codes.clear();
    weights.clear();
    tallies.clear();
    known.assign(width, 0);
    missing.assign(width, 0);
  }

  // Takes the codes that occur from the counts of all, where those of missing values come last.
  template <class Target>
  void compact(const Count* counts, std::size_t n_bins, std::size_t width) {
    codes.resize(n_bins);
    weights.resize(n_bins);
    tallies.resize(n_bins * width);
    known.assign(width, 0);
    std::size_t n = 0;
    for (std::size_t code = 0; code < n_bins; ++code) {
      const Count* tally = counts + code * width;
      const Count weight = Target::weight(tally, width);
      if (!(weight > 0)) continue;
      codes[n] = static_cast<std::uint32_t>(code);
      weights[n] = weight;
      for (std::size_t c = 0; c < width; ++c) {
        tallies[n * width + c] = tally[c];
        known[c] += tally[c];
      }
      ++n;
    }
    codes.resize(n);
    weights.resize(n);
    tallies.resize(n * width);
    missing.assign(counts + n_bins * width, counts + (n_bins + 1) * width);
  }
};

// Finds splits at one node after the other; it keeps its buffers.
template <class Target>
class Splitter {
 public:
  using Count = typename Target::Count;

  Splitter(const Target& target, const GrowOptions& options, double n_classes)
      : target_(target), options_(options), n_classes_(n_classes), scan_cuts_(target) {}

  // Begins with a node whose counted tallies have this width: they may leave out classes that do not occur.
  void begin(std::size_t width) { width_ = width; }

  // Begins with a node of these cases. `one_of_two_classes` is one of the only two classes, if there are no more.
  void begin(std::size_t width, const typename Target::Case* cases, const Count* all,
             std::uint32_t one_of_two_classes) {
    width_ = width;
    cases_ = cases;
    node_tally_ = all;
    one_of_two_classes_ = one_of_two_classes;
    known_.assign(all, all + target_.width);
    missing_.assign(target_.width, 0);
    empty_left_.assign(target_.width, 0);
    initial_search_ = start_search(target_.width);
  }

  // The best cut of a numeric column whose known cases are listed in ascending order.
  void split_numeric(std::span<const RankedCase> items, bool has_missing, ColumnSplit& split) {
    split.clear();
    if (!has_missing) {
      CutSearch search = initial_search_;
      scan_cuts_(items, cases_, empty_left_.data(), node_tally_, 0, one_of_two_classes_, kNoChild, search);
      finish_split(search, split);
      return;
    }
    const std::size_t full = target_.width;
    known_.assign(full, 0);
    missing_.assign(full, 0);
    for (const RankedCase item : items) target_.add(known_.data(), cases_[item.case_index]);
    for (std::size_t c = 0; c < full; ++c) {
      missing_[c] = !Target::classes || node_tally_[c] > known_[c] ? node_tally_[c] - known_[c] : 0;
    }
    CutSearch search = start_search(full);
    try_missing_sides(full, [&](const std::vector<Count>& left, const std::vector<Count>& right, std::int32_t side) {
      const Count beyond = side == 1 ? Target::weight(missing_.data(), full) : 0;
      scan_cuts_(items, cases_, left.data(), right.data(), beyond, one_of_two_classes_, side, search);
    });
    finish_split(search, split);
  }

  // The best split of a column that was counted: of its values, or of so many levels in the branches asked for.
  void split_counted(const CodeBins<Count>& bins, bool nominal, std::int32_t levels, std::span<const double> values,
                     ColumnSplit& split) {
    if (!nominal) {
      split_numeric(bins, split);
      if (split.valid) {
        split.low = values[split.last];
        split.high = values[split.next];
      }
    } else if (options_.branching == Branching::multiway) {
      split_multiway(bins, levels, split);
    } else if (options_.branching == Branching::groups) {
      split_into_groups(bins, split);
    } else {
      split_binary(bins, split);
    }
  }

  // The best cut of a numeric column that was counted.
  void split_numeric(const CodeBins<Count>& bins, ColumnSplit& split) {
    split.clear();
    if (!load_bins(bins)) return;
    CutSearch search = start_search(width_);
    order_.resize(bins.codes.size());
    std::iota(order_.begin(), order_.end(), 0u);
    try_missing_sides(width_, [&](const std::vector<Count>& left, const std::vector<Count>& right, std::int32_t side) {
      try_prefixes(bins, order_, left, right, search, side);
    });
    finish_split(search, split);
    if (split.valid) {
      split.last = bins.codes[search.position - 1];
      split.next = bins.codes[search.position];
    }
  }

  // One branch a level.
  void split_multiway(const CodeBins<Count>& bins, std::int32_t levels, ColumnSplit& split) {
    split.clear();
    if (!load_bins(bins)) return;
    std::size_t valid_branches = 0;
    double purity_after = 0;
    for (std::size_t i = 0; i < bins.codes.size(); ++i) {
      valid_branches += static_cast<double>(bins.weights[i]) >= min_branch();
      purity_after += target_.purity(&bins.tallies[i * width_], width_);
    }
    if (valid_branches < 2) return;
    split.gain = compute_gain(purity_after);
    split.info = compute_split_info(bins.weights);
    split.valid = true;  // even without a gain: it counts in the average
    split.children = levels;
  }

  // C4.5's value groups: merge the two groups that give the best gain ratio as long as it does not fall.
  void split_into_groups(const CodeBins<Count>& bins, ColumnSplit& split) {
    split.clear();
    if (!load_bins(bins)) return;
    const std::size_t present = bins.codes.size();
    std::vector<std::int32_t> group(present);
    std::iota(group.begin(), group.end(), 0);
    std::vector<std::vector<Count>> tallies;
    for (std::size_t i = 0; i < present; ++i) {
      tallies.emplace_back(bins.tallies.begin() + static_cast<std::ptrdiff_t>(i * width_),
                           bins.tallies.begin() + static_cast<std::ptrdiff_t>((i + 1) * width_));
    }
    if (present > kMaxGroups) fold_lightest_levels(bins, group, tallies);
    merge_groups(group, tallies);
    std::vector<Count> weights;
    double purity_after = 0;
    std::size_t valid_branches = 0, heaviest = 0;
    for (const auto& tally : tallies) {
      weights.push_back(Target::weight(tally.data(), width_));
      purity_after += target_.purity(tally.data(), width_);
      valid_branches += static_cast<double>(weights.back()) >= min_branch();
      if (static_cast<double>(weights.back()) > static_cast<double>(weights[heaviest]) + kTie)
        heaviest = weights.size() - 1;
    }
    if (valid_branches < 2) return;
    split.gain = compute_gain(purity_after);
    split.info = compute_split_info(weights);
    split.valid = true;
    split.children = static_cast<std::int32_t>(tallies.size());
    split.rest = static_cast<std::int32_t>(heaviest);
    for (std::size_t i = 0; i < present; ++i) {
      if (group[i] != split.rest) split.listed.push_back({static_cast<std::int32_t>(bins.codes[i]), group[i]});
    }
  }

  // Two groups of levels.
  void split_binary(const CodeBins<Count>& bins, ColumnSplit& split) {
    split.clear();
    if (!load_bins(bins)) return;
    const std::size_t present = bins.codes.size();
    CutSearch search = start_search(width_);
    classes_.clear();  // those known here; two of them are in order by the share of one
    for (std::size_t c = 0; Target::classes && c < width_; ++c) {
      if (known_[c] > 0) classes_.push_back(c);
    }
    if (classes_.size() < 3) classes_.resize(1);
    std::uint32_t best_mask = 0;
    try_missing_sides(width_, [&](const std::vector<Count>& left, const std::vector<Count>& right, std::int32_t side) {
      if (classes_.size() > 1 && present <= kMaxExactLevels) {
        for (std::uint32_t mask = 1; mask < (1u << (present - 1)); ++mask) {
          if (try_subset(bins, mask, left, right, search, side)) best_mask = mask;
        }
        return;
      }
      for (const std::size_t by : classes_) {
        order_codes(bins, by);
        if (try_prefixes(bins, order_, left, right, search, side)) best_order_ = order_;
      }
    });
    finish_split(search, split);
    if (!split.valid) return;
    in_first_group_.assign(present, 0);
    for (std::size_t i = 0; i < present; ++i) {
      if (best_mask) in_first_group_[i] = best_mask >> i & 1u;
      if (!best_mask && i < search.position) in_first_group_[best_order_[i]] = 1;
    }
    assign_children<Count>(bins.codes, bins.weights, in_first_group_, split);
  }

  // What a search for the cuts of a column begins with if no value is missing, and the split that it ends with.
  const CutSearch& initial_search() const { return initial_search_; }
  void finish_split(const CutSearch& search, ColumnSplit& split) const {
    if (search.position == 0) return;
    split.gain = (search.best - search.base) / search.total;
    split.missing = search.missing;
    if (options_.gain_ratio) {
      const double missing_part = search.total - search.left - search.right;  // none if the missing cases took a side
      split.info = split_info_term(search.left, search.total) + split_info_term(search.right, search.total) +
                   split_info_term(missing_part, search.total);
    }
    split.last = static_cast<std::uint32_t>(search.position);
    if (options_.numeric_penalty && search.candidates > 0) {
      split.gain -= fast_log2(static_cast<double>(search.candidates)) / search.total;
    }
    split.valid = split.gain > gain_tolerance(options_);
  }

 private:
  // Looks at a counted column; there must be two codes to split.
  bool load_bins(const CodeBins<Count>& bins) {
    if (bins.codes.size() < 2) return false;
    known_ = bins.known;
    missing_ = bins.missing;
    return true;
  }

  double min_branch() const { return std::max(options_.min_leaf, 1e-300) - kTie; }

  CutSearch start_search(std::size_t width) {
    CutSearch search;
    const auto known = static_cast<double>(Target::weight(known_.data(), width));
    const auto missing_part = static_cast<double>(Target::weight(missing_.data(), width));
    search.total = known + missing_part;
    search.margin = kTie * known * options_.scale;
    search.penalty = options_.numeric_penalty;
    search.min_weight = options_.min_leaf;
    if (options_.wide_margin) {
      search.min_weight = std::clamp(0.1 * known / n_classes_, options_.min_leaf, std::max(25.0, options_.min_leaf));
    }
    search.min_weight = std::max(search.min_weight, 1e-300) - kTie;
    if (options_.missing_policy == MissingPolicy::direction && missing_part > 0) {
      all_ = known_;
      for (std::size_t c = 0; c < width; ++c) all_[c] += missing_[c];
      search.base = target_.purity(all_.data(), width);
    } else {
      search.base = target_.purity(known_.data(), width);
    }
    return search;
  }

  // Tries the missing cases on the left and then on the right if they are to take a direction, else leaves them out.
  template <class From>
  void try_missing_sides(std::size_t width, const From& from) {
    zero_.assign(width, 0);
    if (options_.missing_policy != MissingPolicy::direction || !(Target::weight(missing_.data(), width) > 0)) {
      from(zero_, known_, kNoChild);
      return;
    }
    from(missing_, known_, 0);
    from(zero_, all_, 1);
  }

  // Tries the cuts between the codes of an order; tells whether one was better than the best so far.
  bool try_prefixes(const CodeBins<Count>& bins, std::span<const std::uint32_t> order, const std::vector<Count>& left,
                    const std::vector<Count>& right, CutSearch& search, std::int32_t side) {
    bool found = false;
    std::size_t candidates = 0;
    left_ = left;
    right_ = right;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      move_to_left(&bins.tallies[order[i] * width_]);
      const auto nl = Target::weight(left_.data(), width_), nr = Target::weight(right_.data(), width_);
      if (static_cast<double>(nl) < search.min_weight || static_cast<double>(nr) < search.min_weight) continue;
      ++candidates;
      const double purity = target_.purity(left_.data(), width_) + target_.purity(right_.data(), width_);
      if (purity > search.best + search.margin) {
        search.record(purity, i + 1, side, static_cast<double>(nl), static_cast<double>(nr));
        found = true;
      }
    }
    search.candidates = std::max(search.candidates, candidates);
    return found;
  }

  bool try_subset(const CodeBins<Count>& bins, std::uint32_t mask, const std::vector<Count>& left,
                  const std::vector<Count>& right, CutSearch& search, std::int32_t side) {
    left_ = left;
    right_ = right;
    for (std::size_t i = 0; i < bins.codes.size(); ++i) {
      if (mask >> i & 1u) move_to_left(&bins.tallies[i * width_]);
    }
    const auto nl = Target::weight(left_.data(), width_), nr = Target::weight(right_.data(), width_);
    if (static_cast<double>(nl) < search.min_weight || static_cast<double>(nr) < search.min_weight) return false;
    search.candidates = 1;
    const double purity = target_.purity(left_.data(), width_) + target_.purity(right_.data(), width_);
    if (purity <= search.best + search.margin) return false;
    search.record(purity, mask, side, static_cast<double>(nl), static_cast<double>(nr));
    return true;
  }

  void move_to_left(const Count* tally) {
    for (std::size_t c = 0; c < width_; ++c) {
      left_[c] += tally[c];
      right_[c] = !Target::classes || right_[c] > tally[c] ? right_[c] - tally[c] : 0;
    }
  }

  double known_weight() const { return static_cast<double>(Target::weight(known_.data(), width_)); }
  double missing_weight() const { return static_cast<double>(Target::weight(missing_.data(), width_)); }

  double compute_gain(double purity_after) const {
    return (purity_after - target_.purity(known_.data(), width_)) / (known_weight() + missing_weight());
  }

  // The entropy of the branches: where there are terms of weights, (T log T - sum of w log w) / T.
  double compute_split_info(const std::vector<Count>& branches) const {
    const double missing_part = missing_weight(), total = known_weight() + missing_part;
    if constexpr (Target::separable) {
      const Count missing = Target::weight(missing_.data(), width_),
                  all = Target::weight(known_.data(), width_) + missing;
      typename Target::Sum sum = target_.term(all) - target_.term(missing);
      for (const Count weight : branches) sum -= target_.term(weight);
      return std::max(target_.purity_of(sum), 0.0) / total;
    }
    double bits = split_info_term(missing_part, total);
    for (const Count weight : branches) bits += split_info_term(static_cast<double>(weight), total);
    return bits;
  }

  // What a branch adds to the split information.
  static double split_info_term(double weight, double total) {
    return weight > 1e-12 * total ? -weight / total * fast_log2(weight / total) : 0.0;
  }

  // Puts codes in order by the share of a class, or by the mean of a number; equals in their own order.
  void order_codes(const CodeBins<Count>& bins, std::size_t by) {
    const std::size_t column = Target::classes ? by : 1;
    keys_.resize(bins.codes.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      keys_[i] = static_cast<double>(bins.tallies[i * width_ + column]) / static_cast<double>(bins.weights[i]);
      if (!Target::classes) keys_[i] = make_mean_key(keys_[i], std::sqrt(options_.scale));
    }
    order_.resize(keys_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(),
              [&](auto a, auto b) { return keys_[a] < keys_[b] || (keys_[a] == keys_[b] && a < b); });
  }

  // Beyond `kMaxGroups` levels the lightest begin as one group.
  void fold_lightest_levels(const CodeBins<Count>& bins, std::vector<std::int32_t>& group,
                            std::vector<std::vector<Count>>& tallies) {
    std::vector<std::uint32_t> order(group.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return bins.weights[a] > bins.weights[b]; });
    std::sort(order.begin(), order.begin() + kMaxGroups - 1);
    std::sort(order.begin() + kMaxGroups - 1, order.end());
    std::vector<std::vector<Count>> kept(kMaxGroups, std::vector<Count>(width_, 0));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t into = std::min(i, kMaxGroups - 1);
      group[order[i]] = static_cast<std::int32_t>(into);
      for (std::size_t c = 0; c < width_; ++c) kept[into][c] += tallies[order[i]][c];
    }
    tallies = std::move(kept);
  }

  // With purities P and split terms T added over groups, merging changes both by what the pair alone loses. What pairs
  // lose is kept, as they are looked at again and again: a step costs the square of the number of groups.
  void merge_groups(std::vector<std::int32_t>& group, std::vector<std::vector<Count>>& tallies) {
    struct Pair {
      double purity, bits;
    };
    const double total = known_weight() + missing_weight();
    const double base = target_.purity(known_.data(), width_);
    const auto both = [&](const std::vector<Count>& tally) -> Pair {
      return {target_.purity(tally.data(), width_),
              split_info_term(static_cast<double>(Target::weight(tally.data(), width_)), total)};
    };
    std::vector<Pair> single;
    for (const auto& tally : tallies) single.push_back(both(tally));
    // What groups a < b have together, less what they have apart, is at [a][b - a - 1].
    std::vector<std::vector<double>> purity(tallies.size()), info;
    for (std::size_t a = 0; a < tallies.size(); ++a) purity[a].resize(tallies.size() - a - 1);
    info = purity;
    std::vector<Count> sum(width_);
    const auto join = [&](std::size_t a, std::size_t b) {
      for (std::size_t c = 0; c < width_; ++c) sum[c] = tallies[a][c] + tallies[b][c];
      const Pair made = both(sum);
      purity[a][b - a - 1] = made.purity - (single[a].purity + single[b].purity);
      info[a][b - a - 1] = made.bits - (single[a].bits + single[b].bits);
    };
    for (std::size_t a = 0; a < tallies.size(); ++a) {
      for (std::size_t b = a + 1; b < tallies.size(); ++b) join(a, b);
    }
    while (tallies.size() > 2) {
      double gained = -base, bits = split_info_term(missing_weight(), total);
      for (const Pair& one : single) gained += one.purity, bits += one.bits;
      const auto ratio = [&](double more, double less) { return less > 0 ? more / (total * less) : 0; };
      double minimum = ratio(gained, bits) - kTie;
      std::size_t left = 0, right = 0;
      for (std::size_t a = 0; a + 1 < tallies.size(); ++a) {
        if (!has_pair_reaching_ratio(purity[a], info[a], gained, bits, minimum * total)) continue;
        for (std::size_t b = a + 1; b < tallies.size(); ++b) {
          const double more = gained + purity[a][b - a - 1], less = bits + info[a][b - a - 1];
          if (more < minimum * total * less) continue;  // spares most of the divisions
          const double merged = ratio(more, less);
          if (merged < minimum || (right > 0 && merged == minimum)) continue;
          minimum = merged + kTie;
          left = a;
          right = b;
        }
      }
      if (right == 0) return;
      for (std::size_t c = 0; c < width_; ++c) tallies[left][c] += tallies[right][c];
      const auto gone = static_cast<std::ptrdiff_t>(right);
      tallies.erase(tallies.begin() + gone);
      single.erase(single.begin() + gone);
      for (auto* matrix : {&purity, &info}) {
        matrix->erase(matrix->begin() + gone);
        for (std::size_t a = 0; a < right; ++a) {
          auto& row = (*matrix)[a];
          row.erase(row.begin() + (gone - static_cast<std::ptrdiff_t>(a) - 1));
        }
      }
      single[left] = both(tallies[left]);
      for (std::size_t other = 0; other < tallies.size(); ++other) {
        if (other != left) join(std::min(left, other), std::max(left, other));
      }
      for (auto& of : group) {
        if (of == static_cast<std::int32_t>(right)) of = static_cast<std::int32_t>(left);
        if (of > static_cast<std::int32_t>(right)) --of;
      }
    }
  }

  const Target& target_;
  const GrowOptions& options_;
  double n_classes_;
  CutScanner<Target> scan_cuts_;
  const typename Target::Case* cases_ = nullptr;
  const Count* node_tally_ = nullptr;  // the tally of all cases
  std::uint32_t one_of_two_classes_ = kNoClass;
  CutSearch initial_search_;       // what a search begins with if no value is missing,
  std::vector<Count> empty_left_;  // and the left side
  std::size_t width_ = 0;
  std::vector<Count> known_, missing_, all_, zero_, left_, right_;
  std::vector<std::uint32_t> order_, best_order_;
  std::vector<std::uint8_t> in_first_group_;
  std::vector<std::size_t> classes_;
  std::vector<double> keys_;
};

}  // namespace hedgerow::trees

// The best split of one column at one node.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tree_grow.hpp"
#include "tree_measure.hpp"

namespace hedgerow::trees {

constexpr double tie = 1e-9;           // gains that differ by less are equal
constexpr std::int32_t nowhere = -1;   // the child of a missing value that goes to all children
constexpr std::size_t most_exact = 10; // levels of which all subsets are tried
constexpr std::size_t most_groups = 255;

// What a split must gain more than.
inline double least_gain(const GrowOptions& options) {
  return tie * options.scale;
}

// The middle of two neighbors, below the upper one.
inline double middle(double low, double high) {
  const double between = low + (high - low) / 2;
  return between < high ? between : low;
}

struct Split {
  bool valid = false;
  double gain = 0;   // impurity decrease a unit of weight, penalties paid
  double info = 0;   // entropy of the branches, missing values being one more
  double low = 0, high = 0;                  // numeric: the neighbors of the cut
  std::uint32_t last = 0;                    // numeric: rank or code of the last value on the left
  std::vector<std::int32_t> level_children;  // nominal: the child of each level
  std::int32_t children = 2;
  std::int32_t missing = nowhere;

  double ratio() const { return info > 0 ? gain / info : 0; }
};

// A coded column counted at a node: only the codes that occur, ascending.
template <class Count>
struct Bins {
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
};

// Finds splits at one node. `width` is that of the node's tallies, which may leave out classes that do not occur.
template <class Target>
class Splitter {
 public:
  using Count = typename Target::Count;

  Splitter(const Target& target, const GrowOptions& options, std::size_t width, double n_classes)
      : target_(target), options_(options), width_(width), n_classes_(n_classes) {}

  // The best cut of a numeric column whose known cases are listed in ascending order.
  template <class Case>
  Split cut(std::span<const Item> items, const Case* cases, const Count* all, std::uint32_t two) {
    const std::size_t full = target_.width;
    known_.assign(all, all + full);
    missing_.assign(full, 0);
    if (lacks_) {
      known_.assign(full, 0);
      for (const Item item : items) target_.add(known_.data(), cases[item.at]);
      for (std::size_t c = 0; c < full; ++c) missing_[c] = all[c] > known_[c] ? all[c] - known_[c] : 0;
      if constexpr (!Target::classes) missing_[1] = all[1] - known_[1], missing_[2] = all[2] - known_[2];
    }
    Search search = start(full);
    const auto from = [&](const std::vector<Count>& left, const std::vector<Count>& right, std::int32_t side) {
      if constexpr (Target::classes) {
        if (two != none) {
          sweep(items, cases, typename Target::SweepTwo(target_, left.data(), right.data(), two), search, side);
          return;
        }
      }
      sweep(items, cases, typename Target::Sweep(target_, left.data(), right.data()), search, side);
    };
    sides(full, search, from);
    return finish(search);
  }

  // The best cut of a numeric column that was counted.
  Split cut(const Bins<Count>& bins, std::span<const double> values) {
    known_ = bins.known;
    missing_ = bins.missing;
    Search search = start(width_);
    const auto from = [&](const std::vector<Count>& left, const std::vector<Count>& right, std::int32_t side) {
      std::vector<std::uint32_t> order(bins.codes.size());
      std::iota(order.begin(), order.end(), 0u);
      prefixes(bins, order, left, right, search, side);
    };
    sides(width_, search, from);
    Split split = finish(search);
    if (split.valid) {
      split.last = bins.codes[search.at - 1];
      split.low = values[split.last];
      split.high = values[bins.codes[search.at]];
    }
    return split;
  }

  // One branch a level.
  Split multiway(const Bins<Count>& bins, std::int32_t levels) {
    Split split;
    known_ = bins.known;
    missing_ = bins.missing;
    std::size_t sound = 0;
    double after = 0;
    for (std::size_t i = 0; i < bins.codes.size(); ++i) {
      sound += static_cast<double>(bins.weights[i]) >= least_branch();
      after += target_.purity(&bins.tallies[i * width_], width_);
    }
    if (sound < 2) return split;
    split.gain = gain(after, known_, width_);
    split.info = info(bins.weights);
    split.valid = true;  // even without a gain: it counts in the average
    split.children = levels;
    split.level_children.resize(static_cast<std::size_t>(levels));
    std::iota(split.level_children.begin(), split.level_children.end(), 0);
    return split;
  }

  // C4.5's value groups: merge the two groups that give the best gain ratio as long as it does not fall.
  Split groups(const Bins<Count>& bins, std::int32_t levels) {
    Split split;
    known_ = bins.known;
    missing_ = bins.missing;
    const std::size_t present = bins.codes.size();
    if (present < 2) return split;
    std::vector<std::int32_t> group(present);
    std::iota(group.begin(), group.end(), 0);
    std::vector<std::vector<Count>> tallies;
    for (std::size_t i = 0; i < present; ++i) {
      tallies.emplace_back(bins.tallies.begin() + static_cast<std::ptrdiff_t>(i * width_),
                           bins.tallies.begin() + static_cast<std::ptrdiff_t>((i + 1) * width_));
    }
    if (present > most_groups) fold_lightest(bins, group, tallies);
    merge_groups(group, tallies);
    std::vector<Count> weights;
    double after = 0;
    std::size_t sound = 0, heaviest = 0;
    for (const auto& tally : tallies) {
      weights.push_back(Target::weight(tally.data(), width_));
      after += target_.purity(tally.data(), width_);
      sound += static_cast<double>(weights.back()) >= least_branch();
      if (weights.back() > weights[heaviest]) heaviest = weights.size() - 1;
    }
    if (sound < 2) return split;
    split.gain = gain(after, known_, width_);
    split.info = info(weights);
    split.valid = true;
    split.children = static_cast<std::int32_t>(tallies.size());
    split.level_children.assign(static_cast<std::size_t>(levels), static_cast<std::int32_t>(heaviest));
    for (std::size_t i = 0; i < present; ++i) split.level_children[bins.codes[i]] = group[i];
    return split;
  }

  // Two groups of levels.
  Split binary(const Bins<Count>& bins, std::int32_t levels) {
    known_ = bins.known;
    missing_ = bins.missing;
    const std::size_t present = bins.codes.size();
    if (present < 2) return {};
    Search search = start(width_);
    std::vector<std::size_t> classes;  // those known here; two of them are in order by the share of one
    for (std::size_t c = 0; Target::classes && c < width_; ++c) {
      if (known_[c] > 0) classes.push_back(c);
    }
    if (classes.size() < 3) classes.resize(1);
    std::vector<std::uint32_t> best_order;
    std::uint32_t best_mask = 0;
    const auto from = [&](const std::vector<Count>& left, const std::vector<Count>& right, std::int32_t side) {
      if (classes.size() > 1 && present <= most_exact) {
        for (std::uint32_t mask = 1; mask < (1u << (present - 1)); ++mask) {
          if (subset(bins, mask, left, right, search, side)) best_mask = mask;
        }
        return;
      }
      for (const std::size_t by : classes) {
        const std::vector<std::uint32_t> order = ordered(bins, by);
        if (prefixes(bins, order, left, right, search, side)) best_order = order;
      }
    };
    sides(width_, search, from);
    Split split = finish(search);
    if (!split.valid) return split;
    std::vector<bool> in(present);
    for (std::size_t i = 0; i < present; ++i) {
      if (best_mask) in[i] = best_mask >> i & 1u;
      if (!best_mask && i < search.at) in[best_order[i]] = true;
    }
    name_children(bins, in, levels, split);
    return split;
  }

  void lacks(bool some) { lacks_ = some; }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

 private:
  struct Search {
    double best = -std::numeric_limits<double>::infinity();
    double margin = 0, least = 0;
    std::size_t at = 0;         // how many are on the left: cases, or codes in order
    std::size_t candidates = 0;
    std::int32_t missing = nowhere;
    double left = 0, right = 0;
    double base = 0, total = 0;
  };

  double least_branch() const { return std::max(options_.min_leaf, 1e-300) - tie; }

  Search start(std::size_t width) {
    Search search;
    const auto known = static_cast<double>(Target::weight(known_.data(), width));
    const auto lost = static_cast<double>(Target::weight(missing_.data(), width));
    search.total = known + lost;
    search.margin = tie * known * options_.scale;
    search.least = options_.min_leaf;
    if (options_.wide_margin) {
      search.least = std::clamp(0.1 * known / n_classes_, options_.min_leaf, std::max(25.0, options_.min_leaf));
    }
    search.least = std::max(search.least, 1e-300) - tie;
    std::vector<Count> base = known_;
    if (options_.lacking == Lacking::direction) {
      for (std::size_t c = 0; c < width; ++c) base[c] += missing_[c];
    }
    search.base = target_.purity(base.data(), width);
    return search;
  }

  // Tries the missing cases on the left and then on the right if they are to take a direction, else leaves them out.
  template <class From>
  void sides(std::size_t width, Search& search, const From& from) {
    std::vector<Count> empty(width, 0);
    const bool both = options_.lacking == Lacking::direction && Target::weight(missing_.data(), width) > 0;
    if (!both) {
      from(empty, known_, nowhere);
      return;
    }
    from(missing_, known_, 0);
    std::vector<Count> all = known_;
    for (std::size_t c = 0; c < width; ++c) all[c] += missing_[c];
    from(empty, all, 1);
    (void)search;
  }

  template <class Case, class Sweep>
  void sweep(std::span<const Item> items, const Case* cases, Sweep&& sides, Search& search, std::int32_t side) {
    if (items.empty()) return;
    const auto least = static_cast<Count>(std::is_floating_point_v<Count> ? search.least : std::ceil(search.least));
    double best = search.best;
    std::size_t at = 0, candidates = 0;
    sides.move(cases[items[0].at]);
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (items[i].rank != items[i - 1].rank && sides.nl >= least) {
        if (sides.nr < least) break;
        ++candidates;
        const double purity = sides.purity();
        if (purity > best + search.margin) {
          best = purity;
          at = i;
          search.left = static_cast<double>(sides.nl);
          search.right = static_cast<double>(sides.nr);
        }
      }
      sides.move(cases[items[i].at]);
    }
    search.candidates = std::max(search.candidates, candidates);
    if (at > 0) {
      search.best = best;
      search.at = at;
      search.missing = side;
    }
  }

  // Tries the cuts between the codes of an order; tells whether one was better than the best so far.
  bool prefixes(const Bins<Count>& bins, std::span<const std::uint32_t> order, std::vector<Count> left,
                std::vector<Count> right, Search& search, std::int32_t side) {
    bool found = false;
    std::size_t candidates = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const Count* tally = &bins.tallies[order[i] * width_];
      shift(tally, left, right);
      const auto nl = Target::weight(left.data(), width_), nr = Target::weight(right.data(), width_);
      if (static_cast<double>(nl) < search.least || static_cast<double>(nr) < search.least) continue;
      ++candidates;
      const double purity = target_.purity(left.data(), width_) + target_.purity(right.data(), width_);
      if (purity > search.best + search.margin) {
        take(search, purity, i + 1, side, nl, nr);
        found = true;
      }
    }
    search.candidates = std::max(search.candidates, candidates);
    return found;
  }

  bool subset(const Bins<Count>& bins, std::uint32_t mask, std::vector<Count> left, std::vector<Count> right,
              Search& search, std::int32_t side) {
    for (std::size_t i = 0; i < bins.codes.size(); ++i) {
      if (mask >> i & 1u) shift(&bins.tallies[i * width_], left, right);
    }
    const auto nl = Target::weight(left.data(), width_), nr = Target::weight(right.data(), width_);
    if (static_cast<double>(nl) < search.least || static_cast<double>(nr) < search.least) return false;
    search.candidates = 1;
    const double purity = target_.purity(left.data(), width_) + target_.purity(right.data(), width_);
    if (purity <= search.best + search.margin) return false;
    take(search, purity, mask, side, nl, nr);
    return true;
  }

  void take(Search& search, double purity, std::size_t at, std::int32_t side, Count nl, Count nr) const {
    search.best = purity;
    search.at = at;
    search.missing = side;
    search.left = static_cast<double>(nl);
    search.right = static_cast<double>(nr);
  }

  void shift(const Count* tally, std::vector<Count>& left, std::vector<Count>& right) const {
    for (std::size_t c = 0; c < width_; ++c) {
      left[c] += tally[c];
      right[c] = !Target::classes || right[c] > tally[c] ? right[c] - tally[c] : 0;
    }
  }

  Split finish(const Search& search) const {
    Split split;
    if (search.at == 0) return split;
    split.gain = (search.best - search.base) / search.total;
    split.missing = search.missing;
    const bool all = options_.lacking == Lacking::direction;
    const double lost = all ? 0 : search.total - search.left - search.right;
    split.info = entropy({search.left, search.right, std::max(lost, 0.0)}, search.total);
    split.last = static_cast<std::uint32_t>(search.at);
    split.children = 2;
    if (options_.penalty && search.candidates > 0) {
      split.gain -= std::log2(static_cast<double>(search.candidates)) / search.total;
    }
    split.valid = split.gain > least_gain(options_);
    return split;
  }

  double gain(double after, const std::vector<Count>& known, std::size_t width) const {
    const auto total = static_cast<double>(Target::weight(known.data(), width) + Target::weight(missing_.data(), width));
    return (after - target_.purity(known.data(), width)) / total;
  }

  double info(const std::vector<Count>& branches) const {
    std::vector<double> weights(branches.begin(), branches.end());
    weights.push_back(static_cast<double>(Target::weight(missing_.data(), width_)));
    return entropy(weights, std::accumulate(weights.begin(), weights.end(), 0.0));
  }

  static double entropy(const std::vector<double>& weights, double total) {
    double bits = 0;
    for (const double weight : weights) {
      if (weight > 0) bits -= weight / total * std::log2(weight / total);
    }
    return bits;
  }

  // Codes by the share of a class, or by the mean of a number; equals in their own order.
  std::vector<std::uint32_t> ordered(const Bins<Count>& bins, std::size_t by) const {
    std::vector<std::uint32_t> order(bins.codes.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::size_t part = Target::classes ? by : 1;
    const auto share = [&](std::uint32_t i) {
      return static_cast<double>(bins.tallies[i * width_ + part]) / static_cast<double>(bins.weights[i]);
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return share(a) < share(b); });
    return order;
  }

  // Child 0 is the side with fewer levels, of equals that with the first; levels not seen join the heavier side.
  void name_children(const Bins<Count>& bins, std::vector<bool> in, std::int32_t levels, Split& split) const {
    const auto inside = static_cast<std::size_t>(std::count(in.begin(), in.end(), true));
    const bool swap = 2 * inside > in.size() || (2 * inside == in.size() && !in[0]);
    if (swap) {
      in.flip();
      if (split.missing != nowhere) split.missing = 1 - split.missing;
    }
    double weight[2] = {0, 0};
    for (std::size_t i = 0; i < in.size(); ++i) weight[in[i] ? 0 : 1] += static_cast<double>(bins.weights[i]);
    split.level_children.assign(static_cast<std::size_t>(levels), weight[1] > weight[0] ? 1 : 0);
    for (std::size_t i = 0; i < in.size(); ++i) split.level_children[bins.codes[i]] = in[i] ? 0 : 1;
  }

  // Beyond `most_groups` levels the lightest begin as one group.
  void fold_lightest(const Bins<Count>& bins, std::vector<std::int32_t>& group, std::vector<std::vector<Count>>& tallies) {
    std::vector<std::uint32_t> order(group.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return bins.weights[a] > bins.weights[b]; });
    std::sort(order.begin(), order.begin() + most_groups - 1);
    std::sort(order.begin() + most_groups - 1, order.end());
    std::vector<std::vector<Count>> kept(most_groups, std::vector<Count>(width_, 0));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t into = std::min(i, most_groups - 1);
      group[order[i]] = static_cast<std::int32_t>(into);
      for (std::size_t c = 0; c < width_; ++c) kept[into][c] += tallies[order[i]][c];
    }
    tallies = std::move(kept);
  }

  // With purities P and split terms T added over groups, merging changes both by what the pair alone loses.
  void merge_groups(std::vector<std::int32_t>& group, std::vector<std::vector<Count>>& tallies) {
    const double total = static_cast<double>(Target::weight(known_.data(), width_) + Target::weight(missing_.data(), width_));
    const double base = target_.purity(known_.data(), width_);
    const auto plogp = [&](double weight) { return weight > 0 ? -weight / total * std::log2(weight / total) : 0.0; };
    std::vector<double> purity, weight;
    for (const auto& tally : tallies) {
      purity.push_back(target_.purity(tally.data(), width_));
      weight.push_back(static_cast<double>(Target::weight(tally.data(), width_)));
    }
    std::vector<std::vector<double>> joined(tallies.size(), std::vector<double>(tallies.size()));
    std::vector<Count> sum(width_);
    const auto join = [&](std::size_t a, std::size_t b) {
      for (std::size_t c = 0; c < width_; ++c) sum[c] = tallies[a][c] + tallies[b][c];
      joined[a][b] = target_.purity(sum.data(), width_);
    };
    for (std::size_t a = 0; a < tallies.size(); ++a) {
      for (std::size_t b = a + 1; b < tallies.size(); ++b) join(a, b);
    }
    while (tallies.size() > 2) {
      double after = std::accumulate(purity.begin(), purity.end(), 0.0);
      double bits = plogp(static_cast<double>(Target::weight(missing_.data(), width_)));
      for (const double w : weight) bits += plogp(w);
      const double now = bits > 0 ? (after - base) / total / bits : 0;
      double best = now - tie;
      std::size_t left = 0, right = 0;
      for (std::size_t a = 0; a < tallies.size(); ++a) {
        for (std::size_t b = a + 1; b < tallies.size(); ++b) {
          const double less = bits - plogp(weight[a]) - plogp(weight[b]) + plogp(weight[a] + weight[b]);
          const double ratio = less > 0 ? (after - purity[a] - purity[b] + joined[a][b] - base) / total / less : 0;
          if (right == 0 ? ratio >= best : ratio > best + tie) best = ratio, left = a, right = b;
        }
      }
      if (right == 0) return;
      for (std::size_t c = 0; c < width_; ++c) tallies[left][c] += tallies[right][c];
      const auto gone = static_cast<std::ptrdiff_t>(right);
      tallies.erase(tallies.begin() + gone);
      purity.erase(purity.begin() + gone);
      weight.erase(weight.begin() + gone);
      joined.erase(joined.begin() + gone);
      for (auto& row : joined) row.erase(row.begin() + gone);
      purity[left] = target_.purity(tallies[left].data(), width_);
      weight[left] = static_cast<double>(Target::weight(tallies[left].data(), width_));
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
  std::size_t width_;
  double n_classes_;
  bool lacks_ = false;
  std::vector<Count> known_, missing_;
};

}  // namespace hedgerow::trees

// The best cut of a column whose known cases are listed in ascending order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trees/columns.hpp"
#include "trees/grow.hpp"
#include "trees/impurity.hpp"

namespace hedgerow::trees {

constexpr std::uint32_t kNoClass = std::numeric_limits<std::uint32_t>::max();

// The best of the splits of a column looked at so far.
struct CutSearch {
  double best = -std::numeric_limits<double>::infinity();
  double margin = 0;         // what a split must be better by
  double min_weight = 0;     // weight of a side
  std::size_t position = 0;  // how many are on the left: cases, or codes in order
  std::size_t candidates = 0;
  std::int32_t missing = kNoChild;
  double left = 0, right = 0;
  double base = 0, total = 0;
  bool penalty = false;  // candidates are paid for

  // What a split is useless without.
  double min_purity() const {
    return base + (penalty && candidates > 0 ? fast_log2(static_cast<double>(candidates)) : 0) - 2 * margin;
  }

  void record(double purity, std::size_t new_position, std::int32_t side, double nl, double nr) {
    best = purity;
    position = new_position;
    missing = side;
    left = nl;
    right = nr;
  }
};

// Moves the cases of one column after the other from the right to the left; it keeps its buffers.
template <class Target>
class CutScanner {
 public:
  using Case = typename Target::Case;
  using Count = typename Target::Count;
  using Sum = typename Target::Sum;

  explicit CutScanner(const Target& target) : target_(target) {}

  // Tries all cuts of at least so much weight on both sides. `left` and `right` are the sides before the first case
  // moves, `beyond` is the weight on the right that is not listed, `one_of_two_classes` one of the only two classes if
  // there are no more.
  void operator()(std::span<const RankedCase> items, const Case* cases, const Count* left, const Count* right,
                  Count beyond, std::uint32_t one_of_two_classes, std::int32_t side, CutSearch& search) {
    items_ = items;
    cases_ = cases;
    search_ = &search;
    side_ = side;
    min_weight_ =
        static_cast<Count>(std::is_floating_point_v<Count> ? search.min_weight : std::ceil(search.min_weight));
    if (items.size() < 2 || !find_cut_range(beyond)) return;
    if constexpr (Target::classes) {
      if (one_of_two_classes != kNoClass) {
        sum_to_two_classes(left, one_of_two_classes, left_);
        sum_to_two_classes(right, one_of_two_classes, right_);
        scan([&](Count* l, Count* r,
                 Sum*) { return typename Target::TwoClassSideTallies(target_, l, r, one_of_two_classes); },
             [one_of_two_classes](const Case& one) -> std::size_t { return one.label != one_of_two_classes; });
        return;
      }
    }
    left_.assign(left, left + target_.width);
    right_.assign(right, right + target_.width);
    scan([&](Count* l, Count* r, Sum* sums) { return typename Target::Sides(target_, l, r, sums); },
         [](const Case& one) -> std::size_t {
           if constexpr (Target::classes) return one.label;
           return 0;
         });
  }

 private:
  static constexpr std::size_t kMinSkippedCases = std::is_floating_point_v<Count> ? 256 : 1024;  // cases a class
  static constexpr std::size_t kMaxClasses = 32;

  // A tally of one class and of all others.
  void sum_to_two_classes(const Count* tally, std::uint32_t one, std::vector<Count>& into) const {
    const Count all = Target::weight(tally, target_.width), own = tally[one];
    into.resize(2);
    into[0] = own;
    into[1] = all > own ? all - own : 0;
  }

  // Finds the first case on the right of the last cut.
  bool find_cut_range(Count right) {
    last_ = items_.size() - 1;
    right += case_at(last_).weight;
    while (last_ > 1 && right < min_weight_) right += case_at(--last_).weight;
    while (last_ > 0 && !is_cut(last_)) --last_;
    return right >= min_weight_ && last_ > 0;
  }

  const Case& case_at(std::size_t i) const { return cases_[items_[i].case_index]; }
  bool is_cut(std::size_t i) const { return items_[i].rank != items_[i - 1].rank; }  // values differ there

  // Whether the cases on both sides of a cut are not of one class and single.
  bool ends_run(std::size_t i) const {
    return case_at(i).label != case_at(i - 1).label || (i > 1 && !is_cut(i - 1)) ||
           (i + 1 < items_.size() && !is_cut(i + 1));
  }

  template <class Make, class Index>
  void scan(const Make& make, const Index& index) {
    sums_.resize(left_.size());
    auto sides = make(left_.data(), right_.data(), sums_.data());
    std::size_t i = 0;
    do sides.move(case_at(i++));
    while (i <= last_ && sides.nl < min_weight_);
    first_ = i;
    if (first_ > last_) return;
    if constexpr (Target::classes) {
      const std::size_t maximum = Target::separable ? kMaxClasses : 2;
      if (last_ - first_ >= kMinSkippedCases * (left_.size() - 1) && left_.size() <= maximum) {
        sides.write(left_.data(), right_.data());
        scan_promising_blocks(make, index);
        return;
      }
    }
    const std::size_t candidates = scan_range(sides, first_, last_ + 1);
    search_->candidates = std::max(search_->candidates, candidates);
  }

  // Looks at the cuts from one place to another, with the sides as they are at the first; returns how many there are.
  // Of a run of single cases of one class only the ends can be the best cut (Fayyad and Irani 1992), and the first and
  // last cut that the least weight allows.
  template <class Sides>
  std::size_t scan_range(Sides sides, std::size_t from, std::size_t to) {
    // Looking is cheap with whole numbers, cheaper than to foresee whether it is needed.
    constexpr bool looks_always = !Target::classes || !std::is_floating_point_v<Count>;
    auto bar = target_.score_of(search_->best + search_->margin);
    std::size_t candidates = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (is_cut(i)) {
        ++candidates;
        bool look = looks_always || i == first_ || i == last_;
        if constexpr (!looks_always) {
          look = look || ends_run(i);
        }
        if (look) {
          const auto score = sides.score();
          if (score > bar) {
            search_->record(target_.purity_of(score), i, side_, static_cast<double>(sides.nl),
                            static_cast<double>(sides.nr));
            bar = target_.score_of(search_->best + search_->margin);
          }
        }
      }
      sides.move(case_at(i));
    }
    return candidates;
  }

  // Walks only where the best cut can be. Cases are counted block by block; the best cut between blocks tells what is
  // to be beaten, and a block that cannot is left out.
  template <class Make, class Index>
  void scan_promising_blocks(const Make& make, const Index& index) {
    const std::size_t k = left_.size(), block = std::clamp((last_ - first_) / 128, std::size_t{16}, std::size_t{256});
    const std::size_t blocks = (last_ - first_) / block + 1;
    count_blocks(index, block, blocks);
    if constexpr (Target::separable && std::is_floating_point_v<Count>) {
      if (k == 2) {
        scan_promising_blocks_of_two(index, block, blocks);
        return;
      }
    }
    const double min_score = find_best_cut_between_blocks(block, blocks) - 2 * search_->margin;
    terms_.resize(k);
    for (std::size_t c = 0; c < k; ++c) terms_[c] = target_.term(left_[c]) + target_.term(right_[c]);
    for (std::size_t number = 0; number < blocks; ++number) {
      scan_left_ = left_;
      scan_right_ = right_;
      const double bound = move_block(&tallies_[number * k]);
      if (bound + 1e-6 > std::max(min_score, search_->best + search_->margin)) {
        const std::size_t from = first_ + number * block;
        scan_range(make(scan_left_.data(), scan_right_.data(), sums_.data()), from, std::min(from + block, last_ + 1));
      }
    }
  }

  // The same for two classes of real weights, which spares most of the logarithms. The gain is convex in the weights on
  // the left, so it is largest at a corner of the block.
  template <class Index>
  void scan_promising_blocks_of_two(const Index& index, std::size_t block, std::size_t blocks) {
    const double a = left_[0] + right_[0], b = left_[1] + right_[1], all[2] = {a, b};
    const GainBound bound(a, b);
    const auto score = [&](double l0, double l1) {
      return target_.score_two(l0, l1, std::max(a - l0, 0.0), std::max(b - l1, 0.0));
    };
    double l[2] = {left_[0], left_[1]}, highest = -1, top[2] = {l[0], l[1]};
    for (std::size_t number = 0; number < blocks; ++number) {
      if (const double square = bound.chi_square_bound(l[0], l[1]);
          is_cut(first_ + number * block) && square > highest) {
        highest = square;
        std::copy_n(l, 2, top);
      }
      for (std::size_t c = 0; c < 2; ++c) l[c] += tallies_[2 * number + c];
    }
    const double base = target_.purity(all, 2);
    double floor = search_->min_purity();
    if (highest >= bound.required_bound(floor - base))
      floor = std::max(floor, score(top[0], top[1]) - 2 * search_->margin);
    const auto bar = [&] { return std::max(search_->best + search_->margin, floor); };
    double needed = bound.required_bound(bar() - base);
    const auto promises = [&](double l0, double l1) { return bound.reaches_bound(l0, l1, needed); };
    std::copy_n(left_.data(), 2, l);
    for (std::size_t number = 0; number < blocks; ++number) {
      const double s0 = l[0], s1 = l[1], e0 = s0 + tallies_[2 * number], e1 = s1 + tallies_[2 * number + 1];
      l[0] = e0;
      l[1] = e1;
      if (!(promises(s0, s1) | promises(e0, e1) | promises(e0, s1) | promises(s0, e1))) continue;
      if (std::max({score(s0, s1), score(e0, e1), score(e0, s1), score(s0, e1)}) + 1e-6 < bar()) continue;
      double w[2] = {s0, s1};
      const std::size_t from = first_ + number * block;
      for (std::size_t i = from, to = std::min(from + block, last_ + 1); i < to; ++i) {
        if (is_cut(i) && promises(w[0], w[1]) && (ends_run(i) || i == first_ || i == last_) &&
            !(bound.tight_bound(w[0], w[1]) < needed)) {
          if (const double one = score(w[0], w[1]); one > search_->best + search_->margin) {
            search_->record(one, i, side_, w[0] + w[1], a + b - (w[0] + w[1]));
            needed = bound.required_bound(bar() - base);
          }
        }
        w[index(case_at(i))] += case_at(i).weight;
      }
    }
  }

  // Moves the cases of a block to the left; returns what the purity of no cut within the block exceeds.
  double move_block(const Count* moved) {
    if constexpr (Target::separable) {
      return move_separable(moved);
    } else {
      return move_two(moved);
    }
  }

  // With f(x) = x log2 x, l the left side, t all cases and n the weights,
  //   purity = sum over classes c of g_c(l_c) - h(n_l),  where g_c(x) = f(x) + f(t_c - x) and h(x) = f(x) + f(n - x).
  // h is convex, so h(x) >= h(m) + h'(m) (x - m); and so is g_c, which hence is largest at the end or start of the
  // block:
  //   purity <= sum of max(g_c(start), g_c(end) - h'(m) (end_c - start_c)) - h(m) + h'(m) (m - n_start).
  double move_separable(const Count* moved) {
    const std::size_t k = left_.size();
    Count nl = 0, nr = 0, weight = 0;
    Sum sum = 0;
    for (std::size_t c = 0; c < k; ++c) {
      nl += left_[c];
      nr += right_[c];
      weight += moved[c];
      sum += terms_[c];
    }
    const Count half = weight / 2, ml = nl + half, mr = nr > half ? nr - half : 0;
    const double slope = target_.bit() * (fast_log2(static_cast<double>(ml)) - fast_log2(static_cast<double>(mr)));
    double more = slope * static_cast<double>(half);
    for (std::size_t c = 0; c < k; ++c) {
      if (!(moved[c] > 0)) continue;
      move_to_left(c, moved[c]);
      const Sum after = target_.term(left_[c]) + target_.term(right_[c]);
      more += std::max(0.0, static_cast<double>(after - terms_[c]) - slope * static_cast<double>(moved[c]));
      terms_[c] = after;
    }
    return target_.purity_of(target_.score(sum, ml, mr)) + more / target_.bit();
  }

  // The purity of two classes is convex in their weights on the left: it is largest at a corner of the block.
  double move_two(const Count* moved) {
    double maximum = purity();
    move_to_left(0, moved[0]);
    maximum = std::max(maximum, purity());
    move_to_left(1, moved[1]);
    maximum = std::max(maximum, purity());
    const Count left = left_[0], right = right_[0];
    left_[0] = scan_left_[0];
    right_[0] = scan_right_[0];
    maximum = std::max(maximum, purity());
    left_[0] = left;
    right_[0] = right;
    return maximum;
  }

  double purity() const { return target_.purity_of(target_.score_two(left_[0], left_[1], right_[0], right_[1])); }

  void move_to_left(std::size_t c, Count moved) {
    left_[c] += moved;
    right_[c] = right_[c] > moved ? right_[c] - moved : 0;
  }

  // Counts the cases of every block, and the cuts.
  template <class Index>
  void count_blocks(const Index& index, std::size_t block, std::size_t blocks) {
    std::size_t candidates = 0;
    tallies_.assign(blocks * left_.size(), 0);
    for (std::size_t number = 0; number < blocks; ++number) {
      const std::size_t from = first_ + number * block, to = std::min(from + block, last_ + 1);
      for (std::size_t i = from; i < to; ++i) candidates += is_cut(i);
      count_block(index, from, to, &tallies_[number * left_.size()]);
    }
    search_->candidates = std::max(search_->candidates, candidates);
  }

  // The purity of the best cut between blocks.
  double find_best_cut_between_blocks(std::size_t block, std::size_t blocks) {
    const std::size_t k = left_.size();
    double best = -std::numeric_limits<double>::infinity();
    scan_left_ = left_;
    scan_right_ = right_;
    for (std::size_t number = 0; number < blocks; ++number) {
      if (is_cut(first_ + number * block)) {
        best = std::max(best, target_.purity(scan_left_.data(), k) + target_.purity(scan_right_.data(), k));
      }
      const Count* moved = &tallies_[number * k];
      for (std::size_t c = 0; c < k; ++c) {
        scan_left_[c] += moved[c];
        scan_right_[c] = scan_right_[c] > moved[c] ? scan_right_[c] - moved[c] : 0;
      }
    }
    return best;
  }

  template <class Index>
  void count_block(const Index& index, std::size_t from, std::size_t to, Count* moved) const {
    const RankedCase* items = items_.data();
    const Case* cases = cases_;
    if constexpr (!std::is_floating_point_v<Count>) {
      if (target_.has_light_weights && left_.size() <= 8) {  // a class to a byte
        while (from < to) {
          std::uint64_t packed = 0;
          for (const std::size_t end = std::min(from + 32, to); from < end; ++from) {
            const Case one = cases[items[from].case_index];
            packed += std::uint64_t{one.weight} << (8 * index(one));
          }
          for (std::size_t c = 0; c < left_.size(); ++c) moved[c] += packed >> (8 * c) & 255;
        }
        return;
      }
    }
    if (left_.size() == 2) {  // sums that wait for memory and not for each other
      Count sums[4] = {0, 0, 0, 0};
      std::size_t i = from;
      for (; i + 1 < to; i += 2) {
        const Case one = cases[items[i].case_index], other = cases[items[i + 1].case_index];
        const Count second = one.weight * static_cast<Count>(index(one)),
                    fourth = other.weight * static_cast<Count>(index(other));
        sums[0] += one.weight - second;  // one of both is 0: nothing is rounded
        sums[1] += second;
        sums[2] += other.weight - fourth;
        sums[3] += fourth;
      }
      if (i < to) sums[index(cases[items[i].case_index])] += cases[items[i].case_index].weight;
      moved[0] = sums[0] + sums[2];
      moved[1] = sums[1] + sums[3];
      return;
    }
    for (std::size_t i = from; i < to; ++i) {
      const Case one = cases[items[i].case_index];
      moved[index(one)] += one.weight;
    }
  }

  const Target& target_;
  std::span<const RankedCase> items_;
  const Case* cases_ = nullptr;
  CutSearch* search_ = nullptr;
  std::int32_t side_ = kNoChild;
  Count min_weight_ = 0;
  std::size_t first_ = 0, last_ = 0;  // cuts: how many cases are on their left
  std::vector<Count> left_, right_, scan_left_, scan_right_, tallies_;
  std::vector<Sum> sums_, terms_;
};

}  // namespace hedgerow::trees

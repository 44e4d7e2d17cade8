// The best cut of a numeric column between two classes.
//
// Given the weights of both classes up to each value, cuts are looked at in ascending order: one must be better than
// the best before it by the margin of the search, so that of equals the first is taken. O(values).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "trees/sorted_cut.hpp"

namespace hedgerow::trees {

template <class Target>
class TwoClassCuts {
 public:
  using Count = typename Target::Count;
  // Sums that are looked up in a table need whole numbers; others are as exact in real ones, which go side by side.
  using CumulativeWeight = std::conditional_t<Target::separable, Count, double>;
  using Score = decltype(std::declval<Target>().score_two(CumulativeWeight{}, CumulativeWeight{}, CumulativeWeight{},
                                                          CumulativeWeight{}));

  explicit TwoClassCuts(const Target& target) : target_(target) {}

  // The weights of both classes up to each value, while they are written.
  struct CumulativeWeights {
    std::uint32_t* codes;
    CumulativeWeight *first, *second;
    std::size_t size = 0;
    CumulativeWeight all_first = 0, all_second = 0;

    // Adds what the two classes weigh at the next value; it does not count if that is nothing.
    void add(std::size_t code, Count one, Count other) {
      codes[size] = static_cast<std::uint32_t>(code);
      first[size] = all_first += static_cast<CumulativeWeight>(one);
      second[size] = all_second += static_cast<CumulativeWeight>(other);
      size += one + other > 0;
    }
  };

  // Begins with room for so many values and one that does not count.
  CumulativeWeights begin(std::size_t maximum) {
    if (codes_.size() <= maximum) {
      codes_.resize(maximum + 1);
      first_.resize(maximum + 1);
      second_.resize(maximum + 1);
    }
    return {codes_.data(), first_.data(), second_.data()};
  }

  std::uint32_t code(std::size_t position) const { return codes_[position]; }

  // Looks at all cuts with enough weight on both sides; the place found is how many values are on the left.
  void find_cut(const CumulativeWeights& cumulative, CutSearch& search) {
    if (cumulative.size < 2) return;
    const CumulativeWeight *first = cumulative.first, *second = cumulative.second, all_first = cumulative.all_first,
                           all_second = cumulative.all_second;
    std::size_t from = 0, to = cumulative.size - 1;  // of the last values on the left
    const auto left = [&](std::size_t i) { return static_cast<double>(first[i] + second[i]); };
    const auto all = static_cast<double>(all_first + all_second);
    while (from < to && left(from) < search.min_weight) ++from;
    while (to > from && (all - left(to - 1) < search.min_weight || !(all - left(to - 1) > 0))) --to;
    if (from == to) return;
    search.candidates = to - from;
    Score bar = target_.score_of(search.best + search.margin);
    const auto look = [&](std::size_t i) {
      const Score score =
          target_.score_two(first[i], second[i], subtract(all_first, first[i]), subtract(all_second, second[i]));
      if (!(score > bar)) return false;
      search.record(target_.purity_of(score), i + 1, kNoChild, left(i), all - left(i));
      bar = target_.score_of(search.best + search.margin);
      return true;
    };
    if constexpr (Target::separable && std::is_floating_point_v<CumulativeWeight>) {
      find_cut_by_bounds(cumulative, from, to, search, look);
    } else if constexpr (Target::separable) {
      // Between values of one class there is no best cut (Fayyad and Irani 1992), other than the first and the last
      // allowed.
      const auto within = [&](const CumulativeWeight* other, std::size_t i) {
        return other[i - 1] == other[i] && other[i] == other[i + 1];
      };
      for (std::size_t i = from; i < to; ++i) {
        if (i == from || i + 1 == to || !(within(first, i) || within(second, i))) look(i);
      }
    } else {
      // Gini's purity is -2 (l0 l1 / nl + r0 r1 / nr): multiplied by nl nr, most cuts are seen to be worse without
      // dividing.
      const double slack = 1e-12 * all;
      double maximum = (slack - bar) / 2;
      const auto promises = [&](std::size_t i) {
        const double l0 = first[i], l1 = second[i], r0 = all_first - l0, r1 = all_second - l1, nl = l0 + l1,
                     nr = r0 + r1;
        return l0 * l1 * nr + r0 * r1 * nl < maximum * (nl * nr);
      };
      constexpr std::size_t few = 8;  // cuts without a branch between them
      for (std::size_t i = from; i < to;) {
        if (i + few <= to) {
          int any = 0;
          for (std::size_t j = 0; j < few; ++j) any |= promises(i + j);
          if (!any) {
            i += few;
            continue;
          }
        }
        for (const std::size_t end = std::min(i + few, to); i < end; ++i) {
          if (promises(i) && look(i)) maximum = (slack - bar) / 2;
        }
      }
    }
  }

 private:
  // Looks only at cuts that may be the best, without a logarithm for most of the others. The cut with the largest bound
  // tells what is to be beaten.
  template <class Look>
  void find_cut_by_bounds(const CumulativeWeights& cumulative, std::size_t from, std::size_t to, CutSearch& search,
                          const Look& look) {
    const double *first = cumulative.first, *second = cumulative.second, a = cumulative.all_first,
                 b = cumulative.all_second;
    const GainBound bound(a, b);
    if (squares_.size() < to) squares_.resize(to);
    double* squares = squares_.data();
    for (std::size_t i = from; i < to; ++i) squares[i] = bound.chi_square_bound(first[i], second[i]);
    double floor = search.min_purity();
    const double highest = find_largest(squares + from, to - from);
    if (highest < bound.required_bound(floor - search.base)) return;
    const auto top = static_cast<std::size_t>(std::find(squares + from, squares + to, highest) - squares);
    floor =
        std::max(floor, target_.score_two(first[top], second[top], subtract(a, first[top]), subtract(b, second[top])) -
                            2 * search.margin);
    const auto needed = [&] {
      return bound.required_bound(std::max(search.best + search.margin, floor) - search.base);
    };
    double minimum = needed();
    for (std::size_t i = from; i < to; ++i) {
      if (squares[i] >= minimum && !(bound.tight_bound(first[i], second[i]) < minimum) && look(i)) minimum = needed();
    }
  }

  // The largest of some numbers that are not negative, by comparisons that do not wait for each other.
  static double find_largest(const double* of, std::size_t n) {
    double maximum[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (std::size_t j = 0; j < 4; ++j) maximum[j] = of[i + j] > maximum[j] ? of[i + j] : maximum[j];
    }
    for (; i < n; ++i) maximum[0] = std::max(maximum[0], of[i]);
    return std::max(std::max(maximum[0], maximum[1]), std::max(maximum[2], maximum[3]));
  }

  static CumulativeWeight subtract(CumulativeWeight all, CumulativeWeight part) {
    const CumulativeWeight left = all - part;
    if constexpr (std::is_floating_point_v<CumulativeWeight>) return left > 0 ? left : 0;
    return left;
  }

  const Target& target_;
  std::vector<std::uint32_t> codes_;
  std::vector<CumulativeWeight> first_, second_;  // up to and with each value
  std::vector<double> squares_;                   // bounds of what cuts gain
};

}  // namespace hedgerow::trees

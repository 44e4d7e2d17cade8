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
  using Upto = std::conditional_t<Target::separable, Count, double>;
  using Score = decltype(std::declval<Target>().score_two(Upto{}, Upto{}, Upto{}, Upto{}));

  explicit TwoClassCuts(const Target& target) : target_(target) {}

  // The weights of both classes up to each value, while they are written.
  struct Writer {
    std::uint32_t* codes;
    Upto *first, *second;
    std::size_t n = 0;
    Upto all_first = 0, all_second = 0;

    // Adds what the two classes weigh at the next value; it does not count if that is nothing.
    void add(std::size_t code, Count one, Count other) {
      codes[n] = static_cast<std::uint32_t>(code);
      first[n] = all_first += static_cast<Upto>(one);
      second[n] = all_second += static_cast<Upto>(other);
      n += one + other > 0;
    }
  };

  // Begins with room for so many values and one that does not count.
  Writer begin(std::size_t most) {
    if (codes_.size() <= most) {
      codes_.resize(most + 1);
      first_.resize(most + 1);
      second_.resize(most + 1);
    }
    return {codes_.data(), first_.data(), second_.data()};
  }

  std::uint32_t code(std::size_t place) const { return codes_[place]; }

  // Looks at all cuts with enough weight on both sides; the place found is how many values are on the left.
  void find(const Writer& written, Search& search) {
    if (written.n < 2) return;
    const Upto *first = written.first, *second = written.second, all_first = written.all_first,
               all_second = written.all_second;
    std::size_t from = 0, to = written.n - 1;  // of the last values on the left
    const auto left = [&](std::size_t i) { return static_cast<double>(first[i] + second[i]); };
    const auto all = static_cast<double>(all_first + all_second);
    while (from < to && left(from) < search.least) ++from;
    while (to > from && (all - left(to - 1) < search.least || !(all - left(to - 1) > 0))) --to;
    if (from == to) return;
    search.candidates = to - from;
    Score bar = target_.score_of(search.best + search.margin);
    const auto look = [&](std::size_t i) {
      const Score score =
          target_.score_two(first[i], second[i], rest(all_first, first[i]), rest(all_second, second[i]));
      if (!(score > bar)) return false;
      search.take(target_.purity_of(score), i + 1, nowhere, left(i), all - left(i));
      bar = target_.score_of(search.best + search.margin);
      return true;
    };
    if constexpr (Target::separable && std::is_floating_point_v<Upto>) {
      find_real(written, from, to, search, look);
    } else if constexpr (Target::separable) {
      // Between values of one class there is no best cut (Fayyad and Irani 1992), other than the first and the last
      // allowed.
      const auto within = [&](const Upto* other, std::size_t i) {
        return other[i - 1] == other[i] && other[i] == other[i + 1];
      };
      for (std::size_t i = from; i < to; ++i) {
        if (i == from || i + 1 == to || !(within(first, i) || within(second, i))) look(i);
      }
    } else {
      // Gini's purity is -2 (l0 l1 / nl + r0 r1 / nr): multiplied by nl nr, most cuts are seen to be worse without
      // dividing.
      const double slack = 1e-12 * all;
      double most = (slack - bar) / 2;
      const auto promises = [&](std::size_t i) {
        const double l0 = first[i], l1 = second[i], r0 = all_first - l0, r1 = all_second - l1, nl = l0 + l1,
                     nr = r0 + r1;
        return l0 * l1 * nr + r0 * r1 * nl < most * (nl * nr);
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
          if (promises(i) && look(i)) most = (slack - bar) / 2;
        }
      }
    }
  }

 private:
  // Looks only at cuts that may be the best, without a logarithm for most of the others. The cut with the largest bound
  // tells what is to be beaten.
  template <class Look>
  void find_real(const Writer& written, std::size_t from, std::size_t to, Search& search, const Look& look) {
    const double *first = written.first, *second = written.second, a = written.all_first, b = written.all_second;
    const GainBound bound(a, b);
    if (squares_.size() < to) squares_.resize(to);
    double* squares = squares_.data();
    for (std::size_t i = from; i < to; ++i) squares[i] = bound.square(first[i], second[i]);
    double floor = search.floor();
    const double highest = largest(squares + from, to - from);
    if (highest < bound.needed(floor - search.base)) return;
    const auto top = static_cast<std::size_t>(std::find(squares + from, squares + to, highest) - squares);
    floor = std::max(floor, target_.score_two(first[top], second[top], rest(a, first[top]), rest(b, second[top])) -
                                2 * search.margin);
    const auto needed = [&] { return bound.needed(std::max(search.best + search.margin, floor) - search.base); };
    double least = needed();
    for (std::size_t i = from; i < to; ++i) {
      if (squares[i] >= least && !(bound.closer(first[i], second[i]) < least) && look(i)) least = needed();
    }
  }

  // The largest of some numbers that are not negative, by comparisons that do not wait for each other.
  static double largest(const double* of, std::size_t n) {
    double most[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (std::size_t j = 0; j < 4; ++j) most[j] = of[i + j] > most[j] ? of[i + j] : most[j];
    }
    for (; i < n; ++i) most[0] = std::max(most[0], of[i]);
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  }

  static Upto rest(Upto all, Upto part) {
    const Upto left = all - part;
    if constexpr (std::is_floating_point_v<Upto>) return left > 0 ? left : 0;
    return left;
  }

  const Target& target_;
  std::vector<std::uint32_t> codes_;
  std::vector<Upto> first_, second_;  // up to and with each value
  std::vector<double> squares_;       // bounds of what cuts gain
};

}  // namespace hedgerow::trees

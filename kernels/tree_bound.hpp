// Bounds of what a cut between two classes gains in entropy, without a logarithm.
//
// A cut gains, in natural units,
//   nl KL(l, p) + nr KL(r, p),  with l, r and p the share of the first class on both sides and in all,
// and KL(x, p) is at most (x - p)^2 g(p), and at most (x - p)^2 (g(p) / 3 + g(x) / 6), where g(x) = 1 / (x (1 - x)): the
// second derivative of KL, which is convex, is g. The first bound is the square of Pearson.
#pragma once

#include <algorithm>
#include <numbers>

namespace hedgerow::trees {

class GainBound {
 public:
  // Begins with what the two classes weigh in all.
  GainBound(double a, double b) : a_(a), b_(b), n_(a + b) {}

  // What a bound has to reach, if a cut is to gain so many bits; rounding is allowed for.
  double needed(double bits) const { return (bits - 1e-12 * n_) * std::numbers::ln2 * a_ * b_ / n_; }

  // Pearson's bound, given the weights on the left.
  double square(double l0, double l1) const {
    const double across = cross(l0, l1), nl = l0 + l1;
    return across * across / (nl * (n_ - nl));
  }
  // Whether it reaches what is needed.
  bool reaches(double l0, double l1, double needed) const {
    const double across = cross(l0, l1), nl = l0 + l1;
    return across * across >= needed * (nl * (n_ - nl));
  }
  // The closer bound, which may be no number where a side has one class.
  double closer(double l0, double l1) const {
    const double across = cross(l0, l1), nl = l0 + l1, nr = n_ - nl, r0 = std::max(a_ - l0, 0.0), r1 = std::max(b_ - l1, 0.0);
    return across * across * (1 / (3 * nl * nr) + a_ * b_ / (6 * n_ * n_ * n_) * (nl / (l0 * l1) + nr / (r0 * r1)));
  }

 private:
  double cross(double l0, double l1) const { return l0 * b_ - l1 * a_; }  // n nl (l - p)

  double a_, b_, n_;
};

}  // namespace hedgerow::trees

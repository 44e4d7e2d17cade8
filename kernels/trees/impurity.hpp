// Impurities that trees are grown by. Each is a target: how cases are added up, and how pure a side of a split is.
//
// A tally is `width` numbers: the weight by class, or the weight, sum and sum of squares of a number. `purity` is minus
// weight times impurity (up to a constant that cancels), so that the best split has the largest sum over its sides.
// With whole-number weights entropy is added in whole numbers: exact, whatever the order of the rows. All targets here
// are `additive`: the tally of a side is the sum of those of its cases; see absolute_error.hpp for one that is not.
// Entropy is `separable`: the purity of two sides is a sum over classes less a term of each side's weight.
//
// Cuts are compared by a `score`: the purity of both sides, which stays a whole number where sums are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numbers>
#include <type_traits>
#include <vector>

namespace hedgerow::trees {

// log2 by a table of 2048 mantissas and a short series, to full precision away from 1.
struct Log2Table {
  Log2Table() {
    for (std::size_t cell = 0; cell < 2048; ++cell) {
      inverse[cell] = 1.0 / (1.0 + (static_cast<double>(cell) + 0.5) / 2048);
      log[cell] = -std::log2(inverse[cell]);
    }
  }
  std::array<double, 2048> inverse, log;
};
inline const Log2Table log2_table;

#if defined(__GNUC__)
[[gnu::always_inline]]  // so that several are worked out side by side
#endif
inline double fast_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::int32_t>(bits >> 52) - 1023;
  const std::size_t cell = (bits >> 41) & 2047;
  const double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  const double r = mantissa * log2_table.inverse[cell] - 1.0;
  const double series =
      r * (1.4426950408889634 + r * (-0.7213475204444817 + r * (0.4808983469629878 - r * 0.36067376)));
  return static_cast<double>(exponent) + (log2_table.log[cell] + series);
}

// Whether whole weights of so many rows are added up in whole numbers: a table of logarithms by weight must not be
// larger than the rows are.
inline bool fits_integer_sums(double weight, double rows) { return weight < 0x1p31 && weight <= 16 * rows + 0x1p20; }

// x log2 x as whole numbers of a small unit, for all x up to some weight; kept for later trees.
struct XLogXTable {
  std::vector<std::int64_t> cells;
  double unit = 1, bit = 1;  // a unit in bits, a bit in units

  static std::shared_ptr<const XLogXTable> get_up_to(std::uint64_t maximum) {
    static std::mutex mutex;
    static std::array<std::shared_ptr<const XLogXTable>, 3> kept;
    const std::size_t size = (maximum >= (std::uint64_t{1} << 20)) + (maximum >= (std::uint64_t{1} << 27));
    const std::lock_guard lock(mutex);
    auto& table = kept[size];
    if (!table || table->cells.size() <= maximum) {
      auto made = std::make_shared<XLogXTable>();
      const double scale = std::array{0x1p36, 0x1p30, 0x1p26}[size];  // 2^20 * 20 * 2^36 and so on stay below 2^62
      made->unit = 1 / scale;
      made->bit = scale;
      made->cells.resize(maximum + 1);
      for (std::uint64_t x = 2; x <= maximum; ++x) {
        const auto real = static_cast<double>(x);
        made->cells[x] = static_cast<std::int64_t>(std::llrint(real * fast_log2(real) * scale));
      }
      table = std::move(made);
    }
    return table;
  }
};

struct IntegerEntropy {
  using Count = std::uint32_t;
  using Sum = std::int64_t;
  explicit IntegerEntropy(std::uint64_t maximum) : table(XLogXTable::get_up_to(maximum)), cells(table->cells.data()) {}
  static constexpr bool separable = true;
  Sum term(Count x) const { return cells[x]; }
  double bit() const { return table->bit; }
  Sum score_two(Count l0, Count l1, Count r0, Count r1) const {
    return score(term(l0) + term(l1) + term(r0) + term(r1), l0 + l1, r0 + r1);
  }
  double purity(Sum sum, Count n) const { return static_cast<double>(sum - cells[n]) * table->unit; }
  Sum score(Sum sum, Count nl, Count nr) const { return sum - cells[nl] - cells[nr]; }
  double purity_of(Sum score) const { return static_cast<double>(score) * table->unit; }
  Sum score_of(double purity) const { return static_cast<Sum>(std::max(purity * bit(), -0x1p62)) - 1; }  // not above it
  std::shared_ptr<const XLogXTable> table;
  const std::int64_t* cells;
};

struct RealEntropy {
  using Count = double;
  using Sum = double;
  explicit RealEntropy(std::uint64_t) {}
  static constexpr bool separable = true;
  static Sum term(Count x) { return x > 0 ? x * fast_log2(x) : 0.0; }
  static double bit() { return 1; }
  static Sum score_two(Count l0, Count l1, Count r0, Count r1) {
    return score(term(l0) + term(l1) + term(r0) + term(r1), l0 + l1, r0 + r1);
  }
  static double purity(Sum sum, Count n) { return sum - term(n); }
  static Sum score(Sum sum, Count nl, Count nr) { return sum - term(nl) - term(nr); }
  static double purity_of(Sum score) { return score; }
  static Sum score_of(double purity) { return purity; }
};

template <class C, class S>
struct Gini {
  using Count = C;
  using Sum = S;
  explicit Gini(std::uint64_t) {}
  static constexpr bool separable = false;
  static Sum term(Count x) { return static_cast<Sum>(x) * static_cast<Sum>(x); }
  static double purity(Sum sum, Count n) {
    return n > 0 ? static_cast<double>(sum) / static_cast<double>(n) - static_cast<double>(n) : 0.0;
  }
  static double score_two(double l0, double l1, double r0, double r1) {
    return Gini<double, double>::purity(l0 * l0 + l1 * l1, l0 + l1) +
           Gini<double, double>::purity(r0 * r0 + r1 * r1, r0 + r1);
  }
  static double purity_of(double score) { return score; }
  static double score_of(double purity) { return purity; }
};
using IntegerGini = Gini<std::uint32_t, std::int64_t>;
using RealGini = Gini<double, double>;

// A case of a node. Whole weights up to 65535 make it four bytes.
template <class Count>
struct ClassCase {
  Count weight;
  std::uint32_t label;
};
template <>
struct ClassCase<std::uint32_t> {
  std::uint16_t weight;
  std::uint16_t label;
};
struct NumberCase {
  double weight;
  double value;
};

// Classes, with one of the four sums above.
template <class Sums>
struct ClassTarget : Sums {
  using Count = typename Sums::Count;
  using Sum = typename Sums::Sum;
  using Case = ClassCase<Count>;
  using Sums::purity;
  static constexpr bool classes = true, additive = true;

  ClassTarget(std::size_t n_classes, std::uint64_t maximum) : Sums(maximum), width(n_classes) {}

  void add(Count* tally, const Case& one) const { tally[one.label] += one.weight; }
  static Count weight(const Count* tally, std::size_t width) {
    Count n = 0;
    for (std::size_t c = 0; c < width; ++c) n += tally[c];
    return n;
  }
  double purity(const Count* tally, std::size_t width) const {
    const Count n = weight(tally, width);
    Sum sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      if (tally[c] == n) return 0;  // no other class: nothing to work out
      sum += this->term(tally[c]);
    }
    return purity(sum, n);
  }

  // Cases move one by one from the right side to the left. The tallies given are made use of; `sums` has room for a sum
  // a class.
  class SideTallies {
   public:
    SideTallies(const ClassTarget& target, Count* left, Count* right, Sum*)
        : nl(weight(left, target.width)), nr(weight(right, target.width)), target_(target), left_(left), right_(right) {
      for (std::size_t c = 0; c < target.width; ++c) {
        sl_ += target.term(left[c]);
        sr_ += target.term(right[c]);
      }
    }
    void move(const Case& one) {
      Count& l = left_[one.label];
      Count& r = right_[one.label];
      sl_ -= target_.term(l);
      sr_ -= target_.term(r);
      l += one.weight;
      r = r > one.weight ? r - one.weight : 0;
      sl_ += target_.term(l);
      sr_ += target_.term(r);
      nl += one.weight;
      nr = nr > one.weight ? nr - one.weight : 0;
    }
    double score() const { return target_.purity(sl_, nl) + target_.purity(sr_, nr); }
    void write(Count*, Count*) const {}  // both are up to date
    Count nl, nr;

   private:
    const ClassTarget& target_;
    Count *left_, *right_;
    Sum sl_ = 0, sr_ = 0;
  };

  // The same for separable purities: a class has one sum, of its terms on both sides. Terms of real weights cost a
  // logarithm, so they are brought up to date only where they are needed.
  class SeparableSideTallies {
   public:
    SeparableSideTallies(const ClassTarget& target, Count* left, Count* right, Sum* sums)
        : nl(weight(left, target.width)),
          nr(weight(right, target.width)),
          target_(target),
          left_(left),
          all_(right),
          sums_(sums) {
      for (std::size_t c = 0; c < target.width; ++c) {
        sum_ += sums[c] = target.term(left[c]) + target.term(right[c]);
        all_[c] += left[c];
      }
    }
    void move(const Case& one) {
      const std::size_t c = one.label;
      if constexpr (lazy) {
        if (c != moved_) update_term(moved_);
        moved_ = c;
      }
      left_[c] += one.weight;
      nl += one.weight;
      nr = nr > one.weight ? nr - one.weight : 0;
      if constexpr (!lazy) update_term(c);
    }
    Sum score() {
      if constexpr (lazy) update_term(moved_);
      return target_.score(sum_, nl, nr);
    }
    void write(Count*, Count* right) const {  // the left one is up to date
      for (std::size_t c = 0; c < target_.width; ++c) right[c] = right_count(c);
    }
    Count nl, nr;

   private:
    static constexpr bool lazy = std::is_floating_point_v<Count>;
    Count right_count(std::size_t c) const { return all_[c] > left_[c] ? all_[c] - left_[c] : 0; }
    void update_term(std::size_t c) {
      const Sum now = target_.term(left_[c]) + target_.term(right_count(c));
      sum_ += now - sums_[c];
      sums_[c] = now;
    }

    const ClassTarget& target_;
    Count *left_, *all_;
    Sum* sums_;
    Sum sum_ = 0;
    std::size_t moved_ = 0;
  };
  using Sides = std::conditional_t<Sums::separable, SeparableSideTallies, SideTallies>;

  // The same for two classes: `one`, and all others taken together. Tallies have those two.
  class TwoClassSideTallies {
   public:
    TwoClassSideTallies(const ClassTarget& target, const Count* left, const Count* right, std::uint32_t one)
        : nl(left[0] + left[1]), nr(right[0] + right[1]), target_(target), one_(one), l1_(left[0]), r1_(right[0]) {}
    void move(const Case& one) {
      const Count w = one.weight;
      const Count w1 = one.label == one_ ? w : 0;
      l1_ += w1;
      r1_ -= w1;
      nl += w;
      nr -= w;
    }
    auto score() const {
      Count l0 = nl - l1_, r1 = r1_, r = nr;
      if constexpr (std::is_floating_point_v<Count>) {
        l0 = std::max(l0, 0.0);
        r = std::max(r, 0.0);
        r1 = std::clamp(r1, 0.0, r);
      }
      const Sum left = target_.term(l1_) + target_.term(l0), right = target_.term(r1) + target_.term(r - r1);
      if constexpr (Sums::separable) {
        return target_.score(left + right, nl, r);
      } else {
        return target_.purity(left, nl) + target_.purity(right, r);
      }
    }
    void write(Count* left, Count* right) const {
      left[0] = l1_;
      left[1] = nl > l1_ ? nl - l1_ : 0;
      right[0] = std::max<Count>(r1_, 0);
      right[1] = nr > r1_ ? nr - r1_ : 0;
    }
    Count nl, nr;

   private:
    const ClassTarget& target_;
    std::uint32_t one_;
    Count l1_, r1_;
  };

  std::size_t width;
  bool has_light_weights = false;  // no case weighs more than 7
};

// A number, by squared error: a tally is weight, sum and sum of squares.
struct SquaredTarget {
  using Count = double;
  using Sum = double;
  using Case = NumberCase;
  static constexpr bool classes = false, additive = true, separable = false;

  explicit SquaredTarget(double center) : center_(center) {}

  void add(double* tally, const Case& one) const {
    const double value = one.value - center_;  // near zero, so that squares lose little
    tally[0] += one.weight;
    tally[1] += one.weight * value;
    tally[2] += one.weight * value * value;
  }
  static double weight(const double* tally, std::size_t) { return tally[0]; }
  static double purity(const double* tally, std::size_t) {
    return tally[0] > 0 ? std::min(0.0, tally[1] * tally[1] / tally[0] - tally[2]) : 0.0;
  }
  static double purity_of(double score) { return score; }
  static double score_of(double purity) { return purity; }

  class Sides {
   public:
    Sides(const SquaredTarget& target, const double* left, const double* right, double*)
        : nl(left[0]),
          nr(right[0]),
          center_(target.center_),
          sl_(left[1]),
          sr_(right[1]),
          squares_(left[2] + right[2]) {}
    void move(const Case& one) {
      const double sum = one.weight * (one.value - center_);
      nl += one.weight;
      nr -= one.weight;
      sl_ += sum;
      sr_ -= sum;
    }
    double score() const { return (nl > 0 ? sl_ * sl_ / nl : 0.0) + (nr > 0 ? sr_ * sr_ / nr : 0.0) - squares_; }
    double nl, nr;

   private:
    double center_, sl_, sr_, squares_;
  };

  std::size_t width = 3;

 private:
  double center_;
};

// Bounds of what a cut between two classes gains in entropy, without a logarithm.
//
// A cut gains, in natural units,
//   nl KL(l, p) + nr KL(r, p),  with l, r and p the share of the first class on both sides and in all,
// and KL(x, p) is at most (x - p)^2 g(p), and at most (x - p)^2 (g(p) / 3 + g(x) / 6), where g(x) = 1 / (x (1 - x)):
// the second derivative of KL, which is convex, is g. The first bound is the square of Pearson.
class GainBound {
 public:
  // Begins with what the two classes weigh in all.
  GainBound(double a, double b) : a_(a), b_(b), n_(a + b) {}

  // What a bound has to reach, if a cut is to gain so many bits; rounding is allowed for.
  double required_bound(double bits) const { return (bits - 1e-12 * n_) * std::numbers::ln2 * a_ * b_ / n_; }

  // Pearson's bound, given the weights on the left.
  double chi_square_bound(double l0, double l1) const {
    const double cross_product = cross(l0, l1), nl = l0 + l1;
    return cross_product * cross_product / (nl * (n_ - nl));
  }
  // Whether it reaches what is needed.
  bool reaches_bound(double l0, double l1, double needed) const {
    const double cross_product = cross(l0, l1), nl = l0 + l1;
    return cross_product * cross_product >= needed * (nl * (n_ - nl));
  }
  // The closer bound, which may be no number where a side has one class.
  double tight_bound(double l0, double l1) const {
    const double cross_product = cross(l0, l1), nl = l0 + l1, nr = n_ - nl, r0 = std::max(a_ - l0, 0.0),
                 r1 = std::max(b_ - l1, 0.0);
    return cross_product * cross_product *
           (1 / (3 * nl * nr) + a_ * b_ / (6 * n_ * n_ * n_) * (nl / (l0 * l1) + nr / (r0 * r1)));
  }

 private:
  double cross(double l0, double l1) const { return l0 * b_ - l1 * a_; }  // n nl (l - p)

  double a_, b_, n_;
};

}  // namespace hedgerow::trees

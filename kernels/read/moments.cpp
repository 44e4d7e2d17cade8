#include "read/moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace hedgerow {

namespace {

constexpr double kLargest = 1e150, kLargestSquare = 1e305;
constexpr double kRounding = 1e-31;  // of the sum of squares: below this a rest is rounding, so equal values give 0
constexpr double kSmall = 1 << 15;   // 2^33 squares of such numbers fit into 63 bits
constexpr int kRowsBetweenCarries = 200;  // at most 4 additions of less than 2^53 a row and sum: 800 of 1024 allowed

void add(std::int64_t* limbs, double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<unsigned>(bits >> 52) & 0x7ff;
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent) mantissa |= std::uint64_t{1} << 52;
  const unsigned place = exponent ? exponent - 1 : 0;  // the last bit counts 2^(place - 1074)
  const unsigned limb = place / 32, shift = place % 32;
  const auto low = static_cast<std::int64_t>((mantissa << shift) & 0xffffffff);
  const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
  const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1
  limbs[limb] += (low ^ sign) - sign;
  limbs[limb + 1] += (high ^ sign) - sign;
}

// The product of two doubles as an unevaluated, exact sum of two.
void add_product(std::int64_t* limbs, double a, double b) {
  const double product = a * b;
  add(limbs, product);
  add(limbs, std::fma(a, b, -product));
}

void carry_one(std::int64_t* limbs) {
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    const std::int64_t up = limbs[i] >> 32;  // rounds down, so what stays is in [0, 2^32)
    if (!up) continue;  // most limbs are 0, and to pass over them is quicker than to carry nothing on
    limbs[i] -= up << 32;
    limbs[i + 1] += up;
  }
}

// Add a whole number, as two doubles that hold it exactly.
void add_whole(std::int64_t* limbs, std::int64_t x) {
  add(limbs, static_cast<double>(x & 0xffffffff));
  add(limbs, std::ldexp(static_cast<double>(x >> 32), 32));
}

// A number of about 106 bits, as the sum of a double and a much smaller one.
struct Double2 {
  double high = 0, low = 0;
};

Double2 operator+(Double2 a, double b) {
  const double sum = a.high + b, part = sum - a.high;
  const double low = (a.high - (sum - part)) + (b - part) + a.low;
  const double high = sum + low;
  return {high, low - (high - sum)};
}

Double2 operator*(Double2 a, Double2 b) {
  const double product = a.high * b.high;
  const double low = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
  const double high = product + low;
  return {high, low - (high - product)};
}

Double2 operator/(Double2 a, Double2 b) {
  const double quotient = a.high / b.high;
  const double rest = std::fma(-quotient, b.high, a.high) + a.low - quotient * b.low;
  const double low = rest / b.high, high = quotient + low;
  return {high, low - (high - quotient)};
}

// The value of carried limbs of which none is negative.
Double2 plain_value(const std::int64_t* limbs) {
  Double2 out;
  for (std::size_t i = kLimbs; i-- > 0;)
    if (limbs[i]) out = out + std::ldexp(static_cast<double>(limbs[i]), 32 * static_cast<int>(i) - 1074);
  return out;
}

Double2 value_of(const std::int64_t* carried) {
  if (carried[kLimbs - 1] >= 0) return plain_value(carried);
  std::int64_t opposite[kLimbs];
  for (std::size_t i = 0; i < kLimbs; ++i) opposite[i] = -carried[i];
  carry_one(opposite);
  const Double2 out = plain_value(opposite);
  return {-out.high, -out.low};
}

void figures(const std::int64_t* total, double& weight, double& mean, double& squares) {
  const Double2 n = value_of(total);
  weight = n.high;
  mean = squares = std::numeric_limits<double>::quiet_NaN();
  if (!(n.high > 0)) return;
  const Double2 sum = value_of(total + kLimbs), squared = value_of(total + 2 * kLimbs);
  const Double2 average = sum / n, product = sum * average;
  const Double2 rest = squared + -product.high + -product.low;
  mean = average.high;
  squares = rest.high > kRounding * squared.high ? rest.high : 0;
}

}  // namespace

bool add_moments(std::span<const double> value, std::span<const std::int32_t> label, std::span<const double> weight,
                 std::span<std::int64_t> sums) {
  const std::size_t classes = sums.size() / (kSums * kLimbs);
  std::vector<int> since_carry(classes);
  // Unweighted rows, and their values if these are small and whole, are summed as integers and added once.
  struct Whole {
    std::int64_t rows = 0, sum = 0, square = 0;
  };
  std::vector<Whole> whole(classes);
  for (std::size_t row = 0; row < value.size(); ++row) {
    const double x = value[row];
    if (label[row] == -1 || std::isnan(x)) continue;
    const auto klass = static_cast<std::size_t>(label[row]);
    if (klass >= classes) throw std::out_of_range("a class code is out of range");
    if (!(std::fabs(x) <= kLargest)) return false;
    std::int64_t* total = sums.data() + klass * kSums * kLimbs;
    std::int64_t *sum = total + kLimbs, *square = sum + kLimbs;
    if (weight.empty()) {
      Whole& own = whole[klass];
      own.rows += 1;
      if (std::fabs(x) <= kSmall) {
        if (const auto number = static_cast<std::int64_t>(x); static_cast<double>(number) == x) {
          own.sum += number;
          own.square += number * number;
          continue;
        }
      }
      add(sum, x);
      add_product(square, x, x);
    } else {
      const double w = weight[row], wx = w * x, rest = std::fma(w, x, -wx);
      if (!(std::fabs(wx * x) <= kLargestSquare)) return false;
      add(total, w);
      add(sum, wx);
      add(sum, rest);
      add_product(square, wx, x);
      add_product(square, rest, x);
    }
    if (++since_carry[klass] == kRowsBetweenCarries) {
      for (std::size_t i = 0; i < kSums; ++i) carry_one(total + i * kLimbs);
      since_carry[klass] = 0;
    }
  }
  for (std::size_t klass = 0; klass < classes; ++klass) {
    std::int64_t* total = sums.data() + klass * kSums * kLimbs;
    add_whole(total, whole[klass].rows);
    add_whole(total + kLimbs, whole[klass].sum);
    add_whole(total + 2 * kLimbs, whole[klass].square);
  }
  carry(sums);
  return true;
}

void carry(std::span<std::int64_t> sums) {
  for (std::size_t start = 0; start < sums.size(); start += kLimbs) carry_one(sums.data() + start);
}

void mean_and_squares(std::span<const std::int64_t> sums, std::span<double> weight, std::span<double> mean,
                      std::span<double> squares) {
  std::vector<std::int64_t> all(kSums * kLimbs);
  const std::size_t classes = sums.size() / all.size();
  for (std::size_t klass = 0; klass < classes; ++klass) {
    const std::int64_t* own = sums.data() + klass * all.size();
    for (std::size_t limb = 0; limb < all.size(); ++limb) all[limb] += own[limb];
    figures(own, weight[klass], mean[klass], squares[klass]);
  }
  carry(all);
  figures(all.data(), weight[classes], mean[classes], squares[classes]);
}

}  // namespace hedgerow

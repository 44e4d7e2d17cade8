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

void add_to_limbs(std::int64_t* limbs, double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<unsigned>(bits >> 52) & 0x7ff;
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent) mantissa |= std::uint64_t{1} << 52;
  const unsigned bit_position = exponent ? exponent - 1 : 0;  // the last bit counts 2^(place - 1074)
  const unsigned limb = bit_position / 32, shift = bit_position % 32;
  const auto low = static_cast<std::int64_t>((mantissa << shift) & 0xffffffff);
  const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
  const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);  // 0 or -1
  limbs[limb] += (low ^ sign) - sign;
  limbs[limb + 1] += (high ^ sign) - sign;
}

// The product of two doubles as an unevaluated, exact sum of two.
void add_product_to_limbs(std::int64_t* limbs, double a, double b) {
  const double product = a * b;
  add_to_limbs(limbs, product);
  add_to_limbs(limbs, std::fma(a, b, -product));
}

void propagate_carry(std::int64_t* limbs) {
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    const std::int64_t up = limbs[i] >> 32;  // rounds down, so what stays is in [0, 2^32)
    if (!up) continue;  // most limbs are 0, and to pass over them is quicker than to carry nothing on
    limbs[i] -= up << 32;
    limbs[i + 1] += up;
  }
}

// Add a whole number, as two doubles that hold it exactly.
void add_integer_to_limbs(std::int64_t* limbs, std::int64_t x) {
  add_to_limbs(limbs, static_cast<double>(x & 0xffffffff));
  add_to_limbs(limbs, std::ldexp(static_cast<double>(x >> 32), 32));
}

// A number of about 106 bits, as the sum of a double and a much smaller one.
struct DoubleDouble {
  double high = 0, low = 0;
};

DoubleDouble operator+(DoubleDouble a, double b) {
  const double sum = a.high + b, part = sum - a.high;
  const double low = (a.high - (sum - part)) + (b - part) + a.low;
  const double high = sum + low;
  return {high, low - (high - sum)};
}

DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const double product = a.high * b.high;
  const double low = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
  const double high = product + low;
  return {high, low - (high - product)};
}

DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const double rest = std::fma(-quotient, b.high, a.high) + a.low - quotient * b.low;
  const double low = rest / b.high, high = quotient + low;
  return {high, low - (high - quotient)};
}

// The value of carried limbs of which none is negative.
DoubleDouble nonnegative_limbs_value(const std::int64_t* limbs) {
  DoubleDouble out;
  for (std::size_t i = kLimbs; i-- > 0;)
    if (limbs[i]) out = out + std::ldexp(static_cast<double>(limbs[i]), 32 * static_cast<int>(i) - 1074);
  return out;
}

DoubleDouble limbs_value(const std::int64_t* carried) {
  if (carried[kLimbs - 1] >= 0) return nonnegative_limbs_value(carried);
  std::int64_t opposite[kLimbs];
  for (std::size_t i = 0; i < kLimbs; ++i) opposite[i] = -carried[i];
  propagate_carry(opposite);
  const DoubleDouble out = nonnegative_limbs_value(opposite);
  return {-out.high, -out.low};
}

void compute_statistics(const std::int64_t* total, double& weight, double& mean, double& squares) {
  const DoubleDouble n = limbs_value(total);
  weight = n.high;
  mean = squares = std::numeric_limits<double>::quiet_NaN();
  if (!(n.high > 0)) return;
  const DoubleDouble sum = limbs_value(total + kLimbs), squared = limbs_value(total + 2 * kLimbs);
  const DoubleDouble average = sum / n, product = sum * average;
  const DoubleDouble rest = squared + -product.high + -product.low;
  mean = average.high;
  squares = rest.high > kRounding * squared.high ? rest.high : 0;
}

}  // namespace

bool add_moments(std::span<const double> value, std::span<const std::int32_t> label, std::span<const double> weight,
                 std::span<std::int64_t> sums) {
  const std::size_t classes = sums.size() / (kSumsPerClass * kLimbs);
  std::vector<int> since_carry(classes);
  // Unweighted rows, and their values if these are small and whole, are summed as integers and added once.
  struct IntegerSums {
    std::int64_t rows = 0, sum = 0, square = 0;
  };
  std::vector<IntegerSums> integers(classes);
  for (std::size_t row = 0; row < value.size(); ++row) {
    const double x = value[row];
    if (label[row] == -1 || std::isnan(x)) continue;
    const auto klass = static_cast<std::size_t>(label[row]);
    if (klass >= classes) throw std::out_of_range("a class code is out of range");
    if (!(std::fabs(x) <= kLargest)) return false;
    std::int64_t* total = sums.data() + klass * kSumsPerClass * kLimbs;
    std::int64_t *sum = total + kLimbs, *square = sum + kLimbs;
    if (weight.empty()) {
      IntegerSums& own = integers[klass];
      own.rows += 1;
      if (std::fabs(x) <= kSmall) {
        if (const auto number = static_cast<std::int64_t>(x); static_cast<double>(number) == x) {
          own.sum += number;
          own.square += number * number;
          continue;
        }
      }
      add_to_limbs(sum, x);
      add_product_to_limbs(square, x, x);
    } else {
      const double w = weight[row], wx = w * x, rest = std::fma(w, x, -wx);
      if (!(std::fabs(wx * x) <= kLargestSquare)) return false;
      add_to_limbs(total, w);
      add_to_limbs(sum, wx);
      add_to_limbs(sum, rest);
      add_product_to_limbs(square, wx, x);
      add_product_to_limbs(square, rest, x);
    }
    if (++since_carry[klass] == kRowsBetweenCarries) {
      for (std::size_t i = 0; i < kSumsPerClass; ++i) propagate_carry(total + i * kLimbs);
      since_carry[klass] = 0;
    }
  }
  for (std::size_t klass = 0; klass < classes; ++klass) {
    std::int64_t* total = sums.data() + klass * kSumsPerClass * kLimbs;
    add_integer_to_limbs(total, integers[klass].rows);
    add_integer_to_limbs(total + kLimbs, integers[klass].sum);
    add_integer_to_limbs(total + 2 * kLimbs, integers[klass].square);
  }
  propagate_carries(sums);
  return true;
}

void propagate_carries(std::span<std::int64_t> sums) {
  for (std::size_t start = 0; start < sums.size(); start += kLimbs) propagate_carry(sums.data() + start);
}

void compute_mean_and_squares(std::span<const std::int64_t> sums, std::span<double> weight, std::span<double> mean,
                              std::span<double> squares) {
  std::vector<std::int64_t> all(kSumsPerClass * kLimbs);
  const std::size_t classes = sums.size() / all.size();
  for (std::size_t klass = 0; klass < classes; ++klass) {
    const std::int64_t* own = sums.data() + klass * all.size();
    for (std::size_t limb = 0; limb < all.size(); ++limb) all[limb] += own[limb];
    compute_statistics(own, weight[klass], mean[klass], squares[klass]);
  }
  propagate_carries(all);
  compute_statistics(all.data(), weight[classes], mean[classes], squares[classes]);
}

}  // namespace hedgerow

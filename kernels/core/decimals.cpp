#include "core/decimals.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace hedgerow {

double round_decimals(double value, int digits) {
  char text[1100];
  std::to_chars_result end{};
  if (digits >= 0) {
    end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  } else {
    const int exponent = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
    if (exponent + digits < 0) {  // a last digit beyond the first one: down to zero, or up to one of it
      const double step = std::pow(10.0, -digits);
      return std::fabs(value) > step / 2 ? std::copysign(step, value) : std::copysign(0.0, value);
    }
    end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, exponent + digits);
  }
  double out = value;
  std::from_chars(text, end.ptr, out);
  return out;
}

double find_shortest_decimal(double value, double tolerance) {
  if (!(tolerance > 0 && std::isfinite(value))) return value;
  const int first = tolerance < 1e300 ? -static_cast<int>(std::floor(std::log10(2 * tolerance))) - 1 : 0;
  for (int digits = first; digits < first + 4; ++digits) {
    const double shorter = round_decimals(value, digits);
    if (std::fabs(shorter - value) <= tolerance) return shorter + 0.0;
  }
  return value;
}

namespace {

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The value rounded by plain arithmetic, or NaN where that might not give what digits do. A power of ten up to 10^22
// and a whole number below 2^53 are exact, so that their quotient is the double next to the decimal number.
double round_fast(double value, int digits) {
  constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
  const double size = std::fabs(value);
  if (digits > 12 || !(size > 1e-10 && size < 1e11)) return NONE;
  const double low = kPowersOfTen[static_cast<std::size_t>(digits) - 1];
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023;
  int shift = digits - 1 - (exponent * 78913 >> 18);  // the exponent times log10 2, rounded down
  if (shift < 0 || shift > 22) return NONE;
  if (size * kPowersOfTen[static_cast<std::size_t>(shift)] >= 10 * low && --shift < 0) return NONE;
  const double moved = size * kPowersOfTen[static_cast<std::size_t>(shift)];
  const double whole = static_cast<double>(static_cast<std::int64_t>(moved)), rest = moved - whole;  // below 10^13
  if (moved < low || std::fabs(rest - 0.5) < 1e-3) return NONE;
  return std::copysign((whole + (rest > 0.5)) / kPowersOfTen[static_cast<std::size_t>(shift)], value);
}

}  // namespace

double round_significant(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return value;
  if (const double rounded = round_fast(value, digits); !std::isnan(rounded)) return rounded;
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1);
  double out = value;
  const auto read = std::from_chars(text, end.ptr, out);  // the largest doubles may be rounded up to infinity
  return read.ec == std::errc{} ? out : std::copysign(std::numeric_limits<double>::infinity(), value);
}

double choose_threshold(double low, double high) {
  constexpr double lowest = std::numeric_limits<double>::lowest();
  if (low < lowest && lowest < high) low = lowest;  // a threshold is finite
  const double middle = low + (high - low) / 2;
  const double threshold = find_shortest_decimal(middle, (high - low) / 100);
  if (low <= threshold && threshold < high) return threshold;
  return middle < high ? middle : low;
}

}  // namespace hedgerow

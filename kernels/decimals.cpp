#include "decimals.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace hedgerow {

double rounded(double value, int digits) {
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

double near(double value, double tolerance) {
  if (!(tolerance > 0 && std::isfinite(value))) return value;
  const int first = tolerance < 1e300 ? -static_cast<int>(std::floor(std::log10(2 * tolerance))) - 1 : 0;
  for (int digits = first; digits < first + 4; ++digits) {
    const double shorter = rounded(value, digits);
    if (std::fabs(shorter - value) <= tolerance) return shorter + 0.0;
  }
  return value;
}

double significant(double value, int digits) {
  if (!std::isfinite(value)) return value;
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1);
  double out = value;
  const auto read = std::from_chars(text, end.ptr, out);  // the largest doubles may be rounded up to infinity
  return read.ec == std::errc{} ? out : std::copysign(std::numeric_limits<double>::infinity(), value);
}

double halfway(double low, double high) {
  constexpr double lowest = std::numeric_limits<double>::lowest();
  if (low < lowest && lowest < high) low = lowest;  // a threshold is finite
  const double middle = low + (high - low) / 2;
  const double threshold = near(middle, (high - low) / 100);
  if (low <= threshold && threshold < high) return threshold;
  return middle < high ? middle : low;
}

}  // namespace hedgerow

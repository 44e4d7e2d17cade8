#include "read/parse_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

namespace hedgerow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_blank(Byte c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(Byte c) { return static_cast<Byte>(c - '0') < 10; }

bool is_infinite(const Byte* begin, const Byte* end) {
  if (begin == end || (*begin | 0x20) != 'i' || end - begin > 8) return false;
  std::string word(begin, end);
  std::transform(word.begin(), word.end(), word.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return word == "inf" || word == "infinity";
}

// For a number that no double holds: whether it is too large (and not too small).
bool is_too_large(std::string_view text) {
  const auto e = text.find_first_of("eE");
  const auto mantissa = text.substr(0, e);
  const auto first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (e == std::string_view::npos) return magnitude > 0;
  auto tail = text.substr(e + 1);
  const bool negative = tail[0] == '-';
  if (tail[0] == '+' || negative) tail.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
  if (read.ec != std::errc()) return !negative;  // beyond 64 bits
  return magnitude + (negative ? -exponent : exponent) > 0;
}

NumberKind read_number_slow(const Byte* begin, const Byte* end, Byte decimal, double& value) {
  const bool negative = *begin == '-';
  if (*begin == '+' || negative) ++begin;
  if (is_infinite(begin, end)) return value = negative ? -kInfinity : kInfinity, NumberKind::INFINITE;
  std::string copy;
  std::string_view text(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin));
  if (decimal != '.') {
    if (text.find('.') != std::string_view::npos) return NumberKind::NONE;
    copy = text;
    std::replace(copy.begin(), copy.end(), static_cast<char>(decimal), '.');
    text = copy;
  }
  if (text.empty() || !(is_digit(static_cast<Byte>(text[0])) || text[0] == '.')) return NumberKind::NONE;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ptr != text.data() + text.size() || read.ec == std::errc::invalid_argument) return NumberKind::NONE;
  if (read.ec == std::errc::result_out_of_range) value = is_too_large(text) ? kInfinity : 0.0;
  if (negative) value = -value;
  return value == kInfinity || value == -kInfinity ? NumberKind::INFINITE : NumberKind::FINITE;
}

}  // namespace

NumberKind read_number(const Byte* begin, const Byte* end, Byte decimal, double& value) {
  while (begin < end && is_blank(*begin)) ++begin;
  while (end > begin && is_blank(end[-1])) --end;
  if (begin == end) return NumberKind::NONE;
  if (read_number_fast(begin, end, decimal, value) == end) return NumberKind::FINITE;
  return read_number_slow(begin, end, decimal, value);
}

std::vector<double> read_numbers(std::span<const Byte> data, std::span<const std::int64_t> offsets, Byte decimal) {
  std::vector<double> out;
  out.reserve(offsets.size() - 1);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    double value = 0;
    const auto kind = read_number(data.data() + offsets[i], data.data() + offsets[i + 1], decimal, value);
    out.push_back(kind == NumberKind::NONE ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  return out;
}

}  // namespace hedgerow

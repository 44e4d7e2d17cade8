// Decimal numbers from text, rounded as Python's float() rounds them.
#pragma once

#include <span>
#include <vector>

#include "core/delimited_layout.hpp"

namespace hedgerow {

enum class NumberKind : Byte { NONE, FINITE, INFINITE };

// Add an exponent of at most three digits to `power`; nullptr if it is longer or not there.
inline const Byte* read_exponent_fast(const Byte* at, const Byte* end, std::ptrdiff_t& power) {
  const bool negative = at < end && *at == '-';
  at += at < end && (*at == '-' || *at == '+');
  const auto* begin = at;
  std::ptrdiff_t exponent = 0;
  for (; at < end && static_cast<Byte>(*at - '0') < 10 && at - begin < 4; ++at) exponent = exponent * 10 + (*at - '0');
  power += negative ? -exponent : exponent;
  return at == begin || at - begin > 3 ? nullptr : at;
}

// A run of digits and what may follow its decimal point, as one integer.
struct DigitRun {
  std::uint64_t value = 0;
  std::ptrdiff_t count = 0;  // of digits; beyond 19 the value is void
  std::ptrdiff_t scale = 0;  // how many of them stand behind the point
  const Byte* stop = nullptr;
};

inline DigitRun read_digits(const Byte* at, const Byte* end, Byte decimal) {
  DigitRun out;
  const auto run = [&] {
    const auto* begin = at;
    for (; at < end && static_cast<Byte>(*at - '0') < 10; ++at) out.value = out.value * 10 + (*at - '0');
    return at - begin;
  };
  out.count = run();
  if (at < end && *at == decimal) {
    ++at;
    out.scale = run();
    out.count += out.scale;
  }
  out.stop = at;
  return out;
}

// Read the number at the start of [at, end) when it can be had exactly by one multiplication or division:
// at most 19 digits that make an integer up to 2^53, and a power of ten up to 22 (Clinger's fast path).
// Returns where it ends, or nullptr when it takes the long way. `decimal` is the decimal point.
inline const Byte* read_number_fast(const Byte* at, const Byte* end, Byte decimal, double& value) {
  static constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool negative = at < end && *at == '-';
  at += negative;
  const auto digits = read_digits(at, end, decimal);
  if (digits.count == 0 || digits.count > 19 || digits.value > (1ull << 53)) return nullptr;
  std::ptrdiff_t power = -digits.scale;
  at = digits.stop;
  if (at < end && (*at | 0x20) == 'e') {
    at = read_exponent_fast(at + 1, end, power);
    if (!at || power > 22 || power < -22) return nullptr;
  }
  const auto whole = static_cast<double>(digits.value);
  const auto magnitude = power < 0 ? whole / POWERS[-power] : whole * POWERS[power];
  value = negative ? -magnitude : magnitude;
  return at;
}

// Read all of [begin, end), blanks around it allowed, as a number. Words such as "nan" are none.
NumberKind read_number(const Byte* begin, const Byte* end, Byte decimal, double& value);

// Read many words, word i being data[offsets[i], offsets[i + 1]). What is no number becomes NaN.
std::vector<double> read_numbers(std::span<const Byte> data, std::span<const std::int64_t> offsets, Byte decimal);

}  // namespace hedgerow

// Characters of UTF-8 text.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/delimited_layout.hpp"

namespace hedgerow {

inline bool is_ascii(const Byte* begin, const Byte* end) {
  const auto* at = begin;
  for (; end - at >= 8; at += 8)
    if (load8(at) & repeat_byte(0x80)) return false;
  return std::all_of(at, end, [](Byte c) { return c < 0x80; });
}

// How many bytes the UTF-8 character at `at` has; 0 if it is not valid.
inline int utf8_size(const Byte* at, const Byte* end) {
  const Byte first = *at;
  if (first < 0x80) return 1;
  const int size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || end - at < size) return 0;
  for (int i = 1; i < size; ++i)
    if ((at[i] & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && at[1] < 0xA0) || (first == 0xF0 && at[1] < 0x90);
  const bool beyond = (first == 0xED && at[1] > 0x9F) || (first == 0xF4 && at[1] > 0x8F);
  return overlong || beyond ? 0 : size;
}

// How many bytes at `at`, where no valid character is, one U+FFFD stands for: as many as may begin a character, at
// least one (Unicode's "maximal subpart", as Python has it).
inline int invalid_utf8_size(const Byte* at, const Byte* end) {
  const Byte first = *at;
  if (first < 0xC2 || first > 0xF4 || end - at < 2) return 1;
  const Byte low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const Byte high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (at[1] < low || at[1] > high) return 1;
  const int size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  int good = 2;
  while (good < size && good < end - at && (at[good] & 0xC0) == 0x80) ++good;
  return good;
}

// The character at `at`, which is valid and has `size` bytes.
inline std::uint32_t utf8_code(const Byte* at, int size) {
  if (size == 1) return *at;
  std::uint32_t code = *at & (0x7Fu >> size);
  for (int i = 1; i < size; ++i) code = code << 6 | (at[i] & 0x3Fu);
  return code;
}

// Writes a character, for which there must be room, and returns the place behind it. Half of a pair of surrogates is
// written as U+FFFD.
inline Byte* write_utf8(std::uint32_t code, Byte* out) {
  if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
  const auto tail = [&](int shift) { *out++ = static_cast<Byte>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    *out++ = static_cast<Byte>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<Byte>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    *out++ = static_cast<Byte>(0xE0 | (code >> 12));
    tail(6), tail(0);
  } else {
    *out++ = static_cast<Byte>(0xF0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
  return out;
}

}  // namespace hedgerow

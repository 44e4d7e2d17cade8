// How a delimited text is laid out, and the search for the byte that ends a field.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace hedgerow {

using Byte = std::uint8_t;

struct Dialect {
  Byte delimiter = ',';
  bool blank_delimited = false;  // fields are parted by runs of blanks and tabs; `delimiter` is not looked at
  Byte quotes[2] = {'"', '"'};   // 0: none; special only as the first byte of a field
  bool doubled_quotes = true;    // a quote written twice inside quotes stands for itself
  bool escapes = false;          // backslash escapes inside quotes
  Byte comment = 0;              // 0: none; outside quotes it ends the row
  Byte decimal = '.';
  bool trim = false;              // blanks around an unquoted field are not part of it
  bool quoted_missing = true;     // a quoted missing token is missing too
  bool weight_in_braces = false;  // a further last field {w} is the weight of the row
  bool trailing_dot = false;      // a full stop may end the last field
};

// Eight bytes as a number whose lowest byte comes first in memory.
inline std::uint64_t load8(const Byte* from) {
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

constexpr std::uint64_t repeat_byte(Byte byte) { return 0x0101010101010101ull * byte; }

// A word whose lowest set bit is the top bit of the first zero byte; 0 if no byte is zero.
constexpr std::uint64_t mark_zero_bytes(std::uint64_t word) {
  return (word - repeat_byte(1)) & ~word & repeat_byte(0x80);
}

// Finds the first of up to four bytes, eight at a time; two different ones are found fastest.
class ByteFinder {
 public:
  ByteFinder(Byte a, Byte b, Byte c, Byte d)
      : masks_{repeat_byte(a), repeat_byte(b), repeat_byte(c), repeat_byte(d)}, more_than_two_(c != a || d != b) {}

  const Byte* find(const Byte* at, const Byte* end) const {
    for (; end - at >= 8; at += 8) {
      const auto word = load8(at);
      auto hits = mark_zero_bytes(word ^ masks_[0]) | mark_zero_bytes(word ^ masks_[1]);
      if (more_than_two_) hits |= mark_zero_bytes(word ^ masks_[2]) | mark_zero_bytes(word ^ masks_[3]);
      if (hits) return at + (std::countr_zero(hits) >> 3);
    }
    for (; at < end; ++at)
      for (auto mask : masks_)
        if (*at == static_cast<Byte>(mask)) return at;
    return end;
  }

 private:
  std::uint64_t masks_[4];
  bool more_than_two_;
};

// Finds what ends or continues a field in quotes: the quote, or the start of an escape.
inline ByteFinder make_closing_finder(const Dialect& dialect, Byte quote) {
  const Byte other = dialect.escapes ? '\\' : quote;
  return {quote, other, quote, other};
}

// The quote that closes a field whose text begins at `at`, or nullptr; `marks` as make_closing_finder() gives them.
// `has_escapes` tells whether there are doubled quotes or escapes.
inline const Byte* find_closing_quote(const Byte* at, const Byte* end, Byte quote, const ByteFinder& marks,
                                      const Dialect& dialect, bool& has_escapes) {
  for (;;) {
    at = marks.find(at, end);
    if (at == end) return nullptr;
    if (*at == quote && !(dialect.doubled_quotes && at + 1 < end && at[1] == quote)) return at;
    has_escapes = true;
    at += end - at > 1 ? 2 : 1;
  }
}

}  // namespace hedgerow

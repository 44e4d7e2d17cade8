// The words of a text: the longest runs of letters, digits and underscores, in lower case.
//
// They are those of Python's `re.findall(r"\w+", text.lower())` that have at least `min_length` characters; with 2, those of
// scikit-learn's CountVectorizer. Lower-casing is full: U+0130 becomes two characters, and a capital sigma looks at what is
// beside it. Bytes that are no UTF-8 part words, as does U+FFFD, by which Python replaces them. O(bytes).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "dialect.hpp"
#include "utf8.hpp"

namespace hedgerow {

// What there is to know of a character of which the lower-case letter is `code`.
struct Letter {
  std::uint32_t code;
  bool in_word;
  bool closes;  // the word ends behind it
};

// The character of `size` bytes at `at` in the row [begin, end).
Letter lower_letter(const Byte* begin, const Byte* at, int size, const Byte* end);

// The version of Unicode that words follow.
const char* unicode_version();

class WordReader {
 public:
  explicit WordReader(std::size_t min_length) : min_length_(min_length) {}

  // Calls found(begin, end) for every word of a row. Its bytes are good until the next word, with 8 more to be read.
  template <typename Found>
  void read(const Byte* begin, const Byte* end, Found&& found) {
    make_room(static_cast<std::size_t>(end - begin));
    auto* const word = room_.data();
    auto* out = word;
    std::ptrdiff_t more = 0;  // bytes than characters
    const auto close = [&] {
      if (static_cast<std::size_t>(out - word - more) >= min_length_ && out != word) found(word, out);
      out = word;
      more = 0;
    };
    for (const auto* at = begin; at < end;) {
      const auto lower = ASCII[*at];
      if (lower > OTHER) {
        *out++ = lower;
        ++at;
      } else if (lower == GAP) {
        close();
        ++at;
      } else {
        const int size = utf8_size(at, end);
        const auto letter = size ? lower_letter(begin, at, size, end) : Letter{0, false, true};
        if (letter.in_word) {
          auto* const from = out;
          out = write_utf8(letter.code, out);
          more += out - from - 1;
        }
        if (letter.closes) close();
        at += size ? size : 1;
      }
    }
    close();
  }

 private:
  static constexpr Byte GAP = 0, OTHER = 1;

  // A byte's lower-case letter; GAP if it is of no word, OTHER if it is not ASCII.
  static constexpr std::array<Byte, 256> ASCII = [] {
    std::array<Byte, 256> lower{};
    for (int c = 0; c < 256; ++c) {
      const bool small = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      const bool capital = c >= 'A' && c <= 'Z';
      lower[c] = c >= 0x80 ? OTHER : small ? static_cast<Byte>(c) : capital ? static_cast<Byte>(c + 32) : GAP;
    }
    return lower;
  }();

  // A letter of two bytes may become one of three (U+023A), and no letter grows more.
  void make_room(std::size_t bytes) {
    const auto needed = bytes + bytes / 2 + 16;
    if (room_.size() < needed) room_.resize(needed);
  }

  std::size_t min_length_;
  std::vector<Byte> room_;  // for one word
};

}  // namespace hedgerow

// The words of a text: the longest runs of letters, digits and underscores, in lower case.
//
// They are those of Python's `re.findall(r"\w+", text.lower())` that have at least `min_length` characters; with 2,
// those of scikit-learn's CountVectorizer. Lower-casing is full: U+0130 becomes two characters, and a capital sigma
// looks at what is beside it. Bytes that are no UTF-8 part words, as does U+FFFD, by which Python replaces them.
// Without lower-casing they are those of the text as it is. O(bytes).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/delimited_layout.hpp"
#include "core/utf8.hpp"

namespace hedgerow {

// What there is to know of a character that is read as `code`.
struct Letter {
  std::uint32_t code;
  bool in_word;
  bool ends_word;  // the word ends behind it
};

// The lower-case letter of the character of `size` bytes at `at` in the row [begin, end), and the character as it is.
Letter read_lower_letter(const Byte* begin, const Byte* at, int size, const Byte* end);
Letter read_letter(const Byte* at, int size);

// The version of Unicode that words follow.
const char* unicode_version();

class WordReader {
 public:
  // A word has at least one character.
  explicit WordReader(std::size_t min_length, bool lower = true)
      : min_length_(std::max<std::size_t>(1, min_length)), lower_(lower) {}

  // Calls found(begin, end) for every word of a row. Its bytes are good until the next row, with 8 more to be read.
  template <typename Visit>
  void read(const Byte* begin, const Byte* end, Visit&& visit) {
    reserve(static_cast<std::size_t>(end - begin));
    if (is_ascii(begin, end)) {
      read_ascii(begin, end, visit);
    } else {
      read_utf8(begin, end, visit);
    }
  }

 private:
  // Block by block without a branch a byte: words begin and end where the bits of a block change.
  template <typename Visit>
  void read_ascii(const Byte* begin, const Byte* end, Visit&& visit) {
    const auto size = static_cast<std::size_t>(end - begin);
    auto* const lower = buffer_.data();
    std::size_t start = 0;
    bool inside = false;
    const auto close = [&](std::size_t at) {
      if (at - start >= min_length_) visit(lower + start, lower + at);
    };
    for (std::size_t from = 0; from < size; from += BLOCK) {
      const auto bits = read_block(begin + from, std::min(BLOCK, size - from), lower + from);
      for (auto edges = bits ^ (bits << 1 | inside); edges; edges &= edges - 1) {
        const auto at = from + static_cast<std::size_t>(std::countr_zero(edges));
        if (inside) {
          close(at);
        } else {
          start = at;
        }
        inside = !inside;
      }
    }
    if (inside) close(size);
  }

  template <typename Visit>
  void read_utf8(const Byte* begin, const Byte* end, Visit&& visit) {
    auto* word = buffer_.data();
    auto* out = word;
    std::ptrdiff_t more = 0;  // bytes than characters
    const auto close = [&] {
      if (static_cast<std::size_t>(out - word - more) >= min_length_) {
        visit(word, out);
        word = out;
      }
      out = word;
      more = 0;
    };
    for (const auto* at = begin; at < end;) {
      const auto lower = ASCII[*at];
      if (lower > OTHER) {
        *out++ = lower_ ? lower : *at;
        ++at;
      } else if (lower == GAP) {
        close();
        ++at;
      } else {
        const int size = utf8_size(at, end);
        const auto letter = !size    ? Letter{0, false, true}
                            : lower_ ? read_lower_letter(begin, at, size, end)
                                     : read_letter(at, size);
        if (letter.in_word) {
          auto* const from = out;
          out = write_utf8(letter.code, out);
          more += out - from - 1;
        }
        if (letter.ends_word) close();
        at += size ? size : 1;
      }
    }
    close();
  }

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

  static constexpr std::size_t BLOCK = 64;

  // Writes a block in lower case, and returns which of its bytes are of words; what lacks of a whole block is none.
  std::uint64_t read_block(const Byte* from, std::size_t size, Byte* lower) const {
    const auto bits = lower_block(from, size, lower);
    if (!lower_) std::memcpy(lower, from, size);
    return bits;
  }
  static std::uint64_t lower_block(const Byte* from, std::size_t size, Byte* lower) {
    Byte block[BLOCK], in_word[BLOCK];
    if (size == BLOCK) {
      std::memcpy(block, from, BLOCK);
    } else {
      std::memset(block, 0, BLOCK);
      std::memcpy(block, from, size);
    }
    for (std::size_t i = 0; i < BLOCK; ++i) {
      const Byte c = block[i];
      const Byte small = static_cast<Byte>(c - 'A') < 26 ? c | 0x20 : c;
      lower[i] = small;
      in_word[i] = (static_cast<Byte>(small - 'a') < 26) | (static_cast<Byte>(c - '0') < 10) | (c == '_');
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < BLOCK; i += 8) bits |= (load8(in_word + i) * 0x0102040810204080ull >> 56) << i;
    return bits;
  }

  // A letter of two bytes may become one of three (U+023A), and no letter grows more.
  void reserve(std::size_t bytes) {
    const auto needed = bytes + bytes / 2 + BLOCK + 8;
    if (buffer_.size() < needed) buffer_.resize(needed);
  }

  std::size_t min_length_;
  bool lower_;
  std::vector<Byte> buffer_;  // for the words of one row
};

}  // namespace hedgerow

// The runs of characters of a text: all of them, or those inside its words.
//
// They are those of scikit-learn's CountVectorizer with analyzer="char" and "char_wb". The text is in lower case, and
// two or more blanks in a row are one space. Inside words: words are what stands between blanks, each with a space
// before and behind it, and one that is no longer than a run counts once. A byte that is no UTF-8 is U+FFFD, as
// Python's errors="replace" has it. O(bytes x sizes of runs).
#pragma once

#include <cstddef>
#include <vector>

#include "core/utf8.hpp"

namespace hedgerow {

// What `str.isspace` says.
bool is_space(std::uint32_t code);

class CharReader {
 public:
  // Runs have `low` to `high` characters.
  CharReader(std::size_t low, std::size_t high, bool in_words, bool lower)
      : low_(low), high_(high), in_words_(in_words), lower_(lower) {}

  // Calls found(begin, end) for every run of a row, the short ones first. Its bytes are good until the next row, with
  // 8 more to be read.
  template <typename Found>
  void read(const Byte* begin, const Byte* end, Found&& found) {
    const bool plain = is_ascii(begin, end);
    prepare(begin, end, plain);
    if (plain) {
      read_all<true>(found);
    } else {
      read_all<false>(found);
    }
  }

 private:
  template <bool Plain, typename Found>
  void read_all(Found&& found) const {
    const auto *at = room_.data(), *const last = room_.data() + size_;
    if (!in_words_) {
      for (auto n = low_; n <= high_ && slide<Plain>(at, last, n, found); ++n) {
      }
      return;
    }
    for (const auto* space = at + 1; space < last; at = space++) {
      while (*space != ' ') ++space;
      for (auto n = low_; n <= high_; ++n) {
        const bool some = slide<Plain>(at, space + 1, n, found);
        if (!some) found(at, space + 1);
        if (!some || behind<Plain>(at, space + 1, n) == space + 1) break;
      }
    }
  }

  // The place behind `n` characters; nullptr if there are fewer.
  template <bool Plain>
  static const Byte* behind(const Byte* at, const Byte* last, std::size_t n) {
    if constexpr (Plain) return static_cast<std::size_t>(last - at) < n ? nullptr : at + n;
    for (; n && at < last; --n) at = next<Plain>(at);
    return n ? nullptr : at;
  }

  template <bool Plain>
  static const Byte* next(const Byte* at) {
    if constexpr (Plain) return at + 1;
    return at + (*at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4);
  }

  // All runs of `n` characters in [at, last); false if there is none.
  template <bool Plain, typename Found>
  static bool slide(const Byte* at, const Byte* last, std::size_t n, Found&& found) {
    const auto* end = behind<Plain>(at, last, n);
    if (!end) return false;
    for (found(at, end); end < last; found(at, end)) {
      at = next<Plain>(at);
      end = next<Plain>(end);
    }
    return true;
  }

  // Fills the room with the row as its runs are to be read.
  void prepare(const Byte* begin, const Byte* end, bool plain);
  void prepare_plain(const Byte* begin, const Byte* end);
  void prepare_any(const Byte* begin, const Byte* end);

  std::size_t low_, high_;
  bool in_words_, lower_;
  std::vector<Byte> room_;
  std::size_t size_ = 0;
};

}  // namespace hedgerow

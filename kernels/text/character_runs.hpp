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

class CharacterRunReader {
 public:
  // Runs have `low` to `high` characters.
  CharacterRunReader(std::size_t low, std::size_t high, bool in_words, bool lower)
      : low_(low), high_(high), in_words_(in_words), lower_(lower) {}

  // Calls found(begin, end) for every run of a row, the short ones first. Its bytes are good until the next row, with
  // 8 more to be read.
  template <typename Visit>
  void read(const Byte* begin, const Byte* end, Visit&& visit) {
    const bool ascii = is_ascii(begin, end);
    prepare(begin, end, ascii);
    if (ascii) {
      read_runs<true>(visit);
    } else {
      read_runs<false>(visit);
    }
  }

 private:
  template <bool Ascii, typename Visit>
  void read_runs(Visit&& visit) const {
    const auto *at = buffer_.data(), *const last = buffer_.data() + size_;
    if (!in_words_) {
      for (auto n = low_; n <= high_ && visit_runs_of_length<Ascii>(at, last, n, visit); ++n) {
      }
      return;
    }
    for (const auto* space = at + 1; space < last; at = space++) {
      while (*space != ' ') ++space;
      for (auto n = low_; n <= high_; ++n) {
        const bool some = visit_runs_of_length<Ascii>(at, space + 1, n, visit);
        if (!some) visit(at, space + 1);
        if (!some || advance<Ascii>(at, space + 1, n) == space + 1) break;
      }
    }
  }

  // The place behind `n` characters; nullptr if there are fewer.
  template <bool Ascii>
  static const Byte* advance(const Byte* at, const Byte* last, std::size_t n) {
    if constexpr (Ascii) return static_cast<std::size_t>(last - at) < n ? nullptr : at + n;
    for (; n && at < last; --n) at = next_character<Ascii>(at);
    return n ? nullptr : at;
  }

  template <bool Ascii>
  static const Byte* next_character(const Byte* at) {
    if constexpr (Ascii) return at + 1;
    return at + (*at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4);
  }

  // All runs of `n` characters in [at, last); false if there is none.
  template <bool Ascii, typename Visit>
  static bool visit_runs_of_length(const Byte* at, const Byte* last, std::size_t n, Visit&& visit) {
    const auto* end = advance<Ascii>(at, last, n);
    if (!end) return false;
    for (visit(at, end); end < last; visit(at, end)) {
      at = next_character<Ascii>(at);
      end = next_character<Ascii>(end);
    }
    return true;
  }

  // Fills the room with the row as its runs are to be read.
  void prepare(const Byte* begin, const Byte* end, bool ascii);
  void prepare_ascii(const Byte* begin, const Byte* end);
  void prepare_utf8(const Byte* begin, const Byte* end);

  std::size_t low_, high_;
  bool in_words_, lower_;
  std::vector<Byte> buffer_;
  std::size_t size_ = 0;
};

}  // namespace hedgerow

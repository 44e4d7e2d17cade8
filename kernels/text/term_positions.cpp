#include "text/term_positions.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "text/character_runs.hpp"
#include "text/words.hpp"

namespace hedgerow {
namespace {

constexpr std::uint32_t DOTTED_I = 0x130, DOT_ABOVE = 0x307, REPLACEMENT = 0xFFFD;

std::string_view as_text(const Byte* begin, const Byte* end) {
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}
std::string_view as_text(std::span<const Byte> word) { return as_text(word.data(), word.data() + word.size()); }

// Pieces of a text as terms have them, words or characters, one after the other: piece i is bytes[starts[i],
// starts[i + 1]), and stands at [begins[i], ends[i]).
struct TextPieces {
  std::vector<Byte> bytes;
  std::vector<std::size_t> starts{0};
  std::vector<std::int64_t> begins, ends;

  std::size_t size() const { return begins.size(); }
  void append_letter(std::uint32_t code) {
    Byte bytes_of_letter[4];
    bytes.insert(bytes.end(), bytes_of_letter, write_utf8(code, bytes_of_letter));
  }
  void end_piece(std::int64_t begin, std::int64_t end) {
    starts.push_back(bytes.size());
    begins.push_back(begin);
    ends.push_back(end);
  }
  void append_character(std::uint32_t code, std::int64_t begin, std::int64_t end) {
    append_letter(code);
    end_piece(begin, end);
  }
  // The bytes of the pieces from..to, the last one not among them.
  std::string_view run_text(std::size_t from, std::size_t to) const {
    return as_text(bytes.data() + starts[from], bytes.data() + starts[to]);
  }
};

// Writes the found terms down.
class TermFinder {
 public:
  TermFinder(const ByteRowsView& known, bool include_unknown) : include_unknown_(include_unknown) {
    known_.reserve(known.size());
    for (std::size_t i = 0; i < known.size(); ++i) known_.emplace(as_text(known[i]), static_cast<std::int32_t>(i));
  }

  void look_up(std::string_view term, std::int64_t begin, std::int64_t end) {
    const auto at = known_.find(term);
    if (at == known_.end() && !include_unknown_) return;
    positions.terms.push_back(at == known_.end() ? -1 : at->second);
    positions.begins.push_back(begin);
    positions.ends.push_back(end);
  }

  // All runs of `n` of the pieces from..to; false if there are too few of them.
  bool find_runs_of_length(const TextPieces& pieces, std::size_t from, std::size_t to, std::size_t n) {
    if (to - from < n) return false;
    for (auto at = from; at + n <= to; ++at)
      look_up(pieces.run_text(at, at + n), pieces.begins[at], pieces.ends[at + n - 1]);
    return true;
  }

  TermPositions positions;

 private:
  bool include_unknown_;
  std::unordered_map<std::string_view, std::int32_t> known_;
};

// The lower-case letter of a plain sign; 0 if it is of no word.
constexpr std::array<Byte, 128> LOWER_ASCII = [] {
  std::array<Byte, 128> lower{};
  for (int c = 0; c < 128; ++c) {
    const bool capital = c >= 'A' && c <= 'Z';
    const bool word = capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    lower[c] = static_cast<Byte>(!word ? 0 : capital ? c + 32 : c);
  }
  return lower;
}();

// The words that are read from a text, a space behind each.
TextPieces split_into_words(std::span<const Byte> text, const TokenOptions& tokens) {
  std::unordered_set<std::string_view> stop;
  for (std::size_t i = 0; i < tokens.stop_words.size(); ++i) stop.insert(as_text(tokens.stop_words[i]));
  const auto *const begin = text.data(), *const end = begin + text.size();
  TextPieces words;
  std::int64_t from = 0, behind = 0;
  std::size_t length = 0;
  const auto close = [&] {
    const auto start = words.starts.back();
    const bool counts = length >= std::max<std::size_t>(1, tokens.min_length);
    const auto passed_over = [&] {
      return !stop.empty() &&
             stop.contains(as_text(words.bytes.data() + start, words.bytes.data() + words.bytes.size()));
    };
    if (counts && !passed_over()) {
      words.bytes.push_back(' ');
      words.end_piece(from, behind);
    } else {
      words.bytes.resize(start);
    }
    length = 0;
  };
  for (const auto* at = begin; at < end;) {
    if (*at < 0x80) {
      if (const auto plain = LOWER_ASCII[*at]) {
        if (!length++) from = at - begin;
        behind = at - begin + 1;
        words.bytes.push_back(tokens.lower ? plain : *at);
      } else if (length) {
        close();
      }
      ++at;
      continue;
    }
    const int size = utf8_size(at, end);
    const auto letter = !size          ? Letter{0, false, true}
                        : tokens.lower ? read_lower_letter(begin, at, size, end)
                                       : read_letter(at, size);
    if (letter.in_word) {
      if (!length++) from = at - begin;
      behind = at - begin + size;
      words.append_letter(letter.code);
    }
    if (letter.ends_word) close();
    at += size ? size : 1;
  }
  close();
  return words;
}

// The characters that are read from a text: blanks in a row are one space, a blank alone stays what it is. Inside words
// all blanks are spaces, and one stands at either end.
TextPieces split_into_characters(std::span<const Byte> text, bool in_words, bool lower) {
  const auto *const begin = text.data(), *const end = begin + text.size();
  const auto last = static_cast<std::int64_t>(text.size());
  TextPieces out;
  if (in_words) out.append_character(' ', 0, 0);
  bool blank = in_words;  // whether the last piece is one
  for (const auto* at = begin; at < end;) {
    const int size = utf8_size(at, end);
    const int step = size ? size : invalid_utf8_size(at, end);
    const auto from = at - begin, to = from + step;
    const auto code = size ? utf8_code(at, size) : REPLACEMENT;
    if (!is_space(code)) {
      blank = false;
      out.append_character(size && lower ? read_lower_letter(begin, at, size, end).code : code, from, to);
      if (size && lower && code == DOTTED_I) out.append_character(DOT_ABOVE, from, to);
    } else if (!blank) {
      blank = true;
      out.append_character(in_words ? ' ' : code, from, to);
    } else {
      const auto start = out.starts[out.size() - 1];
      out.bytes.resize(start);
      out.bytes.push_back(' ');
      out.starts.back() = start + 1;
      out.ends.back() = to;
    }
    at += step;
  }
  if (in_words && !blank) out.append_character(' ', last, last);
  return out;
}

void find_word_runs(const TextPieces& words, const TokenOptions& tokens, TermFinder& finder) {
  for (auto n = tokens.low; n <= std::min(tokens.high, words.size()); ++n)
    for (std::size_t at = 0; at + n <= words.size(); ++at) {
      auto run = words.run_text(at, at + n);
      run.remove_suffix(1);  // the space behind it
      finder.look_up(run, words.begins[at], words.ends[at + n - 1]);
    }
}

void find_runs_in_words(const TextPieces& characters, const TokenOptions& tokens, TermFinder& finder) {
  const auto is_blank = [&](std::size_t at) { return characters.run_text(at, at + 1) == " "; };
  for (std::size_t at = 0, space = 1; space < characters.size(); at = space++) {
    while (!is_blank(space)) ++space;
    const auto size = space + 1 - at;
    for (auto n = tokens.low; n <= tokens.high; ++n) {
      finder.find_runs_of_length(characters, at, space + 1, std::min(n, size));
      if (n >= size) break;
    }
  }
}

}  // namespace

TermPositions find_term_positions(std::span<const Byte> text, const ByteRowsView& known, const TokenOptions& tokens,
                                  bool include_unknown) {
  TermFinder finder(known, include_unknown);
  if (tokens.unit == TermUnit::WORD) {
    find_word_runs(split_into_words(text, tokens), tokens, finder);
  } else if (tokens.unit == TermUnit::CHAR) {
    const auto characters = split_into_characters(text, false, tokens.lower);
    for (auto n = tokens.low; n <= tokens.high && finder.find_runs_of_length(characters, 0, characters.size(), n);
         ++n) {
    }
  } else {
    find_runs_in_words(split_into_characters(text, true, tokens.lower), tokens, finder);
  }
  return std::move(finder.positions);
}

}  // namespace hedgerow

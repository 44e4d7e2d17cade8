#include "text/words.hpp"

#include <algorithm>
#include <span>

#include "core/unicode_tables.hpp"

namespace hedgerow {
namespace {

enum LetterFlag : std::uint8_t { WORD = 1, CASED = 2, IGNORABLE = 4, CLOSES = 8 };
constexpr std::uint32_t CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2;

template <std::size_t N>
constexpr std::array<Byte, N> expand_runs(std::span<const std::uint16_t> runs) {
  std::array<Byte, N> out{};
  auto* at = out.data();
  for (std::size_t i = 0; i < runs.size(); i += 2)
    for (int left = runs[i]; left > 0; --left) *at++ = static_cast<Byte>(runs[i + 1]);
  return out;
}

constexpr auto PAGE_OF = expand_runs<unicode::INDEX>(unicode::PAGE_RUNS);
constexpr auto RECORD_OF = expand_runs<unicode::PAGES * unicode::PAGE>(unicode::RECORD_RUNS);

const unicode::Record& record_of(std::uint32_t code) {
  const auto page = code / unicode::PAGE;
  const auto at = page < unicode::INDEX ? PAGE_OF[page] * unicode::PAGE + code % unicode::PAGE : 0;
  return unicode::RECORDS[RECORD_OF[at]];
}

// The flags of the character of `size` bytes; none if it is not valid.
std::uint8_t letter_flags(const Byte* at, int size) { return size ? record_of(utf8_code(at, size)).flags : 0; }

// The size of the character that ends before `end`; 0 if it is not valid.
int previous_letter_size(const Byte* begin, const Byte* end) {
  for (int size = 1; size <= std::min<std::ptrdiff_t>(4, end - begin); ++size)
    if (utf8_size(end - size, end) == size) return size;
  return 0;
}

// Whether a cased letter stands before `at`, but for what is ignored.
bool is_cased_before(const Byte* begin, const Byte* at) {
  while (at > begin) {
    const int size = previous_letter_size(begin, at);
    const auto flags = letter_flags(at - size, size);
    if (!(flags & IGNORABLE)) return flags & CASED;
    at -= size;
  }
  return false;
}

bool is_cased_after(const Byte* at, const Byte* end) {
  while (at < end) {
    const int size = utf8_size(at, end);
    const auto flags = letter_flags(at, size);
    if (!(flags & IGNORABLE)) return flags & CASED;
    at += size;
  }
  return false;
}

}  // namespace

// A sigma is itself cased, so that looking around takes no more than the row's length for all of them.
Letter read_lower_letter(const Byte* begin, const Byte* at, int size, const Byte* end) {
  const auto code = utf8_code(at, size);
  if (code == CAPITAL_SIGMA) {
    const bool last = is_cased_before(begin, at) && !is_cased_after(at + size, end);
    return {last ? FINAL_SIGMA : SMALL_SIGMA, true, false};
  }
  const auto& record = record_of(code);
  const bool in_word = record.flags & WORD;
  return {code + static_cast<std::uint32_t>(record.lower), in_word, !in_word || (record.flags & CLOSES)};
}

Letter read_letter(const Byte* at, int size) {
  const auto code = utf8_code(at, size);
  const bool in_word = record_of(code).flags & WORD;
  return {code, in_word, !in_word};
}

const char* unicode_version() { return unicode::VERSION; }

}  // namespace hedgerow

// Reading tokens that are terms themselves: single words, or runs of characters.
#pragma once

#include <cstdint>
#include <span>

#include "text/character_runs.hpp"
#include "text/term_rows.hpp"
#include "text/terms.hpp"
#include "text/words.hpp"

namespace hedgerow {

// Calls work(reader) with what reads the tokens.
template <typename Use>
auto with_reader(const TokenOptions& tokens, Use&& use) {
  if (tokens.unit == TermUnit::WORD) return use(WordReader(tokens.min_length, tokens.lower));
  return use(CharacterRunReader(tokens.low, tokens.high, tokens.unit == TermUnit::CHAR_IN_WORDS, tokens.lower));
}

// Counts tokens; code_of(hash, key, begin, length) gives a token's code, and those below `first_term`, which are stop
// words or unknown, do not count.
template <typename CodeOf>
struct TokenCounter {
  RowCounts& counts;
  std::int32_t first_term;
  CodeOf code_of;

  void operator()(std::span<const Token> tokens) {
    std::int32_t codes[MAX_TOKENS];
    std::size_t n = 0;
    for (const auto& [key, begin, length, hash] : tokens)
      if (const auto code = code_of(hash, key, begin, length); code >= first_term) counts.prefetch(codes[n++] = code);
    for (std::size_t i = 0; i < n; ++i) counts.add(codes[i]);
  }
  void end_row() {}
};

}  // namespace hedgerow

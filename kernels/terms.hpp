// Terms: the different words of texts, and how often each is in every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytes.hpp"
#include "crew.hpp"

namespace hedgerow {

// Row i of a column of text is rows[i]; where missing[i], there is none.
struct TextRows {
  Words rows;
  std::span<const bool> missing;
};

// Row i has the terms ids[starts[i], starts[i + 1]), ascending, each as often as counts says.
struct TermRows {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> counts;
};

struct Terms {
  ByteRows vocabulary;  // ascending by bytes, and so by code points
  TermRows rows;
};

// The terms of texts (words.hpp). The same for any crew. O(bytes + terms log terms), a row's terms sorted.
Terms count_terms(const TextRows& text, std::size_t min_length, Crew& crew);

// Those terms only that are `known`, all of them different; ids are places among them.
TermRows count_known(const TextRows& text, const Words& known, std::size_t min_length, Crew& crew);

// All words in their order: those of row i are words[starts[i], starts[i + 1]).
struct SplitWords {
  ByteRows words;
  std::vector<std::int64_t> starts;
};
SplitWords split_words(const TextRows& text, std::size_t min_length);

}  // namespace hedgerow

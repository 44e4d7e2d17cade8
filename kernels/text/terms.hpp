// Terms: the different words of texts, their runs, or runs of characters, and how often each is in every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/thread_pool.hpp"
#include "core/uninitialized_vector.hpp"
#include "text/tfidf.hpp"

namespace hedgerow {

// Row i of a column of text is rows[i]; where missing[i], there is none.
struct TextRows {
  ByteRowsView rows;
  std::span<const bool> missing;
};

enum class TermUnit { WORD, CHAR, CHAR_IN_WORDS };

// What a text's terms are: words (words.hpp), of which those in `stop_words` are passed over, or characters
// (character_runs.hpp), one to several in a row. Words in a row are written with a space between them.
struct TokenOptions {
  TermUnit unit = TermUnit::WORD;
  std::size_t low = 1, high = 1;  // how many in a row; 1 <= low <= high
  std::size_t min_length = 2;     // characters of a word
  bool lower = true;
  ByteRowsView stop_words;
};

// Row i has the terms ids[starts[i], starts[i + 1]), ascending, each as often as counts says.
struct TermRows {
  std::vector<std::int64_t> starts;
  UninitializedVector<std::int32_t> ids;
  UninitializedVector<std::int32_t> counts;
};

struct TermCounts {
  ByteRows vocabulary;  // ascending by bytes, and so by code points
  TermRows rows;
};

// The terms of texts. The same for any number of threads. O(bytes x sizes of runs + terms log terms), a row's terms
// sorted.
TermCounts count_terms(const TextRows& text, const TokenOptions& tokens, ThreadPool& pool);

// How often terms are in all texts together: in how many rows each is, and how often.
struct TermSums {
  ByteRows vocabulary;
  std::vector<std::int64_t> rows, totals;
};
TermSums count_term_sums(const TextRows& text, const TokenOptions& tokens, ThreadPool& pool);

// Terms as columns: MurmurHash3 of a term (vocabulary.hpp) modulo 2^bits, its weights negative if the hash is and
// `is_signed`. `rows` are the weights by row, brought to length 1 by `norm`, `terms` the sums by term, `n_rows` in how
// many rows each column is.
struct HashedTerms {
  WeightedRows rows;
  TermSums terms;
  std::vector<std::int64_t> n_rows;
};
HashedTerms count_hashed_terms(const TextRows& text, const TokenOptions& tokens, int bits, bool is_signed, Tf tf,
                               Norm norm, ThreadPool& pool);

// All tokens in their order: those of row i are words[starts[i], starts[i + 1]). Words are single ones, whatever runs
// of them are terms.
struct WordLists {
  ByteRows words;
  std::vector<std::int64_t> starts;
};
WordLists split_words(const TextRows& text, const TokenOptions& tokens);

}  // namespace hedgerow

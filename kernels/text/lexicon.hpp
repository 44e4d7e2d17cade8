// A lexicon: known terms, ready to be looked up in any number of texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/dictionary.hpp"
#include "core/thread_pool.hpp"
#include "text/character_runs.hpp"
#include "text/term_chunks.hpp"
#include "text/term_scores.hpp"
#include "text/terms.hpp"
#include "text/tfidf.hpp"
#include "text/word_runs.hpp"
#include "text/words.hpp"

namespace hedgerow {

class Lexicon {
 public:
  // The terms are all different; a term's id is its place among them. Nothing that is given is held on to. O(bytes).
  Lexicon(const ByteRowsView& known, const TokenOptions& tokens);

  std::size_t size() const { return n_terms_; }

  // What a thread counts with, kept from chunk to chunk.
  struct LexiconCounter {
    std::variant<WordReader, CharacterRunReader> reader;
    RowCounts counts;
  };
  LexiconCounter make_counter() const;

  // Counts the known terms of some rows.
  void count(const TextRows& text, TermChunk& chunk, LexiconCounter& counter) const;

 private:
  TokenOptions tokens_;  // without its stop words, which the dictionary holds
  std::size_t n_terms_;
  Dictionary terms_;                        // stop words, then known terms; not of runs of words
  std::vector<std::int32_t> term_of_code_;  // of codes, -1 for stop words; empty if a code is its place
  std::optional<KnownWordRuns> known_runs_;
};

// The known terms of every row.
TermRows count_known_terms(const TextRows& text, const Lexicon& lexicon, ThreadPool& pool);

// Weighs the known terms of every row and adds what they say of the classes, as weigh_counts and add_term_scores do,
// without holding more than a few rows. O(bytes + entries x classes that have their terms + rows x classes).
void add_known_scores(const TextRows& text, const Lexicon& lexicon, const TermWeighting& weighing,
                      const TermEvidence& evidence, std::span<double> scores, std::span<bool> known, ThreadPool& pool);

}  // namespace hedgerow

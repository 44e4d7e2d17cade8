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
  Lexicon(const ByteRowsView& known, const Tokens& tokens);

  std::size_t size() const { return n_terms_; }

  // What a member of the crew counts with, kept from chunk to chunk.
  struct Counter {
    std::variant<WordReader, CharReader> reader;
    RowCounts counts;
  };
  Counter counter() const;

  // Counts the known terms of some rows.
  void count(const TextRows& text, Chunk& chunk, Counter& counter) const;

 private:
  Tokens tokens_;  // without its stop words, which the dictionary holds
  std::size_t n_terms_;
  Dictionary terms_;                  // stop words, then known terms; not of runs of words
  std::vector<std::int32_t> places_;  // of codes, -1 for stop words; empty if a code is its place
  std::optional<KnownRuns> runs_;
};

// The known terms of every row.
TermRows count_known(const TextRows& text, const Lexicon& lexicon, ThreadPool& crew);

// Weighs the known terms of every row and adds what they say of the classes, as weigh_counts and add_term_scores do,
// without holding more than a few rows. O(bytes + entries x classes that have their terms + rows x classes).
void add_known_scores(const TextRows& text, const Lexicon& lexicon, const Weighing& weighing,
                      const TermEvidence& evidence, std::span<double> scores, std::span<bool> known, ThreadPool& crew);

}  // namespace hedgerow

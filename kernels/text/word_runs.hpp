// Runs of words ("n-grams") as terms, without writing one before the vocabulary is settled.
//
// A run is a pair of numbers: the run of all its words but the last, and the last. Two runs are the same if these are,
// so that nothing is hashed but the pair, and nothing compared but numbers. As a space comes before every letter of a
// word, the order of the written runs is that of their words' places among the sorted words.
#pragma once

#include "core/dictionary.hpp"
#include "text/term_rows.hpp"
#include "text/words.hpp"

namespace hedgerow {

class WordRuns {
 public:
  struct WordRun {
    std::int32_t prefix;  // -1: none, the run is a single word
    std::int32_t word;
  };

  WordRuns() : slots_(64) {}

  // The run of one word, and the one that a word makes with those before it; added if new.
  std::int32_t run_of_word(std::int32_t word) {
    const auto at = static_cast<std::size_t>(word);
    if (at >= singles_.size()) singles_.resize(at + at / 2 + 64, -1);
    if (singles_[at] < 0) singles_[at] = append_run(-1, word);
    return singles_[at];
  }
  std::int32_t extend(std::int32_t prefix, std::int32_t word) {
    const auto key = key_of(prefix, word);
    const auto at = find_slot(key);
    return slots_[at].run >= 0 ? slots_[at].run : insert(at, key);
  }

  // The same, or -1 if there is none.
  std::int32_t find_run_of_word(std::int32_t word) const {
    return static_cast<std::size_t>(word) < singles_.size() ? singles_[static_cast<std::size_t>(word)] : -1;
  }
  std::int32_t find(std::int32_t prefix, std::int32_t word) const {
    return slots_[find_slot(key_of(prefix, word))].run;
  }

  // Says that a run will be looked up soon.
  void prefetch(std::int32_t prefix, std::int32_t word) const {
    __builtin_prefetch(&slots_[first_slot(key_of(prefix, word))]);
  }

  std::span<const WordRun> runs() const { return runs_; }  // each behind its prefix

  // Frees what only looking up needs.
  void free_lookup() {
    slots_ = std::vector<RunSlot>(64);
    singles_ = {};
  }

 private:
  struct RunSlot {
    std::uint64_t key = 0;
    std::int32_t run = -1;
  };

  static std::uint64_t key_of(std::int32_t prefix, std::int32_t word) {
    return static_cast<std::uint64_t>(prefix) << 32 | static_cast<std::uint32_t>(word);
  }
  std::size_t first_slot(std::uint64_t key) const {
    auto mixed = key * 0x9E3779B97F4A7C15ull;
    mixed ^= mixed >> 32;
    return (mixed * 0xD6E8FEB86659FD93ull >> 32) & (slots_.size() - 1);
  }
  std::size_t find_slot(std::uint64_t key) const {
    auto at = first_slot(key);
    while (slots_[at].run >= 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  std::int32_t append_run(std::int32_t prefix, std::int32_t word) {
    runs_.push_back({prefix, word});
    return static_cast<std::int32_t>(runs_.size()) - 1;
  }
  std::int32_t insert(std::size_t at, std::uint64_t key);

  std::vector<RunSlot> slots_;  // of the longer ones
  std::size_t used_ = 0;
  std::vector<WordRun> runs_;
  std::vector<std::int32_t> singles_;  // by word
};

// A dictionary that holds the stop words, and nothing else so far.
Dictionary make_stop_word_dictionary(const TokenOptions& tokens);

// The terms of texts, for runs of `low` to `high` words.
CountedChunks count_word_runs(const TextRows& text, const TokenOptions& tokens, KeptCounts kept, ThreadPool& pool);

// Known runs, to be looked up.
class KnownWordRuns {
 public:
  KnownWordRuns(const ByteRowsView& known, const TokenOptions& tokens);

  // Counts those of some rows; of the tokens only the sizes of runs count.
  void count(const TextRows& text, TermChunk& chunk, const TokenOptions& tokens, WordReader& reader,
             RowCounts& counts) const;

 private:
  Dictionary words_;
  std::int32_t n_stop_;
  WordRuns runs_;
  std::vector<std::int32_t> term_of_;  // by run; -1: it only begins terms
};

}  // namespace hedgerow

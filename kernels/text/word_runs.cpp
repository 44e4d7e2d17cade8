#include "text/word_runs.hpp"

#include <algorithm>

#include "text/term_rows.hpp"
#include "text/word_run_order.hpp"
#include "text/words.hpp"

namespace hedgerow {
namespace {

// Turns batches of words into runs that end at each of them, one length after the other, so that those of a batch are
// on their way before the first is needed. Book says how words and runs are looked up; -1 is unknown.
template <typename Lookup>
class RunCounter {
 public:
  RunCounter(Lookup lookup, RowCounts& counts, const TokenOptions& tokens, std::int32_t n_stop)
      : lookup_(lookup), counts_(counts), low_(tokens.low), n_stop_(n_stop), last_(tokens.high, -1) {}

  void operator()(std::span<const Token> tokens) {
    std::size_t n = 0;
    for (const auto& token : tokens) {
      const auto word = lookup_.find_word(token);
      if (word < 0 || word >= n_stop_) words_[n++] = word;
    }
    for (std::size_t i = 0; i < n; ++i) runs_[i] = words_[i] < 0 ? -1 : lookup_.run_of_word(words_[i]);
    count(1, n);
    for (std::size_t length = 2; n && length <= last_.size(); ++length) {
      lengthen(last_[length - 2], n);
      count(length, n);
    }
  }

  void end_row() { std::fill(last_.begin(), last_.end(), -1); }

 private:
  // Makes the runs that end at each word longer by one; `before` is the run that ended before the first of them.
  void lengthen(std::int32_t& before, std::size_t n) {
    const auto behind = runs_[n - 1];
    std::copy_backward(runs_, runs_ + n - 1, runs_ + n);
    runs_[0] = before;
    before = behind;
    for (std::size_t i = 0; i < n; ++i)
      if (runs_[i] >= 0 && words_[i] >= 0) lookup_.runs.prefetch(runs_[i], words_[i]);
    for (std::size_t i = 0; i < n; ++i)
      runs_[i] = runs_[i] < 0 || words_[i] < 0 ? -1 : lookup_.extend(runs_[i], words_[i]);
  }

  void count(std::size_t length, std::size_t n) {
    if (length < low_) return;
    std::int32_t terms[MAX_TOKENS];
    std::size_t n_terms = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (const auto term = runs_[i] < 0 ? -1 : lookup_.term_of_run(runs_[i]); term >= 0)
        counts_.prefetch(terms[n_terms++] = term);
    for (std::size_t i = 0; i < n_terms; ++i) counts_.add(terms[i]);
  }

  Lookup lookup_;
  RowCounts& counts_;
  std::size_t low_;
  std::int32_t n_stop_;
  std::vector<std::int32_t> last_;  // by length less one: the run that ends at the last word of the batch before
  std::int32_t words_[MAX_TOKENS], runs_[MAX_TOKENS];
};

struct GrowingRunLookup {
  Dictionary& words;
  WordRuns& runs;
  std::int32_t find_word(const Token& token) {
    return words.find_or_add(token.hash, token.key, token.begin, token.length);
  }
  std::int32_t run_of_word(std::int32_t word) { return runs.run_of_word(word); }
  std::int32_t extend(std::int32_t prefix, std::int32_t word) { return runs.extend(prefix, word); }
  std::int32_t term_of_run(std::int32_t run) const { return run; }
};

struct FixedRunLookup {
  const Dictionary& words;
  const WordRuns& runs;
  std::span<const std::int32_t> terms;  // by run; -1: it only begins terms
  std::int32_t find_word(const Token& token) const {
    return words.find(token.hash, token.key, token.begin, token.length);
  }
  std::int32_t run_of_word(std::int32_t word) const { return runs.find_run_of_word(word); }
  std::int32_t extend(std::int32_t prefix, std::int32_t word) const { return runs.find(prefix, word); }
  std::int32_t term_of_run(std::int32_t run) const { return terms[run]; }
};

// Adds the run that a known term is; -1 if it has not as many words as runs have, or none of them may be.
std::int32_t add_known_run(std::span<const Byte> term, const TokenOptions& tokens, std::int32_t n_stop,
                           Dictionary& words, WordRuns& runs) {
  const auto n_words = static_cast<std::size_t>(std::count(term.begin(), term.end(), ' ')) + 1;
  if (n_words < tokens.low || n_words > tokens.high) return -1;
  std::int32_t run = -1;
  for (auto from = term.begin();;) {
    const auto to = std::find(from, term.end(), ' ');
    const auto word = words.find_or_add(std::span(from, to));
    if (word < n_stop) return -1;
    run = run < 0 ? runs.run_of_word(word) : runs.extend(run, word);
    if (to == term.end()) return run;
    from = to + 1;
  }
}

}  // namespace

std::int32_t WordRuns::insert(std::size_t at, std::uint64_t key) {
  const auto run = append_run(static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key));
  slots_[at] = {key, run};
  if (++used_ * 3 > slots_.size() * 2) {
    std::vector<RunSlot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const auto& slot : old)
      if (slot.run >= 0) slots_[find_slot(slot.key)] = slot;
  }
  return run;
}

Dictionary make_stop_word_dictionary(const TokenOptions& tokens) {
  Dictionary words;
  for (std::size_t i = 0; i < tokens.stop_words.size(); ++i) words.find_or_add(tokens.stop_words[i]);
  return words;
}

CountedChunks count_word_runs(const TextRows& text, const TokenOptions& tokens, KeptCounts kept, ThreadPool& pool) {
  CountedChunks out{{}, split_into_chunks(text.rows), {}, {}, {}};
  auto& chunks = out.chunks;
  const WordReader reader(tokens.min_length, tokens.lower);
  std::vector<WordReader> readers(pool.size(), reader);
  std::vector<RowCounts> counts(pool.size(), RowCounts(kept));
  std::vector<RunDictionary> run_dictionaries(pool.size(), {make_stop_word_dictionary(tokens), {}});
  const auto n_stop = run_dictionaries[0].words.size();
  pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
    auto& [words, runs] = run_dictionaries[thread];
    chunks[number].thread = thread;
    RunCounter<GrowingRunLookup> counting({words, runs}, counts[thread], tokens, static_cast<std::int32_t>(n_stop));
    read_chunk(text, chunks[number], readers[thread], words, counts[thread], counting);
  });
  if (!kept.sums) counts.clear();
  auto [vocabulary, ranks] = order_runs(run_dictionaries, n_stop, tokens.low, tokens.high, pool);
  out.vocabulary = std::move(vocabulary);
  out.ranks = std::move(ranks);
  for (std::size_t thread = 0; thread < counts.size(); ++thread) out.add_sums(counts[thread], thread, kept);
  return out;
}

KnownWordRuns::KnownWordRuns(const ByteRowsView& known, const TokenOptions& tokens)
    : words_(make_stop_word_dictionary(tokens)), n_stop_(static_cast<std::int32_t>(words_.size())) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto run = add_known_run(known[i], tokens, n_stop_, words_, runs_);
    term_of_.resize(runs_.runs().size(), -1);
    if (run >= 0) term_of_[run] = static_cast<std::int32_t>(i);
  }
}

void KnownWordRuns::count(const TextRows& text, TermChunk& chunk, const TokenOptions& tokens, WordReader& reader,
                          RowCounts& counts) const {
  RunCounter<FixedRunLookup> counting({words_, runs_, term_of_}, counts, tokens, n_stop_);
  read_chunk(text, chunk, reader, words_, counts, counting);
}

}  // namespace hedgerow

#include "text/word_runs.hpp"

#include <algorithm>

#include "text/term_rows.hpp"
#include "text/word_run_order.hpp"
#include "text/words.hpp"

namespace hedgerow {
namespace {

// Turns batches of words into runs that end at each of them, one length after the other, so that those of a batch are
// on their way before the first is needed. Book says how words and runs are looked up; -1 is unknown.
template <typename Book>
class RunCounting {
 public:
  RunCounting(Book book, RowCounts& counts, const Tokens& tokens, std::int32_t n_stop)
      : book_(book), counts_(counts), low_(tokens.low), n_stop_(n_stop), last_(tokens.high, -1) {}

  void operator()(std::span<const Token> tokens) {
    std::size_t n = 0;
    for (const auto& token : tokens) {
      const auto word = book_.word(token);
      if (word < 0 || word >= n_stop_) words_[n++] = word;
    }
    for (std::size_t i = 0; i < n; ++i) runs_[i] = words_[i] < 0 ? -1 : book_.single(words_[i]);
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
      if (runs_[i] >= 0 && words_[i] >= 0) book_.runs.expect(runs_[i], words_[i]);
    for (std::size_t i = 0; i < n; ++i)
      runs_[i] = runs_[i] < 0 || words_[i] < 0 ? -1 : book_.longer(runs_[i], words_[i]);
  }

  void count(std::size_t length, std::size_t n) {
    if (length < low_) return;
    std::int32_t terms[MOST_TOKENS];
    std::size_t n_terms = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (const auto term = runs_[i] < 0 ? -1 : book_.term(runs_[i]); term >= 0)
        counts_.expect(terms[n_terms++] = term);
    for (std::size_t i = 0; i < n_terms; ++i) counts_.add(terms[i]);
  }

  Book book_;
  RowCounts& counts_;
  std::size_t low_;
  std::int32_t n_stop_;
  std::vector<std::int32_t> last_;  // by length less one: the run that ends at the last word of the batch before
  std::int32_t words_[MOST_TOKENS], runs_[MOST_TOKENS];
};

struct Growing {
  Dictionary& words;
  Runs& runs;
  std::int32_t word(const Token& token) { return words.find_or_add(token.hash, token.key, token.begin, token.length); }
  std::int32_t single(std::int32_t word) { return runs.single(word); }
  std::int32_t longer(std::int32_t prefix, std::int32_t word) { return runs.longer(prefix, word); }
  std::int32_t term(std::int32_t run) const { return run; }
};

struct Settled {
  const Dictionary& words;
  const Runs& runs;
  std::span<const std::int32_t> term_of;  // by run; -1: it only begins terms
  std::int32_t word(const Token& token) const { return words.find(token.hash, token.key, token.begin, token.length); }
  std::int32_t single(std::int32_t word) const { return runs.find_single(word); }
  std::int32_t longer(std::int32_t prefix, std::int32_t word) const { return runs.find(prefix, word); }
  std::int32_t term(std::int32_t run) const { return term_of[run]; }
};

// Adds the run that a known term is; -1 if it has not as many words as runs have, or none of them may be.
std::int32_t add_known(std::span<const Byte> term, const Tokens& tokens, std::int32_t n_stop, Dictionary& words,
                       Runs& runs) {
  const auto n_words = static_cast<std::size_t>(std::count(term.begin(), term.end(), ' ')) + 1;
  if (n_words < tokens.low || n_words > tokens.high) return -1;
  std::int32_t run = -1;
  for (auto from = term.begin();;) {
    const auto to = std::find(from, term.end(), ' ');
    const auto word = words.find_or_add(std::span(from, to));
    if (word < n_stop) return -1;
    run = run < 0 ? runs.single(word) : runs.longer(run, word);
    if (to == term.end()) return run;
    from = to + 1;
  }
}

}  // namespace

std::int32_t Runs::insert(std::size_t at, std::uint64_t key) {
  const auto run = added(static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key));
  slots_[at] = {key, run};
  if (++used_ * 3 > slots_.size() * 2) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const auto& slot : old)
      if (slot.run >= 0) slots_[place(slot.key)] = slot;
  }
  return run;
}

Dictionary seeded(const Tokens& tokens) {
  Dictionary words;
  for (std::size_t i = 0; i < tokens.stop.size(); ++i) words.find_or_add(tokens.stop[i]);
  return words;
}

Counted count_word_runs(const TextRows& text, const Tokens& tokens, Keep keep, ThreadPool& crew) {
  Counted out{{}, chunks_of(text.rows), {}, {}, {}};
  auto& chunks = out.chunks;
  const WordReader reader(tokens.min_length, tokens.lower);
  std::vector<WordReader> readers(crew.size(), reader);
  std::vector<RowCounts> counts(crew.size(), RowCounts(keep));
  std::vector<RunBook> books(crew.size(), {seeded(tokens), {}});
  const auto n_stop = books[0].words.size();
  crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& [words, runs] = books[member];
    chunks[number].member = member;
    RunCounting<Growing> counting({words, runs}, counts[member], tokens, static_cast<std::int32_t>(n_stop));
    read_chunk(text, chunks[number], readers[member], words, counts[member], counting);
  });
  if (!keep.sums) counts.clear();
  auto [vocabulary, places] = ordered(books, n_stop, tokens.low, tokens.high, crew);
  out.vocabulary = std::move(vocabulary);
  out.places = std::move(places);
  for (std::size_t member = 0; member < counts.size(); ++member) out.add_sums(counts[member], member, keep);
  return out;
}

KnownRuns::KnownRuns(const ByteRowsView& known, const Tokens& tokens)
    : words_(seeded(tokens)), n_stop_(static_cast<std::int32_t>(words_.size())) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto run = add_known(known[i], tokens, n_stop_, words_, runs_);
    term_of_.resize(runs_.all().size(), -1);
    if (run >= 0) term_of_[run] = static_cast<std::int32_t>(i);
  }
}

void KnownRuns::count(const TextRows& text, Chunk& chunk, const Tokens& tokens, WordReader& reader,
                      RowCounts& counts) const {
  RunCounting<Settled> counting({words_, runs_, term_of_}, counts, tokens, n_stop_);
  read_chunk(text, chunk, reader, words_, counts, counting);
}

}  // namespace hedgerow

#include "text/terms.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/dictionary.hpp"
#include "core/free_memory.hpp"
#include "text/term_order.hpp"
#include "text/term_reading.hpp"
#include "text/term_rows.hpp"
#include "text/vocabulary.hpp"
#include "text/word_runs.hpp"

namespace hedgerow {
namespace {

template <typename Reader>
struct Counter {
  Reader reader;
  Dictionary terms;
  RowCounts counts;
};

template <typename Reader>
Counted count_single(const TextRows& text, const Tokens& tokens, const Reader& reader, Keep keep, ThreadPool& crew) {
  Counted out{{}, chunks_of(text.rows), {}, {}, {}};
  auto& chunks = out.chunks;
  std::vector<Counter<Reader>> counters(crew.size(), {reader, seeded(tokens), RowCounts(keep)});
  const auto first = static_cast<std::int32_t>(counters[0].terms.size());
  crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& [own, terms, counts] = counters[member];
    chunks[number].member = member;
    auto code_of = [&terms = terms](auto... token) { return terms.find_or_add(token...); };
    read_chunk(text, chunks[number], own, terms, counts, Counting<decltype(code_of)>{counts, first, code_of});
  });
  std::vector<const Dictionary*> all;
  for (auto& counter : counters) all.push_back(&counter.terms);
  auto [words, places] = word_order(all, static_cast<std::size_t>(first), crew);
  out.vocabulary = written(all, words);
  out.places = std::move(places);
  for (std::size_t member = 0; member < counters.size(); ++member) out.add_sums(counters[member].counts, member, keep);
  return out;
}

}  // namespace

Counted counted(const TextRows& text, const Tokens& tokens, Keep keep, ThreadPool& crew) {
  constexpr std::size_t LARGE = 1 << 22;  // bytes, from where on room counts more than the time to give some back
  auto out =
      tokens.unit == Unit::WORD && tokens.high > 1
          ? count_word_runs(text, tokens, keep, crew)
          : with_reader(tokens, [&](const auto& reader) { return count_single(text, tokens, reader, keep, crew); });
  if (keep.rows && text.rows.data.size() > LARGE) trim_free_memory();  // dictionaries, of which only the words are left
  return out;
}

Terms count_terms(const TextRows& text, const Tokens& tokens, ThreadPool& crew) {
  auto terms = counted(text, tokens, {}, crew);
  auto rows = assembled(terms.chunks, text.rows.size(), terms.n_terms(), terms.places, crew);
  return {std::move(terms.vocabulary), std::move(rows)};
}

TermSums count_sums(const TextRows& text, const Tokens& tokens, ThreadPool& crew) {
  auto terms = counted(text, tokens, {.rows = false, .sums = true}, crew);
  return {std::move(terms.vocabulary), std::move(terms.rows), std::move(terms.totals)};
}

HashedTerms count_hashed(const TextRows& text, const Tokens& tokens, int bits, bool is_signed, Tf tf, Norm norm,
                         ThreadPool& crew) {
  auto terms = counted(text, tokens, {.rows = true, .sums = true}, crew);
  HashedTerms out;
  out.n_rows.resize(std::size_t{1} << bits);
  {
    const auto hashes = hash_words({terms.vocabulary.data, terms.vocabulary.offsets});
    std::vector<std::int32_t> columns(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto column = std::abs(std::int64_t{hashes[i]}) & ((std::int64_t{1} << bits) - 1);
      columns[i] = hashed_column(static_cast<std::int32_t>(column), is_signed && hashes[i] < 0);
      out.n_rows[static_cast<std::size_t>(column)] += terms.rows[i];
    }
    for (auto& places : terms.places)
      for (auto& place : places) place = place < 0 ? -1 : columns[static_cast<std::size_t>(place)];
  }
  out.rows = hashed_rows(terms.chunks, text.rows.size(), terms.places, out.n_rows, {tf, {}, norm}, crew);
  out.terms = {std::move(terms.vocabulary), std::move(terms.rows), std::move(terms.totals)};
  return out;
}

SplitWords split_words(const TextRows& text, const Tokens& tokens) {
  SplitWords out{{{}, {0}}, {0}};
  const auto stop = seeded(tokens);
  const auto add = [&](const Byte* begin, const Byte* end) {
    const auto length = static_cast<std::size_t>(end - begin);
    if (stop.find(Dictionary::key_of(begin, length, begin + 8), begin, length) >= 0) return;
    out.words.data.insert(out.words.data.end(), begin, end);
    out.words.offsets.push_back(static_cast<std::int64_t>(out.words.data.size()));
  };
  with_reader(tokens, [&](auto reader) {
    for (std::size_t row = 0; row < text.rows.size(); ++row) {
      const auto bytes = text.rows[row];
      if (!text.missing[row]) reader.read(bytes.data(), bytes.data() + bytes.size(), add);
      out.starts.push_back(static_cast<std::int64_t>(out.words.offsets.size()) - 1);
    }
  });
  return out;
}

}  // namespace hedgerow

#include "terms.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "chars.hpp"
#include "dictionary.hpp"
#include "term_order.hpp"
#include "term_rows.hpp"
#include "vocabulary.hpp"
#include "word_runs.hpp"
#include "words.hpp"

namespace hedgerow {
namespace {

// Calls work(reader) with what reads the tokens.
template <typename Work>
auto with_reader(const Tokens& tokens, Work&& work) {
  if (tokens.unit == Unit::WORD) return work(WordReader(tokens.min_length, tokens.lower));
  return work(CharReader(tokens.low, tokens.high, tokens.unit == Unit::CHAR_IN_WORDS, tokens.lower));
}

// Counts tokens that are terms themselves; code_of(hash, key, begin, length) gives a token's code, and those below `first`,
// which are stop words or unknown, do not count.
template <typename CodeOf>
struct Counting {
  RowCounts& counts;
  std::int32_t first;
  CodeOf code_of;

  void operator()(std::span<const Token> tokens) {
    std::int32_t codes[MOST_TOKENS];
    std::size_t n = 0;
    for (const auto& [key, begin, length, hash] : tokens)
      if (const auto code = code_of(hash, key, begin, length); code >= first) counts.expect(codes[n++] = code);
    for (std::size_t i = 0; i < n; ++i) counts.add(codes[i]);
  }
  void end_row() {}
};

template <typename Reader>
struct Counter {
  Reader reader;
  Dictionary terms;
  RowCounts counts;
};

template <typename Reader>
Counted count_single(const TextRows& text, const Tokens& tokens, const Reader& reader, Keep keep, Crew& crew) {
  Counted out{{}, chunks_of(text.rows), {}, {}, {}};
  auto& chunks = out.chunks;
  std::vector<Counter<Reader>> counters(crew.members(), {reader, seeded(tokens), RowCounts(keep)});
  const auto first = static_cast<std::int32_t>(counters[0].terms.size());
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& [own, terms, counts] = counters[member];
    chunks[number].member = member;
    auto code_of = [&terms = terms](auto... token) { return terms.code(token...); };
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

template <typename Reader>
TermRows count_known_single(const TextRows& text, const Words& known, const Tokens& tokens, const Reader& reader,
                            Crew& crew) {
  // Stop words have the codes below `first`, known words those behind; a known word that is a stop word is neither.
  auto terms = seeded(tokens);
  const auto first = static_cast<std::int32_t>(terms.size());
  std::vector<std::int32_t> places(terms.size(), -1);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (static_cast<std::size_t>(terms.code(known[i])) == places.size())
      places.push_back(static_cast<std::int32_t>(i));
  auto chunks = chunks_of(text.rows);
  std::vector<std::pair<Reader, RowCounts>> counters(crew.members(), {reader, RowCounts()});
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& [own, counts] = counters[member];
    auto code_of = [&](auto... token) { return terms.find(token...); };
    read_chunk(text, chunks[number], own, terms, counts, Counting<decltype(code_of)>{counts, first, code_of});
  });
  return assembled(chunks, text.rows.size(), known.size(), Ranks(crew.members(), places), crew);
}

Counted counted(const TextRows& text, const Tokens& tokens, Keep keep, Crew& crew) {
  if (tokens.unit == Unit::WORD && tokens.high > 1) return count_word_runs(text, tokens, keep, crew);
  return with_reader(tokens, [&](const auto& reader) { return count_single(text, tokens, reader, keep, crew); });
}

}  // namespace

Terms count_terms(const TextRows& text, const Tokens& tokens, Crew& crew) {
  auto terms = counted(text, tokens, {}, crew);
  auto rows = assembled(terms.chunks, text.rows.size(), terms.n_terms(), terms.places, crew);
  return {std::move(terms.vocabulary), std::move(rows)};
}

TermSums count_sums(const TextRows& text, const Tokens& tokens, Crew& crew) {
  auto terms = counted(text, tokens, {.rows = false, .sums = true}, crew);
  return {std::move(terms.vocabulary), std::move(terms.rows), std::move(terms.totals)};
}

HashedTerms count_hashed(const TextRows& text, const Tokens& tokens, int bits, bool is_signed, Tf tf, Crew& crew) {
  auto terms = counted(text, tokens, {.rows = true, .sums = true}, crew);
  const auto n_terms = terms.n_terms();
  auto columns = hash_words({terms.vocabulary.data, terms.vocabulary.offsets});
  const std::unique_ptr<bool[]> negative(new bool[n_terms]());
  for (std::size_t i = 0; i < n_terms; ++i) {
    const std::int64_t hash = columns[i];
    negative[i] = is_signed && hash < 0;
    columns[i] = static_cast<std::int32_t>(std::abs(hash) & ((std::int64_t{1} << bits) - 1));
  }
  HashedTerms out;
  const auto n_columns = std::size_t{1} << bits;
  out.rows = hashed_rows(terms.chunks, text.rows.size(), terms.places, columns, {negative.get(), n_terms}, n_columns, tf,
                         crew);
  out.terms = {std::move(terms.vocabulary), std::move(terms.rows), std::move(terms.totals)};
  out.n_rows.resize(n_columns);
  for (const auto column : out.rows.ids) ++out.n_rows[column];
  return out;
}

TermRows count_known(const TextRows& text, const Words& known, const Tokens& tokens, Crew& crew) {
  if (tokens.unit == Unit::WORD && tokens.high > 1) return count_known_runs(text, known, tokens, crew);
  return with_reader(tokens,
                     [&](const auto& reader) { return count_known_single(text, known, tokens, reader, crew); });
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

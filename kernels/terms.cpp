#include "terms.hpp"

#include <algorithm>

#include "chars.hpp"
#include "dictionary.hpp"
#include "term_order.hpp"
#include "term_rows.hpp"
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

// Counts tokens that are terms themselves; code_of(key, begin, length) gives a token's code, and those below `first`,
// which are stop words or unknown, do not count.
template <typename CodeOf>
struct Counting {
  RowCounts& counts;
  std::int32_t first;
  CodeOf code_of;

  void operator()(std::span<const Token> tokens) {
    std::int32_t codes[MOST_TOKENS];
    std::size_t n = 0;
    for (const auto& [key, begin, length] : tokens)
      if (const auto code = code_of(key, begin, length); code >= first) counts.expect(codes[n++] = code);
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
Terms count_single(const TextRows& text, const Tokens& tokens, const Reader& reader, Crew& crew) {
  auto chunks = chunks_of(text.rows);
  std::vector<Counter<Reader>> counters(crew.members(), {reader, seeded(tokens), {}});
  const auto first = static_cast<std::int32_t>(counters[0].terms.size());
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& [own, terms, counts] = counters[member];
    chunks[number].member = member;
    auto code_of = [&terms = terms](auto... token) { return terms.code(token...); };
    read_chunk(text, chunks[number], own, terms, counts, Counting<decltype(code_of)>{counts, first, code_of});
  });
  std::vector<Dictionary*> all;
  for (auto& counter : counters) all.push_back(&counter.terms);
  auto ranks = united(all);
  const auto order = ascending(*all[0], static_cast<std::size_t>(first));
  const auto places = places_of(order, all[0]->size());
  for (auto& of_member : ranks)
    for (auto& code : of_member) code = places[code];
  Terms out{written(*all[0], order), {}};
  counters.clear();
  out.rows = assembled(chunks, text.rows.size(), order.size(), ranks, crew);
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
  std::vector<std::pair<Reader, RowCounts>> counters(crew.members(), {reader, {}});
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& [own, counts] = counters[member];
    auto code_of = [&](auto... token) { return terms.find(token...); };
    read_chunk(text, chunks[number], own, terms, counts, Counting<decltype(code_of)>{counts, first, code_of});
  });
  return assembled(chunks, text.rows.size(), known.size(), Ranks(crew.members(), places), crew);
}

}  // namespace

Terms count_terms(const TextRows& text, const Tokens& tokens, Crew& crew) {
  if (tokens.unit == Unit::WORD && tokens.high > 1) return count_word_runs(text, tokens, crew);
  return with_reader(tokens, [&](const auto& reader) { return count_single(text, tokens, reader, crew); });
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

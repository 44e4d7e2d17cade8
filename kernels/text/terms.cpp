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
struct TermCounter {
  Reader reader;
  Dictionary terms;
  RowCounts counts;
};

template <typename Reader>
CountedChunks count_single_tokens(const TextRows& text, const TokenOptions& tokens, const Reader& reader,
                                  KeptCounts kept, ThreadPool& pool) {
  CountedChunks out{{}, split_into_chunks(text.rows), {}, {}, {}};
  auto& chunks = out.chunks;
  std::vector<TermCounter<Reader>> counters(pool.size(), {reader, make_stop_word_dictionary(tokens), RowCounts(kept)});
  const auto first = static_cast<std::int32_t>(counters[0].terms.size());
  pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
    auto& [own, terms, counts] = counters[thread];
    chunks[number].thread = thread;
    auto code_of = [&terms = terms](auto... token) { return terms.find_or_add(token...); };
    read_chunk(text, chunks[number], own, terms, counts, TokenCounter<decltype(code_of)>{counts, first, code_of});
  });
  std::vector<const Dictionary*> all;
  for (auto& counter : counters) all.push_back(&counter.terms);
  auto [words, ranks] = order_words(all, static_cast<std::size_t>(first), pool);
  out.vocabulary = write_words(all, words);
  out.ranks = std::move(ranks);
  for (std::size_t thread = 0; thread < counters.size(); ++thread) out.add_sums(counters[thread].counts, thread, kept);
  return out;
}

}  // namespace

CountedChunks count_into_chunks(const TextRows& text, const TokenOptions& tokens, KeptCounts kept, ThreadPool& pool) {
  constexpr std::size_t LARGE = 1 << 22;  // bytes, from where on room counts more than the time to give some back
  auto out = tokens.unit == TermUnit::WORD && tokens.high > 1
                 ? count_word_runs(text, tokens, kept, pool)
                 : with_reader(tokens, [&](const auto& reader) {
                     return count_single_tokens(text, tokens, reader, kept, pool);
                   });
  if (kept.rows && text.rows.data.size() > LARGE) trim_free_memory();  // dictionaries, of which only the words are left
  return out;
}

TermCounts count_terms(const TextRows& text, const TokenOptions& tokens, ThreadPool& pool) {
  auto terms = count_into_chunks(text, tokens, {}, pool);
  auto rows = assemble_rows(terms.chunks, text.rows.size(), terms.n_terms(), terms.ranks, pool);
  return {std::move(terms.vocabulary), std::move(rows)};
}

TermSums count_term_sums(const TextRows& text, const TokenOptions& tokens, ThreadPool& pool) {
  auto terms = count_into_chunks(text, tokens, {.rows = false, .sums = true}, pool);
  return {std::move(terms.vocabulary), std::move(terms.rows), std::move(terms.totals)};
}

HashedTerms count_hashed_terms(const TextRows& text, const TokenOptions& tokens, int bits, bool is_signed, Tf tf,
                               Norm norm, ThreadPool& pool) {
  auto terms = count_into_chunks(text, tokens, {.rows = true, .sums = true}, pool);
  HashedTerms out;
  out.n_rows.resize(std::size_t{1} << bits);
  {
    const auto hashes = hash_words({terms.vocabulary.data, terms.vocabulary.offsets});
    std::vector<std::int32_t> columns(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto column = std::abs(std::int64_t{hashes[i]}) & ((std::int64_t{1} << bits) - 1);
      columns[i] = encode_hashed_column(static_cast<std::int32_t>(column), is_signed && hashes[i] < 0);
      out.n_rows[static_cast<std::size_t>(column)] += terms.rows[i];
    }
    for (auto& ranks : terms.ranks)
      for (auto& rank : ranks) rank = rank < 0 ? -1 : columns[static_cast<std::size_t>(rank)];
  }
  out.rows = assemble_hashed_rows(terms.chunks, text.rows.size(), terms.ranks, out.n_rows, {tf, {}, norm}, pool);
  out.terms = {std::move(terms.vocabulary), std::move(terms.rows), std::move(terms.totals)};
  return out;
}

WordLists split_words(const TextRows& text, const TokenOptions& tokens) {
  WordLists out{{{}, {0}}, {0}};
  const auto stop = make_stop_word_dictionary(tokens);
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

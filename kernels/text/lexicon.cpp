#include "text/lexicon.hpp"

#include <numeric>

#include "text/term_reading.hpp"
#include "text/term_rows.hpp"

namespace hedgerow {

Lexicon::Lexicon(const ByteRowsView& known, const TokenOptions& tokens) : tokens_(tokens), n_terms_(known.size()) {
  if (tokens.unit == TermUnit::WORD && tokens.high > 1) {
    known_runs_.emplace(known, tokens);
  } else {
    terms_ = make_stop_word_dictionary(tokens);
    const auto n_bytes = [](const ByteRowsView& words) {
      return words.size() ? static_cast<std::size_t>(words.offsets.back() - words.offsets.front()) : 0;
    };
    terms_.reserve(terms_.size() + known.size(), n_bytes(tokens.stop_words) + n_bytes(known));
    // Known terms have the codes behind the stop words; one that is a stop word, or there already, has none.
    term_of_code_.assign(terms_.size(), -1);
    bool plain = term_of_code_.empty();
    for (std::size_t i = 0; i < known.size(); ++i) {
      const auto code = static_cast<std::size_t>(terms_.find_or_add(known[i]));
      if (plain && code == i) continue;
      if (plain) {
        term_of_code_.resize(i);
        std::iota(term_of_code_.begin(), term_of_code_.end(), 0);
        plain = false;
      }
      if (code == term_of_code_.size()) term_of_code_.push_back(static_cast<std::int32_t>(i));
    }
  }
  tokens_.stop_words = {};
}

Lexicon::LexiconCounter Lexicon::make_counter() const {
  using TokenReader = std::variant<WordReader, CharacterRunReader>;
  return {with_reader(tokens_, [](auto reader) { return TokenReader(std::move(reader)); }), RowCounts()};
}

void Lexicon::count(const TextRows& text, TermChunk& chunk, LexiconCounter& counter) const {
  auto& [any, counts] = counter;
  if (known_runs_) {
    known_runs_->count(text, chunk, tokens_, std::get<WordReader>(any), counts);
    return;
  }
  const auto read = [&](auto& reader, auto code_of) {
    read_chunk(text, chunk, reader, terms_, counts, TokenCounter<decltype(code_of)>{counts, 0, code_of});
  };
  std::visit(
      [&](auto& reader) {
        if (term_of_code_.empty()) {
          read(reader, [&](auto... token) { return terms_.find(token...); });
        } else {
          read(reader, [&](auto... token) {
            const auto code = terms_.find(token...);
            return code < 0 ? code : term_of_code_[static_cast<std::size_t>(code)];
          });
        }
      },
      any);
}

TermRows count_known_terms(const TextRows& text, const Lexicon& lexicon, ThreadPool& pool) {
  auto chunks = split_into_chunks(text.rows);
  std::vector<Lexicon::LexiconCounter> counters(pool.size(), lexicon.make_counter());
  pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
    lexicon.count(text, chunks[number], counters[thread]);
  });
  return assemble_rows(chunks, text.rows.size(), lexicon.size(), {}, pool);
}

void add_known_scores(const TextRows& text, const Lexicon& lexicon, const TermWeighting& weighing,
                      const TermEvidence& evidence, std::span<double> scores, std::span<bool> known, ThreadPool& pool) {
  struct ScoreScratch {
    Lexicon::LexiconCounter counter;
    ChunkScratch chunk;
    TermRows rows;
    UninitializedVector<double> values;
  };
  auto chunks = split_into_chunks(text.rows, 1 << 16);  // what is held of a chunk stays in the cache
  const TermWeigher weigher(weighing);
  const auto n_classes = evidence.level.size();
  std::vector<ScoreScratch> scratches(pool.size(), ScoreScratch{lexicon.make_counter(), {}, {}, {}});
  pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
    auto& chunk = chunks[number];
    auto& [counter, scratch, rows, values] = scratches[thread];
    lexicon.count(text, chunk, counter);
    const auto n_rows = chunk.last - chunk.first, n_entries = chunk.n_entries;
    rows.starts.assign(n_rows + 1, 0);
    rows.ids.resize(n_entries);
    rows.counts.resize(n_entries);
    values.resize(n_entries);
    place_chunk(chunk, lexicon.size(), nullptr, {0, rows.starts.data(), rows.ids.data(), rows.counts.data()}, scratch);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const auto first = static_cast<std::size_t>(rows.starts[row]);
      const auto size = static_cast<std::size_t>(rows.starts[row + 1]) - first;
      weigher.weigh_row(std::span(rows.ids).subspan(first, size), std::span(rows.counts).subspan(first, size),
                        std::span(values).subspan(first, size));
    }
    score_rows<double>({rows.starts, rows.ids, values}, evidence, scores.subspan(chunk.first * n_classes),
                       known.subspan(chunk.first, n_rows));
  });
}

}  // namespace hedgerow

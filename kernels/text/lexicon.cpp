#include "text/lexicon.hpp"

#include <numeric>

#include "text/term_reading.hpp"
#include "text/term_rows.hpp"

namespace hedgerow {

Lexicon::Lexicon(const ByteRowsView& known, const Tokens& tokens) : tokens_(tokens), n_terms_(known.size()) {
  if (tokens.unit == Unit::WORD && tokens.high > 1) {
    runs_.emplace(known, tokens);
  } else {
    terms_ = seeded(tokens);
    const auto n_bytes = [](const ByteRowsView& words) {
      return words.size() ? static_cast<std::size_t>(words.offsets.back() - words.offsets.front()) : 0;
    };
    terms_.reserve(terms_.size() + known.size(), n_bytes(tokens.stop) + n_bytes(known));
    // Known terms have the codes behind the stop words; one that is a stop word, or there already, has none.
    places_.assign(terms_.size(), -1);
    bool plain = places_.empty();
    for (std::size_t i = 0; i < known.size(); ++i) {
      const auto code = static_cast<std::size_t>(terms_.find_or_add(known[i]));
      if (plain && code == i) continue;
      if (plain) {
        places_.resize(i);
        std::iota(places_.begin(), places_.end(), 0);
        plain = false;
      }
      if (code == places_.size()) places_.push_back(static_cast<std::int32_t>(i));
    }
  }
  tokens_.stop = {};
}

Lexicon::Counter Lexicon::counter() const {
  using Reader = std::variant<WordReader, CharReader>;
  return {with_reader(tokens_, [](auto reader) { return Reader(std::move(reader)); }), RowCounts()};
}

void Lexicon::count(const TextRows& text, Chunk& chunk, Counter& counter) const {
  auto& [any, counts] = counter;
  if (runs_) {
    runs_->count(text, chunk, tokens_, std::get<WordReader>(any), counts);
    return;
  }
  const auto read = [&](auto& reader, auto code_of) {
    read_chunk(text, chunk, reader, terms_, counts, Counting<decltype(code_of)>{counts, 0, code_of});
  };
  std::visit(
      [&](auto& reader) {
        if (places_.empty()) {
          read(reader, [&](auto... token) { return terms_.find(token...); });
        } else {
          read(reader, [&](auto... token) {
            const auto code = terms_.find(token...);
            return code < 0 ? code : places_[static_cast<std::size_t>(code)];
          });
        }
      },
      any);
}

TermRows count_known(const TextRows& text, const Lexicon& lexicon, ThreadPool& crew) {
  auto chunks = chunks_of(text.rows);
  std::vector<Lexicon::Counter> counters(crew.size(), lexicon.counter());
  crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
    lexicon.count(text, chunks[number], counters[member]);
  });
  return assembled(chunks, text.rows.size(), lexicon.size(), {}, crew);
}

void add_known_scores(const TextRows& text, const Lexicon& lexicon, const Weighing& weighing,
                      const TermEvidence& evidence, std::span<double> scores, std::span<bool> known, ThreadPool& crew) {
  struct Room {
    Lexicon::Counter counter;
    ChunkRoom chunk;
    TermRows rows;
    UninitializedVector<double> values;
  };
  auto chunks = chunks_of(text.rows, 1 << 16);  // what is held of a chunk stays in the cache
  const Weigher weigher(weighing);
  const auto n_classes = evidence.level.size();
  std::vector<Room> rooms(crew.size(), Room{lexicon.counter(), {}, {}, {}});
  crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& chunk = chunks[number];
    auto& [counter, room, rows, values] = rooms[member];
    lexicon.count(text, chunk, counter);
    const auto n_rows = chunk.last - chunk.first, n_entries = chunk.n_entries;
    rows.starts.assign(n_rows + 1, 0);
    rows.ids.resize(n_entries);
    rows.counts.resize(n_entries);
    values.resize(n_entries);
    put_chunk(chunk, lexicon.size(), nullptr, {0, rows.starts.data(), rows.ids.data(), rows.counts.data()}, room);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const auto first = static_cast<std::size_t>(rows.starts[row]);
      const auto size = static_cast<std::size_t>(rows.starts[row + 1]) - first;
      weigher.row(std::span(rows.ids).subspan(first, size), std::span(rows.counts).subspan(first, size),
                  std::span(values).subspan(first, size));
    }
    score_rows<double>({rows.starts, rows.ids, values}, evidence, scores.subspan(chunk.first * n_classes),
                       known.subspan(chunk.first, n_rows));
  });
}

}  // namespace hedgerow

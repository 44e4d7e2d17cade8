// Rows of counted terms, put together once the terms' ids are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crew.hpp"
#include "dictionary.hpp"
#include "term_chunks.hpp"
#include "term_order.hpp"
#include "terms.hpp"
#include "weigh.hpp"

namespace hedgerow {

// Terms that are counted, but whose rows are not put together.
struct Counted {
  ByteRows vocabulary;
  std::vector<Chunk> chunks;
  Ranks places;  // of the members' ids in the vocabulary
  std::vector<std::int64_t> rows, totals;  // by term, if sums are kept

  std::size_t n_terms() const { return vocabulary.offsets.size() - 1; }

  // Adds the sums of one member, if they are kept.
  void add_sums(const RowCounts& counts, std::size_t member, Keep keep) {
    if (!keep.sums) return;
    rows.resize(n_terms());
    totals.resize(n_terms());
    counts.add_sums(places[member], rows, totals);
  }
};

// Puts all chunks together, each row's terms ascending, and empties them. Without ranks the ids are final.
TermRows assembled(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, const Ranks& ranks,
                   Crew& crew);

// The same with columns[id], below `n_columns`, in place of every term, ascending; the counts of terms become weights, which
// are negative where `negative` says so, and those of one column are added in the order in which the row has its terms.
WeighedRows hashed_rows(std::vector<Chunk>& chunks, std::size_t n_rows, const Ranks& ranks,
                       std::span<const std::int32_t> columns, std::span<const bool> negative, std::size_t n_columns,
                       Tf tf, Crew& crew);

// A token that is to be looked up.
struct Token {
  std::uint64_t key;
  const Byte* begin;
  std::uint32_t length, hash;
};

constexpr std::size_t MOST_TOKENS = 128;  // that are looked up together

// Reads the tokens of a chunk and hands them on by batches, so that their slots among `terms` are on their way before
// the first is needed. Calls look_up(tokens) as often as a row needs, then look_up.end_row().
template <typename Reader, typename LookUp>
void read_chunk(const TextRows& text, Chunk& chunk, Reader& reader, const Dictionary& terms, RowCounts& counts,
                LookUp&& look_up) {
  Token tokens[MOST_TOKENS];
  std::size_t size = 0;
  const auto add = [&](const Byte* begin, const Byte* end) {
    const auto length = static_cast<std::size_t>(end - begin);
    const auto key = Dictionary::key_of(begin, length, begin + 8);
    const auto hash = Dictionary::hash_of(key, length);
    terms.expect(hash);
    tokens[size++] = {key, begin, static_cast<std::uint32_t>(length), hash};
    if (size == MOST_TOKENS) {
      look_up(std::span<const Token>(tokens, size));
      size = 0;
    }
  };
  for (auto row = chunk.first; row < chunk.last; ++row) {
    const auto bytes = text.rows[row];
    if (!text.missing[row]) reader.read(bytes.data(), bytes.data() + bytes.size(), add);
    look_up(std::span<const Token>(tokens, size));
    size = 0;
    look_up.end_row();
    counts.end_row();
  }
  counts.end(chunk);
}

}  // namespace hedgerow

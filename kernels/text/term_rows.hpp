// Rows of counted terms, put together once the terms' ids are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/dictionary.hpp"
#include "core/thread_pool.hpp"
#include "text/term_chunks.hpp"
#include "text/term_order.hpp"
#include "text/terms.hpp"
#include "text/tfidf.hpp"

namespace hedgerow {

// Terms that are counted, but whose rows are not put together.
struct CountedChunks {
  ByteRows vocabulary;
  std::vector<TermChunk> chunks;
  TermRanks ranks;                         // of the threads' ids in the vocabulary
  std::vector<std::int64_t> rows, totals;  // by term, if sums are kept

  std::size_t n_terms() const { return vocabulary.offsets.size() - 1; }

  // Adds the sums of one thread, if they are kept.
  void add_sums(const RowCounts& counts, std::size_t thread, KeptCounts kept) {
    if (!kept.sums) return;
    rows.resize(n_terms());
    totals.resize(n_terms());
    counts.add_sums(ranks[thread], rows, totals);
  }
};

// The terms of texts; `kept` says what of their counts is kept.
CountedChunks count_into_chunks(const TextRows& text, const TokenOptions& tokens, KeptCounts kept, ThreadPool& pool);

// What a thread needs to put chunks in their place, kept from chunk to chunk.
struct ChunkScratch {
  struct ChunkEntry {
    std::uint32_t id, row;
    std::int32_t count;
  };
  UninitializedVector<ChunkEntry> entries, swap;
  UninitializedVector<std::int64_t> next;
  std::vector<double> divisors;
};

// Where a chunk's rows are put: starts[i] becomes where its i-th row begins, from starts[1] on, if its entries, for
// which ids and counts have room, begin at `base`.
struct ChunkTarget {
  std::int64_t base;
  std::int64_t* starts;
  std::int32_t *ids, *counts;
};

// Puts a chunk's rows in their place and empties it: sorted by the terms' new ids, then distributed to their rows.
// Without a rank ids are final.
void place_chunk(TermChunk& chunk, std::size_t n_terms, const std::int32_t* rank, const ChunkTarget& to,
                 ChunkScratch& scratch);

// Puts all chunks together, each row's terms ascending, and empties them. Without ranks the ids are final.
TermRows assemble_rows(std::vector<TermChunk>& chunks, std::size_t n_rows, std::size_t n_terms, const TermRanks& ranks,
                       ThreadPool& pool);

// The same with weights in place of counts.
WeightedRows assemble_weighted_rows(std::vector<TermChunk>& chunks, std::size_t n_rows, std::size_t n_terms,
                                    const TermRanks& ranks, const TermWeighting& options, ThreadPool& pool);

// A column and whether the weights of its terms are negative, as one number.
inline std::int32_t encode_hashed_column(std::int32_t column, bool negative) { return column << 1 | negative; }

// The same with columns in place of terms, ascending, as encode_hashed_column has them by thread and id; the counts of
// terms become weights by their frequency, those of one column are added in the order in which the row has its terms,
// and the row is brought to length 1; there are no scales. `rows_of` are the rows of all terms of each column, and
// become those of the column, of which a row with two of the terms is but one.
WeightedRows assemble_hashed_rows(std::vector<TermChunk>& chunks, std::size_t n_rows, const TermRanks& columns,
                                  std::span<std::int64_t> rows_of, const TermWeighting& options, ThreadPool& pool);

// A token that is to be looked up.
struct Token {
  std::uint64_t key;
  const Byte* begin;
  std::uint32_t length, hash;
};

constexpr std::size_t MAX_TOKENS = 128;  // that are looked up together

// Reads the tokens of a chunk and hands them on by batches, so that their slots among `terms` are on their way before
// the first is needed. Calls process(tokens) as often as a row needs, then process.end_row().
template <typename Reader, typename Process>
void read_chunk(const TextRows& text, TermChunk& chunk, Reader& reader, const Dictionary& terms, RowCounts& counts,
                Process&& process) {
  Token tokens[MAX_TOKENS];
  std::size_t size = 0;
  const auto add = [&](const Byte* begin, const Byte* end) {
    const auto length = static_cast<std::size_t>(end - begin);
    const auto key = Dictionary::key_of(begin, length, begin + 8);
    const auto hash = Dictionary::hash_of(key, length);
    terms.prefetch(hash);
    tokens[size++] = {key, begin, static_cast<std::uint32_t>(length), hash};
    if (size == MAX_TOKENS) {
      process(std::span<const Token>(tokens, size));
      size = 0;
    }
  };
  for (auto row = chunk.first; row < chunk.last; ++row) {
    const auto bytes = text.rows[row];
    if (!text.missing[row]) reader.read(bytes.data(), bytes.data() + bytes.size(), add);
    process(std::span<const Token>(tokens, size));
    size = 0;
    process.end_row();
    counts.end_row();
  }
  counts.finish_chunk(chunk);
}

}  // namespace hedgerow

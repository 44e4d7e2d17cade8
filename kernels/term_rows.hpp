// Counting term by term, in chunks of rows that are put together in the end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crew.hpp"
#include "dictionary.hpp"
#include "terms.hpp"

namespace hedgerow {

// Some rows, counted by one member of the crew: ids are its own.
struct Chunk {
  std::size_t first, last, member;
  std::vector<std::int64_t> ends;  // of the rows among the ids
  std::vector<std::int32_t> ids, counts;
};

// Chunks of a size that does not depend on the crew.
std::vector<Chunk> chunks_of(const Words& rows);

// Ids by member of the crew and own id.
using Ranks = std::vector<std::vector<std::int32_t>>;

// Puts all chunks together, each row's terms ascending, and empties them. Without ranks the ids are final.
TermRows assembled(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, const Ranks& ranks,
                   Crew& crew);

// Counts the terms of one row after the other; kept by a member of the crew from chunk to chunk.
class RowCounts {
 public:
  // Says that a term will be counted soon.
  void expect(std::int32_t id) const { __builtin_prefetch(seen_.data() + id); }

  void add(std::int32_t id) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= seen_.size()) seen_.resize(at + at / 2 + 64, -1);
    if (seen_[at] >= row_) {
      ++counts_[static_cast<std::size_t>(seen_[at] - base_)];
      return;
    }
    seen_[at] = base_ + static_cast<std::int64_t>(ids_.size());
    ids_.push_back(id);
    counts_.push_back(1);
  }

  void end_row() {
    ends_.push_back(static_cast<std::int64_t>(ids_.size()));
    row_ = base_ + ends_.back();
  }

  // Hands the rows over, and is ready for the next chunk.
  void end(Chunk& chunk) {
    chunk.ends.assign(ends_.begin(), ends_.end());
    chunk.ids.assign(ids_.begin(), ids_.end());
    chunk.counts.assign(counts_.begin(), counts_.end());
    ends_.clear();
    ids_.clear();
    counts_.clear();
    base_ = row_;
  }

 private:
  std::vector<std::int64_t> seen_;   // the place of each term's last entry, all chunks counted through
  std::int64_t base_ = 0, row_ = 0;  // the places of the first entry of the chunk and of the row
  std::vector<std::int64_t> ends_;
  std::vector<std::int32_t> ids_, counts_;
};

// A token that is to be looked up.
struct Token {
  std::uint64_t key;
  const Byte* begin;
  std::size_t length;
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
    terms.expect(key, length);
    tokens[size++] = {key, begin, length};
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

#include "term_rows.hpp"

#include <array>
#include <numeric>

namespace hedgerow {
namespace {

constexpr std::int64_t CHUNK = 1 << 18;  // bytes

struct Entry {
  std::uint32_t id, row;
  std::int32_t count;
};

// Sorts entries by their id, which is below `behind`; those of one id stay in order.
void sort_by_id(std::vector<Entry>& entries, std::uint64_t behind) {
  constexpr int BITS = 11;
  std::vector<Entry> other(entries.size());
  for (int shift = 0; behind >> shift; shift += BITS) {
    const auto digit = [&](const Entry& entry) { return entry.id >> shift & ((1u << BITS) - 1); };
    std::array<std::size_t, (1 << BITS) + 1> starts{};
    for (const auto& entry : entries) ++starts[digit(entry) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const auto& entry : entries) other[starts[digit(entry)]++] = entry;
    entries.swap(other);
  }
}

// Puts a chunk's entries in their place: sorted by the terms' new ids, then dealt out to their rows.
void put_chunk(Chunk& chunk, std::int64_t base, std::size_t n_terms, TermRows& out, const Ranks& ranks) {
  std::vector<Entry> entries;
  std::vector<std::int64_t> next;
  entries.reserve(chunk.ids.size());
  const auto* rank = ranks.empty() ? nullptr : ranks[chunk.member].data();
  std::int64_t at = 0;
  for (std::uint32_t row = 0; row < chunk.ends.size(); ++row) {
    next.push_back(base + at);
    for (; at < chunk.ends[row]; ++at) {
      const auto id = rank ? rank[chunk.ids[at]] : chunk.ids[at];
      entries.push_back({static_cast<std::uint32_t>(id), row, chunk.counts[at]});
    }
    out.starts[chunk.first + row + 1] = base + at;
  }
  sort_by_id(entries, n_terms);
  for (const auto& [id, row, count] : entries) {
    const auto to = next[row]++;
    out.ids[to] = static_cast<std::int32_t>(id);
    out.counts[to] = count;
  }
  chunk = {};
}

}  // namespace

std::vector<Chunk> chunks_of(const Words& rows) {
  std::vector<Chunk> chunks;
  for (std::size_t first = 0; first < rows.size();) {
    auto last = first + 1;
    while (last < rows.size() && rows.offsets[last + 1] - rows.offsets[first] <= CHUNK) ++last;
    chunks.push_back({first, last, 0, {}, {}, {}});
    first = last;
  }
  return chunks;
}

TermRows assembled(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, const Ranks& ranks,
                   Crew& crew) {
  std::vector<std::int64_t> bases{0};
  for (const auto& chunk : chunks) bases.push_back(bases.back() + static_cast<std::int64_t>(chunk.ids.size()));
  const auto total = static_cast<std::size_t>(bases.back());
  TermRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(total);
  out.counts.resize(total);
  crew.share(chunks.size(), [&](std::size_t number, std::size_t) {
    put_chunk(chunks[number], bases[number], n_terms, out, ranks);
  });
  return out;
}

}  // namespace hedgerow

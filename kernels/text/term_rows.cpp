#include "text/term_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>

namespace hedgerow {
namespace {

using ChunkEntry = ChunkScratch::ChunkEntry;

// Sorts entries by their id, which is below `id_end`; those of one id stay in order.
void sort_by_id(UninitializedVector<ChunkEntry>& entries, UninitializedVector<ChunkEntry>& other,
                std::uint64_t id_end) {
  constexpr int MOST_BITS = 11;
  const int width = id_end ? static_cast<int>(std::bit_width(id_end - 1)) : 0;
  const int passes = (width + MOST_BITS - 1) / MOST_BITS;
  const int bits = passes ? (width + passes - 1) / passes : 0;
  other.resize(entries.size());
  for (int shift = 0; shift < width; shift += bits) {
    const auto digit = [&](const ChunkEntry& entry) { return entry.id >> shift & ((1u << bits) - 1); };
    std::array<std::uint32_t, (1 << MOST_BITS) + 1> starts{};
    for (const auto& entry : entries) ++starts[digit(entry) + 1];
    std::partial_sum(starts.begin(), starts.begin() + (1 << bits), starts.begin());
    for (const auto& entry : entries) other[starts[digit(entry)]++] = entry;
    entries.swap(other);
  }
}

// Where the entries of chunks begin, one after the other.
std::vector<std::int64_t> compute_bases(const std::vector<TermChunk>& chunks) {
  std::vector<std::int64_t> bases{0};
  for (const auto& chunk : chunks) bases.push_back(bases.back() + static_cast<std::int64_t>(chunk.n_entries));
  return bases;
}

const std::int32_t* find_rank(const TermRanks& ranks, const TermChunk& chunk) {
  return ranks.empty() ? nullptr : ranks[chunk.thread].data();
}

// Chunks whose terms become columns. A chunk is put where there is room for all its terms; as terms may share a column,
// it is shorter in the end, and moves to the one before it.
class HashedRowAssembler {
 public:
  HashedRowAssembler(const TermRanks& columns, std::size_t n_columns, const TermWeighting& options, WeightedRows& out)
      : columns_(columns), n_columns_(n_columns), options_(options), weights_(options.tf), out_(out) {}

  // Puts a chunk behind `base`; out.starts are then the sizes of its rows. Columns that a row has once more are listed
  // in `merged`. Returns how many entries the chunk has.
  std::int64_t place_chunk(TermChunk& chunk, std::int64_t base, ChunkScratch& scratch,
                           std::vector<std::uint32_t>& merged) const {
    auto& [entries, other, next, divisors] = scratch;
    read_entries(chunk, base, scratch);
    sort_by_id(entries, other, n_columns_);
    auto* const sizes = out_.starts.data() + chunk.first + 1;
    std::fill_n(sizes, next.size(), 0);
    for (const auto& [column, row, count] : entries) {
      auto& size = sizes[row];
      const auto at = next[row] + size;
      const auto value = entry_weight(count, divisors[row]);
      if (size && out_.ids[at - 1] == static_cast<std::int32_t>(column)) {
        out_.values[at - 1] = options_.tf == Tf::BINARY ? 1.0 : out_.values[at - 1] + value;
        merged.push_back(column);
        continue;
      }
      out_.ids[at] = static_cast<std::int32_t>(column);
      out_.values[at] = value;
      ++size;
    }
    auto end = base;
    for (std::size_t row = 0; row < next.size(); ++row) {
      move_entries(next[row], sizes[row], end);
      normalize_row(options_.norm, {out_.values.data() + end, static_cast<std::size_t>(sizes[row])});
      end += sizes[row];
    }
    return end - base;
  }

  void move_entries(std::int64_t from, std::int64_t size, std::int64_t to) const {
    if (from == to) return;
    std::copy_n(out_.ids.begin() + from, size, out_.ids.begin() + to);
    std::copy_n(out_.values.begin() + from, size, out_.values.begin() + to);
  }

 private:
  // The entries of a chunk, a count being negative where its term is; where each row's begin, and what divides its
  // counts.
  void read_entries(TermChunk& chunk, std::int64_t base, ChunkScratch& scratch) const {
    scratch.entries.resize(chunk.n_entries);
    scratch.next.resize(chunk.last - chunk.first);
    scratch.divisors.assign(scratch.next.size(), 0);
    const auto& columns = columns_[chunk.thread];
    const bool divided = options_.tf == Tf::RELATIVE_TO_SUM || options_.tf == Tf::RELATIVE_TO_MAX;
    auto* to = scratch.entries.data();
    std::uint32_t row = 0;
    auto start = base;
    unpack_chunk(
        chunk,
        [&](std::uint32_t n) {
          scratch.next[row++] = start;
          start += n;
        },
        [&](std::uint32_t id, std::int32_t count) {
          const auto column = columns[id];
          if (divided) {
            auto& divisor = scratch.divisors[row - 1];
            divisor =
                options_.tf == Tf::RELATIVE_TO_MAX ? std::max(divisor, static_cast<double>(count)) : divisor + count;
          }
          *to++ = {static_cast<std::uint32_t>(column >> 1), row - 1, column & 1 ? -count : count};
        });
    chunk.packed = {};
  }

  double entry_weight(std::int32_t count, double divisor) const {
    const auto value = weights_.weight(std::abs(count), divisor);
    return count < 0 && options_.tf != Tf::BINARY ? -value : value;
  }

  const TermRanks& columns_;
  std::size_t n_columns_;
  TermWeighting options_;
  TermFrequency weights_;
  WeightedRows& out_;
};

}  // namespace

void place_chunk(TermChunk& chunk, std::size_t n_terms, const std::int32_t* rank, const ChunkTarget& to,
                 ChunkScratch& scratch) {
  auto& [entries, other, next, _] = scratch;
  entries.resize(chunk.n_entries);
  next.resize(chunk.last - chunk.first);
  auto* entry = entries.data();
  std::uint32_t row = 0;
  std::int64_t start = 0;
  unpack_chunk(
      chunk,
      [&](std::uint32_t n) {
        next[row++] = start;
        start += n;
        to.starts[row] = to.base + start;
      },
      [&](std::uint32_t id, std::int32_t count) {
        *entry++ = {rank ? static_cast<std::uint32_t>(rank[id]) : id, row - 1, count};
      });
  chunk.packed = {};
  sort_by_id(entries, other, n_terms);
  for (const auto& [id, of, count] : entries) {
    const auto at = next[of]++;
    to.ids[at] = static_cast<std::int32_t>(id);
    to.counts[at] = count;
  }
}

TermRows assemble_rows(std::vector<TermChunk>& chunks, std::size_t n_rows, std::size_t n_terms, const TermRanks& ranks,
                       ThreadPool& pool) {
  const auto bases = compute_bases(chunks);
  TermRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.counts.resize(out.ids.size());
  std::vector<ChunkScratch> scratches(pool.size());
  pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
    auto& chunk = chunks[number];
    const auto base = bases[number];
    place_chunk(chunk, n_terms, find_rank(ranks, chunk),
                {base, out.starts.data() + chunk.first, out.ids.data() + base, out.counts.data() + base},
                scratches[thread]);
  });
  return out;
}

WeightedRows assemble_weighted_rows(std::vector<TermChunk>& chunks, std::size_t n_rows, std::size_t n_terms,
                                    const TermRanks& ranks, const TermWeighting& options, ThreadPool& pool) {
  const auto bases = compute_bases(chunks);
  const TermWeigher weigher(options);
  WeightedRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.values.resize(out.ids.size());
  std::vector<ChunkScratch> scratches(pool.size());
  std::vector<UninitializedVector<std::int32_t>> counts(pool.size());
  pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
    auto& chunk = chunks[number];
    const auto base = bases[number];
    auto& own = counts[thread];
    own.resize(chunk.n_entries);
    place_chunk(chunk, n_terms, find_rank(ranks, chunk),
                {base, out.starts.data() + chunk.first, out.ids.data() + base, own.data()}, scratches[thread]);
    auto first = static_cast<std::size_t>(base);
    for (auto row = chunk.first; row < chunk.last; ++row) {
      const auto size = static_cast<std::size_t>(out.starts[row + 1]) - first;
      weigher.weigh_row(std::span(out.ids).subspan(first, size),
                        std::span(own).subspan(first - static_cast<std::size_t>(base), size),
                        std::span(out.values).subspan(first, size));
      first += size;
    }
  });
  return out;
}

WeightedRows assemble_hashed_rows(std::vector<TermChunk>& chunks, std::size_t n_rows, const TermRanks& columns,
                                  std::span<std::int64_t> rows_of, const TermWeighting& options, ThreadPool& pool) {
  const auto bases = compute_bases(chunks);
  WeightedRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.values.resize(out.ids.size());
  const HashedRowAssembler assembler(columns, rows_of.size(), options, out);
  std::vector<std::vector<std::uint32_t>> merged(pool.size());
  std::vector<ChunkScratch> scratches(pool.size());
  std::vector<std::int64_t> sizes(chunks.size());
  std::int64_t end = 0;
  if (pool.size() == 1) {
    pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t) {
      end += assembler.place_chunk(chunks[number], end, scratches[0], merged[0]);
    });
  } else {
    pool.parallel_for(chunks.size(), [&](std::size_t number, std::size_t thread) {
      sizes[number] = assembler.place_chunk(chunks[number], bases[number], scratches[thread], merged[thread]);
    });
    for (std::size_t number = 0; number < chunks.size(); ++number) {
      assembler.move_entries(bases[number], sizes[number], end);
      end += sizes[number];
    }
  }
  for (const auto& of_thread : merged)
    for (const auto column : of_thread) --rows_of[column];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  out.ids.resize(static_cast<std::size_t>(end));
  out.values.resize(static_cast<std::size_t>(end));
  return out;
}

}  // namespace hedgerow

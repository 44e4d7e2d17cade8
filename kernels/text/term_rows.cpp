#include "text/term_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>

namespace hedgerow {
namespace {

using Entry = ChunkRoom::Entry;

// Sorts entries by their id, which is below `behind`; those of one id stay in order.
void sort_by_id(UninitializedVector<Entry>& entries, UninitializedVector<Entry>& other, std::uint64_t behind) {
  constexpr int MOST_BITS = 11;
  const int width = behind ? static_cast<int>(std::bit_width(behind - 1)) : 0;
  const int passes = (width + MOST_BITS - 1) / MOST_BITS;
  const int bits = passes ? (width + passes - 1) / passes : 0;
  other.resize(entries.size());
  for (int shift = 0; shift < width; shift += bits) {
    const auto digit = [&](const Entry& entry) { return entry.id >> shift & ((1u << bits) - 1); };
    std::array<std::uint32_t, (1 << MOST_BITS) + 1> starts{};
    for (const auto& entry : entries) ++starts[digit(entry) + 1];
    std::partial_sum(starts.begin(), starts.begin() + (1 << bits), starts.begin());
    for (const auto& entry : entries) other[starts[digit(entry)]++] = entry;
    entries.swap(other);
  }
}

// Where the entries of chunks begin, one after the other.
std::vector<std::int64_t> bases_of(const std::vector<Chunk>& chunks) {
  std::vector<std::int64_t> bases{0};
  for (const auto& chunk : chunks) bases.push_back(bases.back() + static_cast<std::int64_t>(chunk.n_entries));
  return bases;
}

const std::int32_t* rank_of(const Ranks& ranks, const Chunk& chunk) {
  return ranks.empty() ? nullptr : ranks[chunk.member].data();
}

// Chunks whose terms become columns. A chunk is put where there is room for all its terms; as terms may share a column,
// it is shorter in the end, and moves to the one before it.
class Hashing {
 public:
  Hashing(const Ranks& columns, std::size_t n_columns, const Weighing& how, WeighedRows& out)
      : columns_(columns), n_columns_(n_columns), how_(how), weights_(how.tf), out_(out) {}

  // Puts a chunk behind `base`; out.starts are then the sizes of its rows. Columns that a row has once more are listed
  // in `merged`. Returns how many entries the chunk has.
  std::int64_t put(Chunk& chunk, std::int64_t base, ChunkRoom& room, std::vector<std::uint32_t>& merged) const {
    auto& [entries, other, next, divisors] = room;
    fill(chunk, base, room);
    sort_by_id(entries, other, n_columns_);
    auto* const sizes = out_.starts.data() + chunk.first + 1;
    std::fill_n(sizes, next.size(), 0);
    for (const auto& [column, row, count] : entries) {
      auto& size = sizes[row];
      const auto at = next[row] + size;
      const auto value = weight(count, divisors[row]);
      if (size && out_.ids[at - 1] == static_cast<std::int32_t>(column)) {
        out_.values[at - 1] = how_.tf == Tf::BINARY ? 1.0 : out_.values[at - 1] + value;
        merged.push_back(column);
        continue;
      }
      out_.ids[at] = static_cast<std::int32_t>(column);
      out_.values[at] = value;
      ++size;
    }
    auto end = base;
    for (std::size_t row = 0; row < next.size(); ++row) {
      move(next[row], sizes[row], end);
      norm_row(how_.norm, {out_.values.data() + end, static_cast<std::size_t>(sizes[row])});
      end += sizes[row];
    }
    return end - base;
  }

  void move(std::int64_t from, std::int64_t size, std::int64_t to) const {
    if (from == to) return;
    std::copy_n(out_.ids.begin() + from, size, out_.ids.begin() + to);
    std::copy_n(out_.values.begin() + from, size, out_.values.begin() + to);
  }

 private:
  // The entries of a chunk, a count being negative where its term is; where each row's begin, and what divides its
  // counts.
  void fill(Chunk& chunk, std::int64_t base, ChunkRoom& room) const {
    room.entries.resize(chunk.n_entries);
    room.next.resize(chunk.last - chunk.first);
    room.divisors.assign(room.next.size(), 0);
    const auto& columns = columns_[chunk.member];
    const bool divided = how_.tf == Tf::SHARE || how_.tf == Tf::MOST;
    auto* to = room.entries.data();
    std::uint32_t row = 0;
    auto start = base;
    unpack(
        chunk,
        [&](std::uint32_t n) {
          room.next[row++] = start;
          start += n;
        },
        [&](std::uint32_t id, std::int32_t count) {
          const auto column = columns[id];
          if (divided) {
            auto& divisor = room.divisors[row - 1];
            divisor = how_.tf == Tf::MOST ? std::max(divisor, static_cast<double>(count)) : divisor + count;
          }
          *to++ = {static_cast<std::uint32_t>(column >> 1), row - 1, column & 1 ? -count : count};
        });
    chunk.packed = {};
  }

  double weight(std::int32_t count, double divisor) const {
    const auto value = weights_.of(std::abs(count), divisor);
    return count < 0 && how_.tf != Tf::BINARY ? -value : value;
  }

  const Ranks& columns_;
  std::size_t n_columns_;
  Weighing how_;
  Frequency weights_;
  WeighedRows& out_;
};

}  // namespace

void put_chunk(Chunk& chunk, std::size_t n_terms, const std::int32_t* rank, const ChunkRows& to, ChunkRoom& room) {
  auto& [entries, other, next, _] = room;
  entries.resize(chunk.n_entries);
  next.resize(chunk.last - chunk.first);
  auto* entry = entries.data();
  std::uint32_t row = 0;
  std::int64_t start = 0;
  unpack(
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

TermRows assembled(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, const Ranks& ranks,
                   ThreadPool& crew) {
  const auto bases = bases_of(chunks);
  TermRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.counts.resize(out.ids.size());
  std::vector<ChunkRoom> rooms(crew.size());
  crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& chunk = chunks[number];
    const auto base = bases[number];
    put_chunk(chunk, n_terms, rank_of(ranks, chunk),
              {base, out.starts.data() + chunk.first, out.ids.data() + base, out.counts.data() + base}, rooms[member]);
  });
  return out;
}

WeighedRows weighed_rows(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, const Ranks& ranks,
                         const Weighing& how, ThreadPool& crew) {
  const auto bases = bases_of(chunks);
  const Weigher weigher(how);
  WeighedRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.values.resize(out.ids.size());
  std::vector<ChunkRoom> rooms(crew.size());
  std::vector<UninitializedVector<std::int32_t>> counts(crew.size());
  crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& chunk = chunks[number];
    const auto base = bases[number];
    auto& own = counts[member];
    own.resize(chunk.n_entries);
    put_chunk(chunk, n_terms, rank_of(ranks, chunk),
              {base, out.starts.data() + chunk.first, out.ids.data() + base, own.data()}, rooms[member]);
    auto first = static_cast<std::size_t>(base);
    for (auto row = chunk.first; row < chunk.last; ++row) {
      const auto size = static_cast<std::size_t>(out.starts[row + 1]) - first;
      weigher.row(std::span(out.ids).subspan(first, size),
                  std::span(own).subspan(first - static_cast<std::size_t>(base), size),
                  std::span(out.values).subspan(first, size));
      first += size;
    }
  });
  return out;
}

WeighedRows hashed_rows(std::vector<Chunk>& chunks, std::size_t n_rows, const Ranks& columns,
                        std::span<std::int64_t> rows_of, const Weighing& how, ThreadPool& crew) {
  const auto bases = bases_of(chunks);
  WeighedRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.values.resize(out.ids.size());
  const Hashing hashing(columns, rows_of.size(), how, out);
  std::vector<std::vector<std::uint32_t>> merged(crew.size());
  std::vector<ChunkRoom> rooms(crew.size());
  std::vector<std::int64_t> sizes(chunks.size());
  std::int64_t end = 0;
  if (crew.size() == 1) {
    crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t) {
      end += hashing.put(chunks[number], end, rooms[0], merged[0]);
    });
  } else {
    crew.parallel_for(chunks.size(), [&](std::size_t number, std::size_t member) {
      sizes[number] = hashing.put(chunks[number], bases[number], rooms[member], merged[member]);
    });
    for (std::size_t number = 0; number < chunks.size(); ++number) {
      hashing.move(bases[number], sizes[number], end);
      end += sizes[number];
    }
  }
  for (const auto& of_member : merged)
    for (const auto column : of_member) --rows_of[column];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  out.ids.resize(static_cast<std::size_t>(end));
  out.values.resize(static_cast<std::size_t>(end));
  return out;
}

}  // namespace hedgerow

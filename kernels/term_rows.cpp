#include "term_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>

namespace hedgerow {
namespace {

struct Entry {
  std::uint32_t id, row;
  std::int32_t count;
};

// Sorts entries by their id, which is below `behind`; those of one id stay in order.
void sort_by_id(Unset<Entry>& entries, Unset<Entry>& other, std::uint64_t behind) {
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

// What a member of the crew needs to put chunks in their place, kept from chunk to chunk.
struct Room {
  Unset<Entry> entries, other;
  Unset<std::int64_t> next;
  std::vector<double> divisors;
};

// Puts a chunk's entries in their place: sorted by the terms' new ids, then dealt out to their rows.
void put_chunk(Chunk& chunk, std::int64_t base, std::size_t n_terms, TermRows& out, const Ranks& ranks, Room& room) {
  auto& [entries, other, next, _] = room;
  entries.resize(chunk.n_entries);
  next.resize(chunk.last - chunk.first);
  const auto* rank = ranks.empty() ? nullptr : ranks[chunk.member].data();
  auto* to = entries.data();
  std::uint32_t row = 0;
  auto start = base;
  unpack(
      chunk,
      [&](std::uint32_t n) {
        next[row++] = start;
        out.starts[chunk.first + row] = start += n;
      },
      [&](std::uint32_t id, std::int32_t count) {
        *to++ = {rank ? static_cast<std::uint32_t>(rank[id]) : id, row - 1, count};
      });
  chunk.packed = {};
  sort_by_id(entries, other, n_terms);
  for (const auto& [id, of, count] : entries) {
    const auto at = next[of]++;
    out.ids[at] = static_cast<std::int32_t>(id);
    out.counts[at] = count;
  }
}

// Where the entries of chunks begin, one after the other.
std::vector<std::int64_t> bases_of(const std::vector<Chunk>& chunks) {
  std::vector<std::int64_t> bases{0};
  for (const auto& chunk : chunks) bases.push_back(bases.back() + static_cast<std::int64_t>(chunk.n_entries));
  return bases;
}

// Chunks whose terms become columns. A chunk is put where there is room for all its terms; as terms may share a column,
// it is shorter in the end, and moves to the one before it.
class Hashing {
 public:
  Hashing(const Ranks& ranks, std::span<const std::int32_t> columns, std::span<const bool> negative,
          std::size_t n_columns, Tf tf, WeighedRows& out)
      : ranks_(ranks), columns_(columns), negative_(negative), n_columns_(n_columns), tf_(tf), weights_(tf), out_(out) {}

  // Puts a chunk behind `base`; out.starts are then the sizes of its rows. Returns how many entries it has.
  std::int64_t put(Chunk& chunk, std::int64_t base, Room& room) const {
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
        out_.values[at - 1] = tf_ == Tf::BINARY ? 1.0 : out_.values[at - 1] + value;
        continue;
      }
      out_.ids[at] = static_cast<std::int32_t>(column);
      out_.values[at] = value;
      ++size;
    }
    auto end = base;
    for (std::size_t row = 0; row < next.size(); ++row) {
      move(next[row], sizes[row], end);
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
  // The entries of a chunk, a count being negative where its term is; where each row's begin, and what divides its counts.
  void fill(Chunk& chunk, std::int64_t base, Room& room) const {
    room.entries.resize(chunk.n_entries);
    room.next.resize(chunk.last - chunk.first);
    room.divisors.assign(room.next.size(), 0);
    const auto& rank = ranks_[chunk.member];
    const bool divided = tf_ == Tf::SHARE || tf_ == Tf::MOST;
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
          const auto term = static_cast<std::size_t>(rank[id]);
          if (divided) {
            auto& divisor = room.divisors[row - 1];
            divisor = tf_ == Tf::MOST ? std::max(divisor, static_cast<double>(count)) : divisor + count;
          }
          *to++ = {static_cast<std::uint32_t>(columns_[term]), row - 1, negative_[term] ? -count : count};
        });
    chunk.packed = {};
  }

  double weight(std::int32_t count, double divisor) const {
    const auto value = weights_.of(std::abs(count), divisor);
    return count < 0 && tf_ != Tf::BINARY ? -value : value;
  }

  const Ranks& ranks_;
  std::span<const std::int32_t> columns_;
  std::span<const bool> negative_;
  std::size_t n_columns_;
  Tf tf_;
  Frequency weights_;
  WeighedRows& out_;
};

}  // namespace

TermRows assembled(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, const Ranks& ranks,
                   Crew& crew) {
  const auto bases = bases_of(chunks);
  const auto total = static_cast<std::size_t>(bases.back());
  TermRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(total);
  out.counts.resize(total);
  std::vector<Room> rooms(crew.members());
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    put_chunk(chunks[number], bases[number], n_terms, out, ranks, rooms[member]);
  });
  return out;
}

WeighedRows hashed_rows(std::vector<Chunk>& chunks, std::size_t n_rows, const Ranks& ranks,
                       std::span<const std::int32_t> columns, std::span<const bool> negative, std::size_t n_columns,
                       Tf tf, Crew& crew) {
  const auto bases = bases_of(chunks);
  WeighedRows out;
  out.starts.resize(n_rows + 1);
  out.ids.resize(static_cast<std::size_t>(bases.back()));
  out.values.resize(out.ids.size());
  const Hashing hashing(ranks, columns, negative, n_columns, tf, out);
  std::vector<Room> rooms(crew.members());
  std::vector<std::int64_t> sizes(chunks.size());
  std::int64_t end = 0;
  if (crew.members() == 1) {
    crew.share(chunks.size(), [&](std::size_t number, std::size_t) {
      end += hashing.put(chunks[number], end, rooms[0]);
    });
  } else {
    crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
      sizes[number] = hashing.put(chunks[number], bases[number], rooms[member]);
    });
    for (std::size_t number = 0; number < chunks.size(); ++number) {
      hashing.move(bases[number], sizes[number], end);
      end += sizes[number];
    }
  }
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  out.ids.resize(static_cast<std::size_t>(end));
  out.values.resize(static_cast<std::size_t>(end));
  return out;
}

}  // namespace hedgerow

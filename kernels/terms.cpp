#include "terms.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "dictionary.hpp"
#include "words.hpp"

namespace hedgerow {
namespace {

constexpr std::int64_t CHUNK = 1 << 20;  // bytes that are counted without looking up

// Some rows, counted by one member of the crew: ids are its own.
struct Chunk {
  std::size_t first, last, member;
  std::vector<std::int64_t> ends;  // of the rows among the ids
  std::vector<std::int32_t> ids, counts;
};

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

// What a member of the crew keeps from chunk to chunk.
struct Counter {
  explicit Counter(std::size_t min_length) : reader(min_length) {}

  WordReader reader;
  Dictionary terms;
  std::vector<std::int64_t> seen;  // the place of each term's last entry, all chunks counted through
  std::int64_t base = 0;           // place of the chunk's first entry
};

// A few words that are looked up together, so that the slots of all are on their way before the first is needed.
struct Batch {
  struct Word {
    std::uint64_t key;
    const Byte* begin;
    std::size_t length;
  };
  static constexpr std::size_t MOST = 128;
  Word words[MOST];
  std::size_t size = 0;
};

// Counts the words of a chunk; code_of(key, begin, length) gives a word's id among `terms`, or -1 if it does not count.
template <typename CodeOf>
void count_chunk(const TextRows& text, Chunk& chunk, Counter& counter, const Dictionary& terms, CodeOf&& code_of) {
  auto& seen = counter.seen;
  const auto base = counter.base;
  std::int64_t row_base = base;
  Batch batch;
  const auto count = [&](std::int32_t code) {
    if (static_cast<std::size_t>(code) >= seen.size()) seen.resize(2 * static_cast<std::size_t>(code) + 64, -1);
    if (seen[code] >= row_base) {
      ++chunk.counts[static_cast<std::size_t>(seen[code] - base)];
      return;
    }
    seen[code] = base + static_cast<std::int64_t>(chunk.ids.size());
    chunk.ids.push_back(code);
    chunk.counts.push_back(1);
  };
  const auto look_up = [&] {
    for (const auto& [key, begin, length] : std::span(batch.words, batch.size))
      if (const auto code = code_of(key, begin, length); code >= 0) count(code);
    batch.size = 0;
  };
  const auto add = [&](const Byte* begin, const Byte* end) {
    const auto length = static_cast<std::size_t>(end - begin);
    const auto key = Dictionary::key_of(begin, length, begin + 8);
    terms.expect(key, length);
    batch.words[batch.size++] = {key, begin, length};
    if (batch.size == Batch::MOST) look_up();
  };
  for (auto row = chunk.first; row < chunk.last; ++row) {
    row_base = base + static_cast<std::int64_t>(chunk.ids.size());
    const auto bytes = text.rows[row];
    if (!text.missing[row]) counter.reader.read(bytes.data(), bytes.data() + bytes.size(), add);
    look_up();
    chunk.ends.push_back(static_cast<std::int64_t>(chunk.ids.size()));
  }
  counter.base += static_cast<std::int64_t>(chunk.ids.size());
}

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
template <typename Rank>
void put_chunk(Chunk& chunk, std::int64_t base, std::size_t n_terms, TermRows& out, Rank&& rank) {
  std::vector<Entry> entries;
  std::vector<std::int64_t> next;
  entries.reserve(chunk.ids.size());
  std::int64_t at = 0;
  for (std::uint32_t row = 0; row < chunk.ends.size(); ++row) {
    next.push_back(base + at);
    for (; at < chunk.ends[row]; ++at)
      entries.push_back({static_cast<std::uint32_t>(rank(chunk.ids[at])), row, chunk.counts[at]});
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

// Puts all chunks together; rank(member, id) is the final id of a term.
template <typename Rank>
TermRows assembled(std::vector<Chunk>& chunks, std::size_t n_rows, std::size_t n_terms, Crew& crew, Rank&& rank) {
  std::vector<std::int64_t> bases{0};
  for (const auto& chunk : chunks) bases.push_back(bases.back() + static_cast<std::int64_t>(chunk.ids.size()));
  const auto total = static_cast<std::size_t>(bases.back());
  TermRows out{std::vector<std::int64_t>(n_rows + 1), std::vector<std::int32_t>(total), std::vector<std::int32_t>(total)};
  crew.share(chunks.size(), [&](std::size_t number, std::size_t) {
    auto& chunk = chunks[number];
    const auto member = chunk.member;
    put_chunk(chunk, bases[number], n_terms, out, [&](std::int32_t id) { return rank(member, id); });
  });
  return out;
}

// The first eight bytes, so that numbers compare as the bytes do.
std::uint64_t leading(std::span<const Byte> word) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < word.size() ? word[i] : 0);
  return key;
}

// The codes of a dictionary's words in the order of their bytes.
std::vector<std::int32_t> ascending(const Dictionary& terms) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
  for (std::int32_t code = 0; code < static_cast<std::int32_t>(terms.size()); ++code)
    keys.push_back({leading(terms.word(code)), code});
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const auto x = terms.word(a.second), y = terms.word(b.second);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  std::vector<std::int32_t> order;
  for (const auto& key : keys) order.push_back(key.second);
  return order;
}

// Adds the terms of all members to those of the first; returns the codes there by member and own code.
std::vector<std::vector<std::int32_t>> united(std::vector<Counter>& counters) {
  std::vector<std::vector<std::int32_t>> codes(counters.size());
  auto& all = counters[0].terms;
  for (std::size_t member = 0; member < counters.size(); ++member) {
    const auto& own = counters[member].terms;
    for (std::size_t code = 0, n = own.size(); code < n; ++code) {
      const auto id = static_cast<std::int32_t>(code);
      codes[member].push_back(member ? all.code(own.word(id)) : id);
    }
  }
  return codes;
}

ByteRows written(const Dictionary& terms, std::span<const std::int32_t> order) {
  ByteRows out;
  out.offsets.push_back(0);
  for (auto code : order) {
    const auto word = terms.word(code);
    out.data.insert(out.data.end(), word.begin(), word.end());
    out.offsets.push_back(static_cast<std::int64_t>(out.data.size()));
  }
  return out;
}

}  // namespace

Terms count_terms(const TextRows& text, std::size_t min_length, Crew& crew) {
  auto chunks = chunks_of(text.rows);
  std::vector<Counter> counters(crew.members(), Counter(min_length));
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    auto& counter = counters[member];
    chunks[number].member = member;
    auto& terms = counter.terms;
    count_chunk(text, chunks[number], counter, terms, [&](auto... word) { return terms.code(word...); });
  });
  auto ranks = united(counters);
  const auto& all = counters[0].terms;
  const auto order = ascending(all);
  std::vector<std::int32_t> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::int32_t>(i);
  for (auto& of_member : ranks)
    for (auto& code : of_member) code = rank[code];
  Terms out{written(all, order), {}};
  out.rows = assembled(chunks, text.rows.size(), order.size(), crew,
                       [&](std::size_t member, std::int32_t id) { return ranks[member][id]; });
  return out;
}

TermRows count_known(const TextRows& text, const Words& known, std::size_t min_length, Crew& crew) {
  Dictionary terms;
  for (std::size_t i = 0; i < known.size(); ++i) terms.code(known[i]);
  auto chunks = chunks_of(text.rows);
  std::vector<Counter> counters(crew.members(), Counter(min_length));
  crew.share(chunks.size(), [&](std::size_t number, std::size_t member) {
    count_chunk(text, chunks[number], counters[member], terms, [&](auto... word) { return terms.find(word...); });
  });
  return assembled(chunks, text.rows.size(), known.size(), crew, [](std::size_t, std::int32_t id) { return id; });
}

SplitWords split_words(const TextRows& text, std::size_t min_length) {
  SplitWords out{{{}, {0}}, {0}};
  WordReader reader(min_length);
  for (std::size_t row = 0; row < text.rows.size(); ++row) {
    const auto bytes = text.rows[row];
    const auto add = [&](const Byte* begin, const Byte* end) {
      out.words.data.insert(out.words.data.end(), begin, end);
      out.words.offsets.push_back(static_cast<std::int64_t>(out.words.data.size()));
    };
    if (!text.missing[row]) reader.read(bytes.data(), bytes.data() + bytes.size(), add);
    out.starts.push_back(static_cast<std::int64_t>(out.words.offsets.size()) - 1);
  }
  return out;
}

}  // namespace hedgerow

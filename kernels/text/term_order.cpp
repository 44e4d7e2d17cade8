#include "text/term_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/uninitialized_vector.hpp"

namespace hedgerow {
namespace {

// A word by its first eight bytes, as a number that compares as the bytes do.
struct Keyed {
  std::uint64_t key;
  std::int32_t code;
};
using KeyedWords = UninitializedVector<Keyed>;

std::uint64_t leading(std::span<const Byte> word) {
  if (word.size() >= 8) return __builtin_bswap64(load8(word.data()));
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < word.size() ? word[i] : 0);
  return key;
}

// Sorts words by their keys. The numbers of all digits are counted at once; a digit that all share costs no pass.
void sort_by_key(KeyedWords& words) {
  constexpr int BITS = 11, PASSES = 6;
  constexpr std::size_t DIGITS = 1 << BITS;
  const auto digit = [](std::uint64_t key, int pass) { return key >> (pass * BITS) & (DIGITS - 1); };
  std::vector<std::array<std::uint32_t, DIGITS>> numbers(PASSES);
  for (const auto& word : words)
    for (int pass = 0; pass < PASSES; ++pass) ++numbers[pass][digit(word.key, pass)];
  KeyedWords other(words.size());
  for (int pass = 0; pass < PASSES; ++pass) {
    auto& starts = numbers[pass];
    if (starts[digit(words[0].key, pass)] == words.size()) continue;
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), 0u);
    for (const auto& word : words) other[starts[digit(word.key, pass)]++] = word;
    words.swap(other);
  }
}

bool before(std::span<const Byte> a, std::span<const Byte> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

KeyedWords ascending(const Dictionary& words, std::size_t first) {
  constexpr std::size_t FEW = 512;  // are sorted by comparing them
  KeyedWords out(words.size() - first);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto code = static_cast<std::int32_t>(first + i);
    out[i] = {leading(words.word(code)), code};
  }
  const auto by_bytes = [&](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : before(words.word(a.code), words.word(b.code));
  };
  if (out.size() < FEW) {
    std::sort(out.begin(), out.end(), by_bytes);
    return out;
  }
  sort_by_key(out);
  for (auto from = out.begin(); from != out.end();) {
    auto to = from + 1;
    while (to != out.end() && to->key == from->key) ++to;
    if (to - from > 1) std::sort(from, to, by_bytes);
    from = to;
  }
  return out;
}

}  // namespace

WordOrder word_order(std::span<const Dictionary* const> dictionaries, std::size_t first, ThreadPool& crew) {
  const auto n = dictionaries.size();
  std::vector<KeyedWords> sorted(n);
  WordOrder out;
  out.places.resize(n);
  crew.parallel_for(n, [&](std::size_t member, std::size_t) {
    sorted[member] = ascending(*dictionaries[member], first);
    out.places[member].assign(dictionaries[member]->size(), -1);
  });
  std::vector<std::size_t> next(n, 0);
  std::vector<std::size_t> left;  // members that have words left
  for (std::size_t member = 0; member < n; ++member)
    if (!sorted[member].empty()) left.push_back(member);
  std::size_t most = 0;
  for (const auto& words : sorted) most = std::max(most, words.size());
  out.words.reserve(most + most / 2);
  const auto compared = [&](std::size_t a, std::size_t b) {  // the words that come next: below 0, 0 or above
    const auto &x = sorted[a][next[a]], &y = sorted[b][next[b]];
    if (x.key != y.key) return x.key < y.key ? -1 : 1;
    const auto one = dictionaries[a]->word(x.code), two = dictionaries[b]->word(y.code);
    return before(one, two) ? -1 : before(two, one) ? 1 : 0;
  };
  std::vector<std::size_t> least;  // members whose next word is the least of all
  while (!left.empty()) {
    least.assign(1, left[0]);
    for (std::size_t i = 1; i < left.size(); ++i) {
      const auto order = compared(left[i], least[0]);
      if (order < 0) least.clear();
      if (order <= 0) least.push_back(left[i]);
    }
    const auto place = static_cast<std::int32_t>(out.words.size());
    out.words.push_back({static_cast<std::uint32_t>(least[0]), sorted[least[0]][next[least[0]]].code});
    bool ended = false;
    for (const auto member : least) {
      out.places[member][sorted[member][next[member]].code] = place;
      ended |= ++next[member] == sorted[member].size();
    }
    if (ended) std::erase_if(left, [&](std::size_t member) { return next[member] == sorted[member].size(); });
  }
  return out;
}

ByteRows written(std::span<const Dictionary* const> dictionaries, std::span<const Spelt> words) {
  ByteRows out;
  out.offsets.resize(words.size() + 1);
  std::int64_t size = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    size += static_cast<std::int64_t>(dictionaries[words[i].member]->word(words[i].code).size());
    out.offsets[i + 1] = size;
  }
  out.data.resize(static_cast<std::size_t>(size));
  auto* to = out.data.data();
  for (const auto& [member, code] : words) {
    const auto word = dictionaries[member]->word(code);
    to = std::copy(word.begin(), word.end(), to);
  }
  return out;
}

}  // namespace hedgerow

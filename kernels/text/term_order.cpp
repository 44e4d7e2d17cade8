#include "text/term_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/uninitialized_vector.hpp"

namespace hedgerow {
namespace {

// A word by its first eight bytes, as a number that compares as the bytes do.
struct KeyedWord {
  std::uint64_t key;
  std::int32_t code;
};
using KeyedWords = UninitializedVector<KeyedWord>;

std::uint64_t load_leading_bytes(std::span<const Byte> word) {
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

bool precedes(std::span<const Byte> a, std::span<const Byte> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

KeyedWords sort_words(const Dictionary& words, std::size_t first) {
  constexpr std::size_t FEW = 512;  // are sorted by comparing them
  KeyedWords out(words.size() - first);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto code = static_cast<std::int32_t>(first + i);
    out[i] = {load_leading_bytes(words.word(code)), code};
  }
  const auto by_bytes = [&](const KeyedWord& a, const KeyedWord& b) {
    return a.key != b.key ? a.key < b.key : precedes(words.word(a.code), words.word(b.code));
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

WordOrder order_words(std::span<const Dictionary* const> dictionaries, std::size_t first, ThreadPool& pool) {
  const auto n = dictionaries.size();
  std::vector<KeyedWords> sorted(n);
  WordOrder out;
  out.ranks.resize(n);
  pool.parallel_for(n, [&](std::size_t dictionary, std::size_t) {
    sorted[dictionary] = sort_words(*dictionaries[dictionary], first);
    out.ranks[dictionary].assign(dictionaries[dictionary]->size(), -1);
  });
  std::vector<std::size_t> next(n, 0);
  std::vector<std::size_t> left;  // dictionaries that have words left
  for (std::size_t dictionary = 0; dictionary < n; ++dictionary)
    if (!sorted[dictionary].empty()) left.push_back(dictionary);
  std::size_t maximum = 0;
  for (const auto& words : sorted) maximum = std::max(maximum, words.size());
  out.words.reserve(maximum + maximum / 2);
  const auto compared = [&](std::size_t a, std::size_t b) {  // the words that come next: below 0, 0 or above
    const auto &x = sorted[a][next[a]], &y = sorted[b][next[b]];
    if (x.key != y.key) return x.key < y.key ? -1 : 1;
    const auto one = dictionaries[a]->word(x.code), two = dictionaries[b]->word(y.code);
    return precedes(one, two) ? -1 : precedes(two, one) ? 1 : 0;
  };
  std::vector<std::size_t> minimum;  // dictionaries whose next word is the least of all
  while (!left.empty()) {
    minimum.assign(1, left[0]);
    for (std::size_t i = 1; i < left.size(); ++i) {
      const auto order = compared(left[i], minimum[0]);
      if (order < 0) minimum.clear();
      if (order <= 0) minimum.push_back(left[i]);
    }
    const auto rank = static_cast<std::int32_t>(out.words.size());
    out.words.push_back({static_cast<std::uint32_t>(minimum[0]), sorted[minimum[0]][next[minimum[0]]].code});
    bool ended = false;
    for (const auto dictionary : minimum) {
      out.ranks[dictionary][sorted[dictionary][next[dictionary]].code] = rank;
      ended |= ++next[dictionary] == sorted[dictionary].size();
    }
    if (ended)
      std::erase_if(left, [&](std::size_t dictionary) { return next[dictionary] == sorted[dictionary].size(); });
  }
  return out;
}

ByteRows write_words(std::span<const Dictionary* const> dictionaries, std::span<const WordRef> words) {
  ByteRows out;
  out.offsets.resize(words.size() + 1);
  std::int64_t size = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    size += static_cast<std::int64_t>(dictionaries[words[i].dictionary]->word(words[i].code).size());
    out.offsets[i + 1] = size;
  }
  out.data.resize(static_cast<std::size_t>(size));
  auto* to = out.data.data();
  for (const auto& [dictionary, code] : words) {
    const auto word = dictionaries[dictionary]->word(code);
    to = std::copy(word.begin(), word.end(), to);
  }
  return out;
}

}  // namespace hedgerow

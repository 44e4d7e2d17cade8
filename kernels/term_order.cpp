#include "term_order.hpp"

#include <algorithm>

namespace hedgerow {
namespace {

// The first eight bytes, so that numbers compare as the bytes do.
std::uint64_t leading(std::span<const Byte> word) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < word.size() ? word[i] : 0);
  return key;
}

}  // namespace

std::vector<std::vector<std::int32_t>> united(std::span<Dictionary* const> dictionaries) {
  std::vector<std::vector<std::int32_t>> codes(dictionaries.size());
  auto& all = *dictionaries[0];
  for (std::size_t number = 0; number < dictionaries.size(); ++number) {
    const auto& own = *dictionaries[number];
    for (std::size_t code = 0, n = own.size(); code < n; ++code) {
      const auto id = static_cast<std::int32_t>(code);
      codes[number].push_back(number ? all.code(own.word(id)) : id);
    }
  }
  return codes;
}

std::vector<std::int32_t> ascending(const Dictionary& words, std::size_t first) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
  for (auto code = static_cast<std::int32_t>(first); code < static_cast<std::int32_t>(words.size()); ++code)
    keys.push_back({leading(words.word(code)), code});
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const auto x = words.word(a.second), y = words.word(b.second);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  std::vector<std::int32_t> order;
  for (const auto& [key, code] : keys) order.push_back(code);
  return order;
}

std::vector<std::int32_t> places_of(std::span<const std::int32_t> order, std::size_t size) {
  std::vector<std::int32_t> places(size, -1);
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int32_t>(i);
  return places;
}

ByteRows written(const Dictionary& words, std::span<const std::int32_t> order) {
  ByteRows out;
  out.offsets.push_back(0);
  for (auto code : order) {
    const auto word = words.word(code);
    out.data.insert(out.data.end(), word.begin(), word.end());
    out.offsets.push_back(static_cast<std::int64_t>(out.data.size()));
  }
  return out;
}

}  // namespace hedgerow

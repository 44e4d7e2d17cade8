#include "rule_cover.hpp"

#include <algorithm>

namespace hedgerow::rules {
namespace {

std::uint64_t mixed(std::uint64_t bits) {  // the finalizer of SplitMix64
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
  return bits ^ (bits >> 31);
}

}  // namespace

std::vector<std::uint32_t> covered(const RuleColumns& columns, std::span<const Condition> rule,
                                   std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> left(rows.begin(), rows.end());
  for (const Condition& condition : rule) {
    with_test(columns, condition,
              [&](auto&& passes) { std::erase_if(left, [&](std::uint32_t row) { return !passes(row); }); });
  }
  return left;
}

std::vector<std::uint32_t> passed(const RuleColumns& columns, std::span<const Condition> rule,
                                  std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> out(rows.size(), 0);
  std::uint32_t number = 0;
  for (const Condition& condition : rule) {
    with_test(columns, condition, [&](auto&& passes) {
      for (std::size_t at = 0; at < rows.size(); ++at) out[at] += out[at] == number && passes(rows[at]);
    });
    ++number;
  }
  return out;
}

std::vector<std::uint8_t> dealt(std::span<const std::uint64_t> keys, std::span<const std::int32_t> strata,
                                std::size_t n_strata, std::size_t folds, std::uint64_t seed) {
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> decks(n_strata);
  for (std::size_t card = 0; card < keys.size(); ++card) {
    decks[static_cast<std::size_t>(strata[card])].emplace_back(mixed(keys[card] ^ seed), static_cast<std::uint32_t>(card));
  }
  std::vector<std::uint8_t> lowest(keys.size(), 0);
  for (auto& deck : decks) {
    const std::size_t many = (2 * deck.size() + folds) / (2 * folds);  // rounded
    const auto end = deck.begin() + static_cast<std::ptrdiff_t>(many);
    std::nth_element(deck.begin(), end, deck.end());
    for (auto card = deck.begin(); card != end; ++card) lowest[card->second] = 1;
  }
  return lowest;
}

}  // namespace hedgerow::rules

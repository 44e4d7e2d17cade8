// What one who searches, of a crew, has for itself: where it writes, the set it has come to, and room to work in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "items/bit_columns.hpp"
#include "items/search_prefix.hpp"
#include "items/set_store.hpp"
#include "items/time_limit.hpp"

namespace hedgerow::items {

struct Member {
  Member(const Problem& given, Store& shared, Guard& watch, std::size_t own)
      : problem(given),
        store(shared),
        guard(watch),
        number(own),
        writer(shared),
        prefix(given),
        renamed(given.rows.n_items, none),
        all_names(given.rows.n_items),
        counts(given.rows.n_items) {
    std::iota(all_names.begin(), all_names.end(), 0u);
  }

  static constexpr std::uint32_t none = UINT32_MAX;

  Count least() const { return std::max(class_bound, store.bound()); }

  // After so many steps, of which a large one counts as many, it is time to look whether to go on.
  void look_up(std::size_t cost) {
    constexpr std::size_t now_and_then = 512;
    steps += 1 + cost;
    if (steps < now_and_then) return;
    steps = 0;
    guard.look(number, store);
  }

  // Columns of bits for one who goes deeper; given back in turn.
  BitColumns& next_pack() {
    if (packs.size() <= n_packs) packs.emplace_back();
    return packs[n_packs++];
  }

  std::uint64_t* rows_at(std::size_t level, std::size_t words) {
    while (rows.size() <= level) rows.emplace_back();
    if (rows[level].size() < words) rows[level].resize(words);
    return rows[level].data();
  }

  // Items after `item` that are often enough with it become candidates.
  void push_frequent(const RowList& list, std::uint32_t item) {
    const Count bound = least();
    const auto push = [&](const auto* with) {
      for (std::uint32_t code = item + 1; code < list.n_items; ++code) {
        if (static_cast<Count>(with[code]) >= bound) stack.push_back({code, static_cast<Count>(with[code])});
      }
    };
    if (&list == &problem.rows && !problem.pairs.empty()) {
      push(problem.pairs.with(item));
    } else {
      count_with(list, item, item + 1, counts);
      push(counts.data());
    }
  }

  const Problem& problem;
  Store& store;
  Guard& guard;
  std::size_t number;
  Writer writer;
  Prefix prefix;
  Count class_bound = 0;
  std::vector<std::uint32_t> renamed, all_names;  // by item: its name in a projection, if it has one; itself
  std::vector<Count> counts;
  std::vector<Candidate> stack;
  std::deque<BitColumns> packs;
  std::deque<std::vector<std::uint64_t>> rows;  // of the set at each level
  std::size_t n_packs = 0;
  std::size_t steps = 0;
};

// Bits take a word an item and 64 rows for every pair of items; lists take a step for every pair of items in a row.
inline bool bits_are_cheaper(std::size_t items, std::size_t rows, double entries) {
  const double words = static_cast<double>(rows) / 64 + 1, n = static_cast<double>(items);
  const double by_bits = n * n / 2 * (words / 6 + 2) + n * words;
  const double by_lists = entries * (8 + entries / std::max(1.0, static_cast<double>(rows)) * 2);
  return by_bits < by_lists;
}

}  // namespace hedgerow::items

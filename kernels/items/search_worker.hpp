// What each searching thread has for itself: where it writes, the set it has come to, and room to work in.
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

struct SearchWorker {
  SearchWorker(const SearchProblem& given, SetStore& shared, TimeLimit& limit, std::size_t thread_number)
      : problem(given),
        store(shared),
        time_limit(limit),
        thread(thread_number),
        writer(shared),
        prefix(given),
        new_names(given.rows.n_items, none),
        all_names(given.rows.n_items),
        counts(given.rows.n_items) {
    std::iota(all_names.begin(), all_names.end(), 0u);
  }

  static constexpr std::uint32_t none = UINT32_MAX;

  Count min_count() const { return std::max(class_bound, store.bound()); }

  // After so many steps, of which a large one counts as many, it is time to look whether to go on.
  void count_steps(std::size_t cost) {
    constexpr std::size_t steps_per_check = 512;
    steps += 1 + cost;
    if (steps < steps_per_check) return;
    steps = 0;
    time_limit.check(thread, store);
  }

  // Columns of bits for one who goes deeper; given back in turn.
  BitColumns& take_columns() {
    if (column_stack.size() <= n_columns_taken) column_stack.emplace_back();
    return column_stack[n_columns_taken++];
  }

  std::uint64_t* rows_at(std::size_t level, std::size_t words) {
    while (rows.size() <= level) rows.emplace_back();
    if (rows[level].size() < words) rows[level].resize(words);
    return rows[level].data();
  }

  // Items after `item` that are often enough with it become candidates.
  void push_frequent(const ItemRowList& list, std::uint32_t item) {
    const Count bound = min_count();
    const auto push = [&](const auto* with) {
      for (std::uint32_t code = item + 1; code < list.n_items; ++code) {
        if (static_cast<Count>(with[code]) >= bound) stack.push_back({code, static_cast<Count>(with[code])});
      }
    };
    if (&list == &problem.rows && !problem.pairs.empty()) {
      push(problem.pairs.counts_with(item));
    } else {
      count_cooccurrences(list, item, item + 1, counts);
      push(counts.data());
    }
  }

  const SearchProblem& problem;
  SetStore& store;
  TimeLimit& time_limit;
  std::size_t thread;
  SetWriter writer;
  SearchPrefix prefix;
  Count class_bound = 0;
  std::vector<std::uint32_t> new_names, all_names;  // by item: its name in a projection, if it has one; itself
  std::vector<Count> counts;
  std::vector<ColumnCandidate> stack;
  std::deque<BitColumns> column_stack;
  std::deque<std::vector<std::uint64_t>> rows;  // of the set at each level
  std::size_t n_columns_taken = 0;
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

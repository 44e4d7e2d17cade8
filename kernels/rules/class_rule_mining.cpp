#include "rules/class_rule_mining.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "rules/class_rule_search.hpp"

namespace hedgerow::cars {
namespace {

// The tests that some class is frequent enough with, by column and code.
std::vector<Item> frequent_items(const Rows& rows, const Options& options, std::int64_t total) {
  const auto classes = static_cast<std::size_t>(rows.classes);
  std::vector<Item> out;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const Column& column = rows.columns[c];
    std::vector<std::int64_t> counts(static_cast<std::size_t>(column.levels) * classes);
    for (std::size_t row = 0; row < rows.label.size(); ++row) {
      if (column.codes[row] < 0) continue;
      counts[static_cast<std::size_t>(column.codes[row]) * classes + static_cast<std::size_t>(rows.label[row])] +=
          rows.ticks(row);
    }
    for (std::int32_t code = 0; code < column.levels; ++code) {
      const std::span<const std::int64_t> by_class(counts.data() + static_cast<std::size_t>(code) * classes, classes);
      const auto covered = std::accumulate(by_class.begin(), by_class.end(), std::int64_t{0});
      bool frequent = false;
      for (std::size_t label = 0; label < classes; ++label) {
        frequent = frequent || (by_class[label] && by_class[label] >= options.bounds[label]);
      }
      if (covered == total || !frequent) continue;
      const bool pure = *std::max_element(by_class.begin(), by_class.end()) == covered;
      out.push_back({static_cast<std::int32_t>(c), code, pure});
    }
  }
  return out;
}

// Puts the rules of all jobs one behind the other, the shorter ones first.
Mined gathered(std::vector<Found>&& jobs) {
  std::size_t longest = 0;
  for (const Found& job : jobs) longest = std::max(longest, job.longest());
  Mined out;
  for (std::size_t length = 1; length <= longest; ++length) {
    for (const Found& job : jobs) job.give(length, out);
  }
  return out;
}

}  // namespace

Mined mined(const Rows& rows, const Options& options, ThreadPool& crew) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < rows.label.size(); ++row) total += rows.ticks(row);
  std::vector<Item> items;
  if (options.most_tests) items = frequent_items(rows, options, total);
  std::vector<std::uint32_t> order(rows.label.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.label[a] < rows.label[b]; });

  std::vector<Found> jobs(items.size());
  std::atomic<std::size_t> looked_at{items.size()}, held{0};
  crew.parallel_for(items.size(), [&](std::size_t number, std::size_t member) {
    const Budget budget{looked_at, held, options.most_sets, options.most_bytes, crew, member == 0};
    if (!budget.is_over()) jobs[number] = search(rows, options, items, number, order, budget);
  });
  const bool full = held.load() > options.most_bytes;
  const bool over = full || looked_at.load() > options.most_sets;
  Mined out = over ? Mined{} : gathered(std::move(jobs));
  out.sets = static_cast<std::int64_t>(looked_at.load());
  out.ended = over;
  out.full = full;
  return out;
}

}  // namespace hedgerow::cars

#include "rules/class_rule_mining.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "rules/class_rule_search.hpp"

namespace hedgerow::cars {
namespace {

// The tests that some class is frequent enough with, by column and code.
std::vector<LevelTest> find_frequent_tests(const Rows& rows, const MiningOptions& options, std::int64_t total) {
  const auto classes = static_cast<std::size_t>(rows.classes);
  std::vector<LevelTest> out;
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
        frequent = frequent || (by_class[label] && by_class[label] >= options.min_class_weights[label]);
      }
      if (covered == total || !frequent) continue;
      const bool pure = *std::max_element(by_class.begin(), by_class.end()) == covered;
      out.push_back({static_cast<std::int32_t>(c), code, pure});
    }
  }
  return out;
}

// Puts the rules of all jobs one behind the other, the shorter ones first.
MinedRules gather_rules(std::vector<RuleBuffer>&& jobs) {
  std::size_t longest = 0;
  for (const RuleBuffer& job : jobs) longest = std::max(longest, job.longest());
  MinedRules out;
  for (std::size_t length = 1; length <= longest; ++length) {
    for (const RuleBuffer& job : jobs) job.append_rules_of_length(length, out);
  }
  return out;
}

}  // namespace

MinedRules mine_rules(const Rows& rows, const MiningOptions& options, ThreadPool& pool) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < rows.label.size(); ++row) total += rows.ticks(row);
  std::vector<LevelTest> tests;
  if (options.max_tests) tests = find_frequent_tests(rows, options, total);
  std::vector<std::uint32_t> order(rows.label.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.label[a] < rows.label[b]; });

  std::vector<RuleBuffer> jobs(tests.size());
  std::atomic<std::size_t> n_sets{tests.size()}, n_bytes{0};
  pool.parallel_for(tests.size(), [&](std::size_t number, std::size_t thread) {
    const SearchBudget budget{n_sets, n_bytes, options.max_sets, options.max_bytes, pool, thread == 0};
    if (!budget.is_over()) jobs[number] = search_rules(rows, options, tests, number, order, budget);
  });
  const bool out_of_memory = n_bytes.load() > options.max_bytes;
  const bool exceeded = out_of_memory || n_sets.load() > options.max_sets;
  MinedRules out = exceeded ? MinedRules{} : gather_rules(std::move(jobs));
  out.sets = static_cast<std::int64_t>(n_sets.load());
  out.exceeded = exceeded;
  out.out_of_memory = out_of_memory;
  return out;
}

}  // namespace hedgerow::cars

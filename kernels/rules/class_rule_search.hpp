// The rules that begin with one test: the part of the rows that pass it, and the search through what can be added.
#pragma once

#include <atomic>

#include "rules/class_rule_mining.hpp"

namespace hedgerow::cars {

struct LevelTest {
  std::int32_t column = 0, code = 0;
  bool pure = false;  // all rows that pass it are of one class
};

// How many sets may be looked at, and how many bytes rules may take, by all threads together.
struct SearchBudget {
  std::atomic<std::size_t>& sets_looked_at;
  std::atomic<std::size_t>& bytes_held;
  std::size_t max_sets, max_bytes;
  const ThreadPool& pool;
  bool may_pause;

  bool is_over() const {
    return sets_looked_at.load(std::memory_order_relaxed) > max_sets ||
           bytes_held.load(std::memory_order_relaxed) > max_bytes || pool.has_failed();
  }
  // Tells of some sets and bytes more; false if the search had better end.
  bool charge(std::size_t more, std::size_t bytes) const {
    bool in_budget = sets_looked_at.fetch_add(more, std::memory_order_relaxed) + more <= max_sets;
    in_budget = bytes_held.fetch_add(bytes, std::memory_order_relaxed) + bytes <= max_bytes && in_budget;
    if (may_pause) pool.check_interrupt();
    return in_budget && !pool.has_failed();
  }
};

// Rules as they are found: tests as numbers of items.
class RuleBuffer {
 public:
  void add(std::span<const LevelTest> tests, std::size_t label, std::int64_t hits, std::int64_t covered) {
    tests_.insert(tests_.end(), tests.begin(), tests.end());
    ends_.push_back(tests_.size());
    labels_.push_back(static_cast<std::int32_t>(label));
    hits_.push_back(hits);
    covered_.push_back(covered);
    longest_ = std::max(longest_, tests.size());
  }

  std::size_t size() const { return ends_.size(); }
  std::size_t longest() const { return longest_; }
  std::size_t bytes() const {
    return tests_.size() * sizeof(LevelTest) +
           size() * (sizeof(std::size_t) + sizeof(std::int32_t) + 2 * sizeof(std::int64_t));
  }

  // Hands over the rules of one length, in the order found.
  void append_rules_of_length(std::size_t length, MinedRules& out) const {
    std::size_t start = 0;
    for (std::size_t rule = 0; rule < ends_.size(); start = ends_[rule++]) {
      if (ends_[rule] - start != length) continue;
      for (std::size_t test = start; test < ends_[rule]; ++test) {
        out.columns.push_back(tests_[test].column);
        out.codes.push_back(tests_[test].code);
      }
      out.starts.push_back(static_cast<std::int32_t>(out.columns.size()));
      out.decisions.push_back(labels_[rule]);
      out.hits.push_back(hits_[rule]);
      out.covered.push_back(covered_[rule]);
    }
  }

 private:
  std::vector<LevelTest> tests_;
  std::vector<std::size_t> ends_;
  std::vector<std::int32_t> labels_;
  std::vector<std::int64_t> hits_, covered_;
  std::size_t longest_ = 0;
};

// The rules whose first test is items[first]; `order` holds all rows by class.
RuleBuffer search_rules(const Rows& rows, const MiningOptions& options, std::span<const LevelTest> items,
                        std::size_t first, std::span<const std::uint32_t> order, const SearchBudget& budget);

}  // namespace hedgerow::cars

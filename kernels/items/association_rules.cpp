#include "items/association_rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <mutex>
#include <numeric>

#include "items/rule_worker.hpp"

namespace hedgerow {

namespace {

using namespace rule_growth;

constexpr std::size_t kBlockSets = 64;  // sets a job

std::vector<std::int32_t> order_by_count(const CountedSets& given) {
  std::vector<std::int32_t> order(given.sources);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return given.counts[static_cast<std::size_t>(a)] > given.counts[static_cast<std::size_t>(b)];
  });
  return order;
}

// A number whose order among the bits of doubles is that of values, largest first.
std::uint64_t make_descending_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // no negative zero
  const bool negative = bits >> 63;
  return negative ? bits : ~(bits | std::uint64_t{1} << 63);
}

// Rules that stand in their order but for the value: they are sorted by it, sixteen bits at a time.
void sort_by_value(std::vector<ScoredRule>& rules) {
  constexpr std::size_t digits = 4, width = 1 << 16;
  std::vector<std::array<std::size_t, digits>> starts(width + 1);
  const auto digit = [](const ScoredRule& rule, std::size_t at) {
    return (make_descending_key(rule.value) >> (16 * at)) & 0xffff;
  };
  for (const ScoredRule& rule : rules) {
    for (std::size_t at = 0; at < digits; ++at) ++starts[digit(rule, at) + 1][at];
  }
  std::vector<ScoredRule> other(rules.size());
  for (std::size_t at = 0; at < digits; ++at) {
    const std::size_t first = digit(rules[0], at);
    if (starts[first + 1][at] == rules.size()) continue;  // all have the same digit
    for (std::size_t number = 1; number < width; ++number) starts[number][at] += starts[number - 1][at];
    for (const ScoredRule& rule : rules) other[starts[digit(rule, at)][at]++] = rule;
    rules.swap(other);
  }
}

void sort_rules(std::vector<ScoredRule>& rules) {
  if (std::is_sorted(rules.begin(), rules.end(), precedes)) return;
  const auto by_order = [](const ScoredRule& a, const ScoredRule& b) { return a.order < b.order; };
  if (rules.size() < (1 << 18) || !std::is_sorted(rules.begin(), rules.end(), by_order)) {
    std::sort(rules.begin(), rules.end(), precedes);
  } else {
    sort_by_value(rules);
  }
}

// The rules of all threads in order, each thread's own having been sorted by itself.
std::vector<ScoredRule> merge_rules(std::vector<RuleWorker>& workers, const RuleLimits& limits, ThreadPool& pool) {
  pool.parallel_for(workers.size(), [&](std::size_t number, std::size_t) {
    workers[number].trim();
    sort_rules(workers[number].kept);
  });
  std::vector<ScoredRule> all = std::move(workers[0].kept);
  for (std::size_t number = 1; number < workers.size(); ++number) {
    auto& more = workers[number].kept;
    std::vector<ScoredRule> both(all.size() + more.size());
    std::merge(all.begin(), all.end(), more.begin(), more.end(), both.begin(), precedes);
    std::vector<ScoredRule>().swap(more);
    all = std::move(both);
  }
  if (all.size() > limits.max_rules) all.resize(limits.max_rules);
  return all;
}

// Notes that the set at this place is the first that is not done.
void lower_to(std::atomic<std::size_t>& reached, std::size_t position) {
  std::size_t known = reached;
  while (position < known && !reached.compare_exchange_weak(known, position)) {
  }
}

bool has_dropped(const std::vector<RuleWorker>& workers) {
  return std::ranges::any_of(workers, [](const RuleWorker& worker) { return worker.has_dropped(); });
}

// Leaves out rules of sets from this place on.
void drop_rules_from(std::vector<RuleWorker>& workers, std::size_t end) {
  for (RuleWorker& worker : workers) {
    std::erase_if(worker.kept, [&](const ScoredRule& rule) { return (rule.order >> 32) >= end; });
    worker.n_found = static_cast<std::int64_t>(worker.kept.size());
  }
}

// The count from which on all sets stand before a place.
double find_complete_count(const RuleTask& task, std::size_t position) {
  const auto count = [&](std::size_t at) { return task.sets.counts[static_cast<std::size_t>(task.order[at])]; };
  std::size_t whole = position;
  while (whole > 0 && count(whole - 1) == count(position)) --whole;
  return whole ? count(whole - 1) : kInfinity;
}

// Time is over: rules of sets whose count all sets before have reached are complete, others are left out, unless they
// took the place of rules that were dropped.
double keep_complete_rules(std::vector<RuleWorker>& workers, const RuleTask& task, std::size_t reached) {
  const double bound = find_complete_count(task, reached);
  if (!has_dropped(workers)) {
    std::size_t end = 0;
    while (end < reached && task.sets.counts[static_cast<std::size_t>(task.order[end])] >= bound) ++end;
    drop_rules_from(workers, end);
  }
  return bound;
}

// Counts the rules that jobs looked at, up to the first job that is not done: so it is the same for any number of
// threads which job is the last.
class RuleBudget {
 public:
  RuleBudget(std::size_t jobs, std::uint64_t maximum)
      : by_job_(jobs), done_(jobs), max_evaluations_(maximum), last_(jobs) {}

  std::size_t jobs() const { return by_job_.size(); }
  std::size_t last_job() const { return last_; }  // the jobs that count end here
  bool is_spent() const { return spent_; }

  void add_evaluations(std::size_t job, std::uint64_t evaluations) {
    std::lock_guard lock(mutex_);
    by_job_[job] = evaluations;
    done_[job] = true;
    for (; !spent_ && next_ < jobs() && done_[next_]; ++next_) {
      sum_ += by_job_[next_];
      if (sum_ <= max_evaluations_) continue;
      last_ = next_ + 1;
      spent_ = true;
    }
  }

 private:
  std::vector<std::uint64_t> by_job_;
  std::vector<bool> done_;
  std::uint64_t max_evaluations_, sum_ = 0;
  std::size_t next_ = 0, last_;
  std::mutex mutex_;
  std::atomic<bool> spent_{false};
};

void gather_missing(std::vector<RuleWorker>& workers, AssociationRules& out) {
  auto& all = workers[0].missing;
  for (std::size_t number = 1; number < workers.size(); ++number) {
    auto& more = workers[number].missing;
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  RuleWorker::remove_duplicates(all);
  for (const auto& part : all) {
    out.missing_codes.insert(out.missing_codes.end(), part.begin(), part.end());
    out.missing_offsets.push_back(static_cast<std::int64_t>(out.missing_codes.size()));
  }
}

}  // namespace

AssociationRules derive_rules(const CountedSets& given, const RuleLimits& limits, ThreadPool& pool) {
  RuleTask task{given, limits, pool, SetTable(given.sets), order_by_count(given), Deadline(limits.seconds)};
  std::vector<RuleWorker> workers;
  std::atomic<std::size_t> reached{given.sources};
  const auto run = [&](RuleBudget& looks) {
    workers.clear();
    for (std::size_t number = 0; number < pool.size(); ++number) workers.emplace_back(task, number == 0);
    pool.parallel_for(looks.jobs(), [&](std::size_t job, std::size_t worker) {
      if (looks.is_spent()) return;
      const std::uint64_t before = workers[worker].n_evaluated;
      const std::size_t end = std::min((job + 1) * kBlockSets, given.sources);
      for (std::size_t position = job * kBlockSets; position < end; ++position) {
        if (task.deadline.is_over()) task.out_of_time = true;
        if (task.out_of_time || !workers[worker].grow_rules(position)) return lower_to(reached, position);
      }
      looks.add_evaluations(job, workers[worker].n_evaluated - before);
    });
  };
  const std::size_t jobs = (given.sources + kBlockSets - 1) / kBlockSets;
  RuleBudget budget(jobs, limits.max_evaluations);
  run(budget);
  AssociationRules out;
  const std::size_t last = budget.last_job() * kBlockSets;
  if (reached < std::min(last, given.sources)) {
    out.bound = keep_complete_rules(workers, task, reached);
    out.out_of_time = true;
  } else if (last < given.sources) {
    if (has_dropped(workers)) {  // some for rules of sets that come too late
      RuleBudget free(budget.last_job(), std::numeric_limits<std::uint64_t>::max());
      run(free);
    } else {
      drop_rules_from(workers, last);
    }
    out.bound = find_complete_count(task, last);
  }
  for (const RuleWorker& worker : workers) out.n_found += worker.n_found;
  gather_missing(workers, out);
  const std::vector<ScoredRule> rules = merge_rules(workers, limits, pool);
  out.whole.reserve(rules.size());
  out.left.reserve(rules.size());
  out.right.reserve(rules.size());
  for (const ScoredRule& rule : rules) {
    out.whole.push_back(task.order[rule.order >> 32]);
    out.left.push_back(rule.left);
    out.right.push_back(rule.right);
  }
  return out;
}

}  // namespace hedgerow

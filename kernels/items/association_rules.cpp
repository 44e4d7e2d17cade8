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

using namespace growing;

constexpr std::size_t block = 64;  // sets a job

std::vector<std::int32_t> by_count(const CountedSets& given) {
  std::vector<std::int32_t> order(given.sources);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return given.counts[static_cast<std::size_t>(a)] > given.counts[static_cast<std::size_t>(b)];
  });
  return order;
}

// A number whose order among the bits of doubles is that of values, largest first.
std::uint64_t descending(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // no negative zero
  const bool negative = bits >> 63;
  return negative ? bits : ~(bits | std::uint64_t{1} << 63);
}

// Rules that stand in their order but for the value: they are sorted by it, sixteen bits at a time.
void sort_by_value(std::vector<Found>& rules) {
  constexpr std::size_t digits = 4, width = 1 << 16;
  std::vector<std::array<std::size_t, digits>> starts(width + 1);
  const auto digit = [](const Found& rule, std::size_t at) { return (descending(rule.value) >> (16 * at)) & 0xffff; };
  for (const Found& rule : rules) {
    for (std::size_t at = 0; at < digits; ++at) ++starts[digit(rule, at) + 1][at];
  }
  std::vector<Found> other(rules.size());
  for (std::size_t at = 0; at < digits; ++at) {
    const std::size_t first = digit(rules[0], at);
    if (starts[first + 1][at] == rules.size()) continue;  // all have the same digit
    for (std::size_t number = 1; number < width; ++number) starts[number][at] += starts[number - 1][at];
    for (const Found& rule : rules) other[starts[digit(rule, at)][at]++] = rule;
    rules.swap(other);
  }
}

void sort_rules(std::vector<Found>& rules) {
  if (std::is_sorted(rules.begin(), rules.end(), before)) return;
  const auto by_order = [](const Found& a, const Found& b) { return a.order < b.order; };
  if (rules.size() < (1 << 18) || !std::is_sorted(rules.begin(), rules.end(), by_order)) {
    std::sort(rules.begin(), rules.end(), before);
  } else {
    sort_by_value(rules);
  }
}

// The rules of all members in order, each member's own having been sorted by itself.
std::vector<Found> merged(std::vector<Member>& members, const RuleLimits& limits, ThreadPool& crew) {
  crew.parallel_for(members.size(), [&](std::size_t number, std::size_t) {
    members[number].trim();
    sort_rules(members[number].kept);
  });
  std::vector<Found> all = std::move(members[0].kept);
  for (std::size_t number = 1; number < members.size(); ++number) {
    auto& more = members[number].kept;
    std::vector<Found> both(all.size() + more.size());
    std::merge(all.begin(), all.end(), more.begin(), more.end(), both.begin(), before);
    std::vector<Found>().swap(more);
    all = std::move(both);
  }
  if (all.size() > limits.most) all.resize(limits.most);
  return all;
}

// Notes that the set at this place is the first that is not done.
void lower(std::atomic<std::size_t>& reached, std::size_t place) {
  std::size_t known = reached;
  while (place < known && !reached.compare_exchange_weak(known, place)) {
  }
}

bool has_dropped(const std::vector<Member>& members) {
  return std::ranges::any_of(members, [](const Member& member) { return member.has_dropped(); });
}

// Leaves out rules of sets from this place on.
void keep_until(std::vector<Member>& members, std::size_t end) {
  for (Member& member : members) {
    std::erase_if(member.kept, [&](const Found& rule) { return (rule.order >> 32) >= end; });
    member.found = static_cast<std::int64_t>(member.kept.size());
  }
}

// The count from which on all sets stand before a place.
double complete_from(const Task& task, std::size_t place) {
  const auto count = [&](std::size_t at) { return task.given.counts[static_cast<std::size_t>(task.order[at])]; };
  std::size_t whole = place;
  while (whole > 0 && count(whole - 1) == count(place)) --whole;
  return whole ? count(whole - 1) : infinity;
}

// Time is over: rules of sets whose count all sets before have reached are complete, others are left out, unless they
// took the place of rules that were dropped.
double completed(std::vector<Member>& members, const Task& task, std::size_t reached) {
  const double bound = complete_from(task, reached);
  if (!has_dropped(members)) {
    std::size_t end = 0;
    while (end < reached && task.given.counts[static_cast<std::size_t>(task.order[end])] >= bound) ++end;
    keep_until(members, end);
  }
  return bound;
}

// Counts the rules that jobs looked at, up to the first job that is not done: so it is the same for any number of
// threads which job is the last.
class Looks {
 public:
  Looks(std::size_t jobs, std::uint64_t most) : by_job_(jobs), done_(jobs), most_(most), last_(jobs) {}

  std::size_t jobs() const { return by_job_.size(); }
  std::size_t last() const { return last_; }  // the jobs that count end here
  bool are_spent() const { return spent_; }

  void add(std::size_t job, std::uint64_t looks) {
    std::lock_guard lock(mutex_);
    by_job_[job] = looks;
    done_[job] = true;
    for (; !spent_ && next_ < jobs() && done_[next_]; ++next_) {
      sum_ += by_job_[next_];
      if (sum_ <= most_) continue;
      last_ = next_ + 1;
      spent_ = true;
    }
  }

 private:
  std::vector<std::uint64_t> by_job_;
  std::vector<bool> done_;
  std::uint64_t most_, sum_ = 0;
  std::size_t next_ = 0, last_;
  std::mutex mutex_;
  std::atomic<bool> spent_{false};
};

void gather_missing(std::vector<Member>& members, FoundRules& out) {
  auto& all = members[0].missing;
  for (std::size_t number = 1; number < members.size(); ++number) {
    auto& more = members[number].missing;
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  Member::once(all);
  for (const auto& part : all) {
    out.missing_codes.insert(out.missing_codes.end(), part.begin(), part.end());
    out.missing_offsets.push_back(static_cast<std::int64_t>(out.missing_codes.size()));
  }
}

}  // namespace

FoundRules item_rules(const CountedSets& given, const RuleLimits& limits, ThreadPool& crew) {
  Task task{given, limits, crew, SetTable(given.sets), by_count(given), Deadline(limits.seconds)};
  std::vector<Member> members;
  std::atomic<std::size_t> reached{given.sources};
  const auto run = [&](Looks& looks) {
    members.clear();
    for (std::size_t number = 0; number < crew.size(); ++number) members.emplace_back(task, number == 0);
    crew.parallel_for(looks.jobs(), [&](std::size_t job, std::size_t member) {
      if (looks.are_spent()) return;
      const std::uint64_t before = members[member].looks;
      const std::size_t end = std::min((job + 1) * block, given.sources);
      for (std::size_t place = job * block; place < end; ++place) {
        if (task.end.is_over()) task.late = true;
        if (task.late || !members[member].grow(place)) return lower(reached, place);
      }
      looks.add(job, members[member].looks - before);
    });
  };
  const std::size_t jobs = (given.sources + block - 1) / block;
  Looks looks(jobs, limits.looks);
  run(looks);
  FoundRules out;
  const std::size_t last = looks.last() * block;
  if (reached < std::min(last, given.sources)) {
    out.bound = completed(members, task, reached);
    out.late = true;
  } else if (last < given.sources) {
    if (has_dropped(members)) {  // some for rules of sets that come too late
      Looks free(looks.last(), std::numeric_limits<std::uint64_t>::max());
      run(free);
    } else {
      keep_until(members, last);
    }
    out.bound = complete_from(task, last);
  }
  for (const Member& member : members) out.found += member.found;
  gather_missing(members, out);
  const std::vector<Found> rules = merged(members, limits, crew);
  out.whole.reserve(rules.size());
  out.left.reserve(rules.size());
  out.right.reserve(rules.size());
  for (const Found& rule : rules) {
    out.whole.push_back(task.order[rule.order >> 32]);
    out.left.push_back(rule.left);
    out.right.push_back(rule.right);
  }
  return out;
}

}  // namespace hedgerow

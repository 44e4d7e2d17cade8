// Rules of one set after the other, as one thread finds them; used by association_rules.cpp only.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/deadline.hpp"
#include "items/association_rules.hpp"

namespace hedgerow::rule_growth {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kStepsPerCheck = 4096;  // consequents tried between two looks at the clock

struct ScoredRule {
  double value;
  std::uint64_t order;  // the set's place by count, then the rule's number in it
  std::int32_t left, right;
};

inline bool precedes(const ScoredRule& a, const ScoredRule& b) {
  return a.value != b.value ? a.value > b.value : a.order < b.order;
}

// Items of a set as bits, the first item being the lowest; and the sum of their hashes.
struct ItemSubset {
  std::uint64_t bits, hash;
};

struct RuleCounts {
  double c, a, b, n;
  double confidence() const { return c / a; }
  double lift() const { return c * n / (a * b); }
  double leverage() const { return (c * n - a * b) / (n * n); }
  double conviction() const { return a > c ? a * (n - b) / (n * (a - c)) : kInfinity; }
  double measure(RuleMeasure by) const {
    switch (by) {
      case RuleMeasure::SUPPORT:
        return c;
      case RuleMeasure::LIFT:
        return lift();
      case RuleMeasure::LEVERAGE:
        return leverage();
      case RuleMeasure::CONVICTION:
        return conviction();
      default:
        return confidence();
    }
  }
};

// What all threads share.
struct RuleTask {
  const CountedSets& sets;
  const RuleLimits& limits;
  const ThreadPool& pool;
  SetTable table;
  std::vector<std::int32_t> order;  // the source sets by count, largest first
  Deadline deadline;
  std::atomic<bool> out_of_time{false};
};

class RuleWorker {
 public:
  RuleWorker(RuleTask& task, bool is_caller)
      : task_(task),
        is_caller_(is_caller),
        antecedent_decides_(
            (task.limits.measure == RuleMeasure::SUPPORT || task.limits.measure == RuleMeasure::CONFIDENCE) &&
            !task.limits.drop_redundant && !(task.limits.lift > 0) && !(task.limits.leverage > -1) &&
            !(task.limits.conviction > 0)) {}

  // False if time was over before all rules of the set were found.
  bool grow_rules(std::size_t position) {
    const auto set = static_cast<std::size_t>(task_.order[position]);
    items_ = task_.sets.sets[set];
    count_ = task_.sets.counts[set];
    order_ = static_cast<std::uint64_t>(position) << 32;
    hashes_.clear();
    for (const std::int32_t item : items_) hashes_.push_back(SetTable::hash_of(item));
    whole_.bits = items_.size() < 64 ? (std::uint64_t{1} << items_.size()) - 1 : ~std::uint64_t{0};
    whole_.hash = sum_hashes(whole_.bits);
    const auto& limits = task_.limits;
    const std::size_t max_size = items_.size() < limits.min_antecedent ? 0 : items_.size() - limits.min_antecedent;
    const std::size_t largest = std::min(limits.max_consequent, max_size);
    if (largest == 0) return true;
    start_first_level();
    for (std::size_t size = 1; size < largest && level_.size() > 1; ++size) {
      if (!join_next_level()) return false;
    }
    return !task_.out_of_time.load(std::memory_order_relaxed);
  }

  // Keeps the best, as many as there may be.
  void trim() {
    const std::size_t maximum = task_.limits.max_rules;
    if (kept.size() <= maximum) return;
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(maximum), kept.end(), precedes);
    kept.resize(maximum);
  }

  static void remove_duplicates(std::vector<std::vector<std::int32_t>>& parts) {
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  }

  bool has_dropped() const { return has_dropped_; }

  std::vector<ScoredRule> kept;
  std::int64_t n_found = 0;
  std::uint64_t n_evaluated = 0;                   // rules that were looked at, whatever came of them
  std::vector<std::vector<std::int32_t>> missing;  // parts without a count

 private:
  std::uint8_t role(std::size_t at) const { return task_.limits.roles[static_cast<std::size_t>(items_[at])]; }

  void start_first_level() {
    level_.clear();
    required_bits_ = 0;
    for (std::size_t at = 0; at < items_.size(); ++at) {
      if (!(role(at) & ANTECEDENT)) required_bits_ |= std::uint64_t{1} << at;
    }
    for (std::size_t at = 0; at < items_.size(); ++at) {
      if (role(at) & CONSEQUENT) try_consequent({std::uint64_t{1} << at, hashes_[at]});
    }
    level_.swap(next_);
    next_.clear();
  }

  // Joins consequents that differ only in their last item.
  bool join_next_level() {
    for (std::size_t one = 0; one < level_.size(); ++one) {
      const std::uint64_t last = std::bit_floor(level_[one].bits), start = level_[one].bits ^ last;
      for (std::size_t other = one + 1; other < level_.size(); ++other) {
        const std::uint64_t added = std::bit_floor(level_[other].bits);
        if ((level_[other].bits ^ added) != start) break;
        try_consequent({level_[one].bits | added, level_[one].hash + sum_hashes(added)});
        if (++steps_ % kStepsPerCheck == 0 && !check_time()) return false;
      }
    }
    level_.swap(next_);
    next_.clear();
    return true;
  }

  bool check_time() {
    if (is_caller_) task_.pool.check_interrupt();
    if (task_.deadline.is_over()) task_.out_of_time = true;
    return !task_.out_of_time && !task_.pool.has_failed();
  }

  // A consequent that is confident enough may grow further, and makes a rule unless the limits forbid it.
  void try_consequent(ItemSubset right) {
    ++n_evaluated;
    const ItemSubset left{whole_.bits ^ right.bits, whole_.hash - right.hash};
    const std::int32_t antecedent = find(left);
    if (antecedent == unknown) return note_missing(left.bits);
    const double a = count(antecedent);
    const auto& limits = task_.limits;
    if (!(count_ / a >= limits.confidence)) return;
    next_.push_back(right);
    const auto size = static_cast<std::size_t>(std::popcount(left.bits));
    if (size > limits.max_antecedent || (required_bits_ & left.bits) != 0) return;
    if (antecedent_decides_ && has_dropped_ &&
        !precedes({limits.measure == RuleMeasure::SUPPORT ? count_ : count_ / a, order_, 0, 0}, worst_rule_)) {
      ++order_;
      ++n_found;
      return;  // the consequent need not be known
    }
    const std::int32_t consequent = find(right);
    if (consequent == unknown) return note_missing(right.bits);
    const RuleCounts counts{count_, a, count(consequent), task_.sets.total};
    if (!meets_limits(counts)) return;
    const ScoredRule rule{counts.measure(limits.measure), order_++, antecedent, consequent};
    if (limits.drop_redundant) n_evaluated += std::uint64_t{1} << size;
    const bool hopeless = has_dropped_ && !precedes(rule, worst_rule_);
    if (limits.drop_redundant && (hopeless || is_redundant(left, right, counts))) return;
    ++n_found;
    if (!hopeless) keep_rule(rule);
  }

  bool meets_limits(const RuleCounts& counts) const {
    const auto& limits = task_.limits;
    return counts.lift() >= limits.lift && counts.leverage() >= limits.leverage &&
           counts.conviction() >= limits.conviction;
  }

  // Whether a rule with a part of the antecedent is among the rules, and as confident.
  bool is_redundant(ItemSubset left, ItemSubset right, const RuleCounts& counts) {
    for (std::uint64_t bits = left.bits; bits != 0;) {
      bits = (bits - 1) & left.bits;
      if (static_cast<std::size_t>(std::popcount(bits)) < task_.limits.min_antecedent) continue;
      if (++steps_ % kStepsPerCheck == 0 && !check_time()) return false;
      const ItemSubset part{bits, sum_hashes(bits)};
      const std::int32_t both = find({bits | right.bits, part.hash + right.hash});
      if (both < 0 || static_cast<std::size_t>(both) >= task_.sets.sources) continue;
      const std::int32_t antecedent = find(part);
      if (antecedent == unknown) {
        note_missing(bits);
        continue;
      }
      const RuleCounts other{count(both), count(antecedent), counts.b, counts.n};
      if (other.confidence() >= counts.confidence() && meets_limits(other)) return true;
    }
    return false;
  }

  void keep_rule(const ScoredRule& rule) {
    const std::size_t maximum = task_.limits.max_rules;
    kept.push_back(rule);
    if (kept.size() / 2 < maximum || kept.size() < maximum + 1024) return;
    trim();
    worst_rule_ = *std::max_element(kept.begin(), kept.end(), precedes);
    has_dropped_ = true;
  }

  static constexpr std::int32_t unknown = -2, empty = -1;

  std::uint64_t sum_hashes(std::uint64_t bits) const {
    std::uint64_t hash = 0;
    for (; bits != 0; bits &= bits - 1) {
      hash += hashes_[static_cast<std::size_t>(std::countr_zero(bits))];
    }
    return hash;
  }

  std::int32_t find(ItemSubset part) const {
    if (part.bits == 0) return empty;
    const auto size = static_cast<std::size_t>(std::popcount(part.bits));
    const std::int32_t set = task_.table.find_if(part.hash, [&](std::span<const std::int32_t> other) {
      if (other.size() != size) return false;
      std::uint64_t bits = part.bits;
      for (const std::int32_t item : other) {
        if (items_[static_cast<std::size_t>(std::countr_zero(bits))] != item) return false;
        bits &= bits - 1;
      }
      return true;
    });
    return set < 0 ? unknown : set;
  }

  double count(std::int32_t set) const {
    return set == empty ? task_.sets.total : task_.sets.counts[static_cast<std::size_t>(set)];
  }

  void note_missing(std::uint64_t bits) {
    std::vector<std::int32_t> part;
    for (; bits != 0; bits &= bits - 1) part.push_back(items_[static_cast<std::size_t>(std::countr_zero(bits))]);
    missing.push_back(std::move(part));
    if (missing.size() % kStepsPerCheck == 0) remove_duplicates(missing);
  }

  RuleTask& task_;
  bool is_caller_;
  bool antecedent_decides_;  // antecedents alone tell the measure and whether the limits are met
  std::span<const std::int32_t> items_;
  double count_ = 0;
  std::uint64_t order_ = 0, required_bits_ = 0;
  ItemSubset whole_{};
  std::vector<std::uint64_t> hashes_;  // of the set's items
  std::vector<ItemSubset> level_, next_;
  ScoredRule worst_rule_{};
  bool has_dropped_ = false;
  std::uint32_t steps_ = 0;
};

}  // namespace hedgerow::rule_growth

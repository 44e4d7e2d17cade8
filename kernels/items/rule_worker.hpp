// Rules of one set after the other, as a member of a crew finds them; used by association_rules.cpp only.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/deadline.hpp"
#include "items/association_rules.hpp"

namespace hedgerow::growing {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t often = 4096;  // consequents tried between two looks at the clock

struct Found {
  double value;
  std::uint64_t order;  // the set's place by count, then the rule's number in it
  std::int32_t left, right;
};

inline bool before(const Found& a, const Found& b) {
  return a.value != b.value ? a.value > b.value : a.order < b.order;
}

// Items of a set as bits, the first item being the lowest; and the sum of their hashes.
struct Part {
  std::uint64_t bits, hash;
};

struct Sides {
  double c, a, b, n;
  double confidence() const { return c / a; }
  double lift() const { return c * n / (a * b); }
  double leverage() const { return (c * n - a * b) / (n * n); }
  double conviction() const { return a > c ? a * (n - b) / (n * (a - c)) : infinity; }
  double measure(Measure by) const {
    switch (by) {
      case Measure::SUPPORT:
        return c;
      case Measure::LIFT:
        return lift();
      case Measure::LEVERAGE:
        return leverage();
      case Measure::CONVICTION:
        return conviction();
      default:
        return confidence();
    }
  }
};

// What all members of the crew share.
struct Task {
  const CountedSets& given;
  const RuleLimits& limits;
  const ThreadPool& crew;
  SetTable table;
  std::vector<std::int32_t> order;  // the source sets by count, largest first
  Deadline end;
  std::atomic<bool> late{false};
};

class Member {
 public:
  Member(Task& task, bool is_caller)
      : task_(task),
        is_caller_(is_caller),
        quick_((task.limits.by == Measure::SUPPORT || task.limits.by == Measure::CONFIDENCE) && !task.limits.fold &&
               !(task.limits.lift > 0) && !(task.limits.leverage > -1) && !(task.limits.conviction > 0)) {}

  // False if time was over before all rules of the set were found.
  bool grow(std::size_t place) {
    const auto set = static_cast<std::size_t>(task_.order[place]);
    items_ = task_.given.sets[set];
    count_ = task_.given.counts[set];
    order_ = static_cast<std::uint64_t>(place) << 32;
    hashes_.clear();
    for (const std::int32_t item : items_) hashes_.push_back(SetTable::hash_of(item));
    whole_.bits = items_.size() < 64 ? (std::uint64_t{1} << items_.size()) - 1 : ~std::uint64_t{0};
    whole_.hash = hash_of(whole_.bits);
    const auto& limits = task_.limits;
    const std::size_t room = items_.size() < limits.min_antecedent ? 0 : items_.size() - limits.min_antecedent;
    const std::size_t largest = std::min(limits.max_consequent, room);
    if (largest == 0) return true;
    first_level();
    for (std::size_t size = 1; size < largest && level_.size() > 1; ++size) {
      if (!next_level()) return false;
    }
    return !task_.late.load(std::memory_order_relaxed);
  }

  // Keeps the best, as many as there may be.
  void trim() {
    const std::size_t most = task_.limits.most;
    if (kept.size() <= most) return;
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(most), kept.end(), before);
    kept.resize(most);
  }

  static void once(std::vector<std::vector<std::int32_t>>& parts) {
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  }

  bool has_dropped() const { return full_; }

  std::vector<Found> kept;
  std::int64_t found = 0;
  std::uint64_t looks = 0;                         // rules that were looked at, whatever came of them
  std::vector<std::vector<std::int32_t>> missing;  // parts without a count

 private:
  std::uint8_t role(std::size_t at) const { return task_.limits.roles[static_cast<std::size_t>(items_[at])]; }

  void first_level() {
    level_.clear();
    must_ = 0;
    for (std::size_t at = 0; at < items_.size(); ++at) {
      if (!(role(at) & ANTECEDENT)) must_ |= std::uint64_t{1} << at;
    }
    for (std::size_t at = 0; at < items_.size(); ++at) {
      if (role(at) & CONSEQUENT) try_consequent({std::uint64_t{1} << at, hashes_[at]});
    }
    level_.swap(next_);
    next_.clear();
  }

  // Joins consequents that differ only in their last item.
  bool next_level() {
    for (std::size_t one = 0; one < level_.size(); ++one) {
      const std::uint64_t last = std::bit_floor(level_[one].bits), start = level_[one].bits ^ last;
      for (std::size_t other = one + 1; other < level_.size(); ++other) {
        const std::uint64_t added = std::bit_floor(level_[other].bits);
        if ((level_[other].bits ^ added) != start) break;
        try_consequent({level_[one].bits | added, level_[one].hash + hash_of(added)});
        if (++steps_ % often == 0 && !look_up()) return false;
      }
    }
    level_.swap(next_);
    next_.clear();
    return true;
  }

  bool look_up() {
    if (is_caller_) task_.crew.check_interrupt();
    if (task_.end.is_over()) task_.late = true;
    return !task_.late && !task_.crew.has_failed();
  }

  // A consequent that is confident enough may grow further, and makes a rule unless the limits forbid it.
  void try_consequent(Part right) {
    ++looks;
    const Part left{whole_.bits ^ right.bits, whole_.hash - right.hash};
    const std::int32_t antecedent = find(left);
    if (antecedent == unknown) return miss(left.bits);
    const double a = count(antecedent);
    const auto& limits = task_.limits;
    if (!(count_ / a >= limits.confidence)) return;
    next_.push_back(right);
    const auto size = static_cast<std::size_t>(std::popcount(left.bits));
    if (size > limits.max_antecedent || (must_ & left.bits) != 0) return;
    if (quick_ && full_ && !before({limits.by == Measure::SUPPORT ? count_ : count_ / a, order_, 0, 0}, worst_)) {
      ++order_;
      ++found;
      return;  // the consequent need not be known
    }
    const std::int32_t consequent = find(right);
    if (consequent == unknown) return miss(right.bits);
    const Sides sides{count_, a, count(consequent), task_.given.total};
    if (!meets(sides)) return;
    const Found rule{sides.measure(limits.by), order_++, antecedent, consequent};
    if (limits.fold) looks += std::uint64_t{1} << size;
    const bool hopeless = full_ && !before(rule, worst_);
    if (limits.fold && (hopeless || folded(left, right, sides))) return;
    ++found;
    if (!hopeless) keep(rule);
  }

  bool meets(const Sides& sides) const {
    const auto& limits = task_.limits;
    return sides.lift() >= limits.lift && sides.leverage() >= limits.leverage &&
           sides.conviction() >= limits.conviction;
  }

  // Whether a rule with a part of the antecedent is among the rules, and as confident.
  bool folded(Part left, Part right, const Sides& sides) {
    for (std::uint64_t bits = left.bits; bits != 0;) {
      bits = (bits - 1) & left.bits;
      if (static_cast<std::size_t>(std::popcount(bits)) < task_.limits.min_antecedent) continue;
      if (++steps_ % often == 0 && !look_up()) return false;
      const Part part{bits, hash_of(bits)};
      const std::int32_t both = find({bits | right.bits, part.hash + right.hash});
      if (both < 0 || static_cast<std::size_t>(both) >= task_.given.sources) continue;
      const std::int32_t antecedent = find(part);
      if (antecedent == unknown) {
        miss(bits);
        continue;
      }
      const Sides other{count(both), count(antecedent), sides.b, sides.n};
      if (other.confidence() >= sides.confidence() && meets(other)) return true;
    }
    return false;
  }

  void keep(const Found& rule) {
    const std::size_t most = task_.limits.most;
    kept.push_back(rule);
    if (kept.size() / 2 < most || kept.size() < most + 1024) return;
    trim();
    worst_ = *std::max_element(kept.begin(), kept.end(), before);
    full_ = true;
  }

  static constexpr std::int32_t unknown = -2, empty = -1;

  std::uint64_t hash_of(std::uint64_t bits) const {
    std::uint64_t hash = 0;
    for (; bits != 0; bits &= bits - 1) {
      hash += hashes_[static_cast<std::size_t>(std::countr_zero(bits))];
    }
    return hash;
  }

  std::int32_t find(Part part) const {
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
    return set == empty ? task_.given.total : task_.given.counts[static_cast<std::size_t>(set)];
  }

  void miss(std::uint64_t bits) {
    std::vector<std::int32_t> part;
    for (; bits != 0; bits &= bits - 1) part.push_back(items_[static_cast<std::size_t>(std::countr_zero(bits))]);
    missing.push_back(std::move(part));
    if (missing.size() % often == 0) once(missing);
  }

  Task& task_;
  bool is_caller_;
  bool quick_;  // antecedents alone tell the measure and whether the limits are met
  std::span<const std::int32_t> items_;
  double count_ = 0;
  std::uint64_t order_ = 0, must_ = 0;
  Part whole_{};
  std::vector<std::uint64_t> hashes_;  // of the set's items
  std::vector<Part> level_, next_;
  Found worst_{};
  bool full_ = false;
  std::uint32_t steps_ = 0;
};

}  // namespace hedgerow::growing

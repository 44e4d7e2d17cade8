// Where found sets are kept, and the bound that rises when they are too many.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "items/item_rows.hpp"

namespace hedgerow::items {

// A step of a walk through the tree of sets: the set of `depth` items that has `item` last and, before it, the items of
// the latest steps of each lower depth. A negative count: only part of larger sets, and none to be told.
struct SetStep {
  std::uint32_t item = 0;
  std::uint32_t depth = 0;
  Count count = 0;

  bool is_reported() const { return count > 0; }
  Count weight() const { return count < 0 ? -count : count; }
};

// A piece of the walk, with the items that are on the way where it begins.
struct SetPath {
  std::vector<std::uint32_t> prefix;
  std::vector<SetStep> steps;
};

struct StoreLimits {
  std::size_t max_sets = SIZE_MAX;
  std::size_t bytes = SIZE_MAX;  // for what is found and for the result made of it
  bool rises = true;             // or the search ends when there are more
};

// What a step costs from here to the arrays that are returned: itself and, if it is told, its packed codes and its part
// of the result.
inline std::size_t estimate_bytes(const SetStep& step) {
  const std::size_t codes = 4 * std::size_t{step.depth};
  return step.is_reported() ? 56 + (step.depth > 12 ? 2 * codes : codes) : sizeof(SetStep);
}

// Shared by all who search. The final bound is the lowest at which the sets fit, however they came in.
class SetStore {
 public:
  explicit SetStore(StoreLimits limits);

  Count bound() const { return bound_.load(std::memory_order_relaxed); }
  bool has_risen() const { return has_risen_; }
  bool is_full() const { return is_full_; }  // the search was ended for lack of room

  // Sets of this count, or lower ones, do not fit.
  void raise_above(Count count);
  // Ends the search: no set is wanted any more.
  void stop() { bound_.store(INT64_MAX, std::memory_order_relaxed); }

  // So many equally heavy sets or more cannot be kept: 2 to this power.
  unsigned max_doublings() const { return max_doublings_; }
  std::size_t steps_at_once() const { return steps_at_once_; }

  void add(SetPath&& path);
  std::vector<SetPath> take_paths();  // only sets that reach the bound, within the limits

 private:
  void raise_bound();
  bool fits() const { return sets_ <= limits_.max_sets && bytes_ <= limits_.bytes; }
  Count lowest_that_fits() const;
  void drop_below_bound();
  void count_path(const SetPath& path);

  StoreLimits limits_;
  unsigned max_doublings_ = 0;
  std::size_t steps_at_once_ = 0;
  std::mutex mutex_;
  std::vector<SetPath> paths_;
  std::size_t sets_ = 0, bytes_ = 0, steps_ = 0;
  std::atomic<Count> bound_{0};
  std::atomic<bool> has_risen_{false}, is_full_{false};
};

// Writes steps for one of those who search.
class SetWriter {
 public:
  explicit SetWriter(SetStore& store) : store_(&store) {}

  void add(std::uint32_t item, std::size_t depth, Count count);
  // After the set that was just added: all sets that have some of `items` besides, at most `maximum` of them.
  // All have the same count.
  void add_subsets(const std::vector<std::uint32_t>& items, std::size_t depth, Count count, std::size_t maximum);
  // What add_subsets remembers of `items` is out of date.
  void forget() { pattern_.clear(); }
  void finish();

 private:
  void reserve(std::size_t steps, std::size_t depth);
  void add_each_subset(const std::vector<std::uint32_t>& items, std::size_t from, std::size_t depth, Count count,
                       std::size_t maximum);
  void make_subset_pattern(const std::vector<std::uint32_t>& items);

  SetStore* store_;
  SetPath path_of_sets_;
  std::vector<std::uint32_t> path_;
  std::vector<SetStep> pattern_;
};

}  // namespace hedgerow::items

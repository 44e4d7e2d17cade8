#include "items/set_store.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace hedgerow::items {
namespace {

constexpr std::size_t most_steps = 1 << 15;  // in a walk
constexpr std::size_t longest_pattern = 12;  // subsets of so many items are made once and copied
constexpr std::size_t slack = 2;             // cut only when so many times too many: a cut looks at all that is kept
constexpr std::uint64_t no_end = std::uint64_t{1} << 40;

std::size_t times(std::size_t a, std::size_t b) { return a > SIZE_MAX / b ? SIZE_MAX : a * b; }

}  // namespace

Store::Store(Limits limits) : limits_(limits) {
  const std::uint64_t most = std::min<std::uint64_t>({limits.most_sets, limits.bytes / bytes_of({0, 1, 1}), no_end});
  doublings_ = static_cast<unsigned>(std::bit_width(most));
  steps_at_once_ = std::clamp<std::size_t>(limits.most_sets, 256, most_steps);
}

void Store::raise_above(Count count) {
  if (!limits_.rises) {
    full_ = true;
    stop();
    return;
  }
  Count now = bound();
  while (now <= count && !bound_.compare_exchange_weak(now, count + 1, std::memory_order_relaxed)) {
  }
  rose_ = true;
}

void Store::add(Walk&& walk) {
  std::lock_guard lock(mutex_);
  take(walk);
  walks_.push_back(std::move(walk));
  if (!limits_.rises && !fits()) {
    full_ = true;
    walks_.clear();
    stop();
  } else if (sets_ > times(limits_.most_sets, slack) || bytes_ > times(limits_.bytes, slack) ||
             times(steps_, sizeof(Step)) > limits_.bytes) {
    cut();
  }
}

void Store::take(const Walk& walk) {
  for (const Step& step : walk.steps) {
    sets_ += step.is_told();
    bytes_ += bytes_of(step);
  }
  steps_ += walk.steps.size();
}

void Store::cut() {
  drop();  // the bound may have risen since
  if (fits()) return;
  raise_above(lowest_that_fits() - 1);
  drop();
}

// The sets by count in bins; the bin in which they become too many is divided further until it is a single count.
Count Store::lowest_that_fits() const {
  constexpr std::size_t bins = 4096;
  Count low = 0, width = 1;
  Count high = 0;
  for (const Walk& walk : walks_)
    for (const Step& step : walk.steps) high = std::max(high, step.weight());
  std::size_t sets_above = 0, bytes_above = 0;
  for (;;) {
    width = (high - low) / static_cast<Count>(bins) + 1;
    std::vector<std::size_t> sets(bins, 0), bytes(bins, 0);
    for (const Walk& walk : walks_) {
      for (const Step& step : walk.steps) {
        const Count weight = step.weight();
        if (weight < low || weight > high) continue;
        const auto bin = static_cast<std::size_t>((weight - low) / width);
        sets[bin] += step.is_told();
        bytes[bin] += bytes_of(step);
      }
    }
    std::size_t bin = bins;
    while (bin-- > 0) {
      if (sets_above + sets[bin] > limits_.most_sets || bytes_above + bytes[bin] > limits_.bytes) break;
      sets_above += sets[bin];
      bytes_above += bytes[bin];
      if (bin == 0) return low;
    }
    low += static_cast<Count>(bin) * width;
    high = low + width - 1;
    if (width == 1) return low + 1;
  }
}

void Store::drop() {
  const Count least = bound();
  sets_ = bytes_ = steps_ = 0;
  for (Walk& walk : walks_) {
    std::erase_if(walk.steps, [&](const Step& step) { return step.weight() < least; });
    walk.steps.shrink_to_fit();
    take(walk);
  }
  std::erase_if(walks_, [](const Walk& walk) { return walk.steps.empty(); });
}

std::vector<Walk> Store::finished() {
  if (rose_ || !fits()) cut();
  return std::move(walks_);
}

void Writer::room(std::size_t steps, std::size_t depth) {
  if (walk_.steps.size() + steps > store_->steps_at_once() && !walk_.steps.empty()) {
    store_->add(std::move(walk_));
    walk_ = {};
  }
  if (walk_.steps.empty()) {
    walk_.before.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(depth));
    walk_.steps.reserve(std::max(steps, store_->steps_at_once()));
  }
}

void Writer::add(std::uint32_t item, std::size_t depth, Count count) {
  if (path_.size() < depth) path_.resize(depth);
  room(1, depth - 1);
  path_[depth - 1] = item;
  walk_.steps.push_back({item, static_cast<std::uint32_t>(depth), count});
}

void Writer::add_subsets(const std::vector<std::uint32_t>& items, std::size_t depth, Count count, std::size_t most) {
  if (items.empty() || most == 0) return;
  if (items.size() > longest_pattern || most < items.size()) {
    each_subset(items, 0, depth, count, most);
    return;
  }
  if (pattern_.empty()) make_pattern(items);
  room(pattern_.size(), depth);
  const std::size_t begin = walk_.steps.size();
  walk_.steps.resize(begin + pattern_.size());
  Step* to = walk_.steps.data() + begin;
  const auto from = static_cast<std::uint32_t>(depth);
  for (const Step& step : pattern_) *to++ = {step.item, step.depth + from, count};
}

void Writer::each_subset(const std::vector<std::uint32_t>& items, std::size_t from, std::size_t depth, Count count,
                         std::size_t most) {
  for (std::size_t i = from; i < items.size() && count >= store_->bound(); ++i) {
    add(items[i], depth + 1, count);
    if (most > 1) each_subset(items, i + 1, depth + 1, count, most - 1);
  }
}

// From the last item backwards: the item, what follows it one step deeper, and the same without it.
void Writer::make_pattern(const std::vector<std::uint32_t>& items) {
  for (std::size_t i = items.size(); i-- > 0;) {
    std::vector<Step> longer{{items[i], 1, 0}};
    longer.reserve(2 * pattern_.size() + 1);
    for (const Step& step : pattern_) longer.push_back({step.item, step.depth + 1, 0});
    longer.insert(longer.end(), pattern_.begin(), pattern_.end());
    pattern_ = std::move(longer);
  }
}

void Writer::finish() {
  if (!walk_.steps.empty()) store_->add(std::move(walk_));
  walk_ = {};
}

}  // namespace hedgerow::items

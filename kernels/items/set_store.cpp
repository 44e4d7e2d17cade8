#include "items/set_store.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace hedgerow::items {
namespace {

constexpr std::size_t kMaxSteps = 1 << 15;    // in a walk
constexpr std::size_t kMaxPatternItems = 12;  // subsets of so many items are made once and copied
constexpr std::size_t kSlack = 2;             // cut only when so many times too many: a cut looks at all that is kept
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 40;

std::size_t saturating_multiply(std::size_t a, std::size_t b) { return a > SIZE_MAX / b ? SIZE_MAX : a * b; }

}  // namespace

SetStore::SetStore(StoreLimits limits) : limits_(limits) {
  const std::uint64_t maximum =
      std::min<std::uint64_t>({limits.max_sets, limits.bytes / estimate_bytes({0, 1, 1}), kUnlimited});
  max_doublings_ = static_cast<unsigned>(std::bit_width(maximum));
  steps_at_once_ = std::clamp<std::size_t>(limits.max_sets, 256, kMaxSteps);
}

void SetStore::raise_above(Count count) {
  if (!limits_.rises) {
    is_full_ = true;
    stop();
    return;
  }
  Count now = bound();
  while (now <= count && !bound_.compare_exchange_weak(now, count + 1, std::memory_order_relaxed)) {
  }
  has_risen_ = true;
}

void SetStore::add(SetPath&& path) {
  std::lock_guard lock(mutex_);
  count_path(path);
  paths_.push_back(std::move(path));
  if (!limits_.rises && !fits()) {
    is_full_ = true;
    paths_.clear();
    stop();
  } else if (sets_ > saturating_multiply(limits_.max_sets, kSlack) ||
             bytes_ > saturating_multiply(limits_.bytes, kSlack) ||
             saturating_multiply(steps_, sizeof(SetStep)) > limits_.bytes) {
    raise_bound();
  }
}

void SetStore::count_path(const SetPath& path) {
  for (const SetStep& step : path.steps) {
    sets_ += step.is_reported();
    bytes_ += estimate_bytes(step);
  }
  steps_ += path.steps.size();
}

void SetStore::raise_bound() {
  drop_below_bound();  // the bound may have risen since
  if (fits()) return;
  raise_above(lowest_that_fits() - 1);
  drop_below_bound();
}

// The sets by count in bins; the bin in which they become too many is divided further until it is a single count.
Count SetStore::lowest_that_fits() const {
  constexpr std::size_t bins = 4096;
  Count low = 0, width = 1;
  Count high = 0;
  for (const SetPath& path : paths_)
    for (const SetStep& step : path.steps) high = std::max(high, step.weight());
  std::size_t sets_above = 0, bytes_above = 0;
  for (;;) {
    width = (high - low) / static_cast<Count>(bins) + 1;
    std::vector<std::size_t> sets(bins, 0), bytes(bins, 0);
    for (const SetPath& path : paths_) {
      for (const SetStep& step : path.steps) {
        const Count weight = step.weight();
        if (weight < low || weight > high) continue;
        const auto bin = static_cast<std::size_t>((weight - low) / width);
        sets[bin] += step.is_reported();
        bytes[bin] += estimate_bytes(step);
      }
    }
    std::size_t bin = bins;
    while (bin-- > 0) {
      if (sets_above + sets[bin] > limits_.max_sets || bytes_above + bytes[bin] > limits_.bytes) break;
      sets_above += sets[bin];
      bytes_above += bytes[bin];
      if (bin == 0) return low;
    }
    low += static_cast<Count>(bin) * width;
    high = low + width - 1;
    if (width == 1) return low + 1;
  }
}

void SetStore::drop_below_bound() {
  const Count minimum = bound();
  sets_ = bytes_ = steps_ = 0;
  for (SetPath& path : paths_) {
    std::erase_if(path.steps, [&](const SetStep& step) { return step.weight() < minimum; });
    path.steps.shrink_to_fit();
    count_path(path);
  }
  std::erase_if(paths_, [](const SetPath& path) { return path.steps.empty(); });
}

std::vector<SetPath> SetStore::take_paths() {
  if (has_risen_ || !fits()) raise_bound();
  return std::move(paths_);
}

void SetWriter::reserve(std::size_t steps, std::size_t depth) {
  if (path_of_sets_.steps.size() + steps > store_->steps_at_once() && !path_of_sets_.steps.empty()) {
    store_->add(std::move(path_of_sets_));
    path_of_sets_ = {};
  }
  if (path_of_sets_.steps.empty()) {
    path_of_sets_.prefix.assign(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(depth));
    path_of_sets_.steps.reserve(std::max(steps, store_->steps_at_once()));
  }
}

void SetWriter::add(std::uint32_t item, std::size_t depth, Count count) {
  if (path_.size() < depth) path_.resize(depth);
  reserve(1, depth - 1);
  path_[depth - 1] = item;
  path_of_sets_.steps.push_back({item, static_cast<std::uint32_t>(depth), count});
}

void SetWriter::add_subsets(const std::vector<std::uint32_t>& items, std::size_t depth, Count count,
                            std::size_t maximum) {
  if (items.empty() || maximum == 0) return;
  if (items.size() > kMaxPatternItems || maximum < items.size()) {
    add_each_subset(items, 0, depth, count, maximum);
    return;
  }
  if (pattern_.empty()) make_subset_pattern(items);
  reserve(pattern_.size(), depth);
  const std::size_t begin = path_of_sets_.steps.size();
  path_of_sets_.steps.resize(begin + pattern_.size());
  SetStep* to = path_of_sets_.steps.data() + begin;
  const auto from = static_cast<std::uint32_t>(depth);
  for (const SetStep& step : pattern_) *to++ = {step.item, step.depth + from, count};
}

void SetWriter::add_each_subset(const std::vector<std::uint32_t>& items, std::size_t from, std::size_t depth,
                                Count count, std::size_t maximum) {
  for (std::size_t i = from; i < items.size() && count >= store_->bound(); ++i) {
    add(items[i], depth + 1, count);
    if (maximum > 1) add_each_subset(items, i + 1, depth + 1, count, maximum - 1);
  }
}

// From the last item backwards: the item, what follows it one step deeper, and the same without it.
void SetWriter::make_subset_pattern(const std::vector<std::uint32_t>& items) {
  for (std::size_t i = items.size(); i-- > 0;) {
    std::vector<SetStep> longer{{items[i], 1, 0}};
    longer.reserve(2 * pattern_.size() + 1);
    for (const SetStep& step : pattern_) longer.push_back({step.item, step.depth + 1, 0});
    longer.insert(longer.end(), pattern_.begin(), pattern_.end());
    pattern_ = std::move(longer);
  }
}

void SetWriter::finish() {
  if (!path_of_sets_.steps.empty()) store_->add(std::move(path_of_sets_));
  path_of_sets_ = {};
}

}  // namespace hedgerow::items

// When a node is a leaf, and which column splits it: the same wherever its cases were counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree_splits.hpp"

namespace hedgerow::trees {

// Whether a node with this tally at this depth is not to be split, whatever the columns say.
template <class Target>
bool is_leaf(const Target& target, const GrowOptions& options, const typename Target::Count* tally, std::int32_t depth) {
  const auto n = static_cast<double>(Target::weight(tally, target.width));
  if (depth >= options.max_depth || n < 2 * options.min_leaf - tie || n <= options.stop_rows + tie || n <= 0) return true;
  if constexpr (Target::classes) {
    const auto most = static_cast<double>(*std::max_element(tally, tally + target.width));
    return most >= n * options.stop_share - tie || most >= n - tie;
  } else {
    return -target.purity(tally, target.width) <= 1e-12 * n * options.scale;
  }
}

// Which nominal columns have about as many levels as there are rows: identifiers, which do not count in the average gain.
class ManyLevels {
 public:
  void add(bool nominal, double levels, double rows) {
    many_.push_back(nominal && levels >= 0.3 * rows);
    all_ = all_ && many_.back();
  }
  bool counts(std::size_t column) const { return all_ || !many_[column]; }

 private:
  std::vector<bool> many_;
  bool all_ = true;
};

// The first of the best columns, or -1; a gain that is lower than asked for makes no split.
inline std::int32_t best_column(std::span<const Split> splits, const GrowOptions& options, const ManyLevels& many) {
  double average = -std::numeric_limits<double>::infinity();
  if (options.guard) {
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t number = 0; number < splits.size(); ++number) {
      if (!splits[number].valid || !many.counts(number)) continue;
      sum += splits[number].gain;
      ++counted;
    }
    if (counted == 0) return -1;  // nothing but identifiers
    average = sum / static_cast<double>(counted) - 1e-3;
  }
  std::int32_t found = -1;
  double highest = 0;
  for (std::size_t number = 0; number < splits.size(); ++number) {
    const Split& split = splits[number];
    if (!split.valid || split.gain < average || !(options.zero_gain || split.gain > least_gain(options))) continue;
    const double score = options.ratio ? split.ratio() : split.gain;
    if (found < 0 || score > highest + tie * options.scale) {
      highest = score;
      found = static_cast<std::int32_t>(number);
    }
  }
  return found >= 0 && splits[static_cast<std::size_t>(found)].gain < options.min_gain - tie ? -1 : found;
}

}  // namespace hedgerow::trees

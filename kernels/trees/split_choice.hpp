// When a node is a leaf, which columns it tries and which one splits it: the same wherever its cases were counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/splitmix.hpp"
#include "trees/splits.hpp"

namespace hedgerow::trees {

// Whether a node with this tally at this depth is not to be split, whatever the columns say.
template <class Target>
bool is_leaf(const Target& target, const GrowOptions& options, const typename Target::Count* tally,
             std::int32_t depth) {
  const auto n = static_cast<double>(Target::weight(tally, target.width));
  if (depth >= options.max_depth || n < 2 * options.min_leaf - tie || n <= options.stop_rows + tie || n <= 0)
    return true;
  if constexpr (Target::classes) {
    const auto most = static_cast<double>(*std::max_element(tally, tally + target.width));
    return most >= n * options.stop_share - tie || most >= n - tie;
  } else {
    return -target.purity(tally, target.width) <= 1e-12 * n * options.scale;
  }
}

// Which nominal columns have about as many levels as there are rows: identifiers, which do not count in the average
// gain.
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

inline std::uint64_t mixed(std::uint64_t state) {
  return hedgerow::mix_bits(state + 0x9E3779B97F4A7C15ull);
}  // SplitMix64

// The seed of a node's n-th child.
inline std::uint64_t child_seed(std::uint64_t seed, std::size_t n) {
  return mixed(seed ^ (0xD1B54A32D192ED03ull * (n + 1)));
}

// The heaviest of some children that share a weight, the first of equals.
inline std::size_t heaviest_of(std::span<const double> shares, double weight) {
  std::size_t heaviest = 0;
  for (std::size_t c = 1; c < shares.size(); ++c) {
    if (shares[c] > shares[heaviest] + tie / weight) heaviest = c;
  }
  return heaviest;
}

// Chooses the column that splits a node, among all or among some drawn at random from those with more than one value.
class ColumnChoice {
 public:
  // What is kept from node to node, so that small ones need no memory of their own.
  struct Room {
    std::vector<std::size_t> order;  // columns, in the order they are tried
    std::vector<Split> splits;       // by column
  };

  ColumnChoice(const TreeColumns& columns, const GrowOptions& options, std::size_t n_rows)
      : options_(options), n_(columns.columns.size()), live_(columns.live()) {
    for (const TreeColumn& column : columns.columns) {
      many_levels_.add(column.nominal, column.bins, std::max(static_cast<double>(n_rows), options.table_rows));
    }
  }

  // The column, or -1. `find` is given columns and finds their best splits, to be left in the room.
  template <class Find>
  std::int32_t operator()(std::uint64_t seed, Room& room, const Find& find) const {
    if (room.splits.size() != n_) room.splits.resize(n_);
    if (options_.tried <= 0 || static_cast<std::size_t>(options_.tried) >= n_) {
      room.order.resize(n_);
      std::iota(room.order.begin(), room.order.end(), std::size_t{0});
      find(std::span<const std::size_t>(room.order));
      return best(room);
    }
    // As many columns as are to be tried, drawn without repetition; then one at a time until there is a split, unless
    // they are drawn once for all nodes.
    for (Split& split : room.splits) split.valid = false;
    room.order = live_;
    const std::size_t live = live_.size();
    std::uint64_t state = options_.once ? options_.seed : seed;
    const auto draw = [&](std::size_t i) {
      state = mixed(state);
      std::swap(room.order[i], room.order[i + static_cast<std::size_t>(state % (live - i))]);
    };
    std::size_t done = 0;
    while (done < std::min(live, static_cast<std::size_t>(options_.tried))) draw(done++);
    find(std::span<const std::size_t>(room.order).first(done));
    for (;; ++done) {
      const std::int32_t column = best(room);
      if (column >= 0 || done == live || options_.once) return column;
      draw(done);
      find(std::span<const std::size_t>(room.order).subspan(done, 1));
    }
  }

 private:
  std::int32_t best(const Room& room) const { return best_column(room.splits, options_, many_levels_); }

  const GrowOptions& options_;
  std::size_t n_;
  std::vector<std::size_t> live_;  // columns with more than one value
  ManyLevels many_levels_;
};

}  // namespace hedgerow::trees

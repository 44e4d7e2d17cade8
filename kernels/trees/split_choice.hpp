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
  if (depth >= options.max_depth || n < 2 * options.min_leaf - kTie || n <= options.stop_rows + kTie || n <= 0)
    return true;
  if constexpr (Target::classes) {
    const auto maximum = static_cast<double>(*std::max_element(tally, tally + target.width));
    return maximum >= n * options.stop_share - kTie || maximum >= n - kTie;
  } else {
    return -target.purity(tally, target.width) <= 1e-12 * n * options.scale;
  }
}

// Which nominal columns have about as many levels as there are rows: identifiers, which do not count in the average
// gain.
class IdentifierColumns {
 public:
  void add(bool nominal, double levels, double rows) {
    is_identifier_.push_back(nominal && levels >= 0.3 * rows);
    all_ = all_ && is_identifier_.back();
  }
  bool counts_in_average(std::size_t column) const { return all_ || !is_identifier_[column]; }

 private:
  std::vector<bool> is_identifier_;
  bool all_ = true;
};

// The first of the best columns, or -1; a gain that is lower than asked for makes no split.
inline std::int32_t choose_best_column(std::span<const ColumnSplit> splits, const GrowOptions& options,
                                       const IdentifierColumns& identifiers) {
  double average = -std::numeric_limits<double>::infinity();
  if (options.average_gain_guard) {
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t number = 0; number < splits.size(); ++number) {
      if (!splits[number].valid || !identifiers.counts_in_average(number)) continue;
      sum += splits[number].gain;
      ++counted;
    }
    if (counted == 0) return -1;  // nothing but identifiers
    average = sum / static_cast<double>(counted) - 1e-3;
  }
  std::int32_t found = -1;
  double highest = 0;
  for (std::size_t number = 0; number < splits.size(); ++number) {
    const ColumnSplit& split = splits[number];
    if (!split.valid || split.gain < average || !(options.zero_gain || split.gain > gain_tolerance(options))) continue;
    const double score = options.gain_ratio ? split.ratio() : split.gain;
    if (found < 0 || score > highest + kTie * options.scale) {
      highest = score;
      found = static_cast<std::int32_t>(number);
    }
  }
  return found >= 0 && splits[static_cast<std::size_t>(found)].gain < options.min_gain - kTie ? -1 : found;
}

inline std::uint64_t mix_seed(std::uint64_t state) {
  return hedgerow::mix_bits(state + 0x9E3779B97F4A7C15ull);
}  // SplitMix64

// The seed of a node's n-th child.
inline std::uint64_t make_child_seed(std::uint64_t seed, std::size_t n) {
  return mix_seed(seed ^ (0xD1B54A32D192ED03ull * (n + 1)));
}

// The heaviest of some children that share a weight, the first of equals.
inline std::size_t find_heaviest(std::span<const double> shares, double weight) {
  std::size_t heaviest = 0;
  for (std::size_t c = 1; c < shares.size(); ++c) {
    if (shares[c] > shares[heaviest] + kTie / weight) heaviest = c;
  }
  return heaviest;
}

// Chooses the column that splits a node, among all or among some drawn at random from those with more than one value.
class ColumnChooser {
 public:
  // What is kept from node to node, so that small ones need no memory of their own.
  struct ChoiceScratch {
    std::vector<std::size_t> order;   // columns, in the order they are tried
    std::vector<ColumnSplit> splits;  // by column
  };

  ColumnChooser(const TreeColumns& columns, const GrowOptions& options, std::size_t n_rows)
      : options_(options), n_(columns.columns.size()), varying_columns_(columns.find_varying_columns()) {
    for (const TreeColumn& column : columns.columns) {
      identifiers_.add(column.nominal, column.bins, std::max(static_cast<double>(n_rows), options.table_rows));
    }
  }

  // The column, or -1. `find` is given columns and finds their best splits, to be left in the room.
  template <class Find>
  std::int32_t operator()(std::uint64_t seed, ChoiceScratch& scratch, const Find& find) const {
    if (scratch.splits.size() != n_) scratch.splits.resize(n_);
    if (options_.tried_columns <= 0 || static_cast<std::size_t>(options_.tried_columns) >= n_) {
      scratch.order.resize(n_);
      std::iota(scratch.order.begin(), scratch.order.end(), std::size_t{0});
      find(std::span<const std::size_t>(scratch.order));
      return choose_best(scratch);
    }
    // As many columns as are to be tried, drawn without repetition; then one at a time until there is a split, unless
    // they are drawn once for all nodes.
    for (ColumnSplit& split : scratch.splits) split.valid = false;
    scratch.order = varying_columns_;
    const std::size_t n_varying = varying_columns_.size();
    std::uint64_t state = options_.draw_once ? options_.seed : seed;
    const auto draw = [&](std::size_t i) {
      state = mix_seed(state);
      std::swap(scratch.order[i], scratch.order[i + static_cast<std::size_t>(state % (n_varying - i))]);
    };
    std::size_t n_drawn = 0;
    while (n_drawn < std::min(n_varying, static_cast<std::size_t>(options_.tried_columns))) draw(n_drawn++);
    find(std::span<const std::size_t>(scratch.order).first(n_drawn));
    for (;; ++n_drawn) {
      const std::int32_t column = choose_best(scratch);
      if (column >= 0 || n_drawn == n_varying || options_.draw_once) return column;
      draw(n_drawn);
      find(std::span<const std::size_t>(scratch.order).subspan(n_drawn, 1));
    }
  }

 private:
  std::int32_t choose_best(const ChoiceScratch& scratch) const {
    return choose_best_column(scratch.splits, options_, identifiers_);
  }

  const GrowOptions& options_;
  std::size_t n_;
  std::vector<std::size_t> varying_columns_;  // columns with more than one value
  IdentifierColumns identifiers_;
};

}  // namespace hedgerow::trees

#include "trees/level_by_level.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/decimals.hpp"
#include "core/thread_pool.hpp"
#include "trees/impurity.hpp"
#include "trees/split_choice.hpp"
#include "trees/splits.hpp"

namespace hedgerow::trees {
namespace {

constexpr std::size_t row_block = 1 << 13;

class LevelDescent {
 public:
  LevelDescent(const PartialTree& tree, std::span<const RawColumn> columns, std::span<const double> weights)
      : tree_(tree), columns_(columns), weights_(weights), leads_to_wanted_(tree.columns.size(), false) {
    for (std::size_t node = leads_to_wanted_.size(); node-- > 0;) {
      leads_to_wanted_[node] = leads_to_wanted_[node] || tree.slots[node] >= 0;
      if (tree.columns[node] < 0) continue;
      for (std::int32_t c = 0; c < tree.children[node]; ++c) {
        if (leads_to_wanted_[static_cast<std::size_t>(tree.first[node] + c)]) leads_to_wanted_[node] = true;
      }
    }
  }

  void send_rows(std::size_t begin, std::size_t end, ReachedRows& out) const {
    std::vector<std::pair<std::size_t, double>> open;
    for (std::size_t row = begin; row < end; ++row) {
      if (!(weights_[row] > 0) || !leads_to_wanted_[0]) continue;
      open.assign(1, {0, weights_[row]});
      while (!open.empty()) {
        auto [node, weight] = open.back();
        open.pop_back();
        while (tree_.columns[node] >= 0) {
          const std::int32_t to = find_child(node, row);
          if (to < 0) break;
          node = static_cast<std::size_t>(tree_.first[node] + to);
          if (!leads_to_wanted_[node]) break;
        }
        if (!leads_to_wanted_[node]) continue;
        if (tree_.columns[node] < 0) {
          out.rows.push_back(static_cast<std::uint32_t>(row));
          out.slots.push_back(tree_.slots[node]);
          out.weights.push_back(weight);
          continue;
        }
        for (std::int32_t c = tree_.children[node]; c-- > 0;) {
          const auto child = static_cast<std::size_t>(tree_.first[node] + c);
          if (leads_to_wanted_[child] && tree_.shares[child] > 0)
            open.emplace_back(child, weight * tree_.shares[child]);
        }
      }
    }
  }

 private:
  // The child that a row takes; -1 for all of them in shares.
  std::int32_t find_child(std::size_t node, std::size_t row) const {
    const RawColumn& column = columns_[static_cast<std::size_t>(tree_.columns[node])];
    if (column.codes) {
      const std::int32_t code = column.codes[row];
      return code < 0 ? tree_.missing[node] : tree_.levels.child(node, code);
    }
    const double value = column.numbers[row];
    return std::isnan(value) ? tree_.missing[node] : value > tree_.thresholds[node];
  }

  const PartialTree& tree_;
  std::span<const RawColumn> columns_;
  std::span<const double> weights_;
  std::vector<bool> leads_to_wanted_;  // to a node that is wanted
};

// The first bin whose value is not below a number; the last one if all are.
std::size_t find_bin(std::span<const double> values, double number) {
  const double* at = values.data();
  for (std::size_t n = values.size(); n > 1;) {
    const std::size_t half = n / 2;
    at += at[half - 1] < number ? half : 0;
    n -= half;
  }
  return static_cast<std::size_t>(at - values.data());
}

// The search of one node among its counts.
template <class Target>
class NodeSplitter {
 public:
  using Count = typename Target::Count;

  NodeSplitter(std::span<const BinnedColumn> columns, const BinLayout& layout, const Target& target,
               const GrowOptions& options, const IdentifierColumns& many, double classes)
      : columns_(columns), layout_(layout), target_(target), options_(options), many_(many), classes_(classes) {}

  struct NodeSplit {
    std::int32_t column = -1;
    double threshold = 0;
    ColumnSplit split;
    std::vector<double> tallies, shares;  // by child
    std::vector<std::int64_t> cases;
    std::vector<std::uint8_t> open;
  };

  NodeSplit find_split(const double* counts, const double* tally, std::int32_t depth) {
    NodeSplit found;
    present_.clear();
    for (std::size_t c = 0; c < layout_.width; ++c) {
      if (!Target::classes || tally[c] > 0) present_.push_back(c);
    }
    Splitter<Target> splitter(target_, options_, classes_);
    splitter.begin(present_.size());
    std::vector<ColumnSplit> splits(columns_.size());
    for (std::size_t number = 0; number < columns_.size(); ++number) {
      const BinnedColumn& column = columns_[number];
      compact_bins(counts + layout_.starts[number], static_cast<std::size_t>(column.bins));
      splitter.split_counted(bins_, column.nominal, column.bins, column.values, splits[number]);
    }
    found.column = choose_best_column(splits, options_, many_);
    if (found.column < 0) return found;
    const auto chosen = static_cast<std::size_t>(found.column);
    found.split = std::move(splits[chosen]);
    if (!columns_[chosen].nominal) found.threshold = find_threshold(columns_[chosen], found.split);
    divide_counts(counts + layout_.starts[chosen], columns_[chosen], depth, found);
    return found;
  }

 private:
  void compact_bins(const double* counts, std::size_t n_bins) {
    const std::size_t width = present_.size(), step = layout_.width + 1;
    bins_.clear(width);
    const auto taken = [&](std::size_t bin, std::size_t c) {
      return static_cast<Count>(counts[bin * step + present_[c]]);
    };
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
      if (!(counts[bin * step + layout_.width] > 0)) continue;
      bins_.codes.push_back(static_cast<std::uint32_t>(bin));
      for (std::size_t c = 0; c < width; ++c) {
        bins_.tallies.push_back(taken(bin, c));
        bins_.known[c] += bins_.tallies.back();
      }
      bins_.weights.push_back(Target::weight(&bins_.tallies[bins_.tallies.size() - width], width));
    }
    for (std::size_t c = 0; c < width; ++c) bins_.missing[c] = taken(n_bins, c);
  }

  // Between two values as in memory; where bins hold several values, the end of a bin.
  double find_threshold(const BinnedColumn& column, const ColumnSplit& split) const {
    if (column.exact) {
      return options_.branching == Branching::binary ? choose_threshold(split.low, split.high)
                                                     : choose_midpoint(split.low, split.high);
    }
    const auto last = static_cast<std::ptrdiff_t>(split.last);
    const auto next = std::lower_bound(column.values.begin() + last, column.values.end(), split.high);
    const double between = choose_midpoint(split.low, *(next - 1));
    return *(std::upper_bound(column.values.begin() + last, next, between) - 1);
  }

  static std::vector<std::size_t> assign_bins(const BinnedColumn& column, const ColumnSplit& split) {
    std::vector<std::size_t> children(static_cast<std::size_t>(column.bins));
    if (!column.nominal) {
      for (std::size_t bin = 0; bin < children.size(); ++bin) children[bin] = bin > split.last;
    } else if (split.rest == kNoChild) {  // one child per level
      std::iota(children.begin(), children.end(), std::size_t{0});
    } else {
      std::fill(children.begin(), children.end(), static_cast<std::size_t>(split.rest));
      for (const LevelChild one : split.listed) {
        children[static_cast<std::size_t>(one.code)] = static_cast<std::size_t>(one.child);
      }
    }
    return children;
  }

  // What the children of a split hold.
  void divide_counts(const double* counts, const BinnedColumn& column, std::int32_t depth, NodeSplit& found) const {
    const auto k = static_cast<std::size_t>(found.split.children), bins = static_cast<std::size_t>(column.bins);
    const std::size_t width = layout_.width, step = width + 1;
    found.tallies.assign(k * width, 0);
    found.shares.assign(k, 0);
    found.cases.assign(k, 0);
    const auto add = [&](std::size_t child, const double* from, double share) {
      for (std::size_t c = 0; c < width; ++c) found.tallies[child * width + c] += from[c] * share;
      found.cases[child] += static_cast<std::int64_t>(from[width]);
    };
    const std::vector<std::size_t> children = assign_bins(column, found.split);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::size_t child = children[bin];
      if (counts[bin * step + width] > 0) add(child, counts + bin * step, 1);
    }
    const auto weight = [&](std::size_t child) {
      const double* of = &found.tallies[child * width];
      return Target::classes ? std::accumulate(of, of + width, 0.0) : of[0];
    };
    double known = 0;
    for (std::size_t c = 0; c < k; ++c) known += found.shares[c] = weight(c);
    for (double& share : found.shares) share /= known;
    if (options_.missing_policy == MissingPolicy::direction && found.split.missing == kNoChild) {
      found.split.missing =
          static_cast<std::int32_t>(std::max_element(found.shares.begin(), found.shares.end()) - found.shares.begin());
    }
    const double* missing = counts + bins * step;
    for (std::size_t c = 0; c < k && missing[width] > 0; ++c) {
      if (found.split.missing == kNoChild ? found.shares[c] > 0 : static_cast<std::size_t>(found.split.missing) == c) {
        add(c, missing, found.split.missing == kNoChild ? found.shares[c] : 1);
      }
    }
    for (std::size_t c = 0; c < k; ++c) {
      const std::vector<Count> tally(found.tallies.begin() + static_cast<std::ptrdiff_t>(c * width),
                                     found.tallies.begin() + static_cast<std::ptrdiff_t>((c + 1) * width));
      found.open.push_back(found.cases[c] > 1 && !is_leaf(target_, options_, tally.data(), depth + 1));
    }
  }

  std::span<const BinnedColumn> columns_;
  const BinLayout& layout_;
  const Target& target_;
  const GrowOptions& options_;
  const IdentifierColumns& many_;
  double classes_;
  std::vector<std::size_t> present_;  // the classes that occur at the node
  CodeBins<Count> bins_;
};

template <class Target>
LevelSplits split_with_target(std::span<const BinnedColumn> columns, const BinLayout& layout, const Target& target,
                              std::size_t classes, std::span<const double> counts, std::span<const double> tallies,
                              std::span<const std::int32_t> depths, const GrowOptions& options, std::size_t threads) {
  IdentifierColumns many;
  for (const BinnedColumn& column : columns) many.add(column.nominal, column.bins, options.table_rows);
  using TargetSplitter = NodeSplitter<Target>;
  std::vector<typename TargetSplitter::NodeSplit> found(depths.size());
  ThreadPool pool(std::min(threads, std::max<std::size_t>(1, depths.size())));
  pool.parallel_for(depths.size(), [&](std::size_t node, std::size_t) {
    TargetSplitter splitter(columns, layout, target, options, many, static_cast<double>(classes));
    found[node] =
        splitter.find_split(counts.data() + node * layout.cells, tallies.data() + node * layout.width, depths[node]);
  });
  LevelSplits out;
  for (const auto& one : found) {
    out.columns.push_back(one.column);
    out.thresholds.push_back(one.threshold);
    out.missing.push_back(one.column < 0 ? kNoChild : one.split.missing);
    out.children.push_back(one.column < 0 ? 0 : one.split.children);
    if (one.column < 0 || !columns[static_cast<std::size_t>(one.column)].nominal) {
      out.levels.add_none();
    } else if (one.split.rest == kNoChild) {
      out.levels.add_child_per_level(one.split.children);
    } else {
      out.levels.add(columns[static_cast<std::size_t>(one.column)].bins, one.split.rest, one.split.listed);
    }
    out.child_tallies.insert(out.child_tallies.end(), one.tallies.begin(), one.tallies.end());
    out.child_shares.insert(out.child_shares.end(), one.shares.begin(), one.shares.end());
    out.child_cases.insert(out.child_cases.end(), one.cases.begin(), one.cases.end());
    out.child_open.insert(out.child_open.end(), one.open.begin(), one.open.end());
  }
  return out;
}

// Calls with the target that growing in memory would use.
template <class Use>
auto with_target(std::size_t classes, const GrowOptions& options, const Use& use) {
  if (classes == 0) return use(SquaredTarget(0));
  const bool whole =
      !options.real_weights && classes <= 65535 && fits_integer_sums(options.table_weight, options.table_rows);
  const auto maximum = static_cast<std::uint64_t>(whole ? options.table_weight : 0);
  const bool entropy = options.impurity == Impurity::entropy;
  if (whole && entropy) return use(ClassTarget<IntegerEntropy>(classes, maximum));
  if (whole) return use(ClassTarget<IntegerGini>(classes, maximum));
  if (entropy) return use(ClassTarget<RealEntropy>(classes, maximum));
  return use(ClassTarget<RealGini>(classes, maximum));
}

}  // namespace

ReachedRows find_rows_reaching(const PartialTree& tree, std::span<const RawColumn> columns,
                               std::span<const double> weights, std::size_t threads) {
  const LevelDescent descent(tree, columns, weights);
  const std::size_t blocks = (weights.size() + row_block - 1) / row_block;
  std::vector<ReachedRows> block_rows(blocks);
  ThreadPool pool(std::min(threads, std::max<std::size_t>(1, blocks)));
  pool.parallel_for(blocks, [&](std::size_t block, std::size_t) {
    descent.send_rows(block * row_block, std::min(weights.size(), (block + 1) * row_block), block_rows[block]);
  });
  ReachedRows out;
  for (const ReachedRows& block_result : block_rows) {
    out.rows.insert(out.rows.end(), block_result.rows.begin(), block_result.rows.end());
    out.slots.insert(out.slots.end(), block_result.slots.begin(), block_result.slots.end());
    out.weights.insert(out.weights.end(), block_result.weights.begin(), block_result.weights.end());
  }
  return out;
}

BinLayout::BinLayout(std::span<const BinnedColumn> columns, std::size_t sums) : width(sums) {
  for (const BinnedColumn& column : columns) {
    starts.push_back(cells);
    cells += (static_cast<std::size_t>(column.bins) + 1) * (width + 1);
  }
}

void count_bins(std::span<const RawColumn> raw, std::span<const BinnedColumn> columns, const BinLayout& layout,
                const RowTargets& targets, std::span<const std::uint32_t> rows, std::span<const std::int32_t> slots,
                std::span<const double> weights, std::span<double> counts, std::size_t threads) {
  const std::size_t n_slots = layout.cells > 0 ? counts.size() / layout.cells : 0, step = layout.width + 1;
  ThreadPool pool(std::min(threads, std::max<std::size_t>(1, columns.size() * rows.size() / 20000)));
  pool.parallel_for(columns.size(), [&](std::size_t number, std::size_t) {
    const BinnedColumn& column = columns[number];
    const auto none = static_cast<std::size_t>(column.bins);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto slot = static_cast<std::size_t>(slots[i]);
      if (slot >= n_slots) continue;
      std::size_t bin = none;
      if (column.nominal) {
        if (const std::int32_t code = raw[number].codes[rows[i]]; code >= 0) bin = static_cast<std::size_t>(code);
      } else if (const double value = raw[number].numbers[rows[i]]; !std::isnan(value) && none > 0) {
        bin = find_bin(column.values, value);
      }
      double* cell = counts.data() + slot * layout.cells + layout.starts[number] + bin * step;
      if (!targets.labels.empty()) {
        cell[targets.labels[rows[i]]] += weights[i];
      } else {
        const double value = targets.numbers[rows[i]];
        cell[0] += weights[i];
        cell[1] += weights[i] * value;
        cell[2] += weights[i] * value * value;
      }
      cell[layout.width] += 1;
    }
  });
}

LevelSplits split_nodes(std::span<const BinnedColumn> columns, const BinLayout& layout, std::size_t classes,
                        std::span<const double> counts, std::span<const double> tallies,
                        std::span<const std::int32_t> depths, const GrowOptions& options, std::size_t threads) {
  return with_target(classes, options, [&](const auto& target) {
    return split_with_target(columns, layout, target, classes == 0 ? 1 : classes, counts, tallies, depths, options,
                             threads);
  });
}

bool is_leaf_by_tally(std::span<const double> tally, std::size_t classes, std::int32_t depth,
                      const GrowOptions& options) {
  return with_target(classes, options, [&](const auto& target) {
    using Count = typename std::decay_t<decltype(target)>::Count;
    const std::vector<Count> counts(tally.begin(), tally.end());
    return is_leaf(target, options, counts.data(), depth);
  });
}

}  // namespace hedgerow::trees

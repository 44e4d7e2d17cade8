// Counting coded columns at a node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trees/case_lists.hpp"
#include "trees/columns.hpp"
#include "trees/splits.hpp"

namespace hedgerow::trees {

constexpr std::size_t kCountBlockCases = 1 << 16;  // cases counted at a time, so that sums do not depend on threads

// The classes that occur at a node: counts leave out the others.
struct ClassSlots {
  std::vector<std::uint32_t> slot_of;  // by class
  std::size_t count = 0;
  std::uint32_t last_class = 0;  // of those that occur

  template <class Count>
  void assign(const std::vector<Count>& tally) {
    slot_of.assign(tally.size(), 0);
    count = 0;
    for (std::size_t c = 0; c < tally.size(); ++c) {
      if (!(tally[c] > 0)) continue;
      slot_of[c] = static_cast<std::uint32_t>(count++);
      last_class = static_cast<std::uint32_t>(c);
    }
  }
};

// Small coded columns, counted in one pass over the rows.
template <class Target>
class Histograms {
 public:
  using Case = typename Target::Case;
  using Count = typename Target::Count;

  std::vector<std::size_t> columns;

  void clear(std::size_t width) {
    columns.clear();
    layout_.clear();
    cells_ = 0;
    width_ = width;
  }
  void add(std::size_t number, const TreeColumn& column) {
    columns.push_back(number);
    layout_.emplace_back(static_cast<std::size_t>(column.slot), cells_);
    cells_ += (static_cast<std::size_t>(column.bins) + 1) * width_;
  }

  // The counts of the n-th column added: [(code, width)], missing values last.
  const Count* counts_of(std::size_t n) const { return &counts_[layout_[n].second]; }

  void count(const Target& target, const TreeColumns& of, const ClassSlots& slots, const NodeTask<Case>& task,
             ThreadPool* pool) {
    counts_.assign(cells_, 0);
    if (columns.empty()) return;
    const std::size_t blocks = (task.m + kCountBlockCases - 1) / kCountBlockCases;
    using HistogramLayout = std::span<const std::pair<std::size_t, std::size_t>>;
    const auto count_block = [&](std::size_t block, Count* target_counts, HistogramLayout layout) {
      const std::uint32_t* rows = task.rows();
      const Case* cases = task.cases();
      const std::size_t end = std::min(task.m, (block + 1) * kCountBlockCases);
      for (std::size_t i = block * kCountBlockCases; i < end; ++i) {
        const std::uint8_t* codes = of.bytes.data() + rows[i] * of.stride;
        if constexpr (Target::classes) {
          Count* to = target_counts + slots.slot_of[cases[i].label];
          const Count weight = cases[i].weight;
          for (const auto& [slot, start] : layout) to[start + codes[slot] * width_] += weight;
        } else {
          for (const auto& [slot, start] : layout) target.add(target_counts + start + codes[slot] * width_, cases[i]);
        }
      }
    };
    if (blocks == 1) {
      const std::size_t n = layout_.size(), ways = pool ? std::min(pool->size(), n) : 1;
      const auto count_some = [&](std::size_t way, std::size_t) {
        count_block(0, counts_.data(),
                    HistogramLayout(layout_).subspan(way * n / ways, (way + 1) * n / ways - way * n / ways));
      };
      pool ? pool->parallel_for(ways, count_some) : count_some(0, 0);
      return;
    }
    std::vector<std::vector<Count>> parts(blocks, std::vector<Count>(cells_, 0));
    if (pool) {
      pool->parallel_for(blocks,
                         [&](std::size_t block, std::size_t) { count_block(block, parts[block].data(), layout_); });
    } else {
      for (std::size_t block = 0; block < blocks; ++block) count_block(block, parts[block].data(), layout_);
    }
    for (const auto& counted : parts) {
      for (std::size_t i = 0; i < cells_; ++i) counts_[i] += counted[i];
    }
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> layout_;  // the column's slot, and where its counts begin
  std::vector<Count> counts_;
  std::size_t cells_ = 0, width_ = 0;
};

// Whether a node of so many cases has too few of them to look at every code of a column.
inline bool has_many_codes(const TreeColumn& column, std::size_t cases) {
  return static_cast<std::size_t>(column.bins) > 4 * cases + 8;
}

// Lists the cases of a node in order by code; those whose value is missing are left out.
template <class Case>
void sort_by_code(const TreeColumns& columns, const TreeColumn& column, const NodeTask<Case>& task,
                  std::vector<RankedCase>& items) {
  const std::uint32_t* rows = task.rows();
  items.clear();
  for (std::uint32_t i = 0; i < task.m; ++i) {
    const std::int32_t code = columns.code(column, rows[i]);
    if (code != column.bins) items.push_back({static_cast<std::uint32_t>(code), i});
  }
  CaseLists<Case>::sort_items(items);
}

// Counts a column of many codes at a node of few cases, by sorting them.
template <class Target>
void count_by_sorting(const Target& target, const TreeColumns& columns, const TreeColumn& column,
                      const ClassSlots& slots, const NodeTask<typename Target::Case>& task,
                      std::vector<RankedCase>& items, CodeBins<typename Target::Count>& bins) {
  using Case = typename Target::Case;
  const std::uint32_t* rows = task.rows();
  const Case* cases = task.cases();
  const auto add = [&](typename Target::Count* tally, const Case& one) {
    if constexpr (Target::classes) {
      tally[slots.slot_of[one.label]] += one.weight;
    } else {
      target.add(tally, one);
    }
  };
  bins.clear(slots.count);
  items.clear();
  for (std::size_t i = 0; i < task.m; ++i) {
    const std::int32_t code = columns.code(column, rows[i]);
    if (code == column.bins) {
      add(bins.missing.data(), cases[i]);
    } else {
      items.push_back({static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(i)});
    }
  }
  CaseLists<Case>::sort_items(items);
  for (const RankedCase item : items) {
    if (bins.codes.empty() || bins.codes.back() != item.rank) {
      bins.codes.push_back(item.rank);
      bins.tallies.resize(bins.tallies.size() + slots.count, 0);
    }
    add(&bins.tallies[bins.tallies.size() - slots.count], cases[item.case_index]);
    add(bins.known.data(), cases[item.case_index]);
  }
  for (std::size_t i = 0; i < bins.codes.size(); ++i) {
    bins.weights.push_back(Target::weight(&bins.tallies[i * slots.count], slots.count));
  }
}

}  // namespace hedgerow::trees

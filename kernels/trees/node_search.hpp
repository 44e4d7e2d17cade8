// Searching a node for the best split of each column, where its cases were sorted or are counted.
//
// Listed columns are swept in ascending order; small coded columns are counted together in one pass over the rows,
// others one by one. A column costs O(cases), and a logarithm more where it is sorted at the node. Every column is
// searched on its own, so that what is found does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/thread_pool.hpp"
#include "trees/case_lists.hpp"
#include "trees/counts.hpp"
#include "trees/small_nodes.hpp"
#include "trees/split_choice.hpp"
#include "trees/splits.hpp"
#include "trees/surrogates.hpp"

namespace hedgerow::trees {

// What is needed to look at one column at a time.
template <class Target>
struct ColumnScratch {
  Splitter<Target> splitter;
  std::vector<RankedCase> items;
  CodeBins<typename Target::Count> bins;
  SurrogateAgreement agreement;
  std::conditional_t<Target::classes, std::unique_ptr<SmallBranchGrower<Target>>, std::nullptr_t>
      small_branches;  // null if not suited
};

// What is needed to look at one node at a time. Everything is kept from node to node: small nodes would spend their
// time on allocation.
template <class Target>
struct NodeScratch {
  using Case = typename Target::Case;
  using Count = typename Target::Count;

  NodeTask<Case>* task = nullptr;
  std::vector<Count> tally;
  ClassSlots slots;
  std::uint32_t one_of_two_classes = kNoClass;  // one of the only two classes, if there are no more
  ColumnChooser::ChoiceScratch choice;          // the splits found, among others
  std::vector<std::size_t> single_columns;      // columns to look at one by one
  Histograms<Target> histograms;                // of columns counted in one pass
  std::vector<std::uint32_t> by_value;          // cases in order by their number, for targets that need it
  std::vector<Count> tallies;                   // of the children
  std::vector<std::size_t> missing_cases;       // cases whose tested value is missing
  std::vector<std::int32_t> level_child;        // by level, all `kNoChild` between nodes
  CaseDivision<Case> division;
};

template <class Target>
class NodeSearch {
 public:
  using Case = typename Target::Case;
  using Task = trees::NodeTask<Case>;
  using ColumnScratch = trees::ColumnScratch<Target>;
  using NodeScratch = trees::NodeScratch<Target>;

  NodeSearch(const TreeColumns& columns, const Target& target, const CaseLists<Case>& lists)
      : columns_(columns), target_(target), lists_(lists) {}

  // Finds the best splits of some columns, which are shared out if there is a thread pool; they are left in the scratch
  // memory.
  void operator()(NodeScratch& scratch, std::span<const std::size_t> columns, std::span<ColumnScratch> scratches,
                  ThreadPool* pool) const {
    const Task& task = *scratch.task;
    scratch.single_columns.clear();
    scratch.histograms.clear(scratch.slots.count);
    for (const std::size_t number : columns) {
      const TreeColumn& column = columns_.columns[number];
      if (Target::additive && column.slot >= 0 && !has_many_codes(column, task.m)) {
        scratch.histograms.add(number, column);
      } else {
        scratch.single_columns.push_back(number);
      }
    }
    if constexpr (Target::additive) {
      scratch.histograms.count(target_, columns_, scratch.slots, task, pool);
      for (ColumnScratch& column_scratch : scratches)
        column_scratch.splitter.begin(scratch.slots.count, task.cases(), scratch.tally.data(),
                                      scratch.one_of_two_classes);
    }
    const std::size_t jobs = scratch.single_columns.size() + scratch.histograms.columns.size();
    if (pool) {
      pool->parallel_for(jobs,
                         [&](std::size_t job, std::size_t thread) { search_column(scratch, job, scratches[thread]); });
    } else {
      for (std::size_t job = 0; job < jobs; ++job) search_column(scratch, job, scratches[0]);
    }
  }

 private:
  // Finds the best split of one column: the n-th of those apart, and then of those counted together.
  void search_column(NodeScratch& scratch, std::size_t job, ColumnScratch& column_scratch) const {
    if constexpr (Target::additive) {
      search_counted(scratch, job, column_scratch);
    } else {
      search_sorted(scratch, scratch.single_columns[job], column_scratch);
    }
  }

  // Finds the best split of one column in the order of its cases.
  void search_sorted(NodeScratch& scratch, std::size_t number, ColumnScratch& column_scratch) const {
    const TreeColumn& column = columns_.columns[number];
    const Task& task = *scratch.task;
    ColumnSplit& found = scratch.choice.splits[number];
    if (!column.listed) sort_by_code(columns_, column, task, column_scratch.items);
    const std::span<const RankedCase> items = column.listed ? lists_.known_items(task, number, column_scratch.items)
                                                            : std::span<const RankedCase>(column_scratch.items);
    column_scratch.splitter.begin(items, task.cases(), task.m, scratch.tally.data());
    if (column.nominal) {
      column_scratch.splitter.split_binary(found);
      return;
    }
    column_scratch.splitter.split_numeric(found);
    if (found.valid) set_neighbor_rows(task, items, found);
  }

  // Notes the neighbors of a cut by their rows: their values are a trip to memory, made for the chosen column only.
  static void set_neighbor_rows(const Task& task, std::span<const RankedCase> items, ColumnSplit& found) {
    const std::uint32_t* rows = task.rows();
    found.low_row = rows[items[found.last - 1].case_index];
    found.high_row = rows[items[found.last].case_index];
    found.last = items[found.last - 1].rank;
  }

  void search_counted(NodeScratch& scratch, std::size_t job, ColumnScratch& column_scratch) const {
    const bool histogram_index = job >= scratch.single_columns.size();
    const std::size_t position = histogram_index ? job - scratch.single_columns.size() : job;
    const std::size_t number =
        histogram_index ? scratch.histograms.columns[position] : scratch.single_columns[position];
    const TreeColumn& column = columns_.columns[number];
    const Task& task = *scratch.task;
    ColumnSplit& found = scratch.choice.splits[number];
    if (column.listed) {
      const std::span<const RankedCase> items = lists_.known_items(task, number, column_scratch.items);
      column_scratch.splitter.split_numeric(items, items.size() < task.m, found);
      if (found.valid) set_neighbor_rows(task, items, found);
      return;
    }
    if (histogram_index) {
      column_scratch.bins.template compact<Target>(scratch.histograms.counts_of(position),
                                                   static_cast<std::size_t>(column.bins), scratch.slots.count);
    } else {
      count_by_sorting(target_, columns_, column, scratch.slots, task, column_scratch.items, column_scratch.bins);
    }
    column_scratch.splitter.split_counted(column_scratch.bins, column.nominal, column.bins, column.values, found);
  }

  const TreeColumns& columns_;
  const Target& target_;
  const CaseLists<Case>& lists_;
};

}  // namespace hedgerow::trees

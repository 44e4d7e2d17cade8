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
struct Hands {
  Splitter<Target> splitter;
  std::vector<Item> items;
  Bins<typename Target::Count> bins;
  Agreement agreement;
  std::conditional_t<Target::classes, std::unique_ptr<SmallBranches<Target>>, std::nullptr_t>
      small;  // null if not suited
};

// What is needed to look at one node at a time. Everything is kept from node to node: small nodes would spend their
// time on allocation.
template <class Target>
struct Desk {
  using Case = typename Target::Case;
  using Count = typename Target::Count;

  Task<Case>* task = nullptr;
  std::vector<Count> tally;
  ClassSlots slots;
  std::uint32_t two = no_class;           // one of the only two classes, if there are no more
  ColumnChoice::Room room;                // the splits found, among others
  std::vector<std::size_t> apart;         // columns to look at one by one
  Histograms<Target> together;            // of columns counted in one pass
  std::vector<std::uint32_t> by_value;    // cases in order by their number, for targets that need it
  std::vector<Count> tallies;             // of the children
  std::vector<std::size_t> lost;          // cases whose tested value is missing
  std::vector<std::int32_t> level_child;  // by level, all `nowhere` between nodes
  Division<Case> to;
};

template <class Target>
class NodeSearch {
 public:
  using Case = typename Target::Case;
  using Task = trees::Task<Case>;
  using Hands = trees::Hands<Target>;
  using Desk = trees::Desk<Target>;

  NodeSearch(const TreeColumns& columns, const Target& target, const CaseLists<Case>& lists)
      : columns_(columns), target_(target), lists_(lists) {}

  // Finds the best splits of some columns, which are shared out if there is a crew; they are left in the desk's room.
  void operator()(Desk& desk, std::span<const std::size_t> which, std::span<Hands> hands, ThreadPool* crew) const {
    const Task& task = *desk.task;
    desk.apart.clear();
    desk.together.clear(desk.slots.n);
    for (const std::size_t number : which) {
      const TreeColumn& column = columns_.columns[number];
      if (Target::additive && column.slot >= 0 && !has_many_codes(column, task.m)) {
        desk.together.add(number, column);
      } else {
        desk.apart.push_back(number);
      }
    }
    if constexpr (Target::additive) {
      desk.together.count(target_, columns_, desk.slots, task, crew);
      for (Hands& own : hands) own.splitter.begin(desk.slots.n, task.cases(), desk.tally.data(), desk.two);
    }
    const std::size_t jobs = desk.apart.size() + desk.together.columns.size();
    if (crew) {
      crew->parallel_for(jobs, [&](std::size_t job, std::size_t member) { find(desk, job, hands[member]); });
    } else {
      for (std::size_t job = 0; job < jobs; ++job) find(desk, job, hands[0]);
    }
  }

 private:
  // Finds the best split of one column: the n-th of those apart, and then of those counted together.
  void find(Desk& desk, std::size_t job, Hands& own) const {
    if constexpr (Target::additive) {
      find_in_sums(desk, job, own);
    } else {
      find_in_cases(desk, desk.apart[job], own);
    }
  }

  // Finds the best split of one column in the order of its cases.
  void find_in_cases(Desk& desk, std::size_t number, Hands& own) const {
    const TreeColumn& column = columns_.columns[number];
    const Task& task = *desk.task;
    Split& found = desk.room.splits[number];
    if (!column.listed) sort_by_code(columns_, column, task, own.items);
    const std::span<const Item> items =
        column.listed ? lists_.list(task, number, own.items) : std::span<const Item>(own.items);
    own.splitter.begin(items, task.cases(), task.m, desk.tally.data());
    if (column.nominal) {
      own.splitter.binary(found);
      return;
    }
    own.splitter.cut(found);
    if (found.valid) locate(task, items, found);
  }

  // Notes the neighbors of a cut by their rows: their values are a trip to memory, made for the chosen column only.
  static void locate(const Task& task, std::span<const Item> items, Split& found) {
    const std::uint32_t* rows = task.rows();
    found.low_row = rows[items[found.last - 1].at];
    found.high_row = rows[items[found.last].at];
    found.last = items[found.last - 1].rank;
  }

  void find_in_sums(Desk& desk, std::size_t job, Hands& own) const {
    const bool counted = job >= desk.apart.size();
    const std::size_t place = counted ? job - desk.apart.size() : job;
    const std::size_t number = counted ? desk.together.columns[place] : desk.apart[place];
    const TreeColumn& column = columns_.columns[number];
    const Task& task = *desk.task;
    Split& found = desk.room.splits[number];
    if (column.listed) {
      const std::span<const Item> items = lists_.list(task, number, own.items);
      own.splitter.cut(items, items.size() < task.m, found);
      if (found.valid) locate(task, items, found);
      return;
    }
    if (counted) {
      own.bins.template compact<Target>(desk.together.of(place), static_cast<std::size_t>(column.bins), desk.slots.n);
    } else {
      count_sparse(target_, columns_, column, desk.slots, task, own.items, own.bins);
    }
    own.splitter.find(own.bins, column.nominal, column.bins, column.values, found);
  }

  const TreeColumns& columns_;
  const Target& target_;
  const CaseLists<Case>& lists_;
};

}  // namespace hedgerow::trees

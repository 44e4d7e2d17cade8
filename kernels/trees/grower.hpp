// Growing one tree, for any target: nodes are searched (node_search.hpp), divided, and once they are small grown to
// their leaves at once (small_nodes.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/decimals.hpp"
#include "trees/case_lists.hpp"
#include "trees/counts.hpp"
#include "trees/grow.hpp"
#include "trees/growing_tree.hpp"
#include "trees/node_search.hpp"
#include "trees/small_nodes.hpp"
#include "trees/split_choice.hpp"
#include "trees/splits.hpp"
#include "trees/surrogates.hpp"

namespace hedgerow::trees {

constexpr std::size_t kLargeNodeCells =
    1 << 16;                                  // cells of a node (cases x columns) from which on columns are shared out
constexpr std::size_t kInterruptCases = 256;  // cases of a node from which on there is a pause before it

template <class Target>
class TreeGrower {
 public:
  using Case = typename Target::Case;
  using Count = typename Target::Count;
  using NodeTask = trees::NodeTask<Case>;
  using ColumnScratch = trees::ColumnScratch<Target>;
  using NodeScratch = trees::NodeScratch<Target>;

  TreeGrower(const TreeColumns& columns, const Target& target, const GrowOptions& options, std::size_t classes,
             std::size_t n_rows)
      : columns_(columns),
        target_(target),
        options_(options),
        classes_(classes),
        lists_(columns, static_cast<std::size_t>(options.tried_columns), options.last_tree),
        choice_(columns, options, n_rows),
        search_(columns, target, lists_),
        lists_rows_(options.list_rows) {
    for (const TreeColumn& column : columns.columns) lists_rows_ = lists_rows_ && !column.has_missing;
  }

  FlatTree grow(std::vector<std::uint32_t> rows, std::vector<Case> cases, ThreadPool& pool) {
    GrowingTree tree;
    std::vector<ColumnScratch> scratches;
    std::vector<NodeScratch> node_scratches(pool.size());
    for (std::size_t thread = 0; thread < pool.size(); ++thread) {
      scratches.push_back({Splitter<Target>(target_, options_, static_cast<double>(classes_)), {}, {}, {}, {}});
      if constexpr (Target::classes) {
        if (!SmallBranchGrower<Target>::supports(columns_, options_)) continue;
        scratches.back().small_branches = std::make_unique<SmallBranchGrower<Target>>(
            columns_, target_, options_, lists_, choice_, static_cast<double>(classes_));
      }
    }
    std::deque<NodeTask> stack;
    stack.push_back(make_root(std::move(rows), std::move(cases), tree));
    const std::shared_ptr<CaseStorage<Case>> store = stack.back().storage;
    std::vector<NodeTask> small;
    while (!stack.empty()) {
      NodeTask task = std::move(stack.back());
      stack.pop_back();
      const bool large = task.m * columns_.columns.size() >= kLargeNodeCells;
      if (pool.size() > 1 && !large) {
        small.push_back(std::move(task));
      } else {
        if (task.m >= kInterruptCases) pool.check_interrupt();
        split_node(task, tree, node_scratches[0], scratches, large ? &pool : nullptr, stack);
      }
    }
    std::vector<GrowingTree> subtrees(small.size());
    pool.parallel_for(small.size(), [&](std::size_t number, std::size_t thread) {
      std::deque<NodeTask> own;
      NodeTask task = std::move(small[number]);
      GrowingTree& subtree = subtrees[number];
      const std::size_t width = target_.width;
      subtree.nodes.resize(1);
      subtree.nodes[0].begin = static_cast<std::uint32_t>(task.begin);
      subtree.nodes[0].count = static_cast<std::uint32_t>(task.m);
      subtree.tallies.assign(tree.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * width),
                             tree.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * width));
      small[number].node = task.node;
      task.node = 0;
      own.push_back(std::move(task));
      while (!own.empty()) {
        NodeTask next = std::move(own.back());
        own.pop_back();
        split_node(next, subtree, node_scratches[thread], std::span(&scratches[thread], 1), nullptr, own);
      }
    });
    for (std::size_t number = 0; number < small.size(); ++number) {
      graft(tree, small[number].node, std::move(subtrees[number]), target_.width);
    }
    FlatTree out = flatten(tree, columns_, target_.width, lists_rows_);
    if (lists_rows_) out.order = std::move(store->rows);
    return out;
  }

 private:
  NodeTask make_root(std::vector<std::uint32_t> rows, std::vector<Case> cases, GrowingTree& tree) {
    std::vector<Count> tally(target_.width, 0);
    for (const Case& one : cases) target_.add(tally.data(), one);
    if constexpr (!Target::additive) {
      std::vector<std::uint32_t> by_value;
      target_.sort_cases(cases.data(), cases.size(), by_value);
      target_.compute_median_tally(
          cases.data(), by_value, [&](std::size_t i) { return cases[i].weight; }, tally.data());
    }
    NodeTask task = lists_.root(std::move(rows), std::move(cases));
    task.seed = options_.seed;
    tree.nodes.resize(1);
    tree.nodes[0].count = static_cast<std::uint32_t>(task.m);
    tree.tallies.assign(tally.begin(), tally.end());
    return task;
  }

  bool is_leaf(const Count* tally, std::int32_t depth) const { return trees::is_leaf(target_, options_, tally, depth); }

  // Whether the cases of a node have the same number, which sums tell up to rounding only.
  static bool has_one_value(const NodeTask& task) {
    if constexpr (Target::classes) {
      return false;
    } else {
      const Case* cases = task.cases();
      return std::all_of(cases, cases + task.m, [&](const Case& one) { return one.value == cases->value; });
    }
  }

  // Splits a node, or leaves it a leaf, and puts its children on the stack. With a thread pool the columns are shared
  // out.
  void split_node(NodeTask& task, GrowingTree& subtree, NodeScratch& scratch, std::span<ColumnScratch> scratches,
                  ThreadPool* pool, std::deque<NodeTask>& stack) {
    scratch.task = &task;
    scratch.tally.assign(subtree.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * target_.width),
                         subtree.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * target_.width));
    if (task.m < 2 || is_leaf(scratch.tally.data(), task.depth) || has_one_value(task)) return;
    if constexpr (!Target::additive) target_.sort_cases(task.cases(), task.m, scratch.by_value);
    scratch.one_of_two_classes = kNoClass;
    if constexpr (Target::classes) {
      scratch.slots.assign(scratch.tally);
      const auto weight = static_cast<double>(Target::weight(scratch.tally.data(), target_.width));
      if (scratches[0].small_branches && scratches[0].small_branches->accepts(task.m, scratch.slots.count, weight)) {
        scratches[0].small_branches->grow(task, subtree);
        return;
      }
      if (scratch.slots.count == 2) scratch.one_of_two_classes = scratch.slots.last_class;
    } else {
      scratch.slots.count = target_.width;
    }
    const auto find = [&](std::span<const std::size_t> which) { search_(scratch, which, scratches, pool); };
    const std::int32_t column = choice_(task.seed, scratch.choice, find);
    if (column >= 0) divide_node(scratch, column, subtree, scratches, pool, stack);
  }

  // Sends every case to its child by the chosen split, and counts the children; cases whose tested value is missing go
  // nowhere yet.
  void send_cases(NodeScratch& scratch, std::size_t chosen) const {
    const NodeTask& task = *scratch.task;
    const auto k = static_cast<std::size_t>(scratch.choice.splits[chosen].children);
    scratch.tallies.assign(k * target_.width, 0);
    scratch.division.sizes.assign(k, 0);
    scratch.missing_cases.clear();
    scratch.division.child.resize(task.m);
    if constexpr (Target::classes && !std::is_floating_point_v<Count>) {
      if (lists_.keeps_sorted(chosen) && !columns_.columns[chosen].has_missing) {
        send_smaller_side(scratch, chosen);
        return;
      }
    }
    find_children(scratch, chosen);
    const Case* cases = task.cases();
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t c = scratch.division.child[i];
      if (c == kUnknownChild) {
        scratch.missing_cases.push_back(i);
      } else {
        target_.add(&scratch.tallies[c * target_.width], cases[i]);
        ++scratch.division.sizes[c];
      }
    }
  }

  // With an ordered list of all cases and whole counts only the smaller side has to be visited.
  void send_smaller_side(NodeScratch& scratch, std::size_t chosen) const {
    const NodeTask& task = *scratch.task;
    CaseDivision<Case>& to = scratch.division;
    std::vector<RankedCase> none;
    const std::span<const RankedCase> items = lists_.known_items(task, chosen, none);
    const auto cut = std::upper_bound(items.begin(), items.end(), scratch.choice.splits[chosen].last,
                                      [](std::uint32_t rank, RankedCase item) { return rank < item.rank; });
    to.sizes[0] = static_cast<std::size_t>(cut - items.begin());
    to.sizes[1] = task.m - to.sizes[0];
    const std::uint32_t small = to.sizes[1] < to.sizes[0], large = 1 - small;
    const Case* cases = task.cases();
    Count* tally = &scratch.tallies[small * target_.width];
    std::fill(to.child.begin(), to.child.end(), large);
    for (const RankedCase item : small ? items.subspan(to.sizes[0]) : items.first(to.sizes[0])) {
      to.child[item.case_index] = small;
      target_.add(tally, cases[item.case_index]);
    }
    for (std::size_t c = 0; c < target_.width; ++c)
      scratch.tallies[large * target_.width + c] = scratch.tally[c] - tally[c];
  }

  // The child of every case; `unknown` where the tested value is missing.
  void find_children(NodeScratch& scratch, std::size_t chosen) const {
    const NodeTask& task = *scratch.task;
    const TreeColumn& column = columns_.columns[chosen];
    const ColumnSplit& split = scratch.choice.splits[chosen];
    const std::uint32_t* rows = task.rows();
    std::vector<std::uint32_t>& child = scratch.division.child;
    if (column.nominal) {
      find_level_children(scratch, column, split);
      return;
    }
    if (lists_.keeps_sorted(chosen)) {
      std::vector<RankedCase> none;
      const std::span<const RankedCase> items = lists_.known_items(task, chosen, none);
      if (items.size() < task.m) std::fill(child.begin(), child.end(), kUnknownChild);
      for (const RankedCase item : items) child[item.case_index] = item.rank > split.last;
      return;
    }
    for (std::size_t i = 0; i < task.m; ++i) {
      if (column.listed) {
        const std::uint32_t rank = column.ranks[rows[i]];
        child[i] = rank == kUnknownChild ? kUnknownChild : rank > split.last;
        continue;
      }
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        child[i] = kUnknownChild;
      } else {
        child[i] = static_cast<std::uint32_t>(code) > split.last;
      }
    }
  }

  // The same of a nominal column. O(cases + levels listed).
  void find_level_children(NodeScratch& scratch, const TreeColumn& column, const ColumnSplit& split) const {
    const NodeTask& task = *scratch.task;
    const std::uint32_t* rows = task.rows();
    std::vector<std::int32_t>& table = scratch.level_child;
    if (table.size() < static_cast<std::size_t>(column.bins))
      table.resize(static_cast<std::size_t>(column.bins), kNoChild);
    for (const LevelChild one : split.listed) table[static_cast<std::size_t>(one.code)] = one.child;
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        scratch.division.child[i] = kUnknownChild;
        continue;
      }
      const std::int32_t listed = table[static_cast<std::size_t>(code)];
      const std::int32_t to = split.rest == kNoChild ? code : listed == kNoChild ? split.rest : listed;
      scratch.division.child[i] = static_cast<std::uint32_t>(to);
    }
    for (const LevelChild one : split.listed) table[static_cast<std::size_t>(one.code)] = kNoChild;
  }

  void divide_node(NodeScratch& scratch, std::int32_t number, GrowingTree& subtree, std::span<ColumnScratch> scratches,
                   ThreadPool* pool, std::deque<NodeTask>& stack) {
    NodeTask& task = *scratch.task;
    ColumnSplit& chosen = scratch.choice.splits[static_cast<std::size_t>(number)];
    CaseDivision<Case>& to = scratch.division;
    const Case* cases = task.cases();
    send_cases(scratch, static_cast<std::size_t>(number));
    const auto k = static_cast<std::size_t>(chosen.children);
    const std::size_t width = target_.width;
    to.shares.resize(k);
    double known = 0;
    for (std::size_t c = 0; c < k; ++c) {
      known += to.shares[c] = static_cast<double>(Target::weight(&scratch.tallies[c * width], width));
    }
    for (double& share : to.shares) share /= known;
    const auto heavier = static_cast<std::int32_t>(find_heaviest(to.shares, known));
    std::vector<Surrogate> surrogates;
    if (options_.missing_policy == MissingPolicy::direction && chosen.missing == kNoChild) chosen.missing = heavier;
    if (options_.missing_policy == MissingPolicy::surrogate) {
      chosen.missing = heavier;
      surrogates = find_surrogates(scratch, number, scratches[0]);
    }
    const bool fractions = options_.missing_policy == MissingPolicy::fractions && !scratch.missing_cases.empty();
    for (const std::size_t i : scratch.missing_cases) {
      if (fractions) {
        if constexpr (std::is_floating_point_v<Count>) {
          for (std::size_t c = 0; c < k; ++c) {
            if (to.shares[c] == 0) continue;
            Case fraction = cases[i];
            fraction.weight *= to.shares[c];
            target_.add(&scratch.tallies[c * width], fraction);
          }
        } else {
          throw std::logic_error("fractions of cases need real weights");
        }
        continue;
      }
      to.child[i] = static_cast<std::uint32_t>(
          route_missing(columns_, task.storage->rows[task.begin + i], surrogates, chosen.missing));
      target_.add(&scratch.tallies[to.child[i] * width], cases[i]);
      ++to.sizes[to.child[i]];
    }
    if constexpr (!Target::additive) {
      for (std::size_t c = 0; c < k; ++c) {
        const auto brought = [&](std::size_t i) {
          return to.child[i] == c               ? cases[i].weight
                 : to.child[i] == kUnknownChild ? cases[i].weight * to.shares[c]
                                                : 0.0;
        };
        target_.compute_median_tally(cases, scratch.by_value, brought, &scratch.tallies[c * width]);
      }
    }
    const std::size_t first = subtree.nodes.size();
    GrowingTree::GrowingNode& split = subtree.nodes[task.node];
    split.column = number;
    split.first = static_cast<std::int32_t>(first);
    split.children = chosen.children;
    split.missing = chosen.missing;
    const TreeColumn& column = columns_.columns[static_cast<std::size_t>(number)];
    if (!column.nominal && (column.listed || !Target::additive)) {
      split.threshold =
          choose_threshold_between(column.raw.numbers[chosen.low_row], column.raw.numbers[chosen.high_row]);
    } else if (!column.nominal) {
      split.threshold = choose_threshold_between(chosen.low, chosen.high);
    }
    subtree.set_levels(split, chosen.rest, chosen.listed);
    if (!surrogates.empty()) {
      split.surrogates = static_cast<std::int32_t>(subtree.surrogates.size());
      subtree.surrogates.push_back(std::move(surrogates));
    }
    subtree.add_nodes(k);
    subtree.tallies.insert(subtree.tallies.end(), scratch.tallies.begin(), scratch.tallies.end());
    to.children.resize(k);
    to.is_open.resize(k);
    bool any = false;
    for (std::size_t c = 0; c < k; ++c) {
      NodeTask& child = to.children[c];
      child.node = first + c;
      child.depth = task.depth + 1;
      child.seed = make_child_seed(task.seed, c);
      child.counts.clear();
      const bool some = fractions ? to.shares[c] > 0 : to.sizes[c] > 1;
      to.is_open[c] = some && !is_leaf(&scratch.tallies[c * width], task.depth + 1);
      any = any || to.is_open[c];
    }
    if (!any && !lists_rows_) return;
    if (fractions) {
      for (std::size_t c = 0; c < k; ++c) {
        if (to.is_open[c]) lists_.copy_child_cases(task, to, c);
      }
    } else {
      if (any) {
        lists_.divide(
            task, to, [&](std::size_t thread) -> std::vector<RankedCase>& { return scratches[thread].items; }, pool);
      } else {
        lists_.divide_cases(task, to);
      }
      for (std::size_t c = 0; c < k; ++c) {
        subtree.nodes[first + c].begin = static_cast<std::uint32_t>(to.children[c].begin);
        subtree.nodes[first + c].count = static_cast<std::uint32_t>(to.children[c].m);
      }
    }
    task.storage.reset();
    for (std::size_t c = k; c-- > 0;) {
      if (to.is_open[c]) stack.push_back(std::move(to.children[c]));
      to.children[c].storage.reset();
    }
  }

  double choose_threshold_between(double low, double high) const {
    return options_.branching == Branching::binary ? choose_threshold(low, high) : choose_midpoint(low, high);
  }

  // The value of a row by which a column is put in order; of a nominal one its code.
  static double value_of(const TreeColumn& column, std::uint32_t rank, std::uint32_t row) {
    return column.listed ? column.raw.numbers[row] : column.nominal ? rank : column.values[rank];
  }

  // The columns that agree best with a split; see surrogates.hpp.
  std::vector<Surrogate> find_surrogates(const NodeScratch& scratch, std::int32_t chosen,
                                         ColumnScratch& column_scratch) const {
    const NodeTask& task = *scratch.task;
    const Case* cases = task.cases();
    const std::uint32_t* rows = task.rows();
    std::vector<Surrogate> found;
    for (std::size_t number = 0; number < columns_.columns.size(); ++number) {
      if (static_cast<std::int32_t>(number) == chosen) continue;
      const TreeColumn& column = columns_.columns[number];
      column_scratch.agreement.clear();
      const auto add = [&](std::size_t i) {
        if (scratch.division.child[i] != kUnknownChild)
          column_scratch.agreement.add(scratch.division.child[i], static_cast<double>(cases[i].weight));
      };
      if (column.listed || has_many_codes(column, task.m)) {
        if (!column.listed) sort_by_code(columns_, column, task, column_scratch.items);
        std::uint32_t rank = kUnknownChild;
        for (const RankedCase item : column.listed ? lists_.known_items(task, number, column_scratch.items)
                                                   : std::span<const RankedCase>(column_scratch.items)) {
          if (scratch.division.child[item.case_index] == kUnknownChild) continue;
          if (item.rank != rank)
            column_scratch.agreement.start_value(value_of(column, item.rank, rows[item.case_index]));
          rank = item.rank;
          add(item.case_index);
        }
      } else {
        column_scratch.agreement.reserve_codes(static_cast<std::size_t>(column.bins) + 1, column.values);
        for (std::size_t i = 0; i < task.m; ++i) {
          column_scratch.agreement.select_code(static_cast<std::size_t>(columns_.code(column, rows[i])));
          add(i);
        }
        column_scratch.agreement.drop_last();  // the missing values
      }
      Surrogate one;
      one.column = static_cast<std::int32_t>(number);
      one.levels = column.nominal ? column.bins : 0;
      if (column_scratch.agreement.make_surrogate(column.nominal, one)) found.push_back(std::move(one));
    }
    return choose_surrogates(std::move(found));
  }

  const TreeColumns& columns_;
  const Target& target_;
  const GrowOptions& options_;
  std::size_t classes_;
  CaseLists<Case> lists_;
  ColumnChooser choice_;
  NodeSearch<Target> search_;
  bool lists_rows_;  // whether the tree says which rows are at each node; never where a value is missing
};

}  // namespace hedgerow::trees

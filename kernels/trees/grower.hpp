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

constexpr std::size_t large_node = 1 << 16;  // cells of a node (cases x columns) from which on columns are shared out
constexpr std::size_t long_node = 256;       // cases of a node from which on there is a pause before it

template <class Target>
class Grower {
 public:
  using Case = typename Target::Case;
  using Count = typename Target::Count;
  using Task = trees::Task<Case>;
  using Hands = trees::Hands<Target>;
  using Desk = trees::Desk<Target>;

  Grower(const TreeColumns& columns, const Target& target, const GrowOptions& options, std::size_t classes,
         std::size_t n_rows)
      : columns_(columns),
        target_(target),
        options_(options),
        classes_(classes),
        lists_(columns, static_cast<std::size_t>(options.tried), options.last),
        choice_(columns, options, n_rows),
        search_(columns, target, lists_),
        with_rows_(options.rows) {
    for (const TreeColumn& column : columns.columns) with_rows_ = with_rows_ && !column.lacking;
  }

  PlainTree grow(std::vector<std::uint32_t> rows, std::vector<Case> cases, ThreadPool& crew) {
    Part tree;
    std::vector<Hands> hands;
    std::vector<Desk> desks(crew.size());
    for (std::size_t member = 0; member < crew.size(); ++member) {
      hands.push_back({Splitter<Target>(target_, options_, static_cast<double>(classes_)), {}, {}, {}, {}});
      if constexpr (Target::classes) {
        if (!SmallBranches<Target>::suits(columns_, options_)) continue;
        hands.back().small = std::make_unique<SmallBranches<Target>>(columns_, target_, options_, lists_, choice_,
                                                                     static_cast<double>(classes_));
      }
    }
    std::deque<Task> stack;
    stack.push_back(root(std::move(rows), std::move(cases), tree));
    const std::shared_ptr<Storage<Case>> store = stack.back().store;
    std::vector<Task> small;
    while (!stack.empty()) {
      Task task = std::move(stack.back());
      stack.pop_back();
      const bool large = task.m * columns_.columns.size() >= large_node;
      if (crew.size() > 1 && !large) {
        small.push_back(std::move(task));
      } else {
        if (task.m >= long_node) crew.check_interrupt();
        split(task, tree, desks[0], hands, large ? &crew : nullptr, stack);
      }
    }
    std::vector<Part> parts(small.size());
    crew.parallel_for(small.size(), [&](std::size_t number, std::size_t member) {
      std::deque<Task> own;
      Task task = std::move(small[number]);
      Part& part = parts[number];
      const std::size_t width = target_.width;
      part.nodes.resize(1);
      part.nodes[0].begin = static_cast<std::uint32_t>(task.begin);
      part.nodes[0].count = static_cast<std::uint32_t>(task.m);
      part.tallies.assign(tree.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * width),
                          tree.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * width));
      small[number].node = task.node;
      task.node = 0;
      own.push_back(std::move(task));
      while (!own.empty()) {
        Task next = std::move(own.back());
        own.pop_back();
        split(next, part, desks[member], std::span(&hands[member], 1), nullptr, own);
      }
    });
    for (std::size_t number = 0; number < small.size(); ++number) {
      graft(tree, small[number].node, std::move(parts[number]), target_.width);
    }
    PlainTree out = flat(tree, columns_, target_.width, with_rows_);
    if (with_rows_) out.order = std::move(store->rows);
    return out;
  }

 private:
  Task root(std::vector<std::uint32_t> rows, std::vector<Case> cases, Part& tree) {
    std::vector<Count> tally(target_.width, 0);
    for (const Case& one : cases) target_.add(tally.data(), one);
    if constexpr (!Target::additive) {
      std::vector<std::uint32_t> by_value;
      target_.arrange(cases.data(), cases.size(), by_value);
      target_.settle(cases.data(), by_value, [&](std::size_t i) { return cases[i].weight; }, tally.data());
    }
    Task task = lists_.root(std::move(rows), std::move(cases));
    task.seed = options_.seed;
    tree.nodes.resize(1);
    tree.nodes[0].count = static_cast<std::uint32_t>(task.m);
    tree.tallies.assign(tally.begin(), tally.end());
    return task;
  }

  bool is_leaf(const Count* tally, std::int32_t depth) const { return trees::is_leaf(target_, options_, tally, depth); }

  // Whether the cases of a node have the same number, which sums tell up to rounding only.
  static bool one_value(const Task& task) {
    if constexpr (Target::classes) {
      return false;
    } else {
      const Case* cases = task.cases();
      return std::all_of(cases, cases + task.m, [&](const Case& one) { return one.value == cases->value; });
    }
  }

  // Splits a node, or leaves it a leaf, and puts its children on the stack. With a crew the columns are shared out.
  void split(Task& task, Part& part, Desk& desk, std::span<Hands> hands, ThreadPool* crew, std::deque<Task>& stack) {
    desk.task = &task;
    desk.tally.assign(part.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * target_.width),
                      part.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * target_.width));
    if (task.m < 2 || is_leaf(desk.tally.data(), task.depth) || one_value(task)) return;
    if constexpr (!Target::additive) target_.arrange(task.cases(), task.m, desk.by_value);
    desk.two = no_class;
    if constexpr (Target::classes) {
      desk.slots.set(desk.tally);
      const auto weight = static_cast<double>(Target::weight(desk.tally.data(), target_.width));
      if (hands[0].small && hands[0].small->takes(task.m, desk.slots.n, weight)) {
        hands[0].small->grow(task, part);
        return;
      }
      if (desk.slots.n == 2) desk.two = desk.slots.last;
    } else {
      desk.slots.n = target_.width;
    }
    const auto find = [&](std::span<const std::size_t> which) { search_(desk, which, hands, crew); };
    const std::int32_t column = choice_(task.seed, desk.room, find);
    if (column >= 0) divide(desk, column, part, hands, crew, stack);
  }

  // Sends every case to its child by the chosen split, and counts the children; cases whose tested value is missing go
  // nowhere yet.
  void send(Desk& desk, std::size_t chosen) const {
    const Task& task = *desk.task;
    const auto k = static_cast<std::size_t>(desk.room.splits[chosen].children);
    desk.tallies.assign(k * target_.width, 0);
    desk.to.sizes.assign(k, 0);
    desk.lost.clear();
    desk.to.child.resize(task.m);
    if constexpr (Target::classes && !std::is_floating_point_v<Count>) {
      if (lists_.keeps(chosen) && !columns_.columns[chosen].lacking) {
        send_smaller(desk, chosen);
        return;
      }
    }
    find_children(desk, chosen);
    const Case* cases = task.cases();
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t c = desk.to.child[i];
      if (c == unknown) {
        desk.lost.push_back(i);
      } else {
        target_.add(&desk.tallies[c * target_.width], cases[i]);
        ++desk.to.sizes[c];
      }
    }
  }

  // With an ordered list of all cases and whole counts only the smaller side has to be visited.
  void send_smaller(Desk& desk, std::size_t chosen) const {
    const Task& task = *desk.task;
    Division<Case>& to = desk.to;
    std::vector<Item> none;
    const std::span<const Item> items = lists_.list(task, chosen, none);
    const auto cut = std::upper_bound(items.begin(), items.end(), desk.room.splits[chosen].last,
                                      [](std::uint32_t rank, Item item) { return rank < item.rank; });
    to.sizes[0] = static_cast<std::size_t>(cut - items.begin());
    to.sizes[1] = task.m - to.sizes[0];
    const std::uint32_t small = to.sizes[1] < to.sizes[0], large = 1 - small;
    const Case* cases = task.cases();
    Count* tally = &desk.tallies[small * target_.width];
    std::fill(to.child.begin(), to.child.end(), large);
    for (const Item item : small ? items.subspan(to.sizes[0]) : items.first(to.sizes[0])) {
      to.child[item.at] = small;
      target_.add(tally, cases[item.at]);
    }
    for (std::size_t c = 0; c < target_.width; ++c) desk.tallies[large * target_.width + c] = desk.tally[c] - tally[c];
  }

  // The child of every case; `unknown` where the tested value is missing.
  void find_children(Desk& desk, std::size_t chosen) const {
    const Task& task = *desk.task;
    const TreeColumn& column = columns_.columns[chosen];
    const Split& split = desk.room.splits[chosen];
    const std::uint32_t* rows = task.rows();
    std::vector<std::uint32_t>& child = desk.to.child;
    if (column.nominal) {
      find_level_children(desk, column, split);
      return;
    }
    if (lists_.keeps(chosen)) {
      std::vector<Item> none;
      const std::span<const Item> items = lists_.list(task, chosen, none);
      if (items.size() < task.m) std::fill(child.begin(), child.end(), unknown);
      for (const Item item : items) child[item.at] = item.rank > split.last;
      return;
    }
    for (std::size_t i = 0; i < task.m; ++i) {
      if (column.listed) {
        const std::uint32_t rank = column.ranks[rows[i]];
        child[i] = rank == unknown ? unknown : rank > split.last;
        continue;
      }
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        child[i] = unknown;
      } else {
        child[i] = static_cast<std::uint32_t>(code) > split.last;
      }
    }
  }

  // The same of a nominal column. O(cases + levels listed).
  void find_level_children(Desk& desk, const TreeColumn& column, const Split& split) const {
    const Task& task = *desk.task;
    const std::uint32_t* rows = task.rows();
    std::vector<std::int32_t>& table = desk.level_child;
    if (table.size() < static_cast<std::size_t>(column.bins))
      table.resize(static_cast<std::size_t>(column.bins), nowhere);
    for (const LevelChild one : split.listed) table[static_cast<std::size_t>(one.code)] = one.child;
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        desk.to.child[i] = unknown;
        continue;
      }
      const std::int32_t listed = table[static_cast<std::size_t>(code)];
      const std::int32_t to = split.rest == nowhere ? code : listed == nowhere ? split.rest : listed;
      desk.to.child[i] = static_cast<std::uint32_t>(to);
    }
    for (const LevelChild one : split.listed) table[static_cast<std::size_t>(one.code)] = nowhere;
  }

  void divide(Desk& desk, std::int32_t number, Part& part, std::span<Hands> hands, ThreadPool* crew,
              std::deque<Task>& stack) {
    Task& task = *desk.task;
    Split& chosen = desk.room.splits[static_cast<std::size_t>(number)];
    Division<Case>& to = desk.to;
    const Case* cases = task.cases();
    send(desk, static_cast<std::size_t>(number));
    const auto k = static_cast<std::size_t>(chosen.children);
    const std::size_t width = target_.width;
    to.shares.resize(k);
    double known = 0;
    for (std::size_t c = 0; c < k; ++c) {
      known += to.shares[c] = static_cast<double>(Target::weight(&desk.tallies[c * width], width));
    }
    for (double& share : to.shares) share /= known;
    const auto heavier = static_cast<std::int32_t>(heaviest_of(to.shares, known));
    std::vector<Surrogate> surrogates;
    if (options_.lacking == Lacking::direction && chosen.missing == nowhere) chosen.missing = heavier;
    if (options_.lacking == Lacking::surrogate) {
      chosen.missing = heavier;
      surrogates = stand_ins(desk, number, hands[0]);
    }
    const bool fractions = options_.lacking == Lacking::fractions && !desk.lost.empty();
    for (const std::size_t i : desk.lost) {
      if (fractions) {
        if constexpr (std::is_floating_point_v<Count>) {
          for (std::size_t c = 0; c < k; ++c) {
            if (to.shares[c] == 0) continue;
            Case fraction = cases[i];
            fraction.weight *= to.shares[c];
            target_.add(&desk.tallies[c * width], fraction);
          }
        } else {
          throw std::logic_error("fractions of cases need real weights");
        }
        continue;
      }
      to.child[i] =
          static_cast<std::uint32_t>(route(columns_, task.store->rows[task.begin + i], surrogates, chosen.missing));
      target_.add(&desk.tallies[to.child[i] * width], cases[i]);
      ++to.sizes[to.child[i]];
    }
    if constexpr (!Target::additive) {
      for (std::size_t c = 0; c < k; ++c) {
        const auto brought = [&](std::size_t i) {
          return to.child[i] == c ? cases[i].weight : to.child[i] == unknown ? cases[i].weight * to.shares[c] : 0.0;
        };
        target_.settle(cases, desk.by_value, brought, &desk.tallies[c * width]);
      }
    }
    const std::size_t first = part.nodes.size();
    Part::Node& split = part.nodes[task.node];
    split.column = number;
    split.first = static_cast<std::int32_t>(first);
    split.children = chosen.children;
    split.missing = chosen.missing;
    const TreeColumn& column = columns_.columns[static_cast<std::size_t>(number)];
    if (!column.nominal && (column.listed || !Target::additive)) {
      split.threshold = between(column.raw.numbers[chosen.low_row], column.raw.numbers[chosen.high_row]);
    } else if (!column.nominal) {
      split.threshold = between(chosen.low, chosen.high);
    }
    part.set_levels(split, chosen.rest, chosen.listed);
    if (!surrogates.empty()) {
      split.surrogates = static_cast<std::int32_t>(part.surrogates.size());
      part.surrogates.push_back(std::move(surrogates));
    }
    part.add_nodes(k);
    part.tallies.insert(part.tallies.end(), desk.tallies.begin(), desk.tallies.end());
    to.children.resize(k);
    to.grows.resize(k);
    bool any = false;
    for (std::size_t c = 0; c < k; ++c) {
      Task& child = to.children[c];
      child.node = first + c;
      child.depth = task.depth + 1;
      child.seed = child_seed(task.seed, c);
      child.counts.clear();
      const bool some = fractions ? to.shares[c] > 0 : to.sizes[c] > 1;
      to.grows[c] = some && !is_leaf(&desk.tallies[c * width], task.depth + 1);
      any = any || to.grows[c];
    }
    if (!any && !with_rows_) return;
    if (fractions) {
      for (std::size_t c = 0; c < k; ++c) {
        if (to.grows[c]) lists_.copy_out(task, to, c);
      }
    } else {
      if (any) {
        lists_.partition(task, to, [&](std::size_t member) -> std::vector<Item>& { return hands[member].items; }, crew);
      } else {
        lists_.place(task, to);
      }
      for (std::size_t c = 0; c < k; ++c) {
        part.nodes[first + c].begin = static_cast<std::uint32_t>(to.children[c].begin);
        part.nodes[first + c].count = static_cast<std::uint32_t>(to.children[c].m);
      }
    }
    task.store.reset();
    for (std::size_t c = k; c-- > 0;) {
      if (to.grows[c]) stack.push_back(std::move(to.children[c]));
      to.children[c].store.reset();
    }
  }

  double between(double low, double high) const {
    return options_.branching == Branching::binary ? choose_threshold(low, high) : middle(low, high);
  }

  // The value of a row by which a column is put in order; of a nominal one its code.
  static double value_of(const TreeColumn& column, std::uint32_t rank, std::uint32_t row) {
    return column.listed ? column.raw.numbers[row] : column.nominal ? rank : column.values[rank];
  }

  // The columns that agree best with a split; see surrogates.hpp.
  std::vector<Surrogate> stand_ins(const Desk& desk, std::int32_t chosen, Hands& own) const {
    const Task& task = *desk.task;
    const Case* cases = task.cases();
    const std::uint32_t* rows = task.rows();
    std::vector<Surrogate> found;
    for (std::size_t number = 0; number < columns_.columns.size(); ++number) {
      if (static_cast<std::int32_t>(number) == chosen) continue;
      const TreeColumn& column = columns_.columns[number];
      own.agreement.clear();
      const auto add = [&](std::size_t i) {
        if (desk.to.child[i] != unknown) own.agreement.add(desk.to.child[i], static_cast<double>(cases[i].weight));
      };
      if (column.listed || has_many_codes(column, task.m)) {
        if (!column.listed) sort_by_code(columns_, column, task, own.items);
        std::uint32_t rank = unknown;
        for (const Item item :
             column.listed ? lists_.list(task, number, own.items) : std::span<const Item>(own.items)) {
          if (desk.to.child[item.at] == unknown) continue;
          if (item.rank != rank) own.agreement.next(value_of(column, item.rank, rows[item.at]));
          rank = item.rank;
          add(item.at);
        }
      } else {
        own.agreement.room(static_cast<std::size_t>(column.bins) + 1, column.values);
        for (std::size_t i = 0; i < task.m; ++i) {
          own.agreement.at(static_cast<std::size_t>(columns_.code(column, rows[i])));
          add(i);
        }
        own.agreement.drop_last();  // the missing values
      }
      Surrogate one;
      one.column = static_cast<std::int32_t>(number);
      one.levels = column.nominal ? column.bins : 0;
      if (own.agreement.stand_in(column.nominal, one)) found.push_back(std::move(one));
    }
    return best_stand_ins(std::move(found));
  }

  const TreeColumns& columns_;
  const Target& target_;
  const GrowOptions& options_;
  std::size_t classes_;
  CaseLists<Case> lists_;
  ColumnChoice choice_;
  NodeSearch<Target> search_;
  bool with_rows_;  // whether the tree says which rows are at each node; never where a value is missing
};

}  // namespace hedgerow::trees

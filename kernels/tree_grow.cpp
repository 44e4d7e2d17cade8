#include "tree_grow.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "decimals.hpp"
#include "tree_absolute.hpp"
#include "tree_choice.hpp"
#include "tree_measure.hpp"
#include "tree_splits.hpp"

namespace hedgerow::trees {
namespace {

constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t large_node = 1 << 16;    // cells of a node (cases x columns) from which on columns are shared out
constexpr std::size_t count_block = 1 << 16;   // cases counted at a time, so that sums do not depend on threads
constexpr std::size_t most_surrogates = 5;

std::uint64_t mixed(std::uint64_t state) {  // splitmix64
  state += 0x9E3779B97F4A7C15ull;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBull;
  return state ^ (state >> 31);
}

struct Surrogate {
  std::int32_t column = -1;
  double agreement = 0;  // weight
  double threshold = 0;
  std::int32_t first = 0;                    // numeric: the child of the lower side
  std::vector<std::int32_t> level_children;  // nominal
};

// The nodes of a tree or of a part of it. Children are contiguous.
struct Part {
  struct Node {
    std::int32_t column = -1, first = 0, children = 0, missing = nowhere;
    double threshold = 0;
    std::size_t begin = 0, count = 0;  // of its rows
    std::vector<std::int32_t> level_children;  // empty for a child a level
    std::vector<Surrogate> surrogates;
  };
  std::vector<Node> nodes;
  std::vector<double> tallies;
};

template <class Target>
class Grower {
 public:
  using Case = typename Target::Case;
  using Count = typename Target::Count;

  Grower(const TreeColumns& columns, const Target& target, const GrowOptions& options, std::size_t classes, std::size_t n_rows)
      : columns_(columns), target_(target), options_(options), classes_(classes), n_rows_(n_rows) {
    sorts_ = columns.sorts_at_nodes(static_cast<std::size_t>(options.tried));
    live_ = columns.live();
    for (std::size_t number = 0; number < columns_.columns.size(); ++number) {
      const TreeColumn& column = columns_.columns[number];
      list_of_.push_back(column.listed && !sorts_ ? static_cast<std::int32_t>(lists_.size()) : -1);
      if (column.listed && !sorts_) lists_.push_back(number);
      lacking_ = lacking_ || (column.listed && !sorts_ && column.lacking);
      any_lacking_ = any_lacking_ || column.lacking;
      many_levels_.add(column.nominal, column.bins, std::max(static_cast<double>(n_rows), options.table_rows));
    }
  }

  GrownTree grow(std::vector<std::uint32_t> rows, std::vector<Case> cases, std::size_t threads) {
    Part tree;
    Crew crew(threads);
    std::vector<Hands> hands;
    std::vector<Desk> desks(crew.members());
    for (std::size_t member = 0; member < crew.members(); ++member) {
      hands.push_back({Splitter<Target>(target_, options_, static_cast<double>(classes_)), {}, {}});
    }
    std::deque<Task> stack;
    stack.push_back(root(std::move(rows), std::move(cases), tree));
    const std::shared_ptr<Storage> store = stack.back().store;
    std::vector<Task> small;
    while (!stack.empty()) {
      Task task = std::move(stack.back());
      stack.pop_back();
      if (crew.members() > 1 && task.m * columns_.columns.size() < large_node) {
        small.push_back(std::move(task));
      } else {
        split(task, tree, desks[0], hands, crew.members() > 1 ? &crew : nullptr, stack);
      }
    }
    std::vector<Part> parts(small.size());
    crew.share(small.size(), [&](std::size_t number, std::size_t member) {
      std::deque<Task> own;
      Task task = std::move(small[number]);
      Part& part = parts[number];
      const std::size_t width = target_.width;
      part.nodes.resize(1);
      part.nodes[0].begin = task.begin;
      part.nodes[0].count = task.m;
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
    for (std::size_t number = 0; number < small.size(); ++number) graft(tree, small[number].node, std::move(parts[number]));
    GrownTree out = flat(tree);
    if (any_lacking_) {
      out.begins.clear();
      out.counts.clear();
    } else {
      out.order = std::move(store->rows);
    }
    return out;
  }

 private:
  // Cases and lists of a node and its descendants; a node's share begins at the same place in all of them.
  struct Storage {
    std::vector<std::uint32_t> rows;
    std::vector<Case> cases;
    std::vector<std::vector<Item>> lists;
  };

  struct Task {
    std::shared_ptr<Storage> store;
    std::size_t begin = 0, m = 0, node = 0;
    std::vector<std::uint32_t> counts;  // known values a list; empty where none are missing
    std::int32_t depth = 0;
    std::uint64_t seed = 0;
  };

  // What is needed to look at one column at a time.
  struct Hands {
    Splitter<Target> splitter;
    std::vector<Item> items;
    Bins<Count> bins;
  };

  // What is needed to look at one node at a time. Everything is kept from node to node: small nodes would spend their
  // time on allocation.
  struct Desk {
    Task* task = nullptr;
    std::vector<Count> tally;
    std::vector<std::uint32_t> slot;             // of a class among those that occur
    std::size_t width = 0;                       // of tallies that leave out the other classes
    std::uint32_t two = no_class;  // one of the only two classes, if there are no more
    std::vector<Split> splits;                   // by column
    std::vector<std::size_t> order;              // columns, in the order they are tried
    std::vector<std::size_t> apart, together;    // columns to count one by one, and in one pass
    std::vector<std::pair<std::size_t, std::size_t>> places;  // of those: the slot, and where the counts begin
    std::vector<Count> histogram;
    std::vector<std::uint32_t> child, place;     // by case
    std::vector<std::uint32_t> by_value;         // cases in order by their number, for targets that need it
    std::vector<std::uint32_t> rows;
    std::vector<Case> cases;
    std::vector<Count> tallies;                  // of the children, as are these:
    std::vector<std::size_t> sizes, lost;
    std::vector<double> shares;
    std::vector<std::uint8_t> grows;
    std::vector<Task> children;
    std::vector<std::uint32_t> starts, next;
  };

  Task root(std::vector<std::uint32_t> rows, std::vector<Case> cases, Part& tree) {
    Task task;
    task.store = std::make_shared<Storage>();
    task.m = rows.size();
    task.seed = options_.seed;
    std::vector<std::uint32_t> place(columns_.rows, unknown);
    for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<std::uint32_t>(i);
    for (const std::size_t number : lists_) {
      const std::vector<Item>& items = columns_.columns[number].items;
      std::vector<Item> list;
      if (rows.size() == columns_.rows) {
        list = items;
      } else {
        list.reserve(rows.size());
        for (const Item item : items) {
          const std::uint32_t to = place[item.at];
          if (to != unknown) list.push_back({item.rank, to});
        }
      }
      if (lacking_) task.counts.push_back(static_cast<std::uint32_t>(list.size()));
      list.resize(rows.size());  // room for a child's part to begin where its cases do
      task.store->lists.push_back(std::move(list));
    }
    std::vector<Count> tally(target_.width, 0);
    for (const Case& one : cases) target_.add(tally.data(), one);
    if constexpr (!Target::additive) {
      std::vector<std::uint32_t> by_value;
      target_.arrange(cases.data(), cases.size(), by_value);
      target_.settle(cases.data(), by_value, [&](std::size_t i) { return cases[i].weight; }, tally.data());
    }
    task.store->rows = std::move(rows);
    task.store->cases = std::move(cases);
    tree.nodes.resize(1);
    tree.nodes[0].count = task.m;
    tree.tallies.assign(tally.begin(), tally.end());
    return task;
  }

  bool is_leaf(const Count* tally, std::int32_t depth) const { return trees::is_leaf(target_, options_, tally, depth); }

  // Splits a node, or leaves it a leaf, and puts its children on the stack. With a crew the columns are shared out.
  void split(Task& task, Part& part, Desk& desk, std::span<Hands> hands, Crew* crew, std::deque<Task>& stack) {
    desk.task = &task;
    desk.tally.assign(part.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * target_.width),
                      part.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * target_.width));
    if (task.m < 2 || is_leaf(desk.tally.data(), task.depth)) return;
    if constexpr (!Target::additive) target_.arrange(task.store->cases.data() + task.begin, task.m, desk.by_value);
    desk.width = target_.width;
    desk.two = no_class;
    if constexpr (Target::classes) {
      desk.slot.assign(target_.width, 0);
      desk.width = 0;
      for (std::size_t c = 0; c < target_.width; ++c) {
        if (!(desk.tally[c] > 0)) continue;
        desk.slot[c] = static_cast<std::uint32_t>(desk.width++);
        desk.two = static_cast<std::uint32_t>(c);
      }
      if (desk.width != 2) desk.two = no_class;
    }
    const std::int32_t column = choose(desk, hands, crew);
    if (column >= 0) divide(desk, column, part, hands, crew, stack);
  }

  std::size_t known(const Task& task, std::size_t number) const { return task.counts.empty() ? task.m : task.counts[number]; }

  std::span<const Item> list(const Task& task, std::size_t column, Hands& own) const {
    if (list_of_[column] >= 0) {
      const auto number = static_cast<std::size_t>(list_of_[column]);
      return {task.store->lists[number].data() + task.begin, known(task, number)};
    }
    const std::vector<std::uint32_t>& ranks = columns_.columns[column].ranks;
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    own.items.clear();
    for (std::size_t i = 0; i < task.m; ++i) {
      if (ranks[rows[i]] != unknown) own.items.push_back({ranks[rows[i]], static_cast<std::uint32_t>(i)});
    }
    sort(own.items);
    return own.items;
  }

  static void sort(std::vector<Item>& items) {
    std::sort(items.begin(), items.end(), [](Item a, Item b) { return a.rank < b.rank || (a.rank == b.rank && a.at < b.at); });
  }

  // Finds the best split of some columns.
  void search(Desk& desk, std::span<const std::size_t> which, std::span<Hands> hands, Crew* crew) {
    desk.apart.clear();
    desk.together.clear();
    desk.places.clear();
    std::size_t cells = 0;
    for (const std::size_t number : which) {
      const TreeColumn& column = columns_.columns[number];
      const auto bins = static_cast<std::size_t>(column.bins);
      if (Target::additive && column.slot >= 0 && bins <= 4 * desk.task->m + 8) {
        desk.together.push_back(number);
        desk.places.emplace_back(static_cast<std::size_t>(column.slot), cells);
        cells += (bins + 1) * desk.width;
      } else {
        desk.apart.push_back(number);
      }
    }
    count_together(desk, cells, crew);
    if constexpr (Target::additive) {
      const Case* cases = desk.task->store->cases.data() + desk.task->begin;
      for (Hands& own : hands) own.splitter.begin(desk.width, cases, desk.tally.data(), desk.two);
    }
    const std::size_t jobs = desk.apart.size() + desk.together.size();
    if (crew) {
      crew->share(jobs, [&](std::size_t job, std::size_t member) { find(desk, job, hands[member]); });
    } else {
      for (std::size_t job = 0; job < jobs; ++job) find(desk, job, hands[0]);
    }
  }

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
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    Split& found = desk.splits[number];
    if (!column.listed) {
      own.items.clear();
      for (std::uint32_t i = 0; i < task.m; ++i) {
        const std::int32_t code = columns_.code(column, rows[i]);
        if (code != column.bins) own.items.push_back({static_cast<std::uint32_t>(code), i});
      }
      sort(own.items);
    }
    const std::span<const Item> items = column.listed ? list(task, number, own) : std::span<const Item>(own.items);
    own.splitter.begin(items, task.store->cases.data() + task.begin, task.m, desk.tally.data());
    if (column.nominal) {
      own.splitter.binary(column.bins, found);
      return;
    }
    own.splitter.cut(found);
    if (found.valid) locate(task, items, found);
  }

  // Notes the neighbors of a cut by their rows: their values are a trip to memory, made for the chosen column only.
  static void locate(const Task& task, std::span<const Item> items, Split& found) {
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    found.low_row = rows[items[found.last - 1].at];
    found.high_row = rows[items[found.last].at];
    found.last = items[found.last - 1].rank;
  }

  void find_in_sums(Desk& desk, std::size_t job, Hands& own) const {
    const bool counted = job >= desk.apart.size();
    const std::size_t place = counted ? job - desk.apart.size() : job;
    const std::size_t number = counted ? desk.together[place] : desk.apart[place];
    const TreeColumn& column = columns_.columns[number];
    const Task& task = *desk.task;
    Split& found = desk.splits[number];
    if (column.listed) {
      const std::span<const Item> items = list(task, number, own);
      own.splitter.cut(items, items.size() < task.m, found);
      if (found.valid) locate(task, items, found);
      return;
    }
    if (counted) {
      own.bins.template compact<Target>(&desk.histogram[desk.places[place].second], static_cast<std::size_t>(column.bins), desk.width);
    } else {
      count_sparse(desk, column, own);
    }
    if (!column.nominal) {
      own.splitter.cut(own.bins, column.values, found);
    } else if (options_.branching == Branching::multiway) {
      own.splitter.multiway(own.bins, column.bins, found);
    } else if (options_.branching == Branching::groups) {
      own.splitter.groups(own.bins, column.bins, found);
    } else {
      own.splitter.binary(own.bins, column.bins, found);
    }
  }

  void add(Count* tally, const Desk& desk, const Case& one) const {
    if constexpr (Target::classes) {
      tally[desk.slot[one.label]] += one.weight;
    } else {
      target_.add(tally, one);
    }
  }

  // Counts small coded columns in one pass over the rows, block by block.
  void count_together(Desk& desk, std::size_t cells, Crew* crew) const {
    desk.histogram.assign(cells, 0);
    if (desk.together.empty()) return;
    const Task& task = *desk.task;
    const std::size_t blocks = (task.m + count_block - 1) / count_block;
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    const Case* cases = task.store->cases.data() + task.begin;
    const auto count = [&](std::size_t block, Count* into) {
      const std::size_t end = std::min(task.m, (block + 1) * count_block);
      for (std::size_t i = block * count_block; i < end; ++i) {
        const std::uint8_t* codes = columns_.bytes.data() + rows[i] * columns_.stride;
        if constexpr (Target::classes) {
          Count* of = into + desk.slot[cases[i].label];
          const Count weight = cases[i].weight;
          for (const auto& [slot, start] : desk.places) of[start + codes[slot] * desk.width] += weight;
        } else {
          for (const auto& [slot, start] : desk.places) target_.add(into + start + codes[slot] * desk.width, cases[i]);
        }
      }
    };
    if (blocks == 1) {
      count(0, desk.histogram.data());
      return;
    }
    std::vector<std::vector<Count>> parts(blocks, std::vector<Count>(cells, 0));
    if (crew) {
      crew->share(blocks, [&](std::size_t block, std::size_t) { count(block, parts[block].data()); });
    } else {
      for (std::size_t block = 0; block < blocks; ++block) count(block, parts[block].data());
    }
    for (const auto& counted : parts) {
      for (std::size_t i = 0; i < cells; ++i) desk.histogram[i] += counted[i];
    }
  }

  // Counts a column of many codes at a node of few cases, by sorting them.
  void count_sparse(const Desk& desk, const TreeColumn& column, Hands& own) const {
    const Task& task = *desk.task;
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    const Case* cases = task.store->cases.data() + task.begin;
    own.bins.clear(desk.width);
    own.items.clear();
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        add(own.bins.missing.data(), desk, cases[i]);
      } else {
        own.items.push_back({static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(i)});
      }
    }
    sort(own.items);
    for (const Item item : own.items) {
      if (own.bins.codes.empty() || own.bins.codes.back() != item.rank) {
        own.bins.codes.push_back(item.rank);
        own.bins.tallies.resize(own.bins.tallies.size() + desk.width, 0);
      }
      add(&own.bins.tallies[own.bins.tallies.size() - desk.width], desk, cases[item.at]);
      add(own.bins.known.data(), desk, cases[item.at]);
    }
    for (std::size_t i = 0; i < own.bins.codes.size(); ++i) {
      own.bins.weights.push_back(Target::weight(&own.bins.tallies[i * desk.width], desk.width));
    }
  }

  // The column to split by, or -1.
  std::int32_t choose(Desk& desk, std::span<Hands> hands, Crew* crew) {
    const std::size_t n = columns_.columns.size();
    if (desk.splits.size() != n) desk.splits.resize(n);
    desk.order.resize(n);
    std::iota(desk.order.begin(), desk.order.end(), std::size_t{0});
    if (options_.tried <= 0 || static_cast<std::size_t>(options_.tried) >= n) {
      search(desk, desk.order, hands, crew);
      return best(desk.splits);
    }
    // As many columns as are to be tried, drawn without repetition; then one at a time until there is a split.
    for (Split& split : desk.splits) split.valid = false;
    desk.order = live_;
    const std::size_t live = live_.size();
    std::uint64_t state = desk.task->seed;
    for (std::size_t i = 0; i + 1 < live; ++i) {
      state = mixed(state);
      std::swap(desk.order[i], desk.order[i + static_cast<std::size_t>(state % (live - i))]);
    }
    std::size_t done = std::min(live, static_cast<std::size_t>(options_.tried));
    search(desk, std::span(desk.order).first(done), hands, crew);
    for (;; ++done) {
      const std::int32_t column = best(desk.splits);
      if (column >= 0 || done == live) return column;
      search(desk, std::span(desk.order).subspan(done, 1), hands, crew);
    }
  }

  std::int32_t best(std::span<const Split> splits) const { return best_column(splits, options_, many_levels_); }

  // The child of every case by the chosen split; `unknown` where the tested value is missing.
  void send(Desk& desk, std::size_t chosen) const {
    const Task& task = *desk.task;
    const TreeColumn& column = columns_.columns[chosen];
    const Split& split = desk.splits[chosen];
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    desk.child.resize(task.m);
    if (list_of_[chosen] >= 0) {
      const auto number = static_cast<std::size_t>(list_of_[chosen]);
      const Item* items = task.store->lists[number].data() + task.begin;
      const std::size_t n = known(task, number);
      if (n < task.m) std::fill(desk.child.begin(), desk.child.end(), unknown);
      for (std::size_t i = 0; i < n; ++i) desk.child[items[i].at] = items[i].rank > split.last;
      return;
    }
    for (std::size_t i = 0; i < task.m; ++i) {
      if (column.listed) {
        const std::uint32_t rank = column.ranks[rows[i]];
        desk.child[i] = rank == unknown ? unknown : rank > split.last;
        continue;
      }
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        desk.child[i] = unknown;
      } else if (!column.nominal) {
        desk.child[i] = static_cast<std::uint32_t>(code) > split.last;
      } else {
        const bool grouped = !split.level_children.empty();
        desk.child[i] = static_cast<std::uint32_t>(grouped ? split.level_children[static_cast<std::size_t>(code)] : code);
      }
    }
  }

  void divide(Desk& desk, std::int32_t number, Part& part, std::span<Hands> hands, Crew* crew, std::deque<Task>& stack) {
    Task& task = *desk.task;
    Split& chosen = desk.splits[static_cast<std::size_t>(number)];
    const Case* cases = task.store->cases.data() + task.begin;
    send(desk, static_cast<std::size_t>(number));
    const auto k = static_cast<std::size_t>(chosen.children);
    const std::size_t width = target_.width;
    desk.tallies.assign(k * width, 0);
    desk.sizes.assign(k, 0);
    desk.lost.clear();
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t c = desk.child[i];
      if (c == unknown) {
        desk.lost.push_back(i);
      } else {
        target_.add(&desk.tallies[c * width], cases[i]);
        ++desk.sizes[c];
      }
    }
    desk.shares.resize(k);
    double known = 0;
    for (std::size_t c = 0; c < k; ++c) {
      known += desk.shares[c] = static_cast<double>(Target::weight(&desk.tallies[c * width], width));
    }
    for (double& share : desk.shares) share /= known;
    std::size_t heaviest = 0;
    for (std::size_t c = 1; c < k; ++c) {
      if (desk.shares[c] > desk.shares[heaviest] + tie / known) heaviest = c;
    }
    const auto heavier = static_cast<std::int32_t>(heaviest);
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
            if (desk.shares[c] == 0) continue;
            Case fraction = cases[i];
            fraction.weight *= desk.shares[c];
            target_.add(&desk.tallies[c * width], fraction);
          }
        } else {
          throw std::logic_error("fractions of cases need real weights");
        }
        continue;
      }
      desk.child[i] = static_cast<std::uint32_t>(route(task.store->rows[task.begin + i], surrogates, chosen.missing));
      target_.add(&desk.tallies[desk.child[i] * width], cases[i]);
      ++desk.sizes[desk.child[i]];
    }
    if constexpr (!Target::additive) {
      for (std::size_t c = 0; c < k; ++c) {
        const auto brought = [&](std::size_t i) {
          return desk.child[i] == c ? cases[i].weight : desk.child[i] == unknown ? cases[i].weight * desk.shares[c] : 0.0;
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
    split.level_children = chosen.level_children;
    split.surrogates = std::move(surrogates);
    part.nodes.resize(first + k);
    part.tallies.insert(part.tallies.end(), desk.tallies.begin(), desk.tallies.end());
    desk.children.resize(k);
    desk.grows.resize(k);
    bool any = false;
    for (std::size_t c = 0; c < k; ++c) {
      Task& child = desk.children[c];
      child.node = first + c;
      child.depth = task.depth + 1;
      child.seed = mixed(task.seed ^ (0xD1B54A32D192ED03ull * (c + 1)));
      child.counts.clear();
      const bool some = fractions ? desk.shares[c] > 0 : desk.sizes[c] > 1;
      desk.grows[c] = some && !is_leaf(&desk.tallies[c * width], task.depth + 1);
      any = any || desk.grows[c];
    }
    if (!any) return;
    if (fractions) {
      for (std::size_t c = 0; c < k; ++c) {
        if (desk.grows[c]) copy_out(desk, c);
      }
    } else {
      partition(desk, hands, crew);
      for (std::size_t c = 0; c < k; ++c) {
        part.nodes[first + c].begin = desk.children[c].begin;
        part.nodes[first + c].count = desk.children[c].m;
      }
    }
    task.store.reset();
    for (std::size_t c = k; c-- > 0;) {
      if (desk.grows[c]) stack.push_back(std::move(desk.children[c]));
      desk.children[c].store.reset();
    }
  }

  double between(double low, double high) const {
    return options_.branching == Branching::binary ? halfway(low, high) : middle(low, high);
  }

  std::int32_t route(std::size_t row, const std::vector<Surrogate>& surrogates, std::int32_t otherwise) const {
    for (const Surrogate& one : surrogates) {
      const TreeColumn& column = columns_.columns[static_cast<std::size_t>(one.column)];
      if (column.nominal) {
        const std::int32_t code = columns_.code(column, row);
        if (code != column.bins && one.level_children[static_cast<std::size_t>(code)] >= 0) {
          return one.level_children[static_cast<std::size_t>(code)];
        }
      } else if (const double value = column.raw.numbers[row]; !std::isnan(value)) {
        return value <= one.threshold ? one.first : 1 - one.first;
      }
    }
    return otherwise;
  }

  // The columns that agree best with a split, for rows where its own value is missing (Breiman et al. 1984).
  std::vector<Surrogate> stand_ins(const Desk& desk, std::int32_t chosen, Hands& own) const {
    const Task& task = *desk.task;
    const std::vector<std::uint32_t>& child = desk.child;
    const Case* cases = task.store->cases.data() + task.begin;
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    std::vector<Surrogate> found;
    for (std::size_t number = 0; number < columns_.columns.size(); ++number) {
      if (static_cast<std::int32_t>(number) == chosen) continue;
      const TreeColumn& column = columns_.columns[number];
      Surrogate one;
      one.column = static_cast<std::int32_t>(number);
      double both[2] = {0, 0};
      std::vector<double> left, right;  // by code or by value in ascending order
      std::vector<double> values;
      if (column.listed) {
        std::uint32_t rank = unknown;
        for (const Item item : list(task, number, own)) {
          const std::uint32_t at = item.at;
          if (child[at] == unknown) continue;
          if (values.empty() || item.rank != rank) {
            values.push_back(column.raw.numbers[rows[at]]);
            left.push_back(0);
            right.push_back(0);
            rank = item.rank;
          }
          (child[at] == 0 ? left : right).back() += static_cast<double>(cases[at].weight);
        }
      } else {
        left.assign(static_cast<std::size_t>(column.bins) + 1, 0);
        right = left;
        values = column.values;
        for (std::size_t i = 0; i < task.m; ++i) {
          if (child[i] == unknown) continue;
          const auto code = static_cast<std::size_t>(columns_.code(column, rows[i]));
          (child[i] == 0 ? left : right)[code] += static_cast<double>(cases[i].weight);
        }
        left.pop_back();
        right.pop_back();
      }
      both[0] = std::accumulate(left.begin(), left.end(), 0.0);
      both[1] = std::accumulate(right.begin(), right.end(), 0.0);
      if (column.nominal) {
        one.level_children.assign(left.size(), -1);
        for (std::size_t code = 0; code < left.size(); ++code) {
          if (left[code] + right[code] <= 0) continue;
          one.level_children[code] = right[code] > left[code] + tie;
          one.agreement += std::max(left[code], right[code]);
        }
      } else {
        best_stand_in(left, right, values, both, one);
      }
      if (one.agreement > std::max(both[0], both[1]) + tie) found.push_back(std::move(one));
    }
    std::vector<Surrogate> kept;
    while (!found.empty() && kept.size() < most_surrogates) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < found.size(); ++i) {
        if (found[i].agreement > found[best].agreement + tie) best = i;
      }
      kept.push_back(std::move(found[best]));
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return kept;
  }

  static void best_stand_in(const std::vector<double>& left, const std::vector<double>& right, const std::vector<double>& values,
                            const double (&both)[2], Surrogate& one) {
    double below[2] = {0, 0};
    std::size_t last = values.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (left[i] + right[i] <= 0) continue;
      for (std::int32_t first = 0; first < 2 && last < values.size(); ++first) {
        const double agreement = first == 0 ? below[0] + both[1] - below[1] : below[1] + both[0] - below[0];
        if (agreement > one.agreement + tie) {
          one.agreement = agreement;
          one.first = first;
          one.threshold = halfway(values[last], values[i]);
        }
      }
      below[0] += left[i];
      below[1] += right[i];
      last = i;
    }
  }

  // Rearranges the cases and lists of a node by child, each child's own in their old order.
  void partition(Desk& desk, std::span<Hands> hands, Crew* crew) const {
    Task& task = *desk.task;
    Storage& store = *task.store;
    const std::size_t k = desk.sizes.size();
    const std::vector<std::uint32_t>& child = desk.child;
    desk.place.resize(task.m);
    desk.starts.resize(k);
    desk.next.assign(k, 0);
    std::uint32_t start = 0;
    for (std::size_t c = 0; c < k; ++c) {
      desk.starts[c] = start;
      start += static_cast<std::uint32_t>(desk.sizes[c]);
      desk.children[c].begin = task.begin + desk.starts[c];
      desk.children[c].m = desk.sizes[c];
      if (!desk.grows[c]) continue;
      desk.children[c].store = task.store;
      if (lacking_) desk.children[c].counts.resize(lists_.size());
    }
    desk.rows.resize(task.m);
    desk.cases.resize(task.m);
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t c = child[i], place = desk.next[c]++;
      desk.place[i] = k == 2 ? place << 1 | c : place;
      desk.rows[desk.starts[c] + place] = store.rows[task.begin + i];
      desk.cases[desk.starts[c] + place] = store.cases[task.begin + i];
    }
    std::copy_n(desk.rows.begin(), task.m, store.rows.begin() + static_cast<std::ptrdiff_t>(task.begin));
    std::copy_n(desk.cases.begin(), task.m, store.cases.begin() + static_cast<std::ptrdiff_t>(task.begin));
    if (crew) {
      crew->share(lists_.size(), [&](std::size_t number, std::size_t member) { partition(desk, number, hands[member]); });
    } else {
      for (std::size_t number = 0; number < lists_.size(); ++number) partition(desk, number, hands[0]);
    }
  }

  void partition(Desk& desk, std::size_t number, Hands& own) const {
    const Task& task = *desk.task;
    Item* items = task.store->lists[number].data() + task.begin;
    const std::size_t n = known(task, number), k = desk.sizes.size();
    const std::uint32_t *child = desk.child.data(), *place = desk.place.data();
    if (own.items.size() < n) own.items.resize(n);
    Item* spare = own.items.data();
    if (k == 2) {  // then a place has its side in its lowest bit
      std::size_t left = 0, right = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Item item = items[i];
        const std::uint32_t to = place[item.at];
        const std::uint32_t side = to & 1u;
        const Item moved{item.rank, to >> 1};
        items[left] = moved;
        spare[right] = moved;
        left += 1 - side;
        right += side;
      }
      if (desk.grows[1]) std::copy_n(spare, right, items + desk.starts[1]);
      if (lacking_ && desk.grows[0]) desk.children[0].counts[number] = static_cast<std::uint32_t>(left);
      if (lacking_ && desk.grows[1]) desk.children[1].counts[number] = static_cast<std::uint32_t>(right);
      return;
    }
    std::vector<std::uint32_t> cursor(desk.starts);
    std::copy_n(items, n, spare);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t from = spare[i].at, c = child[from];
      if (desk.grows[c]) items[cursor[c]++] = {spare[i].rank, place[from]};
    }
    for (std::size_t c = 0; c < k && lacking_; ++c) {
      if (desk.grows[c]) desk.children[c].counts[number] = cursor[c] - desk.starts[c];
    }
  }

  // A child's cases and lists of its own: the cases sent there, and a share of each whose tested value is missing.
  void copy_out(Desk& desk, std::size_t c) const {
    if constexpr (std::is_floating_point_v<Count>) {
      const Task& task = *desk.task;
      const Storage& from = *task.store;
      Task& to = desk.children[c];
      to.store = std::make_shared<Storage>();
      desk.place.assign(task.m, unknown);
      for (std::size_t i = 0; i < task.m; ++i) {
        if (desk.child[i] != c && desk.child[i] != unknown) continue;
        desk.place[i] = static_cast<std::uint32_t>(to.store->rows.size());
        to.store->rows.push_back(from.rows[task.begin + i]);
        Case one = from.cases[task.begin + i];
        if (desk.child[i] == unknown) one.weight *= desk.shares[c];
        to.store->cases.push_back(one);
      }
      to.begin = 0;
      to.m = to.store->rows.size();
      for (std::size_t number = 0; number < lists_.size(); ++number) {
        const Item* items = from.lists[number].data() + task.begin;
        std::vector<Item> list;
        list.reserve(to.m);
        for (std::size_t i = 0; i < known(task, number); ++i) {
          if (desk.place[items[i].at] != unknown) list.push_back({items[i].rank, desk.place[items[i].at]});
        }
        if (lacking_) to.counts.push_back(static_cast<std::uint32_t>(list.size()));
        list.resize(to.m);
        to.store->lists.push_back(std::move(list));
      }
    }
  }

  // Puts a part that was grown apart in the place of its root.
  void graft(Part& tree, std::size_t at, Part&& part) const {
    const auto shift = static_cast<std::int32_t>(tree.nodes.size()) - 1;
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
      if (part.nodes[i].column >= 0) part.nodes[i].first += shift;
      if (i == 0) {
        tree.nodes[at] = std::move(part.nodes[0]);
      } else {
        tree.nodes.push_back(std::move(part.nodes[i]));
      }
    }
    tree.tallies.insert(tree.tallies.end(), part.tallies.begin() + static_cast<std::ptrdiff_t>(target_.width), part.tallies.end());
  }

  // The tree as flat arrays, breadth first.
  GrownTree flat(const Part& tree) const {
    std::vector<std::size_t> order{0};
    std::vector<std::int32_t> first(tree.nodes.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Part::Node& node = tree.nodes[order[i]];
      if (node.column < 0) continue;
      first[i] = static_cast<std::int32_t>(order.size());
      for (std::int32_t c = 0; c < node.children; ++c) order.push_back(static_cast<std::size_t>(node.first + c));
    }
    GrownTree out;
    out.first = std::move(first);
    out.level_starts.push_back(0);
    out.surrogate_starts.push_back(0);
    out.surrogate_level_starts.push_back(0);
    for (const std::size_t i : order) {
      const Part::Node& node = tree.nodes[i];
      out.columns.push_back(node.column);
      out.missing.push_back(node.column < 0 ? nowhere : node.missing);
      out.thresholds.push_back(node.threshold);
      out.begins.push_back(static_cast<std::uint32_t>(node.begin));
      out.counts.push_back(static_cast<std::uint32_t>(node.count));
      if (node.column >= 0 && columns_.columns[static_cast<std::size_t>(node.column)].nominal && node.level_children.empty()) {
        for (std::int32_t level = 0; level < node.children; ++level) out.level_children.push_back(level);
      }
      out.level_children.insert(out.level_children.end(), node.level_children.begin(), node.level_children.end());
      out.level_starts.push_back(static_cast<std::int32_t>(out.level_children.size()));
      const auto tally = tree.tallies.begin() + static_cast<std::ptrdiff_t>(i * target_.width);
      out.tallies.insert(out.tallies.end(), tally, tally + static_cast<std::ptrdiff_t>(target_.width));
      for (const Surrogate& one : node.surrogates) {
        out.surrogate_columns.push_back(one.column);
        out.surrogate_thresholds.push_back(one.threshold);
        out.surrogate_first.push_back(one.first);
        out.surrogate_level_children.insert(out.surrogate_level_children.end(), one.level_children.begin(), one.level_children.end());
        out.surrogate_level_starts.push_back(static_cast<std::int32_t>(out.surrogate_level_children.size()));
      }
      out.surrogate_starts.push_back(static_cast<std::int32_t>(out.surrogate_columns.size()));
    }
    return out;
  }

  const TreeColumns& columns_;
  const Target& target_;
  const GrowOptions& options_;
  std::size_t classes_, n_rows_;
  bool sorts_ = false;                  // lists are sorted where they are needed instead of kept
  std::vector<std::int32_t> list_of_;   // the list of a column, -1 for none
  std::vector<std::size_t> lists_;      // the column of a list
  std::vector<std::size_t> live_;       // columns with more than one value: columns are drawn from these
  bool lacking_ = false;                // some listed value is missing
  ManyLevels many_levels_;
  bool any_lacking_ = false;            // some value of any column is missing
};

// Rows of positive weight, ascending.
std::vector<std::uint32_t> weighed(std::span<const double> weights) {
  std::vector<std::uint32_t> rows;
  rows.reserve(weights.size());
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] > 0) rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

template <class Target>
GrownTree grow_as(const TreeColumns& columns, std::span<const std::int32_t> labels, std::int32_t classes,
                  std::span<const double> weights, const GrowOptions& options, std::size_t threads, double total) {
  Target target(static_cast<std::size_t>(classes), static_cast<std::uint64_t>(total));
  target.light = weights.empty() || *std::max_element(weights.begin(), weights.end()) <= 7;
  std::vector<std::uint32_t> rows = weighed(weights);
  std::vector<typename Target::Case> cases(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i].weight = static_cast<decltype(cases[i].weight)>(weights[rows[i]]);
    cases[i].label = static_cast<decltype(cases[i].label)>(labels[rows[i]]);
  }
  Grower<Target> grower(columns, target, options, static_cast<std::size_t>(classes), rows.size());
  return grower.grow(std::move(rows), std::move(cases), threads);
}

GrownTree grow_absolute(const TreeColumns& columns, std::span<const double> target, std::span<const double> weights,
                        const GrowOptions& options, std::size_t threads, std::vector<std::uint32_t> rows) {
  std::vector<AbsoluteCase> cases(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) cases[i] = {weights[rows[i]], target[rows[i]], 0};
  AbsoluteTarget absolute;
  std::vector<std::uint32_t> order;
  double tally[3] = {0, 0, 0};
  absolute.arrange(cases.data(), cases.size(), order);
  absolute.settle(cases.data(), order, [&](std::size_t i) { return cases[i].weight; }, tally);
  GrowOptions scaled = options;
  scaled.scale = tally[2];
  absolute.center = tally[1];
  Grower<AbsoluteTarget> grower(columns, absolute, scaled, 1, rows.size());
  return grower.grow(std::move(rows), std::move(cases), threads);
}

}  // namespace

GrownTree grow_classes(const TreeColumns& columns, std::span<const std::int32_t> labels, std::int32_t classes,
                       std::span<const double> weights, const GrowOptions& options, std::size_t threads) {
  double total = 0;
  bool whole = classes <= 65535;
  for (const double weight : weights) {
    total += weight;
    whole = whole && weight <= 65535 && weight == std::floor(weight);
  }
  total = std::max(total, options.table_weight);
  whole = whole && !options.real;
  const bool lacking = std::any_of(columns.columns.begin(), columns.columns.end(), [](const auto& c) { return c.lacking; });
  whole = whole && total < 0x1p31 && !(lacking && options.lacking == Lacking::fractions);
  const bool entropy = options.impurity == Impurity::entropy;
  const auto as = [&]<class Target>() {
    return grow_as<Target>(columns, labels, classes, weights, options, threads, total);
  };
  if (whole) return entropy ? as.template operator()<ClassTarget<WholeEntropy>>() : as.template operator()<ClassTarget<WholeGini>>();
  return entropy ? as.template operator()<ClassTarget<RealEntropy>>() : as.template operator()<ClassTarget<RealGini>>();
}

GrownTree grow_numbers(const TreeColumns& columns, std::span<const double> target, std::span<const double> weights,
                       const GrowOptions& options, std::size_t threads) {
  std::vector<std::uint32_t> rows = weighed(weights);
  if (options.impurity == Impurity::absolute) return grow_absolute(columns, target, weights, options, threads, std::move(rows));
  std::vector<NumberCase> cases(rows.size());
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i] = {weights[rows[i]], target[rows[i]]};
    total += cases[i].weight;
    sum += cases[i].weight * cases[i].value;
  }
  const bool branch = options.table_weight > 0;
  const SquaredTarget squared(branch ? options.center : total > 0 ? sum / total : 0);
  double tally[3] = {0, 0, 0};
  for (const NumberCase& one : cases) squared.add(tally, one);
  GrowOptions scaled = options;
  if (!branch) scaled.scale = total > 0 ? -squared.purity(tally, 3) / total : 1;
  Grower<SquaredTarget> grower(columns, squared, scaled, 1, rows.size());
  return grower.grow(std::move(rows), std::move(cases), threads);
}

}  // namespace hedgerow::trees

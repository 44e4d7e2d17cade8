#include "tree_grow.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "decimals.hpp"
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
    std::vector<std::int32_t> level_children;
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
    std::size_t listed = 0;
    for (const TreeColumn& column : columns_.columns) listed += column.listed;
    const auto tried = static_cast<std::size_t>(options.tried);
    sorts_ = tried > 0 && listed > 5 * tried;
    for (std::size_t number = 0; number < columns_.columns.size(); ++number) {
      const TreeColumn& column = columns_.columns[number];
      list_of_.push_back(column.listed && !sorts_ ? static_cast<std::int32_t>(lists_.size()) : -1);
      if (column.listed && !sorts_) lists_.push_back(number);
      many_levels_.push_back(column.nominal && column.bins >= 0.3 * static_cast<double>(n_rows));
    }
    all_many_ = std::all_of(many_levels_.begin(), many_levels_.end(), [](bool many) { return many; });
  }

  // `case_of(row)` gives the case of a row in `rows` (ascending).
  GrownTree grow(std::vector<std::uint32_t> rows, std::vector<Case> cases, std::size_t threads) {
    Part tree;
    Crew crew(threads);
    std::vector<Scratch> scratch(crew.members());
    std::deque<Task> stack;
    stack.push_back(root(std::move(rows), std::move(cases), tree));
    std::vector<Task> small;
    while (!stack.empty()) {
      Task task = std::move(stack.back());
      stack.pop_back();
      if (crew.members() > 1 && task.m * columns_.columns.size() < large_node) {
        small.push_back(std::move(task));
      } else {
        split(task, tree, scratch, &crew, stack);
      }
    }
    std::vector<Part> parts(small.size());
    crew.share(small.size(), [&](std::size_t number, std::size_t member) {
      std::deque<Task> own;
      Task task = std::move(small[number]);
      Part& part = parts[number];
      const std::size_t width = target_.width;
      part.nodes.resize(1);
      part.tallies.assign(tree.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * width),
                          tree.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * width));
      small[number].node = task.node;
      task.node = 0;
      own.push_back(std::move(task));
      while (!own.empty()) {
        Task next = std::move(own.back());
        own.pop_back();
        split(next, part, std::span(&scratch[member], 1), nullptr, own);
      }
    });
    for (std::size_t number = 0; number < small.size(); ++number) graft(tree, small[number].node, std::move(parts[number]));
    return flat(tree);
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
    std::vector<std::uint32_t> counts;  // known values a list
    std::int32_t depth = 0;
    std::uint64_t seed = 0;
  };

  struct Scratch {
    std::vector<std::uint32_t> child, place;
    std::vector<Item> items;
    std::vector<std::uint32_t> rows;
    std::vector<Case> cases;
    std::vector<Count> histogram;
    Bins<Count> bins;
    std::vector<std::uint32_t> codes;
  };

  Task root(std::vector<std::uint32_t> rows, std::vector<Case> cases, Part& tree) {
    Task task;
    task.store = std::make_shared<Storage>();
    task.m = rows.size();
    task.seed = options_.seed;
    const bool whole = rows.size() == columns_.rows;
    std::vector<std::uint32_t> place;
    if (!whole) {
      place.assign(columns_.rows, unknown);
      for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<std::uint32_t>(i);
    }
    for (const std::size_t number : lists_) {
      const std::vector<Item>& items = columns_.columns[number].items;
      std::vector<Item> list;
      if (whole) {
        list = items;
      } else {
        list.reserve(std::min(items.size(), rows.size()));
        for (const Item item : items) {
          if (place[item.at] != unknown) list.push_back({item.rank, place[item.at]});
        }
      }
      task.counts.push_back(static_cast<std::uint32_t>(list.size()));
      list.resize(rows.size());  // room for a child's part to begin where its cases do
      task.store->lists.push_back(std::move(list));
    }
    std::vector<Count> tally(target_.width, 0);
    for (const Case& one : cases) target_.add(tally.data(), one);
    task.store->rows = std::move(rows);
    task.store->cases = std::move(cases);
    tree.nodes.resize(1);
    tree.tallies.assign(tally.begin(), tally.end());
    return task;
  }

  bool is_leaf(const Count* tally, std::int32_t depth) const {
    const auto n = static_cast<double>(Target::weight(tally, target_.width));
    if (depth >= options_.max_depth || n < 2 * options_.min_leaf - tie || n <= options_.stop_rows + tie || n <= 0) {
      return true;
    }
    if constexpr (Target::classes) {
      const auto most = static_cast<double>(*std::max_element(tally, tally + target_.width));
      return most >= n * options_.stop_share - tie || most >= n - tie;
    } else {
      return -target_.purity(tally, target_.width) <= 1e-12 * n * options_.scale;
    }
  }

  // Splits a node, or leaves it a leaf, and puts its children on the stack. With a crew the columns are shared out.
  void split(Task& task, Part& part, std::span<Scratch> scratch, Crew* crew, std::deque<Task>& stack) {
    const std::vector<Count> tally(part.tallies.begin() + static_cast<std::ptrdiff_t>(task.node * target_.width),
                                   part.tallies.begin() + static_cast<std::ptrdiff_t>((task.node + 1) * target_.width));
    if (task.m < 2 || is_leaf(tally.data(), task.depth)) return;
    Node node(*this, task, tally);
    const std::int32_t column = choose(node, scratch, crew);
    if (column < 0) return;
    divide(node, column, part, scratch, crew, stack);
  }

  // What the search for a split needs to know of a node.
  struct Node {
    Node(const Grower& grower, Task& t, const std::vector<Count>& all) : task(t), tally(all) {
      const Target& target = grower.target_;
      if constexpr (Target::classes) {
        slot.assign(target.width, 0);
        for (std::size_t c = 0; c < target.width; ++c) {
          if (tally[c] > 0) {
            slot[c] = static_cast<std::uint32_t>(width++);
            two = static_cast<std::uint32_t>(c);
          }
        }
        if (width != 2) two = Splitter<Target>::none;
      } else {
        width = target.width;
      }
      splits.resize(grower.columns_.columns.size());
    }
    Task& task;
    const std::vector<Count>& tally;
    std::vector<std::uint32_t> slot;  // of a class among those that occur
    std::size_t width = 0;
    std::uint32_t two = Splitter<Target>::none;  // the last of the only two classes
    std::vector<Split> splits;                   // by column
  };

  std::span<const Item> list(const Task& task, std::size_t column, Scratch& scratch) const {
    if (list_of_[column] >= 0) {
      const auto number = static_cast<std::size_t>(list_of_[column]);
      return {task.store->lists[number].data() + task.begin, task.counts[number]};
    }
    const std::vector<std::uint32_t>& ranks = columns_.columns[column].ranks;
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    std::vector<Item>& items = scratch.items;
    items.clear();
    for (std::size_t i = 0; i < task.m; ++i) {
      if (ranks[rows[i]] != unknown) items.push_back({ranks[rows[i]], static_cast<std::uint32_t>(i)});
    }
    std::sort(items.begin(), items.end(), [](Item a, Item b) { return a.rank < b.rank || (a.rank == b.rank && a.at < b.at); });
    return items;
  }

  // Finds the best split of some columns.
  void search(Node& node, std::span<const std::size_t> which, std::span<Scratch> scratch, Crew* crew) {
    std::vector<std::size_t> coded, small;
    std::vector<std::pair<std::size_t, bool>> jobs;  // a column, and whether it is counted with the others
    std::vector<std::size_t> starts;
    std::size_t cells = 0;
    for (const std::size_t number : which) {
      const TreeColumn& column = columns_.columns[number];
      const auto bins = static_cast<std::size_t>(column.bins);
      if (column.slot >= 0 && bins <= 4 * node.task.m + 8) {
        small.push_back(number);
        starts.push_back(cells);
        cells += (bins + 1) * node.width;
      } else {
        jobs.emplace_back(number, false);
      }
    }
    count_small(node, small, starts, cells, scratch, crew);
    for (const std::size_t number : small) jobs.emplace_back(number, true);
    const auto one = [&](std::size_t job, std::size_t member) {
      Scratch& own = scratch[member];
      const auto [number, counted] = jobs[job];
      const TreeColumn& column = columns_.columns[number];
      Splitter<Target> splitter(target_, options_, node.width, static_cast<double>(classes_));
      if (column.listed) {
        const std::span<const Item> items = list(node.task, number, own);
        splitter.lacks(items.size() < node.task.m);
        Split found = splitter.cut(items, node.task.store->cases.data() + node.task.begin, node.tally.data(), node.two);
        if (found.valid) {
          const double* numbers = column.raw.numbers;
          const std::uint32_t* rows = node.task.store->rows.data() + node.task.begin;
          found.low = numbers[rows[items[found.last - 1].at]];
          found.high = numbers[rows[items[found.last].at]];
          found.last = items[found.last - 1].rank;
        }
        node.splits[number] = std::move(found);
        return;
      }
      if (counted) {
        const std::size_t place = job - (jobs.size() - small.size());
        compact(scratch[0].histogram.data() + starts[place], static_cast<std::size_t>(column.bins), node.width, own.bins);
      } else {
        count_sparse(node, column, own);
      }
      if (!column.nominal) {
        node.splits[number] = splitter.cut(own.bins, column.values);
      } else if (options_.branching == Branching::multiway) {
        node.splits[number] = splitter.multiway(own.bins, column.bins);
      } else if (options_.branching == Branching::groups) {
        node.splits[number] = splitter.groups(own.bins, column.bins);
      } else {
        node.splits[number] = splitter.binary(own.bins, column.bins);
      }
    };
    if (crew) {
      crew->share(jobs.size(), one);
    } else {
      for (std::size_t job = 0; job < jobs.size(); ++job) one(job, 0);
    }
  }

  void add(Count* tally, const Node& node, const Case& one) const {
    if constexpr (Target::classes) {
      tally[node.slot[one.label]] += one.weight;
    } else {
      target_.add(tally, one);
    }
  }

  // Counts all small coded columns in one pass over the rows, block by block.
  void count_small(const Node& node, std::span<const std::size_t> small, std::span<const std::size_t> starts,
                   std::size_t cells, std::span<Scratch> scratch, Crew* crew) {
    std::vector<Count>& total = scratch[0].histogram;
    total.assign(cells, 0);
    if (small.empty()) return;
    const std::size_t blocks = (node.task.m + count_block - 1) / count_block;
    const std::uint32_t* rows = node.task.store->rows.data() + node.task.begin;
    const Case* cases = node.task.store->cases.data() + node.task.begin;
    std::vector<std::pair<std::size_t, std::size_t>> places;  // of a column: its slot, and where its counts begin
    for (std::size_t i = 0; i < small.size(); ++i) {
      places.emplace_back(static_cast<std::size_t>(columns_.columns[small[i]].slot), starts[i]);
    }
    const auto count = [&](std::size_t block, Count* into) {
      const std::size_t end = std::min(node.task.m, (block + 1) * count_block);
      for (std::size_t i = block * count_block; i < end; ++i) {
        const std::uint8_t* codes = columns_.bytes.data() + rows[i] * columns_.stride;
        if constexpr (Target::classes) {
          Count* of = into + node.slot[cases[i].label];
          for (const auto& [slot, start] : places) of[start + codes[slot] * node.width] += cases[i].weight;
        } else {
          for (const auto& [slot, start] : places) target_.add(into + start + codes[slot] * node.width, cases[i]);
        }
      }
    };
    if (blocks == 1) {
      count(0, total.data());
      return;
    }
    std::vector<std::vector<Count>> parts(blocks, std::vector<Count>(cells, 0));
    const auto one = [&](std::size_t block, std::size_t) { count(block, parts[block].data()); };
    if (crew) {
      crew->share(blocks, one);
    } else {
      for (std::size_t block = 0; block < blocks; ++block) one(block, 0);
    }
    for (const auto& counted : parts) {
      for (std::size_t i = 0; i < cells; ++i) total[i] += counted[i];
    }
  }

  static void compact(const Count* counts, std::size_t n_bins, std::size_t width, Bins<Count>& bins) {
    bins.clear(width);
    for (std::size_t code = 0; code < n_bins; ++code) {
      const Count* tally = counts + code * width;
      const Count weight = Target::weight(tally, width);
      if (!(weight > 0)) continue;
      bins.codes.push_back(static_cast<std::uint32_t>(code));
      bins.weights.push_back(weight);
      bins.tallies.insert(bins.tallies.end(), tally, tally + width);
      for (std::size_t c = 0; c < width; ++c) bins.known[c] += tally[c];
    }
    std::copy_n(counts + n_bins * width, width, bins.missing.begin());
  }

  // Counts a column of many codes at a node of few cases, by sorting them.
  void count_sparse(const Node& node, const TreeColumn& column, Scratch& own) const {
    const std::uint32_t* rows = node.task.store->rows.data() + node.task.begin;
    const Case* cases = node.task.store->cases.data() + node.task.begin;
    own.bins.clear(node.width);
    own.items.clear();
    for (std::size_t i = 0; i < node.task.m; ++i) {
      const std::int32_t code = columns_.code(column, rows[i]);
      if (code == column.bins) {
        add(own.bins.missing.data(), node, cases[i]);
      } else {
        own.items.push_back({static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(i)});
      }
    }
    std::sort(own.items.begin(), own.items.end(), [](Item a, Item b) { return a.rank < b.rank || (a.rank == b.rank && a.at < b.at); });
    for (const Item item : own.items) {
      if (own.bins.codes.empty() || own.bins.codes.back() != item.rank) {
        own.bins.codes.push_back(item.rank);
        own.bins.tallies.resize(own.bins.tallies.size() + node.width, 0);
      }
      add(&own.bins.tallies[own.bins.tallies.size() - node.width], node, cases[item.at]);
      add(own.bins.known.data(), node, cases[item.at]);
    }
    for (std::size_t i = 0; i < own.bins.codes.size(); ++i) {
      own.bins.weights.push_back(Target::weight(&own.bins.tallies[i * node.width], node.width));
    }
  }

  // The column to split by, or -1.
  std::int32_t choose(Node& node, std::span<Scratch> scratch, Crew* crew) {
    std::vector<std::size_t> order(columns_.columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (options_.tried <= 0 || static_cast<std::size_t>(options_.tried) >= order.size()) {
      search(node, order, scratch, crew);
      return best(node.splits);
    }
    // As many columns as are to be tried, drawn without repetition; then one at a time until there is a split.
    std::uint64_t state = node.task.seed;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      state = mixed(state);
      std::swap(order[i], order[i + static_cast<std::size_t>(state % (order.size() - i))]);
    }
    std::size_t done = static_cast<std::size_t>(options_.tried);
    search(node, std::span(order).first(done), scratch, crew);
    for (;; ++done) {
      const std::int32_t column = best(node.splits);
      if (column >= 0 || done == order.size()) return column;
      search(node, std::span(order).subspan(done, 1), scratch, crew);
    }
  }

  // The first of the best columns; a gain that is lower than asked for makes no split.
  std::int32_t best(std::span<const Split> splits) const {
    double average = -std::numeric_limits<double>::infinity();
    if (options_.guard) {
      double sum = 0;
      std::size_t counted = 0;
      for (std::size_t number = 0; number < splits.size(); ++number) {
        if (!splits[number].valid || (many_levels_[number] && !all_many_)) continue;
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
      if (!split.valid || split.gain < average || !(options_.zero_gain || split.gain > least_gain(options_))) continue;
      const double score = options_.ratio ? split.ratio() : split.gain;
      if (found < 0 || score > highest + tie * options_.scale) {
        highest = score;
        found = static_cast<std::int32_t>(number);
      }
    }
    return found >= 0 && splits[static_cast<std::size_t>(found)].gain < options_.min_gain - tie ? -1 : found;
  }

  // The child of every case by the chosen split; `unknown` where the tested value is missing.
  void send(const Node& node, const TreeColumn& column, const Split& chosen, std::vector<std::uint32_t>& child) const {
    const Task& task = node.task;
    const std::uint32_t* rows = task.store->rows.data() + task.begin;
    child.resize(task.m);
    if (column.listed && !sorts_) {
      const auto number = static_cast<std::size_t>(list_of_[static_cast<std::size_t>(&column - columns_.columns.data())]);
      const Item* items = task.store->lists[number].data() + task.begin;
      if (task.counts[number] < task.m) std::fill(child.begin(), child.end(), unknown);
      for (std::size_t i = 0; i < task.counts[number]; ++i) child[items[i].at] = items[i].rank > chosen.last;
    } else if (column.listed) {
      for (std::size_t i = 0; i < task.m; ++i) {
        const std::uint32_t rank = column.ranks[rows[i]];
        child[i] = rank == unknown ? unknown : rank > chosen.last;
      }
    } else {
      for (std::size_t i = 0; i < task.m; ++i) {
        const std::int32_t code = columns_.code(column, rows[i]);
        if (code == column.bins) {
          child[i] = unknown;
        } else if (column.nominal) {
          child[i] = static_cast<std::uint32_t>(chosen.level_children[static_cast<std::size_t>(code)]);
        } else {
          child[i] = static_cast<std::uint32_t>(code) > chosen.last;
        }
      }
    }
  }

  void divide(Node& node, std::int32_t number, Part& part, std::span<Scratch> scratch, Crew* crew, std::deque<Task>& stack) {
    Task& task = node.task;
    Split& chosen = node.splits[static_cast<std::size_t>(number)];
    const TreeColumn& column = columns_.columns[static_cast<std::size_t>(number)];
    const Case* cases = task.store->cases.data() + task.begin;
    std::vector<std::uint32_t>& child = scratch[0].child;
    send(node, column, chosen, child);
    const auto k = static_cast<std::size_t>(chosen.children);
    const std::size_t width = target_.width;
    std::vector<Count> tallies(k * width, 0);
    std::vector<std::size_t> sizes(k, 0), lost;
    for (std::size_t i = 0; i < task.m; ++i) {
      if (child[i] == unknown) {
        lost.push_back(i);
      } else {
        target_.add(&tallies[child[i] * width], cases[i]);
        ++sizes[child[i]];
      }
    }
    std::vector<double> shares(k);
    double known = 0;
    for (std::size_t c = 0; c < k; ++c) known += shares[c] = static_cast<double>(Target::weight(&tallies[c * width], width));
    for (double& share : shares) share /= known;
    const auto heavier = static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    std::vector<Surrogate> surrogates;
    if (options_.lacking == Lacking::direction && chosen.missing == nowhere) chosen.missing = heavier;
    if (options_.lacking == Lacking::surrogate) {
      chosen.missing = heavier;
      surrogates = stand_ins(node, number, child, scratch[0]);
    }
    const bool fractions = options_.lacking == Lacking::fractions && !lost.empty();
    for (const std::size_t i : lost) {
      if (fractions) {
        if constexpr (std::is_floating_point_v<Count>) {
          for (std::size_t c = 0; c < k; ++c) {
            if (shares[c] == 0) continue;
            Case part_of = cases[i];
            part_of.weight *= shares[c];
            target_.add(&tallies[c * width], part_of);
          }
        } else {
          throw std::logic_error("fractions of cases need real weights");
        }
        continue;
      }
      child[i] = static_cast<std::uint32_t>(route(task.store->rows[task.begin + i], surrogates, chosen.missing));
      target_.add(&tallies[child[i] * width], cases[i]);
      ++sizes[child[i]];
    }
    const std::size_t first = part.nodes.size();
    Part::Node& split = part.nodes[task.node];
    split.column = number;
    split.first = static_cast<std::int32_t>(first);
    split.children = chosen.children;
    split.missing = chosen.missing;
    if (!column.nominal) split.threshold = between(chosen.low, chosen.high);
    split.level_children = std::move(chosen.level_children);
    split.surrogates = std::move(surrogates);
    part.nodes.resize(first + k);
    part.tallies.insert(part.tallies.end(), tallies.begin(), tallies.end());
    std::vector<Task> children(k);
    std::vector<bool> grows(k);
    for (std::size_t c = 0; c < k; ++c) {
      children[c].node = first + c;
      children[c].depth = task.depth + 1;
      children[c].seed = mixed(task.seed ^ (0xD1B54A32D192ED03ull * (c + 1)));
      grows[c] = (fractions ? shares[c] > 0 : sizes[c] > 1) && !is_leaf(&tallies[c * width], task.depth + 1);
    }
    if (std::find(grows.begin(), grows.end(), true) == grows.end()) return;
    if (fractions) {
      for (std::size_t c = 0; c < k; ++c) {
        if (grows[c]) copy_out(task, child, c, shares[c], scratch[0], children[c]);
      }
    } else {
      partition(task, child, sizes, grows, children, scratch, crew);
    }
    for (std::size_t c = k; c-- > 0;) {
      if (grows[c]) stack.push_back(std::move(children[c]));
    }
    task.store.reset();
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
  std::vector<Surrogate> stand_ins(const Node& node, std::int32_t chosen, const std::vector<std::uint32_t>& child, Scratch& own) const {
    const Task& task = node.task;
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
          if (child[item.at] == unknown) continue;
          if (values.empty() || item.rank != rank) {
            values.push_back(column.raw.numbers[rows[item.at]]);
            left.push_back(0);
            right.push_back(0);
            rank = item.rank;
          }
          (child[item.at] == 0 ? left : right).back() += static_cast<double>(cases[item.at].weight);
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
          one.level_children[code] = right[code] > left[code];
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
  void partition(Task& task, const std::vector<std::uint32_t>& child, const std::vector<std::size_t>& sizes, const std::vector<bool>& grows,
                 std::vector<Task>& children, std::span<Scratch> scratch, Crew* crew) {
    const std::size_t k = sizes.size();
    Storage& store = *task.store;
    std::vector<std::uint32_t>& place = scratch[0].place;
    place.resize(task.m);
    std::vector<std::uint32_t> starts(k), next(k, 0);
    std::uint32_t start = 0;
    for (std::size_t c = 0; c < k; ++c) {
      starts[c] = start;
      start += static_cast<std::uint32_t>(sizes[c]);
      children[c].store = task.store;
      children[c].begin = task.begin + starts[c];
      children[c].m = sizes[c];
      children[c].counts.assign(task.counts.size(), 0);
    }
    {
      std::vector<std::uint32_t>& rows = scratch[0].rows;
      std::vector<Case>& cases = scratch[0].cases;
      rows.resize(task.m);
      cases.resize(task.m);
      for (std::size_t i = 0; i < task.m; ++i) {
        place[i] = next[child[i]]++;
        rows[starts[child[i]] + place[i]] = store.rows[task.begin + i];
        cases[starts[child[i]] + place[i]] = store.cases[task.begin + i];
      }
      std::copy_n(rows.begin(), task.m, store.rows.begin() + static_cast<std::ptrdiff_t>(task.begin));
      std::copy_n(cases.begin(), task.m, store.cases.begin() + static_cast<std::ptrdiff_t>(task.begin));
    }
    const auto one = [&](std::size_t number, std::size_t member) {
      Item* items = store.lists[number].data() + task.begin;
      const std::size_t n = task.counts[number];
      std::vector<Item>& spare = scratch[member].items;
      spare.resize(n);
      if (k == 2) {
        std::size_t left = 0, right = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const Item item = items[i];
          const std::uint32_t side = child[item.at];
          const Item moved{item.rank, place[item.at]};
          items[left] = moved;
          spare[right] = moved;
          left += 1 - side;
          right += side;
        }
        std::copy_n(spare.begin(), grows[1] ? right : 0, items + starts[1]);
        children[0].counts[number] = static_cast<std::uint32_t>(left);
        children[1].counts[number] = static_cast<std::uint32_t>(right);
        return;
      }
      std::vector<std::uint32_t> cursor = starts;
      std::copy_n(items, n, spare.begin());
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t c = child[spare[i].at];
        if (grows[c]) items[cursor[c]++] = {spare[i].rank, place[spare[i].at]};
      }
      for (std::size_t c = 0; c < k; ++c) children[c].counts[number] = cursor[c] - starts[c];
    };
    if (crew) {
      crew->share(lists_.size(), one);
    } else {
      for (std::size_t number = 0; number < lists_.size(); ++number) one(number, 0);
    }
  }

  // A child's cases and lists of its own: the cases sent there, and a share of each whose tested value is missing.
  void copy_out(const Task& task, const std::vector<std::uint32_t>& child, std::size_t c, double share, Scratch& own, Task& to) const {
    if constexpr (std::is_floating_point_v<Count>) {
      const Storage& from = *task.store;
      to.store = std::make_shared<Storage>();
      std::vector<std::uint32_t>& place = own.place;
      place.assign(task.m, unknown);
      for (std::size_t i = 0; i < task.m; ++i) {
        if (child[i] != c && child[i] != unknown) continue;
        place[i] = static_cast<std::uint32_t>(to.store->rows.size());
        to.store->rows.push_back(from.rows[task.begin + i]);
        Case one = from.cases[task.begin + i];
        if (child[i] == unknown) one.weight *= share;
        to.store->cases.push_back(one);
      }
      to.m = to.store->rows.size();
      for (std::size_t number = 0; number < lists_.size(); ++number) {
        const Item* items = from.lists[number].data() + task.begin;
        std::vector<Item> list;
        for (std::size_t i = 0; i < task.counts[number]; ++i) {
          if (place[items[i].at] != unknown) list.push_back({items[i].rank, place[items[i].at]});
        }
        to.counts.push_back(static_cast<std::uint32_t>(list.size()));
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
  std::vector<bool> many_levels_;       // nominal columns with about as many levels as rows
  bool all_many_ = false;
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
  const Target target(static_cast<std::size_t>(classes), static_cast<std::uint64_t>(total));
  std::vector<std::uint32_t> rows = weighed(weights);
  std::vector<typename Target::Case> cases(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i].weight = static_cast<decltype(cases[i].weight)>(weights[rows[i]]);
    cases[i].label = static_cast<decltype(cases[i].label)>(labels[rows[i]]);
  }
  Grower<Target> grower(columns, target, options, static_cast<std::size_t>(classes), rows.size());
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
  std::vector<NumberCase> cases(rows.size());
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i] = {weights[rows[i]], target[rows[i]]};
    total += cases[i].weight;
    sum += cases[i].weight * cases[i].value;
  }
  const SquaredTarget squared(total > 0 ? sum / total : 0);
  double tally[3] = {0, 0, 0};
  for (const NumberCase& one : cases) squared.add(tally, one);
  GrowOptions scaled = options;
  scaled.scale = total > 0 ? -squared.purity(tally, 3) / total : 1;
  Grower<SquaredTarget> grower(columns, squared, scaled, 1, rows.size());
  return grower.grow(std::move(rows), std::move(cases), threads);
}

}  // namespace hedgerow::trees

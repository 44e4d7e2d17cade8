// The cases of nodes, and for each listed column those whose value is known in ascending order.
//
// A node's cases are a stretch of an array that its tree shares; dividing the node rearranges the stretch by child,
// stably, so that each child has a stretch of its own and nothing is ever sorted again. Cases that go to several
// children in fractions make copies instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "trees/columns.hpp"

namespace hedgerow::trees {

constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

// Cases and lists of a node and its descendants; a node's share begins at the same place in all of them.
template <class Case>
struct Storage {
  std::vector<std::uint32_t> rows;
  std::vector<Case> cases;
  std::vector<std::vector<Item>> lists;
  Leftovers* leftovers = nullptr;  // who gets the lists in the end

  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (leftovers) leftovers->leave(std::move(lists));
  }
};

// A node to split.
template <class Case>
struct Task {
  std::shared_ptr<Storage<Case>> store;
  std::size_t begin = 0, m = 0, node = 0;
  std::vector<std::uint32_t> counts;  // known values a list; empty where none are missing
  std::int32_t depth = 0;
  std::uint64_t seed = 0;

  const std::uint32_t* rows() const { return store->rows.data() + begin; }
  Case* cases() const { return store->cases.data() + begin; }
};

// Where the cases of a node go.
template <class Case>
struct Division {
  std::vector<std::uint32_t> child;  // by case; `unknown` where it goes to all; in the end, of two, a place and a side
  std::vector<std::size_t> sizes;    // by child, as are these:
  std::vector<double> shares;        // of the known weight
  std::vector<std::uint8_t> grows;   // whether it is to be split in turn
  std::vector<Task<Case>> children;

  // Kept from node to node: small nodes would spend their time on allocation.
  std::vector<std::uint32_t> place, starts, next, rows;
  std::vector<Case> cases;
};

template <class Case>
class CaseLists {
 public:
  // The lists of the `last` tree need no copy.
  CaseLists(const TreeColumns& columns, std::size_t tried, bool last)
      : columns_(columns), last_(last), sorts_(columns.sorts_at_nodes(tried)) {
    for (std::size_t number = 0; number < columns.columns.size(); ++number) {
      const TreeColumn& column = columns.columns[number];
      const bool kept = column.listed && !sorts_;
      list_of_.push_back(kept ? static_cast<std::int32_t>(lists_.size()) : -1);
      if (kept) lists_.push_back(number);
      lacking_ = lacking_ || (kept && column.lacking);
    }
  }

  // The root, of these rows in ascending order.
  Task<Case> root(std::vector<std::uint32_t> rows, std::vector<Case> cases) const {
    Task<Case> task;
    task.store = std::make_shared<Storage<Case>>();
    task.m = rows.size();
    const bool all = rows.size() == columns_.rows;
    std::vector<std::uint32_t> place(all ? 0 : columns_.rows, unknown);
    for (std::size_t i = 0; !all && i < rows.size(); ++i) place[rows[i]] = static_cast<std::uint32_t>(i);
    for (const std::size_t number : lists_) {
      std::vector<Item>& items = columns_.columns[number].items;
      if (items.empty()) throw std::logic_error("these columns have grown their last tree");
      std::size_t n = items.size();
      // One more is written than kept.
      std::vector<Item> list = last_ ? std::move(items) : columns_.leftovers.take(rows.size() + 1);
      if (list.size() < rows.size()) list.resize(rows.size());
      const Item* from = last_ ? list.data() : items.data();
      if (!all) {
        const std::size_t every = std::exchange(n, 0);
        for (std::size_t i = 0; i < every; ++i) {
          list[n] = {from[i].rank, place[from[i].at]};
          n += list[n].at != unknown;
        }
      } else if (!last_) {
        std::copy_n(from, n, list.begin());
      }
      if (lacking_) task.counts.push_back(static_cast<std::uint32_t>(n));
      task.store->lists.push_back(std::move(list));
    }
    task.store->leftovers = &columns_.leftovers;
    task.store->rows = std::move(rows);
    task.store->cases = std::move(cases);
    return task;
  }

  bool keeps(std::size_t column) const { return list_of_[column] >= 0; }

  // The known values of a listed column at a node; `spare` holds them if they are not kept.
  std::span<const Item> list(const Task<Case>& task, std::size_t column, std::vector<Item>& spare) const {
    if (keeps(column)) {
      const auto number = static_cast<std::size_t>(list_of_[column]);
      return {task.store->lists[number].data() + task.begin, known(task, number)};
    }
    const std::vector<std::uint32_t>& ranks = columns_.columns[column].ranks;
    const std::uint32_t* rows = task.rows();
    spare.clear();
    for (std::size_t i = 0; i < task.m; ++i) {
      if (ranks[rows[i]] != unknown) spare.push_back({ranks[rows[i]], static_cast<std::uint32_t>(i)});
    }
    sort(spare);
    return spare;
  }

  static void sort(std::vector<Item>& items) {
    std::sort(items.begin(), items.end(),
              [](Item a, Item b) { return a.rank < b.rank || (a.rank == b.rank && a.at < b.at); });
  }

  // Rearranges the cases of a node by child, each child's own in their old order.
  void place(Task<Case>& task, Division<Case>& to) const {
    const std::size_t k = to.sizes.size();
    to.starts.resize(k);
    std::uint32_t start = 0;
    for (std::size_t c = 0; c < k; ++c) {
      to.starts[c] = start;
      start += static_cast<std::uint32_t>(to.sizes[c]);
      to.children[c].begin = task.begin + to.starts[c];
      to.children[c].m = to.sizes[c];
      if (!to.grows[c]) continue;
      to.children[c].store = task.store;
      if (lacking_) to.children[c].counts.resize(lists_.size());
    }
    k == 2 ? place_two(task, to) : place_many(task, to);
  }

  // Rearranges the cases and the lists of a node by child. With a crew the lists are shared out; `spare` has a buffer
  // for each member.
  template <class Spare>
  void partition(Task<Case>& task, Division<Case>& to, const Spare& spare, ThreadPool* crew) const {
    place(task, to);
    if (crew) {
      crew->parallel_for(lists_.size(),
                         [&](std::size_t number, std::size_t member) { partition(task, to, number, spare(member)); });
    } else {
      for (std::size_t number = 0; number < lists_.size(); ++number) partition(task, to, number, spare(0));
    }
  }

  // A child's cases and lists of its own: the cases sent there, and a share of each that goes to all.
  void copy_out(const Task<Case>& task, Division<Case>& to, std::size_t c) const {
    const Storage<Case>& from = *task.store;
    Task<Case>& child = to.children[c];
    child.store = std::make_shared<Storage<Case>>();
    to.place.assign(task.m, unknown);
    for (std::size_t i = 0; i < task.m; ++i) {
      if (to.child[i] != c && to.child[i] != unknown) continue;
      to.place[i] = static_cast<std::uint32_t>(child.store->rows.size());
      child.store->rows.push_back(from.rows[task.begin + i]);
      Case one = from.cases[task.begin + i];
      if constexpr (std::is_floating_point_v<decltype(one.weight)>) {
        if (to.child[i] == unknown) one.weight *= to.shares[c];
      }
      child.store->cases.push_back(one);
    }
    child.begin = 0;
    child.m = child.store->rows.size();
    for (std::size_t number = 0; number < lists_.size(); ++number) {
      const Item* items = from.lists[number].data() + task.begin;
      std::vector<Item> list;
      list.reserve(child.m);
      for (std::size_t i = 0; i < known(task, number); ++i) {
        if (to.place[items[i].at] != unknown) list.push_back({items[i].rank, to.place[items[i].at]});
      }
      if (lacking_) child.counts.push_back(static_cast<std::uint32_t>(list.size()));
      list.resize(child.m);
      child.store->lists.push_back(std::move(list));
    }
  }

 private:
  std::size_t known(const Task<Case>& task, std::size_t number) const {
    return task.counts.empty() ? task.m : task.counts[number];
  }

  // Rearranges the cases, and turns children into places with the side in the lowest bit. Only the right side needs
  // room.
  static void place_two(const Task<Case>& task, Division<Case>& to) {
    std::uint32_t *rows = task.store->rows.data() + task.begin, *child = to.child.data();
    Case* cases = task.cases();
    if (to.rows.size() <= to.sizes[1]) {
      to.rows.resize(to.sizes[1] + 1);
      to.cases.resize(to.sizes[1] + 1);
    }
    std::uint32_t left = 0, right = 0;
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t side = child[i];
      child[i] = (side ? right : left) << 1 | side;
      rows[left] = to.rows[right] = rows[i];
      cases[left] = to.cases[right] = cases[i];
      left += 1 - side;
      right += side;
    }
    std::copy_n(to.rows.begin(), right, rows + left);
    std::copy_n(to.cases.begin(), right, cases + left);
  }

  static void place_many(const Task<Case>& task, Division<Case>& to) {
    std::uint32_t* rows = task.store->rows.data() + task.begin;
    Case* cases = task.cases();
    to.place.resize(task.m);
    to.next.assign(to.sizes.size(), 0);
    to.rows.assign(rows, rows + task.m);
    to.cases.assign(cases, cases + task.m);
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t c = to.child[i], place = to.next[c]++;
      to.place[i] = place;
      rows[to.starts[c] + place] = to.rows[i];
      cases[to.starts[c] + place] = to.cases[i];
    }
  }

  void partition(const Task<Case>& task, Division<Case>& to, std::size_t number, std::vector<Item>& spare_items) const {
    Item* items = task.store->lists[number].data() + task.begin;
    const std::size_t n = known(task, number), k = to.sizes.size(), room = k == 2 ? to.sizes[1] + 1 : n;
    if (spare_items.size() < room) spare_items.resize(room);
    Item* spare = spare_items.data();
    if (k == 2) {
      const std::uint32_t* place = to.child.data();
      std::size_t left = 0, right = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Item item = items[i];
        const std::uint32_t side = place[item.at] & 1u;
        const Item moved{item.rank, place[item.at] >> 1};
        items[left] = moved;
        spare[right] = moved;
        left += 1 - side;
        right += side;
      }
      if (to.grows[1]) std::copy_n(spare, right, items + to.starts[1]);
      if (lacking_ && to.grows[0]) to.children[0].counts[number] = static_cast<std::uint32_t>(left);
      if (lacking_ && to.grows[1]) to.children[1].counts[number] = static_cast<std::uint32_t>(right);
      return;
    }
    const std::uint32_t *child = to.child.data(), *place = to.place.data();
    std::vector<std::uint32_t> cursor(to.starts);
    std::copy_n(items, n, spare);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t from = spare[i].at, c = child[from];
      if (to.grows[c]) items[cursor[c]++] = {spare[i].rank, place[from]};
    }
    for (std::size_t c = 0; c < k && lacking_; ++c) {
      if (to.grows[c]) to.children[c].counts[number] = cursor[c] - to.starts[c];
    }
  }

  const TreeColumns& columns_;
  bool last_;
  bool sorts_;                         // lists are sorted where they are needed instead of kept
  bool lacking_ = false;               // some listed value is missing
  std::vector<std::int32_t> list_of_;  // the list of a column, -1 for none
  std::vector<std::size_t> lists_;     // the column of a list
};

}  // namespace hedgerow::trees

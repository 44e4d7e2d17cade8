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

constexpr std::uint32_t kUnknownChild = std::numeric_limits<std::uint32_t>::max();

// Cases and lists of a node and its descendants; a node's share begins at the same place in all of them.
template <class Case>
struct CaseStorage {
  std::vector<std::uint32_t> rows;
  std::vector<Case> cases;
  std::vector<std::vector<RankedCase>> lists;
  ItemListPool* list_pool = nullptr;  // who gets the lists in the end

  CaseStorage() = default;
  CaseStorage(const CaseStorage&) = delete;
  CaseStorage& operator=(const CaseStorage&) = delete;
  ~CaseStorage() {
    if (list_pool) list_pool->put(std::move(lists));
  }
};

// A node to split.
template <class Case>
struct NodeTask {
  std::shared_ptr<CaseStorage<Case>> storage;
  std::size_t begin = 0, m = 0, node = 0;
  std::vector<std::uint32_t> counts;  // known values a list; empty where none are missing
  std::int32_t depth = 0;
  std::uint64_t seed = 0;

  const std::uint32_t* rows() const { return storage->rows.data() + begin; }
  Case* cases() const { return storage->cases.data() + begin; }
};

// Where the cases of a node go.
template <class Case>
struct CaseDivision {
  std::vector<std::uint32_t>
      child;  // by case; `kUnknownChild` where it goes to all; in the end, of two, a place and a side
  std::vector<std::size_t> sizes;     // by child, as are these:
  std::vector<double> shares;         // of the known weight
  std::vector<std::uint8_t> is_open;  // whether it is to be split in turn
  std::vector<NodeTask<Case>> children;

  // Kept from node to node: small nodes would spend their time on allocation.
  std::vector<std::uint32_t> positions, starts, next, rows;
  std::vector<Case> cases;
};

template <class Case>
class CaseLists {
 public:
  // The lists of the `is_last_tree` tree need no copy.
  CaseLists(const TreeColumns& columns, std::size_t tried, bool is_last_tree)
      : columns_(columns), is_last_tree_(is_last_tree), sorts_(columns.sorts_at_nodes(tried)) {
    for (std::size_t number = 0; number < columns.columns.size(); ++number) {
      const TreeColumn& column = columns.columns[number];
      const bool kept = column.listed && !sorts_;
      list_of_.push_back(kept ? static_cast<std::int32_t>(lists_.size()) : -1);
      if (kept) lists_.push_back(number);
      has_missing_ = has_missing_ || (kept && column.has_missing);
    }
  }

  // The root, of these rows in ascending order.
  NodeTask<Case> root(std::vector<std::uint32_t> rows, std::vector<Case> cases) const {
    NodeTask<Case> task;
    task.storage = std::make_shared<CaseStorage<Case>>();
    task.m = rows.size();
    const bool all = rows.size() == columns_.rows;
    std::vector<std::uint32_t> positions(all ? 0 : columns_.rows, kUnknownChild);
    for (std::size_t i = 0; !all && i < rows.size(); ++i) positions[rows[i]] = static_cast<std::uint32_t>(i);
    for (const std::size_t number : lists_) {
      std::vector<RankedCase>& items = columns_.columns[number].items;
      if (items.empty()) throw std::logic_error("these columns have grown their last tree");
      std::size_t n = items.size();
      // One more is written than kept.
      std::vector<RankedCase> list = is_last_tree_ ? std::move(items) : columns_.list_pool.take(rows.size() + 1);
      if (list.size() < rows.size()) list.resize(rows.size());
      const RankedCase* from = is_last_tree_ ? list.data() : items.data();
      if (!all) {
        const std::size_t every = std::exchange(n, 0);
        for (std::size_t i = 0; i < every; ++i) {
          list[n] = {from[i].rank, positions[from[i].case_index]};
          n += list[n].case_index != kUnknownChild;
        }
      } else if (!is_last_tree_) {
        std::copy_n(from, n, list.begin());
      }
      if (has_missing_) task.counts.push_back(static_cast<std::uint32_t>(n));
      task.storage->lists.push_back(std::move(list));
    }
    task.storage->list_pool = &columns_.list_pool;
    task.storage->rows = std::move(rows);
    task.storage->cases = std::move(cases);
    return task;
  }

  bool keeps_sorted(std::size_t column) const { return list_of_[column] >= 0; }

  // The known values of a listed column at a node; `spare` holds them if they are not kept.
  std::span<const RankedCase> known_items(const NodeTask<Case>& task, std::size_t column,
                                          std::vector<RankedCase>& spare) const {
    if (keeps_sorted(column)) {
      const auto number = static_cast<std::size_t>(list_of_[column]);
      return {task.storage->lists[number].data() + task.begin, count_known(task, number)};
    }
    const std::vector<std::uint32_t>& ranks = columns_.columns[column].ranks;
    const std::uint32_t* rows = task.rows();
    spare.clear();
    for (std::size_t i = 0; i < task.m; ++i) {
      if (ranks[rows[i]] != kUnknownChild) spare.push_back({ranks[rows[i]], static_cast<std::uint32_t>(i)});
    }
    sort_items(spare);
    return spare;
  }

  static void sort_items(std::vector<RankedCase>& items) {
    std::sort(items.begin(), items.end(), [](RankedCase a, RankedCase b) {
      return a.rank < b.rank || (a.rank == b.rank && a.case_index < b.case_index);
    });
  }

  // Rearranges the cases of a node by child, each child's own in their old order.
  void divide_cases(NodeTask<Case>& task, CaseDivision<Case>& to) const {
    const std::size_t k = to.sizes.size();
    to.starts.resize(k);
    std::uint32_t start = 0;
    for (std::size_t c = 0; c < k; ++c) {
      to.starts[c] = start;
      start += static_cast<std::uint32_t>(to.sizes[c]);
      to.children[c].begin = task.begin + to.starts[c];
      to.children[c].m = to.sizes[c];
      if (!to.is_open[c]) continue;
      to.children[c].storage = task.storage;
      if (has_missing_) to.children[c].counts.resize(lists_.size());
    }
    k == 2 ? divide_cases_in_two(task, to) : divide_cases_among_many(task, to);
  }

  // Rearranges the cases and the lists of a node by child. With a thread pool the lists are shared out; `item_buffer`
  // has one for each thread.
  template <class ItemBuffers>
  void divide(NodeTask<Case>& task, CaseDivision<Case>& to, const ItemBuffers& spare, ThreadPool* pool) const {
    divide_cases(task, to);
    if (pool) {
      pool->parallel_for(lists_.size(),
                         [&](std::size_t number, std::size_t thread) { divide(task, to, number, spare(thread)); });
    } else {
      for (std::size_t number = 0; number < lists_.size(); ++number) divide(task, to, number, spare(0));
    }
  }

  // A child's cases and lists of its own: the cases sent there, and a share of each that goes to all.
  void copy_child_cases(const NodeTask<Case>& task, CaseDivision<Case>& to, std::size_t c) const {
    const CaseStorage<Case>& from = *task.storage;
    NodeTask<Case>& child = to.children[c];
    child.storage = std::make_shared<CaseStorage<Case>>();
    to.positions.assign(task.m, kUnknownChild);
    for (std::size_t i = 0; i < task.m; ++i) {
      if (to.child[i] != c && to.child[i] != kUnknownChild) continue;
      to.positions[i] = static_cast<std::uint32_t>(child.storage->rows.size());
      child.storage->rows.push_back(from.rows[task.begin + i]);
      Case one = from.cases[task.begin + i];
      if constexpr (std::is_floating_point_v<decltype(one.weight)>) {
        if (to.child[i] == kUnknownChild) one.weight *= to.shares[c];
      }
      child.storage->cases.push_back(one);
    }
    child.begin = 0;
    child.m = child.storage->rows.size();
    for (std::size_t number = 0; number < lists_.size(); ++number) {
      const RankedCase* items = from.lists[number].data() + task.begin;
      std::vector<RankedCase> list;
      list.reserve(child.m);
      for (std::size_t i = 0; i < count_known(task, number); ++i) {
        if (to.positions[items[i].case_index] != kUnknownChild)
          list.push_back({items[i].rank, to.positions[items[i].case_index]});
      }
      if (has_missing_) child.counts.push_back(static_cast<std::uint32_t>(list.size()));
      list.resize(child.m);
      child.storage->lists.push_back(std::move(list));
    }
  }

 private:
  std::size_t count_known(const NodeTask<Case>& task, std::size_t number) const {
    return task.counts.empty() ? task.m : task.counts[number];
  }

  // Rearranges the cases, and turns children into places with the side in the lowest bit. Only the right side needs
  // room.
  static void divide_cases_in_two(const NodeTask<Case>& task, CaseDivision<Case>& to) {
    std::uint32_t *rows = task.storage->rows.data() + task.begin, *child = to.child.data();
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

  static void divide_cases_among_many(const NodeTask<Case>& task, CaseDivision<Case>& to) {
    std::uint32_t* rows = task.storage->rows.data() + task.begin;
    Case* cases = task.cases();
    to.positions.resize(task.m);
    to.next.assign(to.sizes.size(), 0);
    to.rows.assign(rows, rows + task.m);
    to.cases.assign(cases, cases + task.m);
    for (std::size_t i = 0; i < task.m; ++i) {
      const std::uint32_t c = to.child[i], positions = to.next[c]++;
      to.positions[i] = positions;
      rows[to.starts[c] + positions] = to.rows[i];
      cases[to.starts[c] + positions] = to.cases[i];
    }
  }

  void divide(const NodeTask<Case>& task, CaseDivision<Case>& to, std::size_t number,
              std::vector<RankedCase>& item_buffer) const {
    RankedCase* items = task.storage->lists[number].data() + task.begin;
    const std::size_t n = count_known(task, number), k = to.sizes.size(), buffer_size = k == 2 ? to.sizes[1] + 1 : n;
    if (item_buffer.size() < buffer_size) item_buffer.resize(buffer_size);
    RankedCase* spare = item_buffer.data();
    if (k == 2) {
      const std::uint32_t* positions = to.child.data();
      std::size_t left = 0, right = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const RankedCase item = items[i];
        const std::uint32_t side = positions[item.case_index] & 1u;
        const RankedCase moved{item.rank, positions[item.case_index] >> 1};
        items[left] = moved;
        spare[right] = moved;
        left += 1 - side;
        right += side;
      }
      if (to.is_open[1]) std::copy_n(spare, right, items + to.starts[1]);
      if (has_missing_ && to.is_open[0]) to.children[0].counts[number] = static_cast<std::uint32_t>(left);
      if (has_missing_ && to.is_open[1]) to.children[1].counts[number] = static_cast<std::uint32_t>(right);
      return;
    }
    const std::uint32_t *child = to.child.data(), *positions = to.positions.data();
    std::vector<std::uint32_t> cursor(to.starts);
    std::copy_n(items, n, spare);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t from = spare[i].case_index, c = child[from];
      if (to.is_open[c]) items[cursor[c]++] = {spare[i].rank, positions[from]};
    }
    for (std::size_t c = 0; c < k && has_missing_; ++c) {
      if (to.is_open[c]) to.children[c].counts[number] = cursor[c] - to.starts[c];
    }
  }

  const TreeColumns& columns_;
  bool is_last_tree_;
  bool sorts_;                         // lists are sorted where they are needed instead of kept
  bool has_missing_ = false;           // some listed value is missing
  std::vector<std::int32_t> list_of_;  // the list of a column, -1 for none
  std::vector<std::size_t> lists_;     // the column of a list
};

}  // namespace hedgerow::trees

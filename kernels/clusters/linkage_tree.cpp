// Linkage tree: part of clusters/linkage.hpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

#include "clusters/linkage.hpp"
#include "clusters/linkage_points.hpp"

namespace hedgerow {

namespace {

struct TreeEdge {
  double value;
  std::int32_t one, other;
};

std::vector<TreeEdge> build_spanning_tree(const LinkagePoints& points, const InterruptCheck& pause) {
  const auto& functions = get_slot_functions();
  PointSlots slots(points);
  std::vector<double> nearest(slots.stretches() * kStretch, std::numeric_limits<double>::infinity()),
      point(points.width);
  std::vector<std::int32_t> from(nearest.size(), 0), new_slots;
  std::vector<TreeEdge> edges;
  edges.reserve(points.rows - 1);
  std::size_t inside = points.rows, current = 0;
  while (inside > 1) {
    pause();
    const std::int32_t row = slots.row(current);
    slots.get(current, point.data());
    slots.clear(current);
    nearest[current] = std::numeric_limits<double>::infinity();
    --inside;
    if (inside * 8 < slots.size() * 7 && slots.size() > kStretch) {
      slots.compact(new_slots);
      for (std::size_t slot = 0; slot < new_slots.size(); ++slot) {
        if (new_slots[slot] < 0) continue;
        const auto to = static_cast<std::size_t>(new_slots[slot]);
        nearest[to] = nearest[slot], from[to] = from[slot];
      }
      std::fill(nearest.begin() + static_cast<std::ptrdiff_t>(slots.size()), nearest.end(),
                std::numeric_limits<double>::infinity());
    }
    const NearestSlot next = functions.update_nearest(slots, point.data(), row, nearest.data(), from.data());
    current = static_cast<std::size_t>(next.slot);
    edges.push_back({next.value, from[current], slots.row(current)});
  }
  return edges;
}

// Clusters as the tree's edges are added, shortest first.
class ClusterForest {
 public:
  explicit ClusterForest(const LinkagePoints& points)
      : points_(points), slots_(points), parent_(points.rows), next_(points.rows, -1) {
    std::iota(parent_.begin(), parent_.end(), 0);
    last_ = parent_;
    sizes_.assign(points.rows, 1);
    local_.assign(points.rows, -1);
    values_.resize(slots_.stretches() * kStretch);
  }

  std::vector<Merge> merges;

  // Adds edges of equal length.
  void add_edges(std::span<const TreeEdge> edges, const InterruptCheck& pause) {
    const double height = points_.cityblock ? edges.front().value : std::sqrt(edges.front().value);
    std::vector<std::int32_t> ends;  // clusters that are joined, by their lowest rows
    for (const auto& edge : edges) ends.push_back(find_root(edge.one)), ends.push_back(find_root(edge.other));
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    if (ends.size() == 2 * edges.size()) {  // all pairs are apart from one another
      std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
      for (const auto& edge : edges) pairs.push_back(std::minmax({find_root(edge.one), find_root(edge.other)}));
      std::sort(pairs.begin(), pairs.end());
      for (const auto& [a, b] : pairs) merge_clusters(a, b, height);
      return;
    }
    for (std::size_t i = 0; i < ends.size(); ++i)
      local_[static_cast<std::size_t>(ends[i])] = static_cast<std::int32_t>(i);
    std::vector<std::size_t> group(ends.size());  // clusters that become one, by the first of them
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto head = [&](std::size_t i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    for (const auto& edge : edges) {
      const auto [a, b] = std::minmax({head(get_local_number(edge.one)), head(get_local_number(edge.other))});
      group[b] = a;
    }
    std::vector<std::vector<std::size_t>> members(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) members[head(i)].push_back(i);
    for (const auto& own : members) {
      if (own.size() < 2) continue;
      absorb_neighbors(own, ends, edges.front().value, height, pause);
    }
    for (const std::int32_t end : ends) local_[static_cast<std::size_t>(end)] = -1;
  }

 private:
  // The first cluster takes in the lowest that is near, again and again.
  void absorb_neighbors(const std::vector<std::size_t>& own, const std::vector<std::int32_t>& ends, double value,
                        double height, const InterruptCheck& pause) {
    if (own.size() == 2) return merge_clusters(ends[own[0]], ends[own[1]], height);
    std::size_t largest = own[0];
    const auto size = [&](std::size_t i) { return sizes_[static_cast<std::size_t>(ends[i])]; };
    for (const std::size_t i : own) {
      if (size(i) > size(largest)) largest = i;
    }
    std::vector<std::vector<std::size_t>> near(own.size());
    const auto at = [&](std::size_t i) {
      return static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), i) - own.begin());
    };
    std::vector<double> point(points_.width);
    std::vector<std::size_t> seen(own.size(), own.size());
    for (const std::size_t i : own) {
      if (i == largest) continue;  // the others know which of them are near to it
      const std::size_t frontier = at(i);
      for (std::int32_t row = ends[i]; row >= 0; row = next_[static_cast<std::size_t>(row)]) {
        pause();
        get_slot_functions().compute_distances(
            slots_, points_.values.data() + static_cast<std::size_t>(row) * points_.width, 0, values_.data());
        for (std::size_t other = 0; other < points_.rows; ++other) {
          if (values_[other] != value) continue;
          const std::int32_t found = local_[static_cast<std::size_t>(find_root(static_cast<std::int32_t>(other)))];
          if (found < 0 || static_cast<std::size_t>(found) == i) continue;
          const std::size_t remaining = at(static_cast<std::size_t>(found));
          if (remaining == own.size() || own[remaining] != static_cast<std::size_t>(found) ||
              seen[remaining] == frontier)
            continue;
          seen[remaining] = frontier;
          near[frontier].push_back(remaining), near[remaining].push_back(frontier);
        }
      }
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> waiting;
    std::vector<bool> taken(own.size());
    const auto take = [&](std::size_t i) {
      taken[i] = true;
      for (const std::size_t j : near[i]) {
        if (!taken[j]) waiting.push(j);
      }
    };
    take(0);
    while (!waiting.empty()) {
      const std::size_t i = waiting.top();
      waiting.pop();
      if (taken[i]) continue;
      take(i);
      merge_clusters(ends[own[0]], ends[own[i]], height);
    }
  }

  std::int32_t find_root(std::int32_t row) {
    auto i = static_cast<std::size_t>(row);
    while (parent_[i] != static_cast<std::int32_t>(i)) {
      parent_[i] = parent_[static_cast<std::size_t>(parent_[i])];
      i = static_cast<std::size_t>(parent_[i]);
    }
    return static_cast<std::int32_t>(i);
  }
  std::size_t get_local_number(std::int32_t row) {
    return static_cast<std::size_t>(local_[static_cast<std::size_t>(find_root(row))]);
  }

  void merge_clusters(std::int32_t first, std::int32_t second, double height) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    merges.push_back({first, second, height});
    parent_[b] = first;
    sizes_[a] += sizes_[b];
    next_[static_cast<std::size_t>(last_[a])] = second;
    last_[a] = last_[b];
  }

  const LinkagePoints& points_;
  PointSlots slots_;
  std::vector<std::int32_t> parent_, next_, last_, local_;
  std::vector<std::size_t> sizes_;
  std::vector<double> values_;
};

}  // namespace

std::vector<Merge> link_single(const LinkagePoints& points, const InterruptCheck& pause) {
  if (points.rows < 2) return {};
  auto edges = build_spanning_tree(points, pause);
  std::stable_sort(edges.begin(), edges.end(), [](const TreeEdge& a, const TreeEdge& b) { return a.value < b.value; });
  ClusterForest forest(points);
  for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
    for (end = begin + 1; end < edges.size() && edges[end].value == edges[begin].value; ++end) {
    }
    forest.add_edges(std::span(edges).subspan(begin, end - begin), pause);
  }
  return std::move(forest.merges);
}

std::vector<Merge> order_merges(std::vector<Merge> merges, std::size_t rows) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last(rows, none),
      next(merges.size(), none);  // what made a cluster, and what it became part of
  std::vector<int> missing(merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i) {
    auto& own = merges[i];
    for (const std::int32_t part : {own.first, own.second}) {
      auto& made = last[static_cast<std::size_t>(part)];
      if (made == none) continue;
      own.height = std::max(own.height, merges[made].height);
      next[made] = i;
      ++missing[i];
    }
    last[static_cast<std::size_t>(own.first)] = i;
  }
  const auto later = [&](std::size_t a, std::size_t b) {
    const auto &one = merges[a], &other = merges[b];
    if (one.height != other.height) return one.height > other.height;
    return one.first != other.first ? one.first > other.first : one.second > other.second;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  for (std::size_t i = 0; i < merges.size(); ++i) {
    if (!missing[i]) ready.push(i);
  }
  std::vector<Merge> out;
  out.reserve(merges.size());
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    out.push_back(merges[i]);
    if (next[i] != none && --missing[next[i]] == 0) ready.push(next[i]);
  }
  return out;
}

}  // namespace hedgerow

#include "items/apriori.hpp"

#include <algorithm>
#include <cmath>

#include "items/set_table.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kStepsPerCheck = 4096;  // so many steps between two pauses

// Whether one more item, the last, would be too many of its group.
bool exceeds_group_limit(std::span<const std::int32_t> set, const ItemGroups& groups) {
  if (groups.group_of.empty()) return false;
  const std::int32_t group = groups.group_of[static_cast<std::size_t>(set.back())];
  if (group < 0) return false;
  const auto held = std::ranges::count_if(
      set, [&](std::int32_t item) { return groups.group_of[static_cast<std::size_t>(item)] == group; });
  return held > groups.limits[static_cast<std::size_t>(group)];
}

// Looks up the parts of a candidate that were not joined to it.
class SubsetCheck {
 public:
  SubsetCheck(std::span<const std::int32_t> sets, std::size_t size, std::span<const double> bounds)
      : size_(size), bounds_(bounds), offsets_(sets.size() / size + 1), table_(make_list(sets)) {}

  bool has_all_subsets(std::span<const std::int32_t> set) const {
    const std::uint64_t whole = SetTable::hash_of(set);
    for (std::size_t out = 0; out + 2 < set.size(); ++out) {  // the last two parts are what was joined
      if (out == 0 && !bounds_.empty() && bound(set[0]) != bound(set[1])) continue;
      const auto same = [&](std::span<const std::int32_t> other) {
        return std::equal(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(out), other.begin()) &&
               std::equal(set.begin() + static_cast<std::ptrdiff_t>(out) + 1, set.end(),
                          other.begin() + static_cast<std::ptrdiff_t>(out));
      };
      if (table_.find_if(whole - SetTable::hash_of(set[out]), same) < 0) return false;
    }
    return true;
  }

 private:
  double bound(std::int32_t item) const { return bounds_[static_cast<std::size_t>(item)]; }

  ItemSetList make_list(std::span<const std::int32_t> sets) {
    for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] = static_cast<std::int64_t>(i * size_);
    return {offsets_, sets};
  }

  std::size_t size_;
  std::span<const double> bounds_;
  std::vector<std::int64_t> offsets_;
  SetTable table_;
};

// The candidates as a tree: the nodes of a depth stand side by side, each with an item and the first of its children.
struct CandidateLevel {
  std::vector<std::int32_t> item;
  std::vector<std::int64_t> child;  // one more than there are nodes; of the last depth it is empty
};

std::vector<CandidateLevel> build_candidate_tree(std::span<const std::int32_t> sets, std::size_t size) {
  std::vector<CandidateLevel> depths(size);
  for (std::size_t at = 0; at < sets.size(); at += size) {
    std::size_t same = 0;
    if (at > 0) {
      while (same < size && sets[at + same] == sets[at - size + same]) ++same;
    }
    for (std::size_t depth = same; depth < size; ++depth) {
      depths[depth].item.push_back(sets[at + depth]);
      if (depth + 1 < size) depths[depth].child.push_back(static_cast<std::int64_t>(depths[depth + 1].item.size()));
    }
  }
  for (std::size_t depth = 0; depth + 1 < size; ++depth) {
    depths[depth].child.push_back(static_cast<std::int64_t>(depths[depth + 1].item.size()));
  }
  return depths;
}

// Counts rows into the leaves of the tree.
class CandidateCounter {
 public:
  CandidateCounter(std::span<const std::int32_t> sets, std::size_t size, std::int32_t items)
      : counts(sets.size() / size),
        depths_(build_candidate_tree(sets, size)),
        in_row_(static_cast<std::size_t>(items)),
        in_candidates_(static_cast<std::size_t>(items)) {
    for (const std::int32_t item : sets) in_candidates_[static_cast<std::size_t>(item)] = 1;
  }

  void count_row(std::span<const std::int32_t> row, double weight) {
    row_.clear();
    for (const std::int32_t item : row) {
      if (in_candidates_[static_cast<std::size_t>(item)]) row_.push_back(item);
    }
    if (row_.size() < depths_.size()) return;
    for (const std::int32_t item : row_) in_row_[static_cast<std::size_t>(item)] = 1;
    descend(0, 0, depths_[0].item.size(), 0, weight);
    for (const std::int32_t item : row_) in_row_[static_cast<std::size_t>(item)] = 0;
  }

  std::vector<double> counts;

 private:
  // Nodes [begin, end) of a depth are met with the items of the row from `from` on: the shorter list leads.
  void descend(std::size_t depth, std::size_t begin, std::size_t end, std::size_t from, double weight) {
    const std::vector<std::int32_t>& item = depths_[depth].item;
    const std::size_t wanted = depths_.size() - depth;  // so many more items must be left in the row
    if (end - begin <= 4 * (row_.size() - from)) {
      for (std::size_t node = begin; node < end; ++node) {
        if (in_row_[static_cast<std::size_t>(item[node])]) visit_node(depth, node, from, weight);
      }
      return;
    }
    auto position = item.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto stop = item.begin() + static_cast<std::ptrdiff_t>(end);
    for (std::size_t at = from; at + wanted <= row_.size() && position != stop; ++at) {
      position = std::lower_bound(position, stop, row_[at]);
      if (position == stop || *position != row_[at]) continue;
      visit_node(depth, static_cast<std::size_t>(position - item.begin()), at, weight);
    }
  }

  void visit_node(std::size_t depth, std::size_t node, std::size_t from, double weight) {
    if (depth + 1 == depths_.size()) {
      counts[node] += weight;
      return;
    }
    const std::int32_t item = depths_[depth].item[node];
    while (from < row_.size() && row_[from] <= item) ++from;
    if (row_.size() - from < depths_.size() - depth - 1) return;
    const auto& child = depths_[depth].child;
    descend(depth + 1, static_cast<std::size_t>(child[node]), static_cast<std::size_t>(child[node + 1]), from, weight);
  }

  std::vector<CandidateLevel> depths_;
  std::vector<std::uint8_t> in_row_, in_candidates_;  // by item: whether the row holds it, whether a candidate does
  std::vector<std::int32_t> row_;                     // the items of the row that candidates hold
};

}  // namespace

JoinedSets join_sets(std::span<const std::int32_t> sets, std::size_t size, std::span<const double> bounds,
                     const ItemGroups& groups, std::size_t maximum, const InterruptCheck& pause) {
  JoinedSets out;
  const SubsetCheck subset_check(sets, size, bounds);
  std::vector<std::int32_t> candidate(size + 1);
  for (std::size_t one = 0; one < sets.size(); one += size) {
    std::copy_n(sets.begin() + static_cast<std::ptrdiff_t>(one), size, candidate.begin());
    for (std::size_t other = one + size; other < sets.size(); other += size) {
      if (!std::equal(candidate.begin(), candidate.end() - 2, sets.begin() + static_cast<std::ptrdiff_t>(other))) break;
      if (++out.joined % kStepsPerCheck == 0 && pause) pause();
      candidate.back() = sets[other + size - 1];
      if (exceeds_group_limit(candidate, groups) || !subset_check.has_all_subsets(candidate)) continue;
      out.sets.insert(out.sets.end(), candidate.begin(), candidate.end());
      if (out.sets.size() > maximum * (size + 1)) {
        out.is_complete = false;
        return out;
      }
    }
  }
  return out;
}

JoinedSets join_items(std::span<const std::int32_t> items, std::span<const double> counts,
                      std::span<const double> bounds, double spread, const ItemGroups& groups) {
  JoinedSets out;
  for (std::size_t one = 0; one < items.size(); ++one) {
    if (counts[one] < bounds[one]) continue;
    for (std::size_t other = one + 1; other < items.size(); ++other) {
      if (counts[other] < bounds[one]) continue;
      ++out.joined;
      const std::int32_t pair[] = {items[one], items[other]};
      if (std::abs(counts[one] - counts[other]) > spread || exceeds_group_limit(pair, groups)) continue;
      out.sets.insert(out.sets.end(), pair, pair + 2);
    }
  }
  return out;
}

std::vector<double> count_candidates(std::span<const std::int64_t> offsets, std::span<const std::int32_t> codes,
                                     std::span<const double> weights, std::int32_t items,
                                     std::span<const std::int32_t> sets, std::size_t size,
                                     const InterruptCheck& pause) {
  CandidateCounter counter(sets, size, items);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    if (row % 64 == 0 && pause) pause();
    const auto begin = static_cast<std::size_t>(offsets[row]), end = static_cast<std::size_t>(offsets[row + 1]);
    counter.count_row(codes.subspan(begin, end - begin), weights.empty() ? 1 : weights[row]);
  }
  return std::move(counter.counts);
}

}  // namespace hedgerow

#include "items/frequent_sets.hpp"

#include <algorithm>

namespace hedgerow::items {

void FrequentSearch::search_class(std::uint32_t first) {
  class_bound = problem.bounds[first];
  const Count count = problem.counts[first];
  if (count < min_count() || problem.max_length == 0 || !prefix.accepts(first)) return;
  prefix.push(first);
  search_rows(problem.rows, all_names, first, count);
  prefix.pop();
}

void FrequentSearch::report_set(std::uint32_t item, Count count) {
  const std::size_t depth = prefix.size();
  if (depth > store.max_doublings() + 2) {  // its subsets that have the first item and a required one are too many
    store.raise_above(count);
    return;
  }
  if (!prefix.has_required()) {
    writer.add(item, depth, -count);
    return;
  }
  const std::size_t maximum = std::min(perfect_items_.size(), problem.max_length - depth);
  double subsets = 1, all = 1;
  for (std::size_t i = 0; i < maximum && all < 1e18; ++i) {
    subsets *= static_cast<double>(perfect_items_.size() - i) / static_cast<double>(i + 1);
    all += subsets;
  }
  if (all > static_cast<double>(std::uint64_t{1} << store.max_doublings())) {
    store.raise_above(count);
    return;
  }
  writer.add(item, depth, count);
  writer.add_subsets(perfect_items_, depth, count, maximum);
}

void FrequentSearch::report_with(std::uint32_t item, Count count) {
  prefix.push(item);
  if (prefix.has_required()) report_set(item, count);
  prefix.pop();
}

void FrequentSearch::restore_perfect(std::size_t perfect) {
  if (perfect_items_.size() == perfect) return;
  perfect_items_.resize(perfect);
  writer.forget();
}

template <typename Name>
bool FrequentSearch::sift_candidates(std::size_t begin, Count count, Name name) {
  const bool doubles = !problem.is_narrowed() && prefix.has_required();
  const Count bound = min_count();
  const std::size_t perfect = perfect_items_.size();
  bool may_be_told = prefix.has_required();
  std::size_t n_kept = begin;
  for (std::size_t i = begin; i < stack.size(); ++i) {
    const ColumnCandidate one = stack[i];
    if (one.count < bound) continue;
    const std::uint32_t item = name(one.column);
    if (doubles && one.count == count) {
      perfect_items_.push_back(item);
      continue;
    }
    if (problem.is_narrowed() && !prefix.accepts(item)) continue;
    may_be_told = may_be_told || prefix.is_required(item);
    stack[n_kept++] = one;
  }
  stack.resize(n_kept);
  if (perfect_items_.size() > perfect) writer.forget();
  return may_be_told;
}

void FrequentSearch::search_rows(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                                 Count count) {
  time_limit.check(thread, store);
  if (prefix.is_longest()) {
    if (prefix.has_required()) report_set(names[item], count);
    return;
  }
  const std::size_t begin = stack.size(), perfect = perfect_items_.size();
  push_frequent(rows, item);
  if (sift_candidates(begin, count, [&](std::uint32_t code) { return names[code]; })) {
    report_set(names[item], count);
    const std::vector<ColumnCandidate> candidates(stack.begin() + static_cast<std::ptrdiff_t>(begin), stack.end());
    if (candidates.size() == 1) {
      report_with(names[candidates[0].column], candidates[0].count);
    } else if (candidates.size() > 1) {
      double entries = 0;
      for (const ColumnCandidate& one : candidates) entries += static_cast<double>(one.count);
      if (!rows.weights.empty()) entries = static_cast<double>(rows.positions_of(item).size()) * 2;
      for (std::uint32_t i = 0; i < candidates.size(); ++i) new_names[candidates[i].column] = i;
      if (bits_are_cheaper(candidates.size(), rows.positions_of(item).size(), entries))
        search_columns(rows, names, item, candidates);
      else
        search_lists(rows, names, item, candidates);
    }
  }
  stack.resize(begin);
  restore_perfect(perfect);
}

void FrequentSearch::search_lists(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                                  std::span<const ColumnCandidate> candidates) {
  const ItemRowList list =
      project_rows(rows, item, item + 1, new_names, static_cast<std::uint32_t>(candidates.size()), 2);
  std::vector<std::uint32_t> list_names;
  for (const ColumnCandidate& one : candidates) {
    list_names.push_back(names[one.column]);
    new_names[one.column] = none;
  }
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].count < min_count()) continue;
    prefix.push(list_names[i]);
    search_rows(list, list_names, i, candidates[i].count);
    prefix.pop();
  }
}

void FrequentSearch::search_columns(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                                    std::span<const ColumnCandidate> candidates) {
  BitColumns& columns = take_columns();
  fill_bit_columns(rows, item, item + 1, new_names, static_cast<std::uint32_t>(candidates.size()), 2, columns);
  columns.names.clear();
  const std::size_t begin = stack.size();
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    new_names[candidates[i].column] = none;
    columns.names.push_back(names[candidates[i].column]);
    stack.push_back({i, candidates[i].count});
  }
  search_bits(columns, nullptr, begin, 0);
  stack.resize(begin);
  --n_columns_taken;
}

void FrequentSearch::search_bits(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin,
                                 std::size_t level) {
  const std::size_t end = stack.size();
  for (std::size_t i = begin; i < end; ++i) {
    const ColumnCandidate one = stack[i];
    if (one.count < min_count()) continue;
    const std::uint32_t item = columns.names[one.column];
    prefix.push(item);
    if (i + 1 == end || prefix.is_longest()) {
      if (prefix.has_required()) report_set(item, one.count);
      prefix.pop();
      continue;
    }
    count_steps(columns.words / 64);
    const std::size_t perfect = perfect_items_.size();
    const std::uint64_t* with = columns.column(one.column);
    if (rows) {
      std::uint64_t* both = rows_at(level, columns.words);
      intersect(rows, with, columns.words, both);
      with = both;
    }
    stack.insert(stack.end(), stack.begin() + static_cast<std::ptrdiff_t>(i + 1),
                 stack.begin() + static_cast<std::ptrdiff_t>(end));
    count_candidate_rows(columns, with, std::span(stack).subspan(end));
    if (sift_candidates(end, one.count, [&](std::uint32_t column) { return columns.names[column]; })) {
      report_set(item, one.count);
      if (stack.size() == end + 1)
        report_with(columns.names[stack[end].column], stack[end].count);
      else if (stack.size() > end)
        search_candidates(columns, with, end, level);
    }
    stack.resize(end);
    restore_perfect(perfect);
    prefix.pop();
  }
}

// Goes on with the candidates from `begin` on; in a smaller room if few of the rows are left.
void FrequentSearch::search_candidates(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin,
                                       std::size_t level) {
  const std::size_t left = columns.words > 1 ? count_rows(rows, columns.words) : columns.rows;
  if (stack.size() - begin < 3 || (left + 63) / 64 * 2 > columns.words) {
    search_bits(columns, rows, begin, level + 1);
    return;
  }
  BitColumns& smaller = take_columns();
  pack_rows(columns, rows, left, std::span(stack).subspan(begin), smaller);
  search_bits(smaller, nullptr, begin, level + 1);
  --n_columns_taken;
}

}  // namespace hedgerow::items

#include "items/frequent_sets.hpp"

#include <algorithm>

namespace hedgerow::items {

void Search::search(std::uint32_t first) {
  class_bound = problem.bounds[first];
  const Count count = problem.counts[first];
  if (count < least() || problem.max_length == 0 || !prefix.takes(first)) return;
  prefix.push(first);
  in_rows(problem.rows, all_names, first, count);
  prefix.pop();
}

void Search::tell(std::uint32_t item, Count count) {
  const std::size_t depth = prefix.size();
  if (depth > store.doublings() + 2) {  // its subsets that have the first item and a required one are too many
    store.raise_above(count);
    return;
  }
  if (!prefix.is_told()) {
    writer.add(item, depth, -count);
    return;
  }
  const std::size_t most = std::min(perfect_.size(), problem.max_length - depth);
  double subsets = 1, all = 1;
  for (std::size_t i = 0; i < most && all < 1e18; ++i) {
    subsets *= static_cast<double>(perfect_.size() - i) / static_cast<double>(i + 1);
    all += subsets;
  }
  if (all > static_cast<double>(std::uint64_t{1} << store.doublings())) {
    store.raise_above(count);
    return;
  }
  writer.add(item, depth, count);
  writer.add_subsets(perfect_, depth, count, most);
}

void Search::tell_with(std::uint32_t item, Count count) {
  prefix.push(item);
  if (prefix.is_told()) tell(item, count);
  prefix.pop();
}

void Search::take_back(std::size_t perfect) {
  if (perfect_.size() == perfect) return;
  perfect_.resize(perfect);
  writer.forget();
}

template <typename Name>
bool Search::sift(std::size_t begin, Count count, Name name) {
  const bool doubles = !problem.is_narrowed() && prefix.is_told();
  const Count bound = least();
  const std::size_t perfect = perfect_.size();
  bool may_be_told = prefix.is_told();
  std::size_t kept = begin;
  for (std::size_t i = begin; i < stack.size(); ++i) {
    const Candidate one = stack[i];
    if (one.count < bound) continue;
    const std::uint32_t item = name(one.column);
    if (doubles && one.count == count) {
      perfect_.push_back(item);
      continue;
    }
    if (problem.is_narrowed() && !prefix.takes(item)) continue;
    may_be_told = may_be_told || prefix.is_required(item);
    stack[kept++] = one;
  }
  stack.resize(kept);
  if (perfect_.size() > perfect) writer.forget();
  return may_be_told;
}

void Search::in_rows(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Count count) {
  guard.look(number, store);
  if (prefix.is_longest()) {
    if (prefix.is_told()) tell(names[item], count);
    return;
  }
  const std::size_t begin = stack.size(), perfect = perfect_.size();
  push_frequent(rows, item);
  if (sift(begin, count, [&](std::uint32_t code) { return names[code]; })) {
    tell(names[item], count);
    const std::vector<Candidate> kept(stack.begin() + static_cast<std::ptrdiff_t>(begin), stack.end());
    if (kept.size() == 1) {
      tell_with(names[kept[0].column], kept[0].count);
    } else if (kept.size() > 1) {
      double entries = 0;
      for (const Candidate& one : kept) entries += static_cast<double>(one.count);
      if (!rows.weights.empty()) entries = static_cast<double>(rows.places_of(item).size()) * 2;
      for (std::uint32_t i = 0; i < kept.size(); ++i) renamed[kept[i].column] = i;
      if (bits_are_cheaper(kept.size(), rows.places_of(item).size(), entries))
        in_columns(rows, names, item, kept);
      else
        in_lists(rows, names, item, kept);
    }
  }
  stack.resize(begin);
  take_back(perfect);
}

void Search::in_lists(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                      std::span<const Candidate> kept) {
  const RowList few = rows_with(rows, item, item + 1, renamed, static_cast<std::uint32_t>(kept.size()), 2);
  std::vector<std::uint32_t> few_names;
  for (const Candidate& one : kept) {
    few_names.push_back(names[one.column]);
    renamed[one.column] = none;
  }
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    if (kept[i].count < least()) continue;
    prefix.push(few_names[i]);
    in_rows(few, few_names, i, kept[i].count);
    prefix.pop();
  }
}

void Search::in_columns(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                        std::span<const Candidate> kept) {
  BitColumns& columns = next_pack();
  bit_columns(rows, item, item + 1, renamed, static_cast<std::uint32_t>(kept.size()), 2, columns);
  columns.names.clear();
  const std::size_t begin = stack.size();
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    renamed[kept[i].column] = none;
    columns.names.push_back(names[kept[i].column]);
    stack.push_back({i, kept[i].count});
  }
  in_bits(columns, nullptr, begin, 0);
  stack.resize(begin);
  --n_packs;
}

void Search::in_bits(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level) {
  const std::size_t end = stack.size();
  for (std::size_t i = begin; i < end; ++i) {
    const Candidate one = stack[i];
    if (one.count < least()) continue;
    const std::uint32_t item = columns.names[one.column];
    prefix.push(item);
    if (i + 1 == end || prefix.is_longest()) {
      if (prefix.is_told()) tell(item, one.count);
      prefix.pop();
      continue;
    }
    look_up(columns.words / 64);
    const std::size_t perfect = perfect_.size();
    const std::uint64_t* with = columns.column(one.column);
    if (rows) {
      std::uint64_t* both = rows_at(level, columns.words);
      intersect(rows, with, columns.words, both);
      with = both;
    }
    stack.insert(stack.end(), stack.begin() + static_cast<std::ptrdiff_t>(i + 1),
                 stack.begin() + static_cast<std::ptrdiff_t>(end));
    count_in(columns, with, std::span(stack).subspan(end));
    if (sift(end, one.count, [&](std::uint32_t column) { return columns.names[column]; })) {
      tell(item, one.count);
      if (stack.size() == end + 1)
        tell_with(columns.names[stack[end].column], stack[end].count);
      else if (stack.size() > end)
        below(columns, with, end, level);
    }
    stack.resize(end);
    take_back(perfect);
    prefix.pop();
  }
}

// Goes on with the candidates from `begin` on; in a smaller room if few of the rows are left.
void Search::below(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level) {
  const std::size_t left = columns.words > 1 ? rows_in(rows, columns.words) : columns.rows;
  if (stack.size() - begin < 3 || (left + 63) / 64 * 2 > columns.words) {
    in_bits(columns, rows, begin, level + 1);
    return;
  }
  BitColumns& smaller = next_pack();
  repack(columns, rows, left, std::span(stack).subspan(begin), smaller);
  in_bits(smaller, nullptr, begin, level + 1);
  --n_packs;
}

}  // namespace hedgerow::items

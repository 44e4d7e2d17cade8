#include "items/closed_sets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "items/row_intersections.hpp"

namespace hedgerow::items {

void ClosedSearch::search_class(std::uint32_t first) {
  class_bound = problem.bounds[first];
  if (problem.counts[first] < min_count() || problem.max_length == 0) return;
  join_item(first);
  search_rows(problem.rows, all_names, first, problem.counts[first], 0);
  remove_items(0);
}

void ClosedSearch::join_item(std::uint32_t item) {
  for (; item != ItemChains::end; item = chains_.next_item(item)) {
    prefix.push(item);
    items_.push_back(item);
  }
}

void ClosedSearch::remove_items(std::size_t size) {
  while (items_.size() > size) {
    items_.pop_back();
    prefix.pop();
  }
  item_counts_.resize(std::min(item_counts_.size(), size));
  n_written_ = std::min(n_written_, size);
}

bool ClosedSearch::is_reported(StackRange range) const {
  return prefix.has_required() && (!problem.maximal || range.begin == range.end);
}

// Sets on the way that are not told become steps only if a larger one is.
bool ClosedSearch::report_set(Count count, StackRange range) {
  if (!prefix.is_allowed()) return false;
  item_counts_.resize(items_.size(), count);
  if (is_reported(range)) {
    for (; n_written_ + 1 < items_.size(); ++n_written_)
      writer.add(items_[n_written_], n_written_ + 1, -item_counts_[n_written_]);
    writer.add(items_.back(), items_.size(), count);
    n_written_ = items_.size();
  }
  return range.middle < range.end;
}

void ClosedSearch::search_rows(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                               Count count, std::size_t level) {
  time_limit.check(thread, store);
  const std::size_t begin = stack.size(), size = items_.size();
  if (&rows == &problem.rows && !problem.pairs.empty()) {
    for (std::uint32_t code = 0; code < rows.n_items; ++code) {
      counts[code] = problem.pairs.counts_with(std::min(code, item))[std::max(code, item)];
    }
  } else {
    count_cooccurrences(rows, item, 0, counts);
  }
  bool found_elsewhere = false;
  for (std::uint32_t code = 0; code < item && !found_elsewhere; ++code) {
    if (counts[code] >= bound_with(names[code])) stack.push_back({code, counts[code]});
    found_elsewhere = counts[code] == count;
  }
  const std::size_t middle = stack.size();
  const Count bound = min_count();
  for (std::uint32_t code = item + 1; code < rows.n_items && !found_elsewhere; ++code) {
    if (counts[code] == count)
      join_item(names[code]);
    else if (counts[code] >= bound)
      stack.push_back({code, counts[code]});
  }
  const StackRange range{begin, middle, stack.size()};
  if (!found_elsewhere && report_set(count, range)) {
    double entries = 0;
    for (std::size_t i = begin; i < range.end; ++i) {
      new_names[stack[i].column] = static_cast<std::uint32_t>(i - begin);
      entries += static_cast<double>(stack[i].count);
    }
    if (!rows.weights.empty()) entries = static_cast<double>(rows.positions_of(item).size()) * 2;
    const std::size_t n = range.end - begin, n_rows = rows.positions_of(item).size();
    // Lists take a step for each item and candidate; of many columns of few rows most are the same.
    const bool many_in_few = n >= kManyColumns && (n_rows / 64 + 1) * 8 <= range.end - middle;
    if (many_in_few || bits_are_cheaper(n, n_rows, entries))
      search_columns(rows, names, item, range, level);
    else
      search_lists(rows, names, item, range, level);
  }
  stack.resize(begin);
  remove_items(size);
}

bool ClosedSearch::is_frequent(Count count, std::size_t level) {
  if (count < min_count()) return false;
  if (level > kMaxDepth) store.raise_above(count);
  return level <= kMaxDepth;
}

void ClosedSearch::search_lists(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                                StackRange range, std::size_t level) {
  const ItemRowList list =
      project_rows(rows, item, 0, new_names, static_cast<std::uint32_t>(range.end - range.begin), 1);
  std::vector<std::uint32_t> list_names;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    list_names.push_back(names[stack[i].column]);
    new_names[stack[i].column] = none;
  }
  for (std::size_t i = range.middle; i < range.end; ++i) {
    const Count count = stack[i].count;
    if (!is_frequent(count, level)) continue;
    const std::size_t size = items_.size();
    const auto code = static_cast<std::uint32_t>(i - range.begin);
    join_item(list_names[code]);
    search_rows(list, list_names, code, count, level + 1);
    remove_items(size);
  }
}

void ClosedSearch::search_columns(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                                  StackRange range, std::size_t level) {
  BitColumns& columns = take_columns();
  fill_bit_columns(rows, item, 0, new_names, static_cast<std::uint32_t>(range.end - range.begin), 1, columns);
  columns.names.clear();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    new_names[stack[i].column] = none;
    columns.names.push_back(names[stack[i].column]);
    stack[i].column = static_cast<std::uint32_t>(i - range.begin);
  }
  const std::size_t before = compared_rows_, mark = chains_.mark();
  compared_rows_ = columns.rows;
  const bool wide_rows = range.end - range.begin >= kManyColumns;
  if (wide_rows) range = drop_equal_columns(columns, nullptr, range);
  if (!wide_rows || !search_row_intersections(columns, range)) search_bits(columns, nullptr, range, level);
  chains_.undo(mark);
  compared_rows_ = before;
  --n_columns_taken;
}

void ClosedSearch::search_bits(const BitColumns& columns, const std::uint64_t* rows, StackRange range,
                               std::size_t level) {
  if (problem.maximal) {  // the rarest first: what is left for the others is soon frequent as a whole
    const auto candidates = std::span(stack).subspan(range.middle, range.end - range.middle);
    std::ranges::stable_sort(candidates, {}, &ColumnCandidate::count);
  }
  for (std::size_t i = range.middle; i < range.end; ++i) {
    if (!is_frequent(stack[i].count, level)) continue;
    const std::size_t size = items_.size();
    join_item(columns.names[stack[i].column]);
    search_candidate(columns, rows, range, i, level);
    stack.resize(range.end);
    remove_items(size);
  }
}

void ClosedSearch::search_candidate(const BitColumns& columns, const std::uint64_t* rows, StackRange range,
                                    std::size_t at, std::size_t level) {
  count_steps(columns.words / 64);
  const ColumnCandidate one = stack[at];
  const std::uint64_t* with = columns.column(one.column);
  if (rows) {
    std::uint64_t* both = rows_at(level, columns.words);
    intersect(rows, with, columns.words, both);
    with = both;
  }
  for (std::size_t i = range.begin; i < at; ++i) {
    if (stack[i].count >= one.count && is_subset(with, columns.column(stack[i].column), columns.words)) return;
  }
  const StackRange larger = sift_candidates(columns, with, range, at);
  if (!report_set(one.count, larger)) return;
  if (problem.maximal && larger.end - larger.middle > 1 && try_all_candidates(columns, with, larger, level + 1)) return;
  search_candidates(columns, with, larger, level + 1);
}

// The outer items of the larger set are those before the candidate, its candidates are those after it; those that are
// in all rows join it. Outer items are counted only where that saves work below, or tells what is maximal: their counts
// are then too high, which does no harm.
ClosedSearch::StackRange ClosedSearch::sift_candidates(const BitColumns& columns, const std::uint64_t* rows,
                                                       StackRange range, std::size_t at) {
  constexpr std::size_t few = 6;
  const Count count = stack[at].count, bound = min_count();
  const std::size_t begin = stack.size(), middle = begin + (at - range.begin);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (i != at) stack.push_back(stack[i]);
  }
  count_candidate_rows(columns, rows, std::span(stack).subspan(middle));
  std::size_t end = middle;
  for (std::size_t i = middle; i < stack.size(); ++i) {
    const ColumnCandidate other = stack[i];
    if (other.count == count)
      join_item(columns.names[other.column]);
    else if (other.count >= bound)
      stack[end++] = other;
  }
  stack.resize(end);
  if (!problem.maximal && end - middle < few) return {begin, middle, end};
  count_candidate_rows(columns, rows, std::span(stack).subspan(begin, middle - begin));
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (i >= middle || stack[i].count >= bound_with(columns.names[stack[i].column])) stack[kept++] = stack[i];
  }
  stack.resize(kept);
  return {begin, kept - (end - middle), kept};
}

// If all candidates together make a frequent set, it is the only one here that can be maximal.
bool ClosedSearch::try_all_candidates(const BitColumns& columns, const std::uint64_t* rows, StackRange range,
                                      std::size_t level) {
  std::uint64_t* all = rows_at(level, columns.words);
  for (std::size_t i = range.middle; i < range.end; ++i) {
    intersect(i == range.middle ? rows : all, columns.column(stack[i].column), columns.words, all);
  }
  std::vector<ColumnCandidate> counted(stack.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                       stack.begin() + static_cast<std::ptrdiff_t>(range.middle));
  counted.push_back(stack[range.middle]);
  count_candidate_rows(columns, all, std::span(counted).last(1));
  const Count count = counted.back().count;
  if (count < min_count()) return false;
  for (std::size_t i = range.middle; i < range.end; ++i) join_item(columns.names[stack[i].column]);
  count_candidate_rows(columns, all, counted);
  counted.pop_back();
  const bool is_part = std::any_of(counted.begin(), counted.end(), [&](const ColumnCandidate& outer) {
    return outer.count >= bound_with(columns.names[outer.column]);
  });
  if (!is_part) report_set(count, {});
  return true;
}

// Maximal sets of a few rows, by what rows have in common. False if there are too many ways to choose rows.
bool ClosedSearch::search_row_intersections(const BitColumns& columns, StackRange range) {
  constexpr std::size_t max_rows = 256, max_ways = 1 << 15;
  const Count bound = min_count();
  if (!problem.maximal || !columns.weights.empty() || columns.rows > max_rows || !std::in_range<std::size_t>(bound) ||
      static_cast<std::size_t>(bound) > max_rows) {
    return false;
  }
  const auto k = static_cast<std::size_t>(bound);
  if (count_combinations(k, columns.rows, max_ways) > max_ways) return false;
  const auto candidates = std::span(stack).subspan(range.begin, range.end - range.begin);
  std::vector<std::uint64_t> rows(columns.words);
  RowIntersections intersections(columns, candidates, range.middle - range.begin);
  const auto reported = [&](std::span<const std::size_t> items, std::span<const std::size_t> holders) {
    std::fill(rows.begin(), rows.end(), 0);
    for (const std::size_t row : holders) rows[row / 64] |= std::uint64_t{1} << row % 64;
    std::size_t next = 0;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
      if (next < items.size() && items[next] == at) {
        ++next;
        continue;
      }
      ColumnCandidate other = candidates[at];
      count_candidate_rows(columns, rows.data(), std::span(&other, 1));
      const bool is_outer = range.begin + at < range.middle;
      if (other.count >= (is_outer ? bound_with(columns.names[other.column]) : bound)) return;
    }
    const std::size_t size = items_.size();
    for (const std::size_t at : items) join_item(columns.names[candidates[at].column]);
    report_set(static_cast<Count>(holders.size()), {});
    remove_items(size);
  };
  intersections.for_each_set(k, reported, [&] {
    count_steps(1);
    return min_count() == bound;
  });
  return true;
}

// Of columns that are the same in `rows` (none: in all) the first stands for the others; the part is the last on the
// stack.
ClosedSearch::StackRange ClosedSearch::drop_equal_columns(const BitColumns& columns, const std::uint64_t* rows,
                                                          StackRange range) {
  const std::size_t mask = std::bit_ceil(2 * (range.end - range.begin) + 1) - 1, words = columns.words;
  slots_.assign(mask + 1, none);
  const auto word_of = [&](const std::uint64_t* column, std::size_t word) {
    return rows ? column[word] & rows[word] : column[word];
  };
  std::size_t kept = range.begin, middle = range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::uint64_t* column = columns.column(stack[i].column);
    std::uint64_t hash = 0;
    for (std::size_t word = 0; word < words; ++word) {
      hash = (std::rotl(hash, 5) ^ word_of(column, word)) * 0x9e3779b97f4a7c15u;
    }
    std::size_t slot = (hash >> 32) & mask;
    const auto differs = [&](const std::uint64_t* other) {
      for (std::size_t word = 0; word < words; ++word) {
        if (word_of(column, word) != word_of(other, word)) return true;
      }
      return false;
    };
    while (slots_[slot] != none && differs(columns.column(stack[slots_[slot]].column))) slot = (slot + 1) & mask;
    if (slots_[slot] == none) {
      slots_[slot] = static_cast<std::uint32_t>(kept);
      stack[kept++] = stack[i];
      middle += i < range.middle;
    } else if (slots_[slot] >= middle) {
      chains_.append(columns.names[stack[slots_[slot]].column], columns.names[stack[i].column]);
    }
  }
  stack.resize(kept);
  return {range.begin, middle, kept};
}

// Goes on with the candidates; in a smaller room if few of the rows are left.
void ClosedSearch::search_candidates(const BitColumns& columns, const std::uint64_t* rows, StackRange range,
                                     std::size_t level) {
  const std::size_t n = range.end - range.begin, before = compared_rows_, mark = chains_.mark();
  const std::size_t left = columns.words > 1 || n >= kManyColumns ? count_rows(rows, columns.words) : columns.rows;
  const bool smaller = n >= 3 && (left + 63) / 64 * 2 <= columns.words;
  if (n >= kManyColumns && left * 2 <= compared_rows_) {
    compared_rows_ = left;
    range = drop_equal_columns(columns, rows, range);
  }
  if (smaller) {
    BitColumns& packed = take_columns();
    pack_rows(columns, rows, left, std::span(stack).subspan(range.begin), packed);
    search_bits(packed, nullptr, range, level);
    --n_columns_taken;
  } else {
    search_bits(columns, rows, range, level);
  }
  chains_.undo(mark);
  compared_rows_ = before;
}

}  // namespace hedgerow::items

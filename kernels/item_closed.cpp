#include "item_closed.hpp"

#include <algorithm>

namespace hedgerow::items {

void ClosedSearch::search(std::uint32_t first) {
  class_bound = problem.bounds[first];
  if (problem.counts[first] < least() || problem.max_length == 0) return;
  join(first);
  in_rows(problem.rows, all_names, first, problem.counts[first], 0);
  leave(0);
}

void ClosedSearch::join(std::uint32_t item) {
  prefix.push(item);
  items_.push_back(item);
}

void ClosedSearch::leave(std::size_t size) {
  while (items_.size() > size) {
    items_.pop_back();
    prefix.pop();
  }
  counted_.resize(std::min(counted_.size(), size));
  written_ = std::min(written_, size);
}

bool ClosedSearch::is_told(Part part) const {
  return prefix.is_told() && (!problem.maximal || part.begin == part.end);
}

// Sets on the way that are not told become steps only if a larger one is.
bool ClosedSearch::tell(Count count, Part part) {
  if (!prefix.is_allowed()) return false;
  counted_.resize(items_.size(), count);
  if (is_told(part)) {
    for (; written_ + 1 < items_.size(); ++written_) writer.add(items_[written_], written_ + 1, -counted_[written_]);
    writer.add(items_.back(), items_.size(), count);
    written_ = items_.size();
  }
  return part.middle < part.end;
}

void ClosedSearch::in_rows(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Count count,
                           std::size_t level) {
  guard.look(number, store);
  const std::size_t begin = stack.size(), size = items_.size();
  if (&rows == &problem.rows && !problem.pairs.empty()) {
    for (std::uint32_t code = 0; code < rows.n_items; ++code) {
      counts[code] = problem.pairs.with(std::min(code, item))[std::max(code, item)];
    }
  } else {
    count_with(rows, item, 0, counts);
  }
  bool found_elsewhere = false;
  for (std::uint32_t code = 0; code < item && !found_elsewhere; ++code) {
    if (counts[code] >= bound_with(names[code])) stack.push_back({code, counts[code]});
    found_elsewhere = counts[code] == count;
  }
  const std::size_t middle = stack.size();
  const Count bound = least();
  for (std::uint32_t code = item + 1; code < rows.n_items && !found_elsewhere; ++code) {
    if (counts[code] == count) join(names[code]);
    else if (counts[code] >= bound) stack.push_back({code, counts[code]});
  }
  const Part part{begin, middle, stack.size()};
  if (!found_elsewhere && tell(count, part)) {
    double entries = 0;
    for (std::size_t i = begin; i < part.end; ++i) {
      renamed[stack[i].column] = static_cast<std::uint32_t>(i - begin);
      entries += static_cast<double>(stack[i].count);
    }
    if (!rows.weights.empty()) entries = static_cast<double>(rows.places_of(item).size()) * 2;
    if (bits_are_cheaper(part.end - begin, rows.places_of(item).size(), entries)) in_columns(rows, names, item, part, level);
    else in_lists(rows, names, item, part, level);
  }
  stack.resize(begin);
  leave(size);
}

void ClosedSearch::in_lists(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Part part,
                            std::size_t level) {
  const RowList few = rows_with(rows, item, 0, renamed, static_cast<std::uint32_t>(part.end - part.begin), 1);
  std::vector<std::uint32_t> few_names;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    few_names.push_back(names[stack[i].column]);
    renamed[stack[i].column] = none;
  }
  for (std::size_t i = part.middle; i < part.end; ++i) {
    const Count count = stack[i].count;
    if (count < least()) continue;
    if (level > deepest) {
      store.raise_above(count);
      continue;
    }
    const std::size_t size = items_.size();
    const auto code = static_cast<std::uint32_t>(i - part.begin);
    join(few_names[code]);
    in_rows(few, few_names, code, count, level + 1);
    leave(size);
  }
}

void ClosedSearch::in_columns(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Part part,
                              std::size_t level) {
  BitColumns& columns = next_pack();
  bit_columns(rows, item, 0, renamed, static_cast<std::uint32_t>(part.end - part.begin), 1, columns);
  columns.names.clear();
  for (std::size_t i = part.begin; i < part.end; ++i) {
    renamed[stack[i].column] = none;
    columns.names.push_back(names[stack[i].column]);
    stack[i].column = static_cast<std::uint32_t>(i - part.begin);
  }
  in_bits(columns, nullptr, part, level);
  --n_packs;
}

void ClosedSearch::in_bits(const BitColumns& columns, const std::uint64_t* rows, Part part, std::size_t level) {
  for (std::size_t i = part.middle; i < part.end; ++i) {
    const Count count = stack[i].count;
    if (count < least()) continue;
    if (level > deepest) {
      store.raise_above(count);
      continue;
    }
    const std::size_t size = items_.size();
    join(columns.names[stack[i].column]);
    with_candidate(columns, rows, part, i, level);
    stack.resize(part.end);
    leave(size);
  }
}

void ClosedSearch::with_candidate(const BitColumns& columns, const std::uint64_t* rows, Part part, std::size_t at,
                                  std::size_t level) {
  look_up(columns.words / 64);
  const Candidate one = stack[at];
  const std::uint64_t* with = columns.column(one.column);
  if (rows) {
    std::uint64_t* both = rows_at(level, columns.words);
    intersect(rows, with, columns.words, both);
    with = both;
  }
  for (std::size_t i = part.begin; i < at; ++i) {
    if (stack[i].count >= one.count && is_within(with, columns.column(stack[i].column), columns.words)) return;
  }
  // The outer items of the larger set are those before the candidate, its candidates are those after it.
  Part larger{part.end, part.end + (at - part.begin), 0};
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (i != at) stack.push_back(stack[i]);
  }
  count_in(columns, with, std::span(stack).subspan(larger.begin));
  std::size_t kept = larger.begin, middle = larger.begin;
  const Count bound = least();
  for (std::size_t i = larger.begin; i < stack.size(); ++i) {
    const Candidate other = stack[i];
    const std::uint32_t item = columns.names[other.column];
    if (i == larger.middle) middle = kept;
    if (i < larger.middle) {
      if (other.count >= bound_with(item)) stack[kept++] = other;
    } else if (other.count == one.count) {
      join(item);
    } else if (other.count >= bound) {
      stack[kept++] = other;
    }
  }
  if (larger.middle == stack.size()) middle = kept;
  stack.resize(kept);
  larger = {larger.begin, middle, kept};
  if (!tell(one.count, larger)) return;
  const std::size_t left = columns.words > 1 ? rows_in(with, columns.words) : columns.rows;
  if (larger.end - larger.begin < 3 || (left + 63) / 64 * 2 > columns.words) {
    in_bits(columns, with, larger, level + 1);
    return;
  }
  BitColumns& smaller = next_pack();
  repack(columns, with, left, std::span(stack).subspan(larger.begin), smaller);
  in_bits(smaller, nullptr, larger, level + 1);
  --n_packs;
}

}  // namespace hedgerow::items

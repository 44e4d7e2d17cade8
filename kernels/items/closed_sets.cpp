#include "items/closed_sets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "items/row_intersections.hpp"

namespace hedgerow::items {

void ClosedSearch::search(std::uint32_t first) {
  class_bound = problem.bounds[first];
  if (problem.counts[first] < least() || problem.max_length == 0) return;
  join(first);
  in_rows(problem.rows, all_names, first, problem.counts[first], 0);
  leave(0);
}

void ClosedSearch::join(std::uint32_t item) {
  for (; item != ItemChains::end; item = chains_.after(item)) {
    prefix.push(item);
    items_.push_back(item);
  }
}

void ClosedSearch::leave(std::size_t size) {
  while (items_.size() > size) {
    items_.pop_back();
    prefix.pop();
  }
  counted_.resize(std::min(counted_.size(), size));
  written_ = std::min(written_, size);
}

bool ClosedSearch::is_told(Part part) const { return prefix.is_told() && (!problem.maximal || part.begin == part.end); }

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
    if (counts[code] == count)
      join(names[code]);
    else if (counts[code] >= bound)
      stack.push_back({code, counts[code]});
  }
  const Part part{begin, middle, stack.size()};
  if (!found_elsewhere && tell(count, part)) {
    double entries = 0;
    for (std::size_t i = begin; i < part.end; ++i) {
      renamed[stack[i].column] = static_cast<std::uint32_t>(i - begin);
      entries += static_cast<double>(stack[i].count);
    }
    if (!rows.weights.empty()) entries = static_cast<double>(rows.places_of(item).size()) * 2;
    const std::size_t n = part.end - begin, n_rows = rows.places_of(item).size();
    // Lists take a step for each item and candidate; of many columns of few rows most are the same.
    const bool many_in_few = n >= many && (n_rows / 64 + 1) * 8 <= part.end - middle;
    if (many_in_few || bits_are_cheaper(n, n_rows, entries))
      in_columns(rows, names, item, part, level);
    else
      in_lists(rows, names, item, part, level);
  }
  stack.resize(begin);
  leave(size);
}

bool ClosedSearch::is_worth(Count count, std::size_t level) {
  if (count < least()) return false;
  if (level > deepest) store.raise_above(count);
  return level <= deepest;
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
    if (!is_worth(count, level)) continue;
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
  const std::size_t before = told_apart_, mark = chains_.mark();
  told_apart_ = columns.rows;
  const bool wide = part.end - part.begin >= many;
  if (wide) part = distinct(columns, nullptr, part);
  if (!wide || !by_rows(columns, part)) in_bits(columns, nullptr, part, level);
  chains_.undo(mark);
  told_apart_ = before;
  --n_packs;
}

void ClosedSearch::in_bits(const BitColumns& columns, const std::uint64_t* rows, Part part, std::size_t level) {
  if (problem.maximal) {  // the rarest first: what is left for the others is soon frequent as a whole
    const auto candidates = std::span(stack).subspan(part.middle, part.end - part.middle);
    std::ranges::stable_sort(candidates, {}, &Candidate::count);
  }
  for (std::size_t i = part.middle; i < part.end; ++i) {
    if (!is_worth(stack[i].count, level)) continue;
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
  const Part larger = sifted(columns, with, part, at);
  if (!tell(one.count, larger)) return;
  if (problem.maximal && larger.end - larger.middle > 1 && take_all(columns, with, larger, level + 1)) return;
  below(columns, with, larger, level + 1);
}

// The outer items of the larger set are those before the candidate, its candidates are those after it; those that are
// in all rows join it. Outer items are counted only where that saves work below, or tells what is maximal: their counts
// are then too high, which does no harm.
ClosedSearch::Part ClosedSearch::sifted(const BitColumns& columns, const std::uint64_t* rows, Part part,
                                        std::size_t at) {
  constexpr std::size_t few = 6;
  const Count count = stack[at].count, bound = least();
  const std::size_t begin = stack.size(), middle = begin + (at - part.begin);
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (i != at) stack.push_back(stack[i]);
  }
  count_in(columns, rows, std::span(stack).subspan(middle));
  std::size_t end = middle;
  for (std::size_t i = middle; i < stack.size(); ++i) {
    const Candidate other = stack[i];
    if (other.count == count)
      join(columns.names[other.column]);
    else if (other.count >= bound)
      stack[end++] = other;
  }
  stack.resize(end);
  if (!problem.maximal && end - middle < few) return {begin, middle, end};
  count_in(columns, rows, std::span(stack).subspan(begin, middle - begin));
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (i >= middle || stack[i].count >= bound_with(columns.names[stack[i].column])) stack[kept++] = stack[i];
  }
  stack.resize(kept);
  return {begin, kept - (end - middle), kept};
}

// If all candidates together make a frequent set, it is the only one here that can be maximal.
bool ClosedSearch::take_all(const BitColumns& columns, const std::uint64_t* rows, Part part, std::size_t level) {
  std::uint64_t* all = rows_at(level, columns.words);
  for (std::size_t i = part.middle; i < part.end; ++i) {
    intersect(i == part.middle ? rows : all, columns.column(stack[i].column), columns.words, all);
  }
  std::vector<Candidate> counted(stack.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                 stack.begin() + static_cast<std::ptrdiff_t>(part.middle));
  counted.push_back(stack[part.middle]);
  count_in(columns, all, std::span(counted).last(1));
  const Count count = counted.back().count;
  if (count < least()) return false;
  for (std::size_t i = part.middle; i < part.end; ++i) join(columns.names[stack[i].column]);
  count_in(columns, all, counted);
  counted.pop_back();
  const bool is_part = std::any_of(counted.begin(), counted.end(), [&](const Candidate& outer) {
    return outer.count >= bound_with(columns.names[outer.column]);
  });
  if (!is_part) tell(count, {});
  return true;
}

// Maximal sets of a few rows, by what rows have in common. False if there are too many ways to choose rows.
bool ClosedSearch::by_rows(const BitColumns& columns, Part part) {
  constexpr std::size_t most_rows = 256, most_ways = 1 << 15;
  const Count bound = least();
  if (!problem.maximal || !columns.weights.empty() || columns.rows > most_rows || !std::in_range<std::size_t>(bound) ||
      static_cast<std::size_t>(bound) > most_rows) {
    return false;
  }
  const auto k = static_cast<std::size_t>(bound);
  if (ways_to_take(k, columns.rows, most_ways) > most_ways) return false;
  const auto candidates = std::span(stack).subspan(part.begin, part.end - part.begin);
  std::vector<std::uint64_t> rows(columns.words);
  RowMeets meets(columns, candidates, part.middle - part.begin);
  const auto told = [&](std::span<const std::size_t> items, std::span<const std::size_t> holders) {
    std::fill(rows.begin(), rows.end(), 0);
    for (const std::size_t row : holders) rows[row / 64] |= std::uint64_t{1} << row % 64;
    std::size_t next = 0;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
      if (next < items.size() && items[next] == at) {
        ++next;
        continue;
      }
      Candidate other = candidates[at];
      count_in(columns, rows.data(), std::span(&other, 1));
      const bool is_outer = part.begin + at < part.middle;
      if (other.count >= (is_outer ? bound_with(columns.names[other.column]) : bound)) return;
    }
    const std::size_t size = items_.size();
    for (const std::size_t at : items) join(columns.names[candidates[at].column]);
    tell(static_cast<Count>(holders.size()), {});
    leave(size);
  };
  meets.each(k, told, [&] {
    look_up(1);
    return least() == bound;
  });
  return true;
}

// Of columns that are the same in `rows` (none: in all) the first stands for the others; the part is the last on the
// stack.
ClosedSearch::Part ClosedSearch::distinct(const BitColumns& columns, const std::uint64_t* rows, Part part) {
  const std::size_t mask = std::bit_ceil(2 * (part.end - part.begin) + 1) - 1, words = columns.words;
  slots_.assign(mask + 1, none);
  const auto word_of = [&](const std::uint64_t* column, std::size_t word) {
    return rows ? column[word] & rows[word] : column[word];
  };
  std::size_t kept = part.begin, middle = part.begin;
  for (std::size_t i = part.begin; i < part.end; ++i) {
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
      middle += i < part.middle;
    } else if (slots_[slot] >= middle) {
      chains_.append(columns.names[stack[slots_[slot]].column], columns.names[stack[i].column]);
    }
  }
  stack.resize(kept);
  return {part.begin, middle, kept};
}

// Goes on with the candidates; in a smaller room if few of the rows are left.
void ClosedSearch::below(const BitColumns& columns, const std::uint64_t* rows, Part part, std::size_t level) {
  const std::size_t n = part.end - part.begin, before = told_apart_, mark = chains_.mark();
  const std::size_t left = columns.words > 1 || n >= many ? rows_in(rows, columns.words) : columns.rows;
  const bool smaller = n >= 3 && (left + 63) / 64 * 2 <= columns.words;
  if (n >= many && left * 2 <= told_apart_) {
    told_apart_ = left;
    part = distinct(columns, rows, part);
  }
  if (smaller) {
    BitColumns& packed = next_pack();
    repack(columns, rows, left, std::span(stack).subspan(part.begin), packed);
    in_bits(packed, nullptr, part, level);
    --n_packs;
  } else {
    in_bits(columns, rows, part, level);
  }
  chains_.undo(mark);
  told_apart_ = before;
}

}  // namespace hedgerow::items

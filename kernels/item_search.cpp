#include "item_search.hpp"

#include <algorithm>
#include <numeric>

namespace hedgerow::items {
namespace {

constexpr std::uint32_t none = UINT32_MAX;
constexpr std::uint32_t look_every = 512;

// Bits take a word an item and 64 rows for every pair of items; lists take a step for every pair of items in a row.
bool bits_are_cheaper(std::size_t items, std::size_t rows, double entries) {
  const double words = static_cast<double>(rows) / 64 + 1, n = static_cast<double>(items);
  const double by_bits = n * n / 2 * (words / 6 + 2) + n * words;
  const double by_lists = entries * (8 + entries / std::max(1.0, static_cast<double>(rows)) * 2);
  return by_bits < by_lists;
}

}  // namespace

Search::Search(const Problem& problem, Store& store, Guard& guard, std::size_t member)
    : problem_(problem),
      store_(store),
      guard_(guard),
      member_(member),
      writer_(store),
      prefix_(problem),
      renamed_(problem.rows.n_items, none),
      all_names_(problem.rows.n_items),
      counts_(problem.rows.n_items) {
  std::iota(all_names_.begin(), all_names_.end(), 0u);
}

void Search::look_up() {
  if (++steps_ % look_every == 0) guard_.look(member_, store_);
}

void Search::search(std::uint32_t first) {
  class_bound_ = problem_.bounds[first];
  const Count count = problem_.counts[first];
  if (count < least() || problem_.max_length == 0 || !prefix_.takes(first)) return;
  prefix_.push(first);
  in_rows(problem_.rows, all_names_, first, count);
  prefix_.pop();
}

void Search::tell(std::uint32_t item, Count count) {
  const std::size_t depth = prefix_.size();
  if (depth > store_.doublings() + 2) {  // its subsets that have the first item and a required one are too many
    store_.raise_above(count);
    return;
  }
  if (!prefix_.is_told()) {
    writer_.add(item, depth, -count);
    return;
  }
  const std::size_t most = std::min(perfect_.size(), problem_.max_length - depth);
  double subsets = 1, all = 1;
  for (std::size_t i = 0; i < most && all < 1e18; ++i) {
    subsets *= static_cast<double>(perfect_.size() - i) / static_cast<double>(i + 1);
    all += subsets;
  }
  if (all > static_cast<double>(std::uint64_t{1} << store_.doublings())) {
    store_.raise_above(count);
    return;
  }
  writer_.add(item, depth, count);
  writer_.add_subsets(perfect_, depth, count, most);
}

void Search::tell_with(std::uint32_t item, Count count) {
  prefix_.push(item);
  if (prefix_.is_told()) tell(item, count);
  prefix_.pop();
}

void Search::take_back(std::size_t perfect) {
  if (perfect_.size() == perfect) return;
  perfect_.resize(perfect);
  writer_.forget();
}

template <typename Name>
bool Search::sift(std::size_t begin, Count count, Name name) {
  const bool doubles = !problem_.is_narrowed() && prefix_.is_told();
  const Count bound = least();
  const std::size_t perfect = perfect_.size();
  bool may_be_told = prefix_.is_told();
  std::size_t kept = begin;
  for (std::size_t i = begin; i < stack_.size(); ++i) {
    const Candidate one = stack_[i];
    if (one.count < bound) continue;
    const std::uint32_t item = name(one.column);
    if (doubles && one.count == count) {
      perfect_.push_back(item);
      continue;
    }
    if (problem_.is_narrowed() && !prefix_.takes(item)) continue;
    may_be_told = may_be_told || prefix_.is_required(item);
    stack_[kept++] = one;
  }
  stack_.resize(kept);
  if (perfect_.size() > perfect) writer_.forget();
  return may_be_told;
}

void Search::in_rows(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Count count) {
  look_up();
  if (prefix_.is_longest()) {
    if (prefix_.is_told()) tell(names[item], count);
    return;
  }
  const std::size_t begin = stack_.size(), perfect = perfect_.size();
  count_with(rows, item, item + 1, counts_);
  const Count bound = least();
  for (std::uint32_t code = item + 1; code < rows.n_items; ++code) {
    if (counts_[code] >= bound) stack_.push_back({code, counts_[code]});
  }
  if (sift(begin, count, [&](std::uint32_t code) { return names[code]; })) {
    tell(names[item], count);
    const std::vector<Candidate> kept(stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end());
    if (kept.size() == 1) {
      tell_with(names[kept[0].column], kept[0].count);
    } else if (kept.size() > 1) {
      double entries = 0;
      for (const Candidate& one : kept) entries += static_cast<double>(one.count);
      if (!rows.weights.empty()) entries = static_cast<double>(rows.places_of(item).size()) * 2;
      for (std::uint32_t i = 0; i < kept.size(); ++i) renamed_[kept[i].column] = i;
      if (bits_are_cheaper(kept.size(), rows.places_of(item).size(), entries)) in_columns(rows, names, item, kept);
      else in_lists(rows, names, item, kept);
    }
  }
  stack_.resize(begin);
  take_back(perfect);
}

void Search::in_lists(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                      std::span<const Candidate> kept) {
  const RowList few = rows_with(rows, item, item + 1, renamed_, static_cast<std::uint32_t>(kept.size()), 2);
  std::vector<std::uint32_t> few_names;
  for (const Candidate& one : kept) {
    few_names.push_back(names[one.column]);
    renamed_[one.column] = none;
  }
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    if (kept[i].count < least()) continue;
    prefix_.push(few_names[i]);
    in_rows(few, few_names, i, kept[i].count);
    prefix_.pop();
  }
}

void Search::in_columns(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                        std::span<const Candidate> kept) {
  if (packs_.size() <= n_packs_) packs_.emplace_back();
  BitColumns& columns = packs_[n_packs_++];
  bit_columns(rows, item, item + 1, renamed_, static_cast<std::uint32_t>(kept.size()), 2, columns);
  columns.names.clear();
  const std::size_t begin = stack_.size();
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    renamed_[kept[i].column] = none;
    columns.names.push_back(names[kept[i].column]);
    stack_.push_back({i, kept[i].count});
  }
  in_bits(columns, nullptr, begin, 0);
  stack_.resize(begin);
  --n_packs_;
}

void Search::in_bits(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level) {
  if (rows_.size() <= level) rows_.emplace_back();
  const std::size_t end = stack_.size();
  for (std::size_t i = begin; i < end; ++i) {
    const Candidate one = stack_[i];
    if (one.count < least()) continue;
    const std::uint32_t item = columns.names[one.column];
    prefix_.push(item);
    if (i + 1 == end || prefix_.is_longest()) {
      if (prefix_.is_told()) tell(item, one.count);
      prefix_.pop();
      continue;
    }
    look_up();
    const std::size_t perfect = perfect_.size();
    const std::uint64_t* with = columns.column(one.column);
    if (rows) {
      rows_[level].resize(columns.words);
      intersect(rows, with, columns.words, rows_[level].data());
      with = rows_[level].data();
    }
    stack_.insert(stack_.end(), stack_.begin() + static_cast<std::ptrdiff_t>(i + 1), stack_.begin() + static_cast<std::ptrdiff_t>(end));
    count_in(columns, with, std::span(stack_).subspan(end));
    if (sift(end, one.count, [&](std::uint32_t column) { return columns.names[column]; })) {
      tell(item, one.count);
      if (stack_.size() == end + 1) tell_with(columns.names[stack_[end].column], stack_[end].count);
      else if (stack_.size() > end) below(columns, with, end, level);
    }
    stack_.resize(end);
    take_back(perfect);
    prefix_.pop();
  }
}

// Goes on with the candidates from `begin` on; in a smaller room if few of the rows are left.
void Search::below(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level) {
  const std::size_t left = columns.words > 1 ? rows_in(rows, columns.words) : columns.rows;
  if (stack_.size() - begin < 3 || (left + 63) / 64 * 2 > columns.words) {
    in_bits(columns, rows, begin, level + 1);
    return;
  }
  if (packs_.size() <= n_packs_) packs_.emplace_back();
  BitColumns& smaller = packs_[n_packs_++];
  repack(columns, rows, left, std::span(stack_).subspan(begin), smaller);
  in_bits(smaller, nullptr, begin, level + 1);
  --n_packs_;
}

}  // namespace hedgerow::items

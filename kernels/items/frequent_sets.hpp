// All frequent sets of a class: those that have a given item first in the order of the search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "items/search_worker.hpp"

namespace hedgerow::items {

// Each thread has one; it does one class after the other.
class FrequentSearch : private SearchWorker {
 public:
  using SearchWorker::SearchWorker;

  void search_class(std::uint32_t first);
  void finish() { writer.finish(); }

 private:
  // The set at hand, to which `item` was added last, has this count; all sets that begin with it are searched.
  void search_rows(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Count count);
  void search_lists(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                    std::span<const ColumnCandidate> candidates);
  void search_columns(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                      std::span<const ColumnCandidate> candidates);
  // `rows` null: all rows of the columns. Candidates are on the stack from `begin` on.
  void search_bits(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level);
  void search_candidates(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level);

  // Sorts out: what is too rare goes, what is in all rows is set aside. Returns whether there may be sets to report.
  template <typename Name>
  bool sift_candidates(std::size_t begin, Count count, Name name);
  void report_set(std::uint32_t item, Count count);
  void report_with(std::uint32_t item, Count count);
  void restore_perfect(std::size_t perfect);

  std::vector<std::uint32_t> perfect_items_;  // items that are in all rows of the set at hand
};

}  // namespace hedgerow::items

// Closed and maximal sets of a class: those that have a given item first in the order of the search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "items/equal_items.hpp"
#include "items/search_worker.hpp"

namespace hedgerow::items {

// Where a set is made larger by an item, the items that all of its rows then hold belong to it: its closure. If one of
// these stands before that item, the closed set is found elsewhere, and this way is left. So items that stand before,
// of which there are enough in the rows, are carried along (`outer`) beside the candidates. A closed set is maximal if
// it has neither candidates nor outer items; if all candidates together are frequent, theirs is the only set to look
// at. Of items that are in the same of the rows at hand one stands for all, and a candidate that is so like an outer
// item is left out, as it leads elsewhere: a few huge rows have thousands of items that differ in few ways. Ways deeper
// than `kMaxDepth` are cut off by lifting the bound.
class ClosedSearch : private SearchWorker {
 public:
  ClosedSearch(const SearchProblem& given, SetStore& shared, TimeLimit& watch, std::size_t own)
      : SearchWorker(given, shared, watch, own), chains_(given.rows.n_items) {}

  void search_class(std::uint32_t first);
  void finish() { writer.finish(); }

 private:
  static constexpr std::size_t kMaxDepth = 4096;
  static constexpr std::size_t kManyColumns = 128;  // columns: so many are worth a look at which are the same

  // A part of the stack: outer items, then candidates.
  struct StackRange {
    std::size_t begin = 0, middle = 0, end = 0;
  };

  // Whether a candidate is frequent; one that lies too deep lifts the bound above its count instead.
  bool is_frequent(Count count, std::size_t level);
  void search_rows(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Count count,
                   std::size_t level);
  void search_lists(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, StackRange range,
                    std::size_t level);
  void search_columns(const ItemRowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                      StackRange range, std::size_t level);
  void search_bits(const BitColumns& columns, const std::uint64_t* rows, StackRange range, std::size_t level);
  void search_candidate(const BitColumns& columns, const std::uint64_t* rows, StackRange range, std::size_t at,
                        std::size_t level);

  StackRange sift_candidates(const BitColumns& columns, const std::uint64_t* rows, StackRange range, std::size_t at);
  bool try_all_candidates(const BitColumns& columns, const std::uint64_t* rows, StackRange range, std::size_t level);
  bool search_row_intersections(const BitColumns& columns, StackRange range);
  StackRange drop_equal_columns(const BitColumns& columns, const std::uint64_t* rows, StackRange range);
  void search_candidates(const BitColumns& columns, const std::uint64_t* rows, StackRange range, std::size_t level);

  // The bound that a set must reach to be frequent if it has this item too.
  Count bound_with(std::uint32_t item) const {
    return std::min(min_count(), std::max(problem.bounds[item], store.bound()));
  }
  void join_item(std::uint32_t item);              // to the set at hand, with all that go with it
  void remove_items(std::size_t size);             // until it has so many items
  bool report_set(Count count, StackRange range);  // whether sets that are larger may be told too
  bool is_reported(StackRange range) const;

  std::vector<std::uint32_t> items_;
  std::vector<Count> item_counts_;  // of the set as it was with each item
  std::size_t n_written_ = 0;       // so many of them are steps already
  ItemChains chains_;
  std::size_t compared_rows_ = 0;     // rows in which columns were last compared
  std::vector<std::uint32_t> slots_;  // a table of columns by their bits
};

}  // namespace hedgerow::items

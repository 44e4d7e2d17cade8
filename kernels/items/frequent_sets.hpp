// All frequent sets of a class: those that have a given item first in the order of the search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "items/search_worker.hpp"

namespace hedgerow::items {

// One member of a crew has one; it does one class after the other.
class Search : private Member {
 public:
  using Member::Member;

  void search(std::uint32_t first);
  void finish() { writer.finish(); }

 private:
  // The set at hand, to which `item` was added last, has this count; all sets that begin with it are searched.
  void in_rows(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item, Count count);
  void in_lists(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                std::span<const Candidate> kept);
  void in_columns(const RowList& rows, std::span<const std::uint32_t> names, std::uint32_t item,
                  std::span<const Candidate> kept);
  // `rows` null: all rows of the columns. Candidates are on the stack from `begin` on.
  void in_bits(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level);
  void below(const BitColumns& columns, const std::uint64_t* rows, std::size_t begin, std::size_t level);

  // Sorts out: what is too rare goes, what is in all rows is set aside. Returns whether there may be sets to tell.
  template <typename Name>
  bool sift(std::size_t begin, Count count, Name name);
  void tell(std::uint32_t item, Count count);
  void tell_with(std::uint32_t item, Count count);
  void take_back(std::size_t perfect);

  std::vector<std::uint32_t> perfect_;  // items that are in all rows of the set at hand
};

}  // namespace hedgerow::items

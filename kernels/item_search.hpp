// All frequent sets of a class: those that have a given item first in the order of the search.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "item_bits.hpp"
#include "item_guard.hpp"
#include "item_prefix.hpp"
#include "item_store.hpp"

namespace hedgerow::items {

// One member of a crew has one; it does one class after the other.
class Search {
 public:
  Search(const Problem& problem, Store& store, Guard& guard, std::size_t member);

  void search(std::uint32_t first);
  void finish() { writer_.finish(); }

 private:
  Count least() const { return std::max(class_bound_, store_.bound()); }
  void look_up();

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

  const Problem& problem_;
  Store& store_;
  Guard& guard_;
  std::size_t member_;
  Writer writer_;
  Prefix prefix_;
  Count class_bound_ = 0;
  std::vector<std::uint32_t> perfect_;  // items that are in all rows of the set at hand
  std::vector<std::uint32_t> renamed_, all_names_;
  std::vector<Count> counts_;
  std::vector<Candidate> stack_;
  std::deque<BitColumns> packs_;
  std::deque<std::vector<std::uint64_t>> rows_;  // of the set at each level
  std::size_t n_packs_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace hedgerow::items

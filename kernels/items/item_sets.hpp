// Frequent item sets: which sets of items are together in enough rows, and in how many.
//
// Problem. A row is a set of items. The count of a set is the weight of the rows that hold all its items. Found are the
// sets whose count reaches the lowest of their items' bounds (with one bound for all that is "minimum support"); of
// these all, or the closed ones (no larger set has the same count), or the maximal ones (no larger set is frequent),
// that also have at most `max_length` items, item counts that differ by at most `spread`, one `required` item if there
// are any, and at most `max_of_group` items of a group. Closed and maximal are meant among all frequent sets, whatever
// the other conditions: these only choose what is told. The empty set is never told.
//
// Order of the result: smaller sets first, then lexically by item code; codes ascend inside a set.
//
// Way. Items are put in order by bound, then (required first) by count, the rarest first. The sets that have item i as
// their first one are a class, and classes are independent jobs: the rows that hold i, cut to the items after i, are
// counted; items under the bound of i are left out, items that all of the rows hold (perfect extensions) are set aside,
// since with them every set is merely doubled; and what remains is searched by the same step, as lists of items while
// rows are sparse (item_rows), as columns of bits once they are not (item_bits). The rarest items come first, so that
// projections are small, and the lowest bound comes first, so that it is constant inside a class and counts only fall.
// Sets are written as a walk through a tree (item_store), 16 bytes a set, and brought to order at the end by a radix
// sort of packed codes (item_order). Closed sets are found by prefix-preserving closure: a class is given up as soon as
// an item in front of it, that is not in the set, is in all of its rows.
//
// Rising bound. If more than `max_sets` are found, or if the result needs more than the memory given, the bound rises
// just so far that the rest fits, and the search goes on with it. The result is then every set with a count of `bound`
// or more: all sets that tie at a count, or none. With max_sets = k and no other bound these are the k heaviest sets.
// A set of d items whose 2^d subsets could not be kept lifts the bound above its count at once, so that neither a row
// of thousands of items nor equal rows make the search endless. Of maximal sets, which are others at another bound, the
// search begins anew with a bound higher by half, or half way up to the highest count, until the result fits.
//
// Weights are whole ticks, so sums are exact, and the result is the same for any order of rows and number of threads.
// Cost: rows times the square of their length to count pairs, then about a pass over the bits of a class for each set.
//
// M. J. Zaki, Scalable algorithms for association mining. TKDE 12 (2000); T. Uno, M. Kiyomi and H. Arimura, LCM ver. 2.
// FIMI (2004); B. Liu, W. Hsu and Y. Ma, Mining association rules with multiple minimum supports. KDD (1999).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "items/set_order.hpp"

namespace hedgerow::items {

struct ItemTable {
  std::span<const std::int64_t> offsets;  // rows + 1
  std::span<const std::int32_t> codes;    // below n_items, unique inside a row
  std::size_t n_items = 0;
  std::span<const double> weights;  // by row, not negative; empty: all are 1
};

enum class SetKind { all, closed, maximal };

struct ItemSetOptions {
  std::span<const double> bounds;  // by item; infinity leaves the item out
  SetKind kind = SetKind::all;
  std::size_t max_length = SIZE_MAX;
  double spread = std::numeric_limits<double>::infinity();
  std::span<const std::uint8_t> required;  // by item; empty: none is
  std::span<const std::int32_t> group;     // by item, -1: in none; empty: no groups
  std::span<const std::int64_t> max_of_group;
  std::size_t max_sets = SIZE_MAX;
  std::size_t memory = SIZE_MAX;  // bytes
  double seconds = std::numeric_limits<double>::infinity();
};

enum class SearchEnd { done, bound_rose, out_of_time };

struct ItemSetResult {
  OrderedSets sets;  // none if the time was over
  double bound = 0;
  double ticks = 1;  // that make a count of 1
  SearchEnd status = SearchEnd::done;
};

ItemSetResult mine_item_sets(const ItemTable& table, const ItemSetOptions& options, ThreadPool& pool);

}  // namespace hedgerow::items

// Item sets that are frequent in rows of items, and counts of given ones.
#include "items/item_sets.hpp"

#include <algorithm>
#include <cmath>

#include "bind/interrupts.hpp"
#include "items/set_counts.hpp"

using namespace bind;
namespace items = hedgerow::items;

namespace {

template <typename T>
Array<T> hand_over(items::UninitializedArray<T>&& owned_array) {
  auto* owned = new items::UninitializedArray<T>(std::move(owned_array));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<items::UninitializedArray<T>*>(p); });
  return Array<T>(owned->begin(), {owned->size()}, owner);
}

void check_codes(In<std::int32_t> codes, std::size_t n_items) {
  check_below(as_span(codes), n_items, "a code is not below the number of items");
}

items::ItemTable make_table(In<std::int64_t> offsets, In<std::int32_t> codes, std::size_t n_items, In<double> weights) {
  check_offsets(as_span(offsets), codes.size());
  check_codes(codes, n_items);
  if (weights.size()) check_same_length(weights.size(), offsets.size() - 1, "weights and rows differ in length");
  for (const double weight : as_span(weights)) {
    if (!(weight >= 0) || std::isinf(weight)) throw nb::value_error("a weight is negative or not a number");
  }
  return {as_span(offsets), as_span(codes), n_items, as_span(weights)};
}

items::ItemSetOptions make_options(std::size_t n_items, In<double> bounds, int which, std::int64_t max_length,
                                   double spread, In<std::uint8_t> required, In<std::int32_t> group,
                                   In<std::int64_t> max_of_group, std::int64_t max_sets, std::int64_t memory,
                                   double seconds) {
  check_same_length(bounds.size(), n_items, "bounds and items differ in length");
  for (const double bound : as_span(bounds)) {
    if (!(bound > 0)) throw nb::value_error("a bound is not above 0");
  }
  if (which < 0 || which > 2) throw nb::value_error("which must be 0, 1 or 2");
  if (required.size()) check_same_length(required.size(), n_items, "required and items differ in length");
  if (group.size()) check_same_length(group.size(), n_items, "group and items differ in length");
  for (const std::int32_t one : as_span(group)) {
    if (one < -1 || one >= static_cast<std::int64_t>(max_of_group.size()))
      throw nb::value_error("a group is not below the number of groups");
  }
  if (max_length < 0 || max_sets < 0 || memory < 0 || !(spread >= 0) || std::isnan(seconds))
    throw nb::value_error("a limit is negative");
  const auto limit = [](std::int64_t value) { return value == INT64_MAX ? SIZE_MAX : static_cast<std::size_t>(value); };
  return {as_span(bounds),       static_cast<items::SetKind>(which),
          limit(max_length),     spread,
          as_span(required),     as_span(group),
          as_span(max_of_group), limit(max_sets),
          limit(memory),         seconds};
}

nb::tuple mine_item_sets(In<std::int64_t> offsets, In<std::int32_t> codes, std::size_t n_items, In<double> weights,
                         In<double> bounds, int which, std::int64_t max_length, double spread,
                         In<std::uint8_t> required, In<std::int32_t> group, In<std::int64_t> max_of_group,
                         std::int64_t max_sets, std::int64_t memory, double seconds, std::size_t threads) {
  const items::ItemTable table = make_table(offsets, codes, n_items, weights);
  const items::ItemSetOptions options = make_options(n_items, bounds, which, max_length, spread, required, group,
                                                     max_of_group, max_sets, memory, seconds);
  items::ItemSetResult found;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(std::max<std::size_t>(threads, 1), Interrupts());
    found = items::mine_item_sets(table, options, pool);
  }
  nb::object counts;
  if (weights.size()) {
    items::UninitializedArray<double> numbers(found.sets.counts.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<double>(found.sets.counts[i]) / found.ticks;
    counts = nb::cast(hand_over(std::move(numbers)));
  } else {
    counts = nb::cast(hand_over(std::move(found.sets.counts)));
  }
  return nb::make_tuple(hand_over(std::move(found.sets.offsets)), hand_over(std::move(found.sets.codes)), counts,
                        found.bound, static_cast<int>(found.status));
}

Array<double> count_sets(In<std::int64_t> offsets, In<std::int32_t> codes, std::size_t n_items, In<double> weights,
                         In<std::int64_t> set_offsets, In<std::int32_t> set_codes, std::size_t threads) {
  const items::ItemTable table = make_table(offsets, codes, n_items, weights);
  check_offsets(as_span(set_offsets), set_codes.size());
  check_codes(set_codes, n_items);
  std::vector<double> counts;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(std::max<std::size_t>(threads, 1), Interrupts());
    counts = items::count_sets(table, as_span(set_offsets), as_span(set_codes), pool);
  }
  return to_numpy(std::move(counts));
}

}  // namespace

void init_item_sets(nb::module_& m) {
  m.def("mine_item_sets", &mine_item_sets, "offsets"_a.noconvert(), "codes"_a.noconvert(), "n_items"_a,
        "weights"_a.noconvert(), "bounds"_a.noconvert(), "kind"_a, "max_length"_a, "spread"_a, "required"_a.noconvert(),
        "group"_a.noconvert(), "max_of_group"_a.noconvert(), "max_sets"_a, "memory"_a, "seconds"_a, "threads"_a);
  m.def("count_sets", &count_sets, "offsets"_a.noconvert(), "codes"_a.noconvert(), "n_items"_a, "weights"_a.noconvert(),
        "set_offsets"_a.noconvert(), "set_codes"_a.noconvert(), "threads"_a);
}

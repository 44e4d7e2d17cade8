// What association rules recommend to baskets.
#include "rules/recommend.hpp"

#include <algorithm>

#include "bind/interrupts.hpp"

using namespace bind;

namespace {

constexpr std::size_t kFewItems = 4096;  // so many items of baskets are worth a thread

hedgerow::ItemSetList make_sets(const In<std::int64_t>& offsets, const In<std::int32_t>& codes, std::size_t n_items) {
  check_offsets(as_span(offsets), codes.size());
  check_below(as_span(codes), n_items, "an item is out of range");
  return {as_span(offsets), as_span(codes)};
}

}  // namespace

void init_recommend(nb::module_& m) {
  m.def(
      "recommend_items",
      [](In<std::int64_t> offsets, In<std::int32_t> codes, In<std::int64_t> set_offsets, In<std::int32_t> set_codes,
         In<std::int32_t> left, In<std::int32_t> right, In<std::int32_t> group, std::size_t maximum,
         std::size_t threads) {
        check_same_length(left.size(), right.size(), "left and right differ in length");
        const auto baskets = make_sets(offsets, codes, group.size());
        const auto sets = make_sets(set_offsets, set_codes, group.size());
        check_below(as_span(left), sets.size(), "a set is out of range");
        check_below(as_span(right), sets.size(), "a set is out of range");
        hedgerow::Recommendations recommendations;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool pool(
              std::clamp<std::size_t>(codes.size() / kFewItems, 1, std::max<std::size_t>(threads, 1)), Interrupts());
          recommendations =
              hedgerow::recommend_items(baskets, sets, as_span(left), as_span(right), as_span(group), maximum, pool);
        }
        return std::tuple(to_numpy(std::move(recommendations.starts)), to_numpy(std::move(recommendations.items)),
                          to_numpy(std::move(recommendations.rules)));
      },
      "offsets"_a.noconvert(), "codes"_a.noconvert(), "set_offsets"_a.noconvert(), "set_codes"_a.noconvert(),
      "left"_a.noconvert(), "right"_a.noconvert(), "group"_a.noconvert(), "most"_a, "threads"_a);
}

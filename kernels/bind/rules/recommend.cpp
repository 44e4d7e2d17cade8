// What association rules recommend to baskets.
#include "rules/recommend.hpp"

#include <algorithm>

#include "bind/interrupts.hpp"

using namespace bind;

namespace {

constexpr std::size_t few = 4096;  // so many items of baskets are worth a thread

hedgerow::ItemSetList lists(const In<std::int64_t>& offsets, const In<std::int32_t>& codes, std::size_t n_items) {
  check_offsets(span(offsets), codes.size());
  check_below(span(codes), n_items, "an item is out of range");
  return {span(offsets), span(codes)};
}

}  // namespace

void init_rule_hits(nb::module_& m) {
  m.def(
      "rule_hits",
      [](In<std::int64_t> offsets, In<std::int32_t> codes, In<std::int64_t> set_offsets, In<std::int32_t> set_codes,
         In<std::int32_t> left, In<std::int32_t> right, In<std::int32_t> group, std::size_t most, std::size_t threads) {
        same_length(left.size(), right.size(), "left and right differ in length");
        const auto baskets = lists(offsets, codes, group.size());
        const auto sets = lists(set_offsets, set_codes, group.size());
        check_below(span(left), sets.size(), "a set is out of range");
        check_below(span(right), sets.size(), "a set is out of range");
        hedgerow::Recommendations hits;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool crew(std::clamp<std::size_t>(codes.size() / few, 1, std::max<std::size_t>(threads, 1)),
                                    Interrupts());
          hits = hedgerow::recommend_items(baskets, sets, span(left), span(right), span(group), most, crew);
        }
        return std::tuple(array(std::move(hits.starts)), array(std::move(hits.items)), array(std::move(hits.rules)));
      },
      "offsets"_a.noconvert(), "codes"_a.noconvert(), "set_offsets"_a.noconvert(), "set_codes"_a.noconvert(),
      "left"_a.noconvert(), "right"_a.noconvert(), "group"_a.noconvert(), "most"_a, "threads"_a);
}

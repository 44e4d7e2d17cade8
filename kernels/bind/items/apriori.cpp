// Item sets level by level, and rules from item sets.
#include "items/apriori.hpp"

#include "bind/interrupts.hpp"
#include "items/association_rules.hpp"

using namespace bind;

namespace {

using Codes = In<std::int32_t>;

void check_items(std::span<const std::int32_t> codes, std::size_t items) {
  check_below(codes, items, "an item is out of range");
}

hedgerow::ItemGroups make_groups(const Codes& group, const In<std::int64_t>& maximum,
                                 std::span<const std::int32_t> codes) {
  if (group.size() == 0) return {};
  check_items(codes, group.size());
  for (const std::int32_t one : as_span(group)) {
    if (one >= static_cast<std::int64_t>(maximum.size())) throw nb::value_error("a group is out of range");
  }
  return {as_span(group), as_span(maximum)};
}

auto to_tuple(hedgerow::JoinedSets&& out) {
  return std::tuple(to_numpy(std::move(out.sets)), out.joined, out.is_complete);
}

void check_size(const Codes& sets, std::size_t size) {
  if (size == 0 || sets.size() % size != 0) throw nb::value_error("the sets are not all of that size");
}

hedgerow::RuleLimits make_limits(const nb::dict& given) {
  hedgerow::RuleLimits out;
  out.confidence = nb::cast<double>(given["confidence"]);
  out.lift = nb::cast<double>(given["lift"]);
  out.leverage = nb::cast<double>(given["leverage"]);
  out.conviction = nb::cast<double>(given["conviction"]);
  out.min_antecedent = nb::cast<std::size_t>(given["min_antecedent"]);
  out.max_antecedent = nb::cast<std::size_t>(given["max_antecedent"]);
  out.max_consequent = nb::cast<std::size_t>(given["max_consequent"]);
  out.drop_redundant = nb::cast<bool>(given["fold"]);
  const int by = nb::cast<int>(given["by"]);
  if (by < 0 || by > static_cast<int>(hedgerow::RuleMeasure::CONVICTION)) throw nb::value_error("no such measure");
  out.measure = static_cast<hedgerow::RuleMeasure>(by);
  out.max_rules = nb::cast<std::size_t>(given["most"]);
  out.max_evaluations = nb::cast<std::uint64_t>(given["looks"]);
  out.seconds = nb::cast<double>(given["seconds"]);
  return out;
}

nb::dict derive_rules(const In<std::int64_t>& offsets, const Codes& codes, const In<double>& counts,
                      std::size_t sources, double total, const In<std::uint8_t>& roles, const nb::dict& limits,
                      std::size_t threads) {
  check_offsets(as_span(offsets), codes.size());
  check_items(as_span(codes), roles.size());
  check_same_length(offsets.size(), counts.size() + 1, "sets and counts differ in length");
  if (sources > counts.size()) throw nb::value_error("there are not so many sets");
  for (std::size_t set = 0; set < sources; ++set) {
    if (offsets.data()[set + 1] - offsets.data()[set] > 63) throw nb::value_error("a set has more than 63 items");
  }
  auto rule_limits = make_limits(limits);
  rule_limits.roles = as_span(roles);
  const hedgerow::CountedSets given{{as_span(offsets), as_span(codes)}, as_span(counts), sources, total};
  hedgerow::AssociationRules out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(threads, Interrupts());
    out = hedgerow::derive_rules(given, rule_limits, pool);
  }
  nb::dict found;
  found["whole"] = to_numpy(std::move(out.whole));
  found["left"] = to_numpy(std::move(out.left));
  found["right"] = to_numpy(std::move(out.right));
  found["found"] = out.n_found;
  found["bound"] = out.bound;
  found["late"] = out.out_of_time;
  found["missing_offsets"] = to_numpy(std::move(out.missing_offsets));
  found["missing_codes"] = to_numpy(std::move(out.missing_codes));
  return found;
}

}  // namespace

void init_apriori(nb::module_& m) {
  m.def(
      "join_sets",
      [](Codes sets, std::size_t size, In<double> bounds, Codes group, In<std::int64_t> maximum, std::size_t max_sets) {
        check_size(sets, size);
        if (bounds.size()) check_items(as_span(sets), bounds.size());
        const auto groups = make_groups(group, maximum, as_span(sets));
        hedgerow::JoinedSets out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::join_sets(as_span(sets), size, as_span(bounds), groups, max_sets, Interrupts());
        }
        return to_tuple(std::move(out));
      },
      "sets"_a.noconvert(), "size"_a, "bounds"_a.noconvert(), "group"_a.noconvert(), "max_of_group"_a.noconvert(),
      "max_sets"_a);
  m.def(
      "join_items",
      [](Codes items, In<double> counts, In<double> bounds, double spread, Codes group, In<std::int64_t> maximum) {
        check_same_length(items.size(), counts.size(), "items and counts differ in length");
        check_same_length(items.size(), bounds.size(), "items and bounds differ in length");
        const auto groups = make_groups(group, maximum, as_span(items));
        hedgerow::JoinedSets out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::join_items(as_span(items), as_span(counts), as_span(bounds), spread, groups);
        }
        return to_tuple(std::move(out));
      },
      "items"_a.noconvert(), "counts"_a.noconvert(), "bounds"_a.noconvert(), "spread"_a, "group"_a.noconvert(),
      "max_of_group"_a.noconvert());
  m.def(
      "count_candidates",
      [](In<std::int64_t> offsets, Codes codes, In<double> weights, std::int32_t items, Codes sets, std::size_t size) {
        check_offsets(as_span(offsets), codes.size());
        check_size(sets, size);
        check_items(as_span(codes), static_cast<std::size_t>(items));
        check_items(as_span(sets), static_cast<std::size_t>(items));
        if (weights.size()) check_same_length(weights.size() + 1, offsets.size(), "rows and weights differ in length");
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::count_candidates(as_span(offsets), as_span(codes), as_span(weights), items, as_span(sets),
                                           size, Interrupts());
        }
        return to_numpy(std::move(out));
      },
      "offsets"_a.noconvert(), "codes"_a.noconvert(), "weights"_a.noconvert(), "n_items"_a, "sets"_a.noconvert(),
      "size"_a);
  m.def("derive_rules", derive_rules, "offsets"_a.noconvert(), "codes"_a.noconvert(), "counts"_a.noconvert(),
        "sources"_a, "total"_a, "roles"_a.noconvert(), "limits"_a, "threads"_a);
}

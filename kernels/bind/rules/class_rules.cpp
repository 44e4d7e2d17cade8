// Python bindings of rules/class_rule_list.hpp, rules/class_rule_mining.hpp.
#include <nanobind/stl/vector.h>

#include "bind/interrupts.hpp"
#include "bind/rules/nominal_rows.hpp"
#include "rules/class_rule_list.hpp"
#include "rules/class_rule_mining.hpp"

using namespace bind;
namespace cars = hedgerow::cars;
using Int = In<std::int32_t>;
using Ticks = In<std::int64_t>;

namespace {

cars::RuleTests checked(Int starts, Int columns, Int codes, Int decisions) {
  same_length(starts.size(), decisions.size() + 1, "starts and decisions do not fit");
  same_length(columns.size(), codes.size(), "columns and codes differ in length");
  if (starts.data()[0] != 0 || static_cast<std::size_t>(starts.data()[starts.size() - 1]) != columns.size())
    throw nb::value_error("starts do not fit the tests");
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts.data()[i] <= starts.data()[i - 1]) throw nb::value_error("a rule has no tests");
  }
  return {span(starts), span(columns), span(codes), span(decisions)};
}

void check_tests(const cars::RuleTests& tests, const cars::Rows& rows) {
  for (std::size_t i = 0; i < tests.columns.size(); ++i) {
    const std::int32_t column = tests.columns[i], code = tests.codes[i];
    if (column < 0 || static_cast<std::size_t>(column) >= rows.columns.size())
      throw nb::value_error("a test has no column");
    if (code < 0 || code >= rows.columns[static_cast<std::size_t>(column)].levels)
      throw nb::value_error("a test has no level");
  }
  check_below(tests.decisions, static_cast<std::size_t>(rows.classes), "a rule has no class");
}

void check_order(std::span<const std::int32_t> order, std::size_t rules) {
  check_below(order, rules, "the order names a rule that is not there");
}

nb::dict mine_cars(const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label, std::int32_t classes,
                   Ticks weight, Ticks bounds, std::pair<std::int64_t, std::int64_t> confidence, std::size_t most_tests,
                   std::size_t most_sets, std::size_t most_bytes, bool general, std::size_t threads) {
  const GivenRows given(arrays, levels, label, classes, weight);
  same_length(bounds.size(), static_cast<std::size_t>(classes), "bounds and classes differ in number");
  if (confidence.first < 0 || confidence.second <= 0) throw nb::value_error("the confidence is no share");
  const cars::MiningOptions options{span(bounds), confidence.first, confidence.second, most_tests, most_sets,
                                    most_bytes,   general};
  cars::MinedRules mined;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(threads, Interrupts());
    mined = cars::mine_rules(given.rows, options, crew);
  }
  nb::dict out;
  out["starts"] = array(std::move(mined.starts));
  out["columns"] = array(std::move(mined.columns));
  out["codes"] = array(std::move(mined.codes));
  out["decisions"] = array(std::move(mined.decisions));
  out["hits"] = array(std::move(mined.hits));
  out["covered"] = array(std::move(mined.covered));
  out["sets"] = mined.sets;
  out["ended"] = mined.exceeded;
  out["full"] = mined.out_of_memory;
  return out;
}

Array<std::int32_t> car_order(Ticks hits, Ticks covered, bool rounded) {
  same_length(hits.size(), covered.size(), "hits and covered differ in length");
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits.data()[i] < 0 || covered.data()[i] < std::max<std::int64_t>(1, hits.data()[i]))
      throw nb::value_error("a rule covers less than its hits");
  }
  return array(cars::order_by_precedence(span(hits), span(covered), rounded));
}

Array<std::uint8_t> car_general(Int starts, Int columns, Int codes, Int decisions, Int order, bool same_class) {
  const cars::RuleTests tests = checked(starts, columns, codes, decisions);
  check_order(span(order), tests.size());
  return array(cars::mark_general_rules(tests, span(order), same_class));
}

Array<std::uint8_t> car_pessimistic(const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label,
                                    std::int32_t classes, Ticks weight, Int starts, Int columns, Int codes,
                                    Int decisions, double confidence, double z, double tick, std::size_t threads) {
  const GivenRows given(arrays, levels, label, classes, weight);
  const cars::RuleTests tests = checked(starts, columns, codes, decisions);
  check_tests(tests, given.rows);
  std::vector<std::uint8_t> stays;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(threads, Interrupts());
    stays = cars::mark_pessimistic_rules(given.rows, tests, confidence, z, tick, crew);
  }
  return array(std::move(stays));
}

Array<std::int64_t> car_counts(const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label,
                               std::int32_t classes, Ticks weight, Int starts, Int columns, Int codes, Int decisions,
                               std::size_t threads) {
  const GivenRows given(arrays, levels, label, classes, weight);
  const cars::RuleTests tests = checked(starts, columns, codes, decisions);
  check_tests(tests, given.rows);
  std::vector<std::int64_t> counts;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(threads, Interrupts());
    counts = cars::count_covered(given.rows, tests, crew);
  }
  return array(std::move(counts));
}

std::pair<Array<std::int32_t>, Array<std::int64_t>> car_list(const nb::list& arrays,
                                                             const std::vector<std::int32_t>& levels, Int label,
                                                             std::int32_t classes, Ticks weight, Int starts,
                                                             Int columns, Int codes, Int decisions, Int order,
                                                             bool two_scans, std::size_t most_rules) {
  const GivenRows given(arrays, levels, label, classes, weight);
  const cars::RuleTests tests = checked(starts, columns, codes, decisions);
  check_tests(tests, given.rows);
  check_order(span(order), tests.size());
  cars::RuleSelection chosen;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(1, Interrupts());
    chosen = (two_scans ? cars::select_in_two_scans : cars::select_one_by_one)(given.rows, tests, span(order),
                                                                               most_rules, crew);
  }
  return {array(std::move(chosen.rules)), array(std::move(chosen.covered))};
}

}  // namespace

void init_cars(nb::module_& m) {
  m.def("mine_cars", &mine_cars, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(),
        "bounds"_a.noconvert(), "confidence"_a, "most_tests"_a, "most_sets"_a, "most_bytes"_a, "general"_a,
        "threads"_a);
  m.def("car_order", &car_order, "hits"_a.noconvert(), "covered"_a.noconvert(), "rounded"_a);
  m.def("car_general", &car_general, "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(),
        "decisions"_a.noconvert(), "order"_a.noconvert(), "same_class"_a);
  m.def("car_pessimistic", &car_pessimistic, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(),
        "decisions"_a.noconvert(), "confidence"_a, "z"_a, "tick"_a, "threads"_a);
  m.def("car_counts", &car_counts, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(),
        "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(), "decisions"_a.noconvert(), "threads"_a);
  m.def("car_list", &car_list, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(),
        "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(), "decisions"_a.noconvert(),
        "order"_a.noconvert(), "two_scans"_a, "most_rules"_a);
}

// Python bindings of rules/class_rule_list.hpp, rules/class_rule_mining.hpp.
#include <nanobind/stl/vector.h>

#include "bind/interrupts.hpp"
#include "bind/rules/nominal_rows.hpp"
#include "rules/class_rule_list.hpp"
#include "rules/class_rule_mining.hpp"

using namespace bind;
namespace class_rules = hedgerow::cars;
using Int = In<std::int32_t>;
using Ticks = In<std::int64_t>;

namespace {

class_rules::RuleTests check_rules(Int starts, Int columns, Int codes, Int decisions) {
  check_same_length(starts.size(), decisions.size() + 1, "starts and decisions do not fit");
  check_same_length(columns.size(), codes.size(), "columns and codes differ in length");
  if (starts.data()[0] != 0 || static_cast<std::size_t>(starts.data()[starts.size() - 1]) != columns.size())
    throw nb::value_error("starts do not fit the tests");
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts.data()[i] <= starts.data()[i - 1]) throw nb::value_error("a rule has no tests");
  }
  return {as_span(starts), as_span(columns), as_span(codes), as_span(decisions)};
}

void check_tests(const class_rules::RuleTests& tests, const class_rules::Rows& rows) {
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

nb::dict mine_class_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label,
                          std::int32_t classes, Ticks weight, Ticks bounds,
                          std::pair<std::int64_t, std::int64_t> confidence, std::size_t max_tests, std::size_t max_sets,
                          std::size_t max_bytes, bool skip_specialized, std::size_t threads) {
  const CheckedNominalRows given(arrays, levels, label, classes, weight);
  check_same_length(bounds.size(), static_cast<std::size_t>(classes), "bounds and classes differ in number");
  if (confidence.first < 0 || confidence.second <= 0) throw nb::value_error("the confidence is no share");
  const class_rules::MiningOptions options{as_span(bounds), confidence.first, confidence.second, max_tests,
                                           max_sets,        max_bytes,        skip_specialized};
  class_rules::MinedRules mined;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(threads, Interrupts());
    mined = class_rules::mine_rules(given.rows, options, pool);
  }
  nb::dict out;
  out["starts"] = to_numpy(std::move(mined.starts));
  out["columns"] = to_numpy(std::move(mined.columns));
  out["codes"] = to_numpy(std::move(mined.codes));
  out["decisions"] = to_numpy(std::move(mined.decisions));
  out["hits"] = to_numpy(std::move(mined.hits));
  out["covered"] = to_numpy(std::move(mined.covered));
  out["sets"] = mined.sets;
  out["ended"] = mined.exceeded;
  out["full"] = mined.out_of_memory;
  return out;
}

Array<std::int32_t> order_class_rules(Ticks hits, Ticks covered, bool rounded) {
  check_same_length(hits.size(), covered.size(), "hits and covered differ in length");
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits.data()[i] < 0 || covered.data()[i] < std::max<std::int64_t>(1, hits.data()[i]))
      throw nb::value_error("a rule covers less than its hits");
  }
  return to_numpy(class_rules::order_by_precedence(as_span(hits), as_span(covered), rounded));
}

Array<std::uint8_t> mark_general_rules(Int starts, Int columns, Int codes, Int decisions, Int order, bool same_class) {
  const class_rules::RuleTests tests = check_rules(starts, columns, codes, decisions);
  check_order(as_span(order), tests.size());
  return to_numpy(class_rules::mark_general_rules(tests, as_span(order), same_class));
}

Array<std::uint8_t> mark_pessimistic_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label,
                                           std::int32_t classes, Ticks weight, Int starts, Int columns, Int codes,
                                           Int decisions, double confidence, double z, double tick,
                                           std::size_t threads) {
  const CheckedNominalRows given(arrays, levels, label, classes, weight);
  const class_rules::RuleTests tests = check_rules(starts, columns, codes, decisions);
  check_tests(tests, given.rows);
  std::vector<std::uint8_t> stays;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(threads, Interrupts());
    stays = class_rules::mark_pessimistic_rules(given.rows, tests, confidence, z, tick, pool);
  }
  return to_numpy(std::move(stays));
}

Array<std::int64_t> count_class_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label,
                                      std::int32_t classes, Ticks weight, Int starts, Int columns, Int codes,
                                      Int decisions, std::size_t threads) {
  const CheckedNominalRows given(arrays, levels, label, classes, weight);
  const class_rules::RuleTests tests = check_rules(starts, columns, codes, decisions);
  check_tests(tests, given.rows);
  std::vector<std::int64_t> counts;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(threads, Interrupts());
    counts = class_rules::count_covered(given.rows, tests, pool);
  }
  return to_numpy(std::move(counts));
}

std::pair<Array<std::int32_t>, Array<std::int64_t>> select_class_rules(
    const nb::list& arrays, const std::vector<std::int32_t>& levels, Int label, std::int32_t classes, Ticks weight,
    Int starts, Int columns, Int codes, Int decisions, Int order, bool two_scans, std::size_t max_rules) {
  const CheckedNominalRows given(arrays, levels, label, classes, weight);
  const class_rules::RuleTests tests = check_rules(starts, columns, codes, decisions);
  check_tests(tests, given.rows);
  check_order(as_span(order), tests.size());
  class_rules::RuleSelection chosen;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(1, Interrupts());
    chosen = (two_scans ? class_rules::select_in_two_scans : class_rules::select_one_by_one)(
        given.rows, tests, as_span(order), max_rules, pool);
  }
  return {to_numpy(std::move(chosen.rules)), to_numpy(std::move(chosen.covered))};
}

}  // namespace

void init_class_rules(nb::module_& m) {
  m.def("mine_class_rules", &mine_class_rules, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "bounds"_a.noconvert(), "confidence"_a, "max_tests"_a, "max_sets"_a, "max_bytes"_a,
        "skip_specialized"_a, "threads"_a);
  m.def("order_class_rules", &order_class_rules, "hits"_a.noconvert(), "covered"_a.noconvert(), "rounded"_a);
  m.def("mark_general_rules", &mark_general_rules, "starts"_a.noconvert(), "tested"_a.noconvert(),
        "codes"_a.noconvert(), "decisions"_a.noconvert(), "order"_a.noconvert(), "same_class"_a);
  m.def("mark_pessimistic_rules", &mark_pessimistic_rules, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(),
        "decisions"_a.noconvert(), "confidence"_a, "z"_a, "tick"_a, "threads"_a);
  m.def("count_class_rules", &count_class_rules, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(),
        "decisions"_a.noconvert(), "threads"_a);
  m.def("select_class_rules", &select_class_rules, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "starts"_a.noconvert(), "tested"_a.noconvert(), "codes"_a.noconvert(),
        "decisions"_a.noconvert(), "order"_a.noconvert(), "two_scans"_a, "max_rules"_a);
}

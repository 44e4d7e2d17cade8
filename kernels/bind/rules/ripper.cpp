// Growing rules and finding what they cover.
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

#include "bind/interrupts.hpp"
#include "bind/trees/grow.hpp"
#include "rules/cover.hpp"
#include "rules/description_length.hpp"
#include "rules/grow.hpp"

using namespace bind;
namespace rules = hedgerow::rules;

namespace {

// Columns made ready, with the arrays they point into.
struct PreparedRuleColumns {
  CheckedColumns raw;
  std::vector<nb::object> arrays;
  std::unique_ptr<hedgerow::ThreadPool> pool;  // for all rules; one of them grows at a time
  std::mutex growing;
  std::unique_ptr<rules::RuleColumns> columns;
};

// A column of terms: where each row begins, the terms of all rows, and how many terms there are.
using TermArrays = std::tuple<nb::object, nb::object, std::int32_t>;

rules::TermColumn make_term_column(const TermArrays& given, std::size_t rows) {
  const auto starts = nb::cast<In<std::int64_t>>(std::get<0>(given), false);
  const auto terms = nb::cast<In<std::int32_t>>(std::get<1>(given), false);
  const std::int32_t vocabulary = std::get<2>(given);
  check_same_length(starts.size(), rows + 1, "starts of terms and rows differ in length");
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t begin = starts.data()[row], end = starts.data()[row + 1];
    if (begin < 0 || begin > end || end > static_cast<std::int64_t>(terms.size())) {
      throw nb::value_error("the starts of terms do not ascend");
    }
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int32_t term = terms.data()[at];
      if (term < 0 || term >= vocabulary || (at > begin && terms.data()[at - 1] >= term)) {
        throw nb::value_error("the terms of a row do not ascend, or are not below their number");
      }
    }
  }
  return {starts.data(), terms.data(), vocabulary};
}

std::unique_ptr<PreparedRuleColumns> prepare_columns(const nb::list& arrays, const std::vector<std::int32_t>& levels,
                                                     const std::vector<TermArrays>& terms, std::size_t rows,
                                                     std::size_t threads) {
  auto out = std::make_unique<PreparedRuleColumns>();
  out->raw = check_columns(arrays, levels, rows);
  std::vector<rules::TermColumn> sparse;
  for (const TermArrays& one : terms) {
    sparse.push_back(make_term_column(one, rows));
    out->arrays.push_back(std::get<0>(one));
    out->arrays.push_back(std::get<1>(one));
  }
  nb::gil_scoped_release unlocked;
  const std::size_t worth = std::max<std::size_t>(1, (levels.size() + terms.size()) * rows / kFewCells);
  out->pool = std::make_unique<hedgerow::ThreadPool>(std::min(threads, worth), Interrupts());
  out->columns = std::make_unique<rules::RuleColumns>(out->raw.columns, std::move(sparse), rows, *out->pool);
  return out;
}

// A rule as arrays: columns, tests and values.
using RuleArrays = std::tuple<In<std::int32_t>, In<std::uint8_t>, In<double>>;

std::vector<rules::Condition> make_rule(const RuleArrays& given, const PreparedRuleColumns& columns) {
  const auto& [numbers, tests, values] = given;
  check_same_length(numbers.size(), tests.size(), "columns and tests differ in length");
  check_same_length(numbers.size(), values.size(), "columns and values differ in length");
  const std::size_t dense = columns.raw.columns.size();
  std::vector<rules::Condition> rule;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const rules::Condition one{numbers.data()[i], static_cast<rules::ConditionKind>(tests.data()[i]), values.data()[i]};
    const auto at = static_cast<std::size_t>(one.column);
    if (one.column < 0 || at >= columns.columns->size()) throw nb::value_error("a condition tests no column");
    const bool numeric = at < dense && columns.raw.columns[at].numbers != nullptr;
    const bool is_code = one.value >= 0 && one.value <= std::numeric_limits<std::int32_t>::max();
    const bool fits = at >= dense ? one.test == rules::ConditionKind::contains && is_code
                      : numeric   ? one.test <= rules::ConditionKind::above
                                  : one.test == rules::ConditionKind::is && is_code;
    if (!fits) throw nb::value_error("a condition does not suit its column");
    rule.push_back(one);
  }
  return rule;
}

// Without a way out of the loop, it takes several rows at a time.
void check_below(std::span<const std::uint32_t> rows, std::size_t end) {
  std::uint32_t maximum = 0;
  for (const std::uint32_t row : rows) maximum = std::max(maximum, row);
  if (!rows.empty() && maximum >= end) throw nb::value_error("a row is not there");
}

void check_rows(In<std::uint32_t> rows, const PreparedRuleColumns& columns) {
  check_below(as_span(rows), columns.raw.rows);
}

nb::tuple to_tuple(const std::vector<rules::Condition>& rule) {
  std::vector<std::int32_t> columns;
  std::vector<std::uint8_t> tests;
  std::vector<double> values;
  for (const rules::Condition& one : rule) {
    columns.push_back(one.column);
    tests.push_back(static_cast<std::uint8_t>(one.test));
    values.push_back(one.value);
  }
  return nb::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(tests)), to_numpy(std::move(values)));
}

nb::tuple grow_rule(PreparedRuleColumns& columns, In<std::uint32_t> rows, In<std::uint8_t> positive, In<double> weight,
                    In<std::uint8_t> allowed, double min_weight, std::int64_t max_length) {
  check_rows(rows, columns);
  check_same_length(positive.size(), columns.raw.rows, "positive and columns differ in length");
  check_same_length(allowed.size(), columns.columns->size(), "allowed and columns differ in length");
  if (weight.size() != 0) check_same_length(weight.size(), columns.raw.rows, "weight and columns differ in length");
  rules::GrowTask task{as_span(rows), as_span(positive), as_span(weight), as_span(allowed), min_weight};
  if (max_length >= 0) task.max_length = static_cast<std::size_t>(max_length);
  std::vector<rules::Condition> rule;
  {
    nb::gil_scoped_release unlocked;
    std::lock_guard lock(columns.growing);
    rule = rules::grow_rule(*columns.columns, task, *columns.pool);
  }
  return to_tuple(rule);
}

template <typename Function>
auto bind_row_function(Function&& function) {
  return [function](const PreparedRuleColumns& columns, const RuleArrays& given, In<std::uint32_t> rows) {
    const auto rule = make_rule(given, columns);
    check_rows(rows, columns);
    std::vector<std::uint32_t> out;
    {
      nb::gil_scoped_release unlocked;
      out = function(*columns.columns, rule, as_span(rows));
    }
    return to_numpy(std::move(out));
  };
}

nb::tuple weigh_prefixes(const PreparedRuleColumns& columns, const RuleArrays& given, In<std::uint32_t> rows,
                         In<std::uint8_t> positive, In<double> weight) {
  const auto rule = make_rule(given, columns);
  check_rows(rows, columns);
  check_same_length(positive.size(), columns.raw.rows, "positive and columns differ in length");
  if (weight.size() != 0) check_same_length(weight.size(), columns.raw.rows, "weight and columns differ in length");
  std::vector<double> p, n;
  {
    nb::gil_scoped_release unlocked;
    for (const auto& one :
         rules::weigh_prefixes(*columns.columns, rule, as_span(rows), as_span(positive), as_span(weight))) {
      p.push_back(one.p);
      n.push_back(one.n);
    }
  }
  return nb::make_tuple(to_numpy(std::move(p)), to_numpy(std::move(n)));
}

nb::tuple describe_rules(const std::vector<In<std::uint32_t>>& given, const std::vector<double>& bits,
                         In<std::uint8_t> positive, In<double> weight, std::pair<double, double> all,
                         double false_positives, bool shorten) {
  if (weight.size() != 0) check_same_length(weight.size(), positive.size(), "positive and weight differ in length");
  check_same_length(given.size(), bits.size(), "rules and their bits differ in length");
  if (given.size() > std::numeric_limits<std::uint16_t>::max()) throw nb::value_error("these are too many rules");
  std::vector<std::span<const std::uint32_t>> rows;
  for (const auto& one : given) {
    rows.push_back(as_span(one));
    check_below(rows.back(), positive.size());
  }
  const rules::RuleSetRows rules_of_class{
      rows, bits, as_span(positive), as_span(weight), {all.first, all.second}, false_positives};
  rules::RuleSetDescription out;
  {
    nb::gil_scoped_release unlocked;
    out = rules::describe_rules(rules_of_class, shorten);
  }
  return nb::make_tuple(out.bits, to_numpy(std::move(out.is_kept)));
}

nb::tuple split_by_strata(In<std::uint32_t> rows, In<std::uint64_t> keys, In<std::int32_t> strata, std::size_t n_strata,
                          std::size_t folds, std::uint64_t seed) {
  check_same_length(keys.size(), strata.size(), "keys and strata differ in length");
  if (folds < 1) throw nb::value_error("cards are dealt out in one part at least");
  for (const std::uint32_t card : as_span(rows)) {
    if (card >= keys.size()) throw nb::value_error("a card is not there");
    const std::int32_t one = strata.data()[card];
    if (one < 0 || static_cast<std::size_t>(one) >= n_strata) throw nb::value_error("a stratum is not there");
  }
  rules::GrowPruneSplit out;
  {
    nb::gil_scoped_release unlocked;
    out = rules::split_by_strata(as_span(rows), as_span(keys), as_span(strata), n_strata, folds, seed);
  }
  return nb::make_tuple(to_numpy(std::move(out.grow)), to_numpy(std::move(out.prune)));
}

}  // namespace

void init_ripper(nb::module_& m) {
  nb::class_<PreparedRuleColumns>(m, "RuleColumns")
      .def(nb::new_(&prepare_columns), "columns"_a, "levels"_a, "terms"_a, "rows"_a, "threads"_a)
      .def("count_distinct", [](const PreparedRuleColumns& self) { return to_numpy(self.columns->count_distinct()); });
  m.def("grow_rule", &grow_rule, "columns"_a, "rows"_a.noconvert(), "positive"_a.noconvert(), "weight"_a.noconvert(),
        "allowed"_a.noconvert(), "min_weight"_a, "max_length"_a);
  m.def("find_covered", bind_row_function(&rules::find_covered), "columns"_a, "rule"_a.noconvert(),
        "rows"_a.noconvert());
  m.def("count_passed_conditions", bind_row_function(&rules::count_passed_conditions), "columns"_a,
        "rule"_a.noconvert(), "rows"_a.noconvert());
  m.def(
      "subtract_rows",
      [](In<std::uint32_t> rows, In<std::uint32_t> removed) {
        std::vector<std::uint32_t> out;
        {
          nb::gil_scoped_release unlocked;
          out = rules::subtract_rows(as_span(rows), as_span(removed));
        }
        return to_numpy(std::move(out));
      },
      "rows"_a.noconvert(), "removed"_a.noconvert());
  m.def("weigh_prefixes", &weigh_prefixes, "columns"_a, "rule"_a.noconvert(), "rows"_a.noconvert(),
        "positive"_a.noconvert(), "weight"_a.noconvert());
  m.def("describe_rules", &describe_rules, "rules"_a.noconvert(), "bits"_a, "positive"_a.noconvert(),
        "weight"_a.noconvert(), "all"_a, "false_positives"_a, "shorten"_a);
  m.def(
      "compute_exception_bits",
      [](std::pair<double, double> covered, std::pair<double, double> left, double false_positives) {
        return rules::compute_exception_bits({covered.first, covered.second}, {left.first, left.second},
                                             false_positives);
      },
      "covered"_a, "left"_a, "false_positives"_a);
  m.def("split_by_strata", &split_by_strata, "rows"_a.noconvert(), "keys"_a.noconvert(), "strata"_a.noconvert(),
        "n_strata"_a, "folds"_a, "seed"_a);
}

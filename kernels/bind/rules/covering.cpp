// Python bindings of rules/beam.hpp, rules/prism.hpp.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/interrupts.hpp"
#include "bind/rules/nominal_rows.hpp"
#include "rules/beam.hpp"
#include "rules/prism.hpp"

using namespace bind;
namespace beam = hedgerow::beam;
namespace prism = hedgerow::prism;

namespace {

template <typename T>
void set_option(const nb::dict& given, const char* name, T& to) {
  if (given.contains(name)) to = nb::cast<T>(given[name]);
}

nb::dict to_dict(beam::RuleListing&& listing) {
  nb::dict out;
  out["starts"] = to_numpy(std::move(listing.starts));
  out["columns"] = to_numpy(std::move(listing.columns));
  out["kinds"] = to_numpy(std::move(listing.kinds));
  out["levels"] = to_numpy(std::move(listing.levels));
  out["thresholds"] = to_numpy(std::move(listing.thresholds));
  out["values"] = to_numpy(std::move(listing.values));
  out["ratios"] = to_numpy(std::move(listing.ratios));
  out["counts"] = to_numpy(std::move(listing.counts));
  out["rules"] = to_numpy(std::move(listing.rules));
  out["rounds"] = to_numpy(std::move(listing.rounds));
  return out;
}

beam::BeamOptions make_beam_options(const nb::dict& given) {
  beam::BeamOptions out;
  const auto value = nb::cast<std::string>(given["value"]);
  if (value == "laplace")
    out.quality = beam::RuleQuality::laplace;
  else if (value == "m_estimate")
    out.quality = beam::RuleQuality::m_estimate;
  else if (value != "entropy")
    throw nb::value_error("unknown value");
  set_option(given, "width", out.width);
  set_option(given, "m", out.m);
  set_option(given, "k", out.k);
  set_option(given, "threshold", out.threshold);
  set_option(given, "critical", out.critical);
  set_option(given, "least", out.min_weight);
  set_option(given, "tick", out.tick);
  set_option(given, "most_rules", out.max_rules);
  set_option(given, "most_tests", out.max_tests);
  set_option(given, "wanted", out.wanted_class);
  set_option(given, "traced", out.traced);
  return out;
}

nb::dict learn_prism_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels, In<std::int32_t> label,
                           std::int32_t classes, In<std::int64_t> weight, In<std::uint8_t> taken, const nb::dict& given,
                           std::size_t threads) {
  const CheckedNominalRows rows(arrays, levels, label, classes, weight);
  if (taken.size())
    check_same_length(taken.size(), label.size() * static_cast<std::size_t>(classes), "taken rows differ in length");
  prism::PrismOptions options;
  set_option(given, "most_rules", options.max_rules);
  set_option(given, "most_tests", options.max_tests);
  set_option(given, "rounded", options.rounded);
  prism::PrismRules rules;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(std::min<std::size_t>(threads, static_cast<std::size_t>(classes)), Interrupts());
    rules = prism::learn_rules({rows.rows, as_span(taken)}, options, pool);
  }
  nb::dict out;
  out["starts"] = to_numpy(std::move(rules.starts));
  out["columns"] = to_numpy(std::move(rules.columns));
  out["codes"] = to_numpy(std::move(rules.codes));
  out["decisions"] = to_numpy(std::move(rules.decisions));
  out["covered"] = to_numpy(std::move(rules.covered));
  return out;
}

nb::dict learn_covering_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels,
                              In<std::uint8_t> allowed_tests, In<std::int32_t> label, std::int32_t classes,
                              In<std::int64_t> weight, const nb::dict& given, std::size_t threads) {
  const CheckedColumns raw = check_columns(arrays, levels, label.size());
  check_rows(label, classes, weight, raw.rows);
  check_same_length(allowed_tests.size(), raw.columns.size(), "ways and columns differ in length");
  const beam::BeamOptions options = make_beam_options(given);
  if (options.wanted_class >= classes) throw nb::value_error("the wanted class is not below the number of classes");
  if (!options.width) throw nb::value_error("the beam needs a width");
  beam::BeamResult found;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(threads, Interrupts());
    found = beam::learn_rules({raw.columns, as_span(allowed_tests), as_span(label), classes, as_span(weight)}, options,
                              pool);
  }
  nb::dict out;
  out["rules"] = to_dict(std::move(found.rules));
  out["trace"] = to_dict(std::move(found.trace));
  out["left"] = to_numpy(std::move(found.remaining_counts));
  return out;
}

}  // namespace

void init_covering(nb::module_& m) {
  m.def("learn_prism_rules", &learn_prism_rules, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "taken"_a.noconvert(), "options"_a, "threads"_a);
  m.def("learn_covering_rules", &learn_covering_rules, "columns"_a, "levels"_a, "allowed_tests"_a.noconvert(),
        "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(), "options"_a, "threads"_a);
}

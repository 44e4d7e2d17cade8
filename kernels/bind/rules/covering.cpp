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
void set(const nb::dict& given, const char* name, T& to) {
  if (given.contains(name)) to = nb::cast<T>(given[name]);
}

nb::dict given_back(beam::RuleListing&& listing) {
  nb::dict out;
  out["starts"] = array(std::move(listing.starts));
  out["columns"] = array(std::move(listing.columns));
  out["kinds"] = array(std::move(listing.kinds));
  out["levels"] = array(std::move(listing.levels));
  out["thresholds"] = array(std::move(listing.thresholds));
  out["values"] = array(std::move(listing.values));
  out["ratios"] = array(std::move(listing.ratios));
  out["counts"] = array(std::move(listing.counts));
  out["rules"] = array(std::move(listing.rules));
  out["rounds"] = array(std::move(listing.rounds));
  return out;
}

beam::BeamOptions beam_options(const nb::dict& given) {
  beam::BeamOptions out;
  const auto value = nb::cast<std::string>(given["value"]);
  if (value == "laplace")
    out.quality = beam::RuleQuality::laplace;
  else if (value == "m_estimate")
    out.quality = beam::RuleQuality::m_estimate;
  else if (value != "entropy")
    throw nb::value_error("unknown value");
  set(given, "width", out.width);
  set(given, "m", out.m);
  set(given, "k", out.k);
  set(given, "threshold", out.threshold);
  set(given, "critical", out.critical);
  set(given, "least", out.min_weight);
  set(given, "tick", out.tick);
  set(given, "most_rules", out.max_rules);
  set(given, "most_tests", out.max_tests);
  set(given, "wanted", out.wanted_class);
  set(given, "traced", out.traced);
  return out;
}

nb::dict prism_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels, In<std::int32_t> label,
                     std::int32_t classes, In<std::int64_t> weight, In<std::uint8_t> taken, const nb::dict& given,
                     std::size_t threads) {
  const GivenRows rows(arrays, levels, label, classes, weight);
  if (taken.size())
    same_length(taken.size(), label.size() * static_cast<std::size_t>(classes), "taken rows differ in length");
  prism::PrismOptions options;
  set(given, "most_rules", options.max_rules);
  set(given, "most_tests", options.max_tests);
  set(given, "rounded", options.rounded);
  prism::PrismRules rules;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(std::min<std::size_t>(threads, static_cast<std::size_t>(classes)), Interrupts());
    rules = prism::learn_rules({rows.rows, span(taken)}, options, crew);
  }
  nb::dict out;
  out["starts"] = array(std::move(rules.starts));
  out["columns"] = array(std::move(rules.columns));
  out["codes"] = array(std::move(rules.codes));
  out["decisions"] = array(std::move(rules.decisions));
  out["covered"] = array(std::move(rules.covered));
  return out;
}

nb::dict covering_rules(const nb::list& arrays, const std::vector<std::int32_t>& levels, In<std::uint8_t> ways,
                        In<std::int32_t> label, std::int32_t classes, In<std::int64_t> weight, const nb::dict& given,
                        std::size_t threads) {
  const RawColumns raw = raw_columns(arrays, levels, label.size());
  check_rows(label, classes, weight, raw.rows);
  same_length(ways.size(), raw.columns.size(), "ways and columns differ in length");
  const beam::BeamOptions options = beam_options(given);
  if (options.wanted_class >= classes) throw nb::value_error("the wanted class is not below the number of classes");
  if (!options.width) throw nb::value_error("the beam needs a width");
  beam::BeamResult found;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(threads, Interrupts());
    found = beam::learn_rules({raw.columns, span(ways), span(label), classes, span(weight)}, options, crew);
  }
  nb::dict out;
  out["rules"] = given_back(std::move(found.rules));
  out["trace"] = given_back(std::move(found.trace));
  out["left"] = array(std::move(found.remaining_counts));
  return out;
}

}  // namespace

void init_covering(nb::module_& m) {
  m.def("prism_rules", &prism_rules, "columns"_a, "levels"_a, "label"_a.noconvert(), "classes"_a,
        "weight"_a.noconvert(), "taken"_a.noconvert(), "options"_a, "threads"_a);
  m.def("covering_rules", &covering_rules, "columns"_a, "levels"_a, "ways"_a.noconvert(), "label"_a.noconvert(),
        "classes"_a, "weight"_a.noconvert(), "options"_a, "threads"_a);
}

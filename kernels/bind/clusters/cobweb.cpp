// Python bindings of clusters/cobweb.hpp.
#include "clusters/cobweb.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

// Number of numeric columns, levels of the nominal ones, acuity, and what variances lack in their divisor.
using Measure = std::tuple<std::size_t, In<std::int32_t>, double, double>;
using Rule = std::tuple<double, double>;  // cutoff and tie
// Numbers and codes by row, and weights, or none.
using Rows = std::tuple<In2<double>, In2<std::int32_t>, In<double>>;
// Parents and weights of the concepts; known weights, means and squares of numbers; where the levels of a concept's
// columns start, the levels, and their weights.
using Tree = std::tuple<In<std::int32_t>, In<double>, In2<double>, In2<double>, In2<double>, In<std::int64_t>,
                        In<std::int32_t>, In<double>>;

hedgerow::ConceptMeasures measure_of(const Measure& given) {
  const auto& [numbers, levels, acuity, lacking] = given;
  if (!(acuity > 0) || !std::isfinite(acuity)) throw nb::value_error("acuity is not positive");
  if (!(lacking >= 0)) throw nb::value_error("a divisor is above the weight");
  const auto own = span(levels);
  for (const std::int32_t n : own)
    if (n < 0) throw nb::value_error("a number of levels is negative");
  return {numbers, {own.begin(), own.end()}, acuity, lacking};
}

hedgerow::ConceptRows rows_of(const Rows& given, const hedgerow::ConceptMeasures& measure) {
  const auto& [numbers, codes, weights] = given;
  const std::size_t n = numbers.shape(0), nominal = measure.levels.size();
  same_length(numbers.shape(1), measure.numbers, "numeric columns differ in number");
  same_length(codes.shape(0), n, "numbers and codes differ in length");
  same_length(codes.shape(1), nominal, "nominal columns differ in number");
  if (weights.size()) same_length(weights.size(), n, "weights and rows differ in length");
  for (const double weight : span(weights))
    if (!(weight > 0 && std::isfinite(weight))) throw nb::value_error("a weight is not positive");
  for (const double number : span(numbers))
    if (std::isinf(number)) throw nb::value_error("a number is infinite");
  for (std::size_t at = 0; at < n * nominal; ++at) {
    if (const std::int32_t code = codes.data()[at]; code < -1 || code >= measure.levels[at % nominal])
      throw nb::value_error("a code is not below its number of levels");
  }
  return {span(numbers), span(codes), span(weights), n};
}

template <typename T, typename A>
std::vector<T> copied(const A& array) {
  return {array.data(), array.data() + array.size()};
}

void same_shape(const In2<double>& array, std::size_t rows, std::size_t columns) {
  same_length(array.shape(0), rows, "concepts differ in number");
  same_length(array.shape(1), columns, "numeric columns differ in number");
}

hedgerow::ConceptSums::ConceptArrays held_of(const Tree& tree, const hedgerow::ConceptMeasures& measure) {
  const auto& [parents, weights, known, means, squares, starts, levels, counts] = tree;
  const std::size_t n = parents.size(), nominal = measure.levels.size();
  if (!n || parents.data()[0] != -1) throw nb::value_error("there is no root");
  for (std::size_t at = 1; at < n; ++at) {
    if (const std::int32_t parent = parents.data()[at]; parent < 0 || static_cast<std::size_t>(parent) >= at)
      throw nb::value_error("a parent does not come before its child");
  }
  same_length(weights.size(), n, "concepts differ in number");
  same_shape(known, n, measure.numbers);
  same_shape(means, n, measure.numbers);
  same_shape(squares, n, measure.numbers);
  same_length(starts.size(), n * nominal + 1, "starts of levels and columns differ in number");
  same_length(levels.size(), counts.size(), "levels and counts differ in length");
  check_offsets(span(starts), levels.size());
  for (std::size_t place = 0; place < n * nominal; ++place) {
    for (auto at = starts.data()[place]; at < starts.data()[place + 1]; ++at) {
      if (levels.data()[at] < 0 || levels.data()[at] >= measure.levels[place % nominal])
        throw nb::value_error("a level is out of range");
    }
  }
  return {copied<double>(weights), copied<double>(known),        copied<double>(means),       copied<double>(squares),
          copied<double>(counts),  copied<std::int64_t>(starts), copied<std::int32_t>(levels)};
}

hedgerow::ConceptTree tree_of(const hedgerow::ConceptMeasures& measure, const Rule& rule,
                              const std::optional<Tree>& tree) {
  const hedgerow::ConceptRule how{std::get<0>(rule), std::get<1>(rule)};
  if (!tree) return {measure, how};
  const auto held = held_of(*tree, measure);
  return {measure, how, span(std::get<0>(*tree)), held};
}

nb::tuple grow_concepts(const Measure& given, const Rule& rule, const std::optional<Tree>& tree, const Rows& added) {
  const auto measure = measure_of(given);
  const auto rows = rows_of(added, measure);
  hedgerow::ConceptSums::ConceptArrays held;
  std::vector<std::int32_t> parents;
  auto concepts = tree_of(measure, rule, tree);
  {
    nb::gil_scoped_release unlocked;
    concepts.add_rows(rows, Interrupts());
    parents = concepts.export_tree(held);
  }
  return nb::make_tuple(array(std::move(parents)), array(std::move(held.weights)), array(std::move(held.known)),
                        array(std::move(held.means)), array(std::move(held.squares)), array(std::move(held.starts)),
                        array(std::move(held.levels)), array(std::move(held.counts)));
}

Array<std::int32_t> sort_concepts(const Measure& given, const Rule& rule, const Tree& tree, const Rows& asked,
                                  In<std::uint8_t> stops) {
  const auto measure = measure_of(given);
  const auto rows = rows_of(asked, measure);
  auto concepts = tree_of(measure, rule, tree);
  same_length(stops.size(), std::get<0>(tree).size(), "concepts and stops differ in number");
  std::vector<std::int32_t> out(rows.size);
  {
    nb::gil_scoped_release unlocked;
    concepts.sort_rows(rows, span(stops), out, Interrupts());
  }
  return array(std::move(out));
}

}  // namespace

void init_concepts(nb::module_& m) {
  m.def("grow_concepts", grow_concepts, "measure"_a.noconvert(), "rule"_a, "tree"_a.noconvert().none(),
        "rows"_a.noconvert());
  m.def("sort_concepts", sort_concepts, "measure"_a.noconvert(), "rule"_a, "tree"_a.noconvert(), "rows"_a.noconvert(),
        "stops"_a.noconvert());
}

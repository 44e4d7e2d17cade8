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
using MeasureArrays = std::tuple<std::size_t, In<std::int32_t>, double, double>;
using RuleNumbers = std::tuple<double, double>;  // cutoff and tie
// Numbers and codes by row, and weights, or none.
using RowArrays = std::tuple<In2<double>, In2<std::int32_t>, In<double>>;
// Parents and weights of the concepts; known weights, means and squares of numbers; where the levels of a concept's
// columns start, the levels, and their weights.
using TreeArrays = std::tuple<In<std::int32_t>, In<double>, In2<double>, In2<double>, In2<double>, In<std::int64_t>,
                              In<std::int32_t>, In<double>>;

hedgerow::ConceptMeasures make_measure(const MeasureArrays& given) {
  const auto& [numbers, levels, acuity, ddof] = given;
  if (!(acuity > 0) || !std::isfinite(acuity)) throw nb::value_error("acuity is not positive");
  if (!(ddof >= 0)) throw nb::value_error("a divisor is above the weight");
  const auto own = as_span(levels);
  for (const std::int32_t n : own)
    if (n < 0) throw nb::value_error("a number of levels is negative");
  return {numbers, {own.begin(), own.end()}, acuity, ddof};
}

hedgerow::ConceptRows make_rows(const RowArrays& given, const hedgerow::ConceptMeasures& measure) {
  const auto& [numbers, codes, weights] = given;
  const std::size_t n = numbers.shape(0), nominal = measure.levels.size();
  check_same_length(numbers.shape(1), measure.numbers, "numeric columns differ in number");
  check_same_length(codes.shape(0), n, "numbers and codes differ in length");
  check_same_length(codes.shape(1), nominal, "nominal columns differ in number");
  if (weights.size()) check_same_length(weights.size(), n, "weights and rows differ in length");
  for (const double weight : as_span(weights))
    if (!(weight > 0 && std::isfinite(weight))) throw nb::value_error("a weight is not positive");
  for (const double number : as_span(numbers))
    if (std::isinf(number)) throw nb::value_error("a number is infinite");
  for (std::size_t at = 0; at < n * nominal; ++at) {
    if (const std::int32_t code = codes.data()[at]; code < -1 || code >= measure.levels[at % nominal])
      throw nb::value_error("a code is not below its number of levels");
  }
  return {as_span(numbers), as_span(codes), as_span(weights), n};
}

template <typename T, typename A>
std::vector<T> copy_array(const A& array) {
  return {array.data(), array.data() + array.size()};
}

void check_same_shape(const In2<double>& array, std::size_t rows, std::size_t columns) {
  check_same_length(array.shape(0), rows, "concepts differ in number");
  check_same_length(array.shape(1), columns, "numeric columns differ in number");
}

hedgerow::ConceptSums::ConceptArrays make_concept_arrays(const TreeArrays& tree,
                                                         const hedgerow::ConceptMeasures& measure) {
  const auto& [parents, weights, known, means, squares, starts, levels, counts] = tree;
  const std::size_t n = parents.size(), nominal = measure.levels.size();
  if (!n || parents.data()[0] != -1) throw nb::value_error("there is no root");
  for (std::size_t at = 1; at < n; ++at) {
    if (const std::int32_t parent = parents.data()[at]; parent < 0 || static_cast<std::size_t>(parent) >= at)
      throw nb::value_error("a parent does not come before its child");
  }
  check_same_length(weights.size(), n, "concepts differ in number");
  check_same_shape(known, n, measure.numbers);
  check_same_shape(means, n, measure.numbers);
  check_same_shape(squares, n, measure.numbers);
  check_same_length(starts.size(), n * nominal + 1, "starts of levels and columns differ in number");
  check_same_length(levels.size(), counts.size(), "levels and counts differ in length");
  check_offsets(as_span(starts), levels.size());
  for (std::size_t position = 0; position < n * nominal; ++position) {
    for (auto at = starts.data()[position]; at < starts.data()[position + 1]; ++at) {
      if (levels.data()[at] < 0 || levels.data()[at] >= measure.levels[position % nominal])
        throw nb::value_error("a level is out of range");
    }
  }
  return {copy_array<double>(weights),     copy_array<double>(known),  copy_array<double>(means),
          copy_array<double>(squares),     copy_array<double>(counts), copy_array<std::int64_t>(starts),
          copy_array<std::int32_t>(levels)};
}

hedgerow::ConceptTree make_tree(const hedgerow::ConceptMeasures& measure, const RuleNumbers& rule,
                                const std::optional<TreeArrays>& tree) {
  const hedgerow::ConceptRule options{std::get<0>(rule), std::get<1>(rule)};
  if (!tree) return {measure, options};
  const auto arrays = make_concept_arrays(*tree, measure);
  return {measure, options, as_span(std::get<0>(*tree)), arrays};
}

nb::tuple grow_concepts(const MeasureArrays& given, const RuleNumbers& rule, const std::optional<TreeArrays>& tree,
                        const RowArrays& added) {
  const auto measure = make_measure(given);
  const auto rows = make_rows(added, measure);
  hedgerow::ConceptSums::ConceptArrays arrays;
  std::vector<std::int32_t> parents;
  auto concepts = make_tree(measure, rule, tree);
  {
    nb::gil_scoped_release unlocked;
    concepts.add_rows(rows, Interrupts());
    parents = concepts.export_tree(arrays);
  }
  return nb::make_tuple(to_numpy(std::move(parents)), to_numpy(std::move(arrays.weights)),
                        to_numpy(std::move(arrays.known)), to_numpy(std::move(arrays.means)),
                        to_numpy(std::move(arrays.squares)), to_numpy(std::move(arrays.starts)),
                        to_numpy(std::move(arrays.levels)), to_numpy(std::move(arrays.counts)));
}

Array<std::int32_t> sort_concepts(const MeasureArrays& given, const RuleNumbers& rule, const TreeArrays& tree,
                                  const RowArrays& row_arrays, In<std::uint8_t> stops) {
  const auto measure = make_measure(given);
  const auto rows = make_rows(row_arrays, measure);
  auto concepts = make_tree(measure, rule, tree);
  check_same_length(stops.size(), std::get<0>(tree).size(), "concepts and stops differ in number");
  std::vector<std::int32_t> out(rows.size);
  {
    nb::gil_scoped_release unlocked;
    concepts.sort_rows(rows, as_span(stops), out, Interrupts());
  }
  return to_numpy(std::move(out));
}

}  // namespace

void init_cobweb(nb::module_& m) {
  m.def("grow_concepts", grow_concepts, "measure"_a.noconvert(), "rule"_a, "tree"_a.noconvert().none(),
        "rows"_a.noconvert());
  m.def("sort_concepts", sort_concepts, "measure"_a.noconvert(), "rule"_a, "tree"_a.noconvert(), "rows"_a.noconvert(),
        "stops"_a.noconvert());
}

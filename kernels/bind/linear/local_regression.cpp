// Python bindings of linear/local_regression.hpp.
#include "linear/local_regression.hpp"

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "bind/neighbors/tree_arrays.hpp"

using namespace bind;

namespace {

// Places and targets of every place in the blocks of the tree, and weights, or none.
using RowArrays = std::tuple<In2<double>, In2<double>, In<double>>;
// Numbers and codes by column, places by row, and rows that are left out, or none.
using QueryArrays = std::tuple<MixedArrays, In2<double>, In<std::int32_t>>;

void check_positive(std::span<const double> values, const char* what) {
  for (const double value : values)
    if (!(value > 0 && std::isfinite(value))) throw nb::value_error(what);
}

hedgerow::LocalTrainingRows rows_of(const TreeArrays& tree, const RowArrays& arrays) {
  const auto& [places, targets, weights] = arrays;
  const hedgerow::LocalTrainingRows rows{tree_of(tree), span(places),    span(targets),
                                         span(weights), places.shape(1), targets.shape(1)};
  const auto n = rows.tree.order.size();
  same_length(places.shape(0), n, "places and rows differ in length");
  same_length(targets.shape(0), n, "targets and rows differ in length");
  if (weights.size()) same_length(weights.size(), n, "weights and rows differ in length");
  check_positive(rows.weights, "a weight is not positive");
  return rows;
}

void local_fits(const TreeArrays& tree, const RowArrays& arrays, const QueryArrays& asked, int weight,
                In<double> bandwidths, double neighbors, double ridge, InOut<double> values, InOut<double> slopes,
                InOut<double> means, std::size_t threads) {
  const auto rows = rows_of(tree, arrays);
  const auto& [others, places, left_out] = asked;
  const hedgerow::LocalQueries queries{mixed_rows_of(others), span(places), span(left_out)};
  check_same_columns(queries.rows, rows.tree.shape.numbers, rows.tree.shape.codes);
  const auto n = queries.rows.size;
  same_length(places.shape(0), n, "places and queries differ in length");
  same_length(places.shape(1), rows.n_features, "queries and rows differ in places");
  if (left_out.size()) same_length(left_out.size(), n, "rows left out and queries differ in length");
  if (weight < 0 || weight > 2) throw nb::value_error("no such weight");
  check_positive(span(bandwidths), "a bandwidth is not positive");
  if (!(neighbors >= 0) || !(ridge >= 0)) throw nb::value_error("neighbors or ridge is negative");
  same_length(values.size(), n * bandwidths.size() * rows.n_targets, "values and queries differ in length");
  if (slopes.size())
    same_length(slopes.size(), n * rows.n_targets * rows.n_features, "slopes and queries differ in length");
  if (means.size())
    same_length(means.size(), n * (rows.n_features + rows.n_targets), "means and queries differ in length");
  nb::gil_scoped_release unlocked;
  const hedgerow::LocalFitOptions how{static_cast<hedgerow::LocalWeight>(weight), span(bandwidths), neighbors, ridge};
  hedgerow::ThreadPool crew(crew_of(threads, n, 16), Interrupts());
  hedgerow::fit_local_models(rows, how, queries, {span(values), span(slopes), span(means)}, crew);
}

}  // namespace

void init_local_fit(nb::module_& m) {
  m.def("local_fits", local_fits, "tree"_a.noconvert(), "rows"_a.noconvert(), "asked"_a.noconvert(), "weight"_a,
        "bandwidths"_a.noconvert(), "neighbors"_a, "ridge"_a, "values"_a.noconvert(), "slopes"_a.noconvert(),
        "means"_a.noconvert(), "threads"_a);
}

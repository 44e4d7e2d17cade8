// Python bindings of linear/local_regression.hpp.
#include "linear/local_regression.hpp"

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "bind/neighbors/tree_arrays.hpp"

using namespace bind;

namespace {

// Places and targets of every place in the blocks of the tree, and weights, or none.
using LocalRowArrays = std::tuple<In2<double>, In2<double>, In<double>>;
// Numbers and codes by column, places by row, and rows that are left out, or none.
using LocalQueryArrays = std::tuple<MixedArrays, In2<double>, In<std::int32_t>>;

void check_positive(std::span<const double> values, const char* what) {
  for (const double value : values)
    if (!(value > 0 && std::isfinite(value))) throw nb::value_error(what);
}

hedgerow::LocalTrainingRows make_rows(const TreeArrays& tree, const LocalRowArrays& arrays) {
  const auto& [features, targets, weights] = arrays;
  const hedgerow::LocalTrainingRows rows{make_search_tree(tree), as_span(features), as_span(targets),
                                         as_span(weights),       features.shape(1), targets.shape(1)};
  const auto n = rows.tree.order.size();
  check_same_length(features.shape(0), n, "places and rows differ in length");
  check_same_length(targets.shape(0), n, "targets and rows differ in length");
  if (weights.size()) check_same_length(weights.size(), n, "weights and rows differ in length");
  check_positive(rows.weights, "a weight is not positive");
  return rows;
}

void fit_local_models(const TreeArrays& tree, const LocalRowArrays& arrays, const LocalQueryArrays& query_arrays,
                      int weight, In<double> bandwidths, double neighbors, double ridge, InOut<double> values,
                      InOut<double> slopes, InOut<double> means, std::size_t threads) {
  const auto rows = make_rows(tree, arrays);
  const auto& [others, features, left_out] = query_arrays;
  const hedgerow::LocalQueries queries{make_mixed_rows(others), as_span(features), as_span(left_out)};
  check_same_columns(queries.rows, rows.tree.shape.numbers, rows.tree.shape.codes);
  const auto n = queries.rows.size;
  check_same_length(features.shape(0), n, "places and queries differ in length");
  check_same_length(features.shape(1), rows.n_features, "queries and rows differ in places");
  if (left_out.size()) check_same_length(left_out.size(), n, "rows left out and queries differ in length");
  if (weight < 0 || weight > 2) throw nb::value_error("no such weight");
  check_positive(as_span(bandwidths), "a bandwidth is not positive");
  if (!(neighbors >= 0) || !(ridge >= 0)) throw nb::value_error("neighbors or ridge is negative");
  check_same_length(values.size(), n * bandwidths.size() * rows.n_targets, "values and queries differ in length");
  if (slopes.size())
    check_same_length(slopes.size(), n * rows.n_targets * rows.n_features, "slopes and queries differ in length");
  if (means.size())
    check_same_length(means.size(), n * (rows.n_features + rows.n_targets), "means and queries differ in length");
  nb::gil_scoped_release unlocked;
  const hedgerow::LocalFitOptions options{static_cast<hedgerow::LocalWeight>(weight), as_span(bandwidths), neighbors,
                                          ridge};
  hedgerow::ThreadPool pool(limit_threads(threads, n, 16), Interrupts());
  hedgerow::fit_local_models(rows, options, queries, {as_span(values), as_span(slopes), as_span(means)}, pool);
}

}  // namespace

void init_local_regression(nb::module_& m) {
  m.def("fit_local_models", fit_local_models, "tree"_a.noconvert(), "rows"_a.noconvert(), "queries"_a.noconvert(),
        "weight"_a, "bandwidths"_a.noconvert(), "neighbors"_a, "ridge"_a, "values"_a.noconvert(),
        "slopes"_a.noconvert(), "means"_a.noconvert(), "threads"_a);
}

// Python bindings of linear: logistic.
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind/design_columns.hpp"
#include "linear/lasso_step.hpp"
#include "linear/logistic_columns.hpp"
#include "linear/logistic_sparse.hpp"
#include "linear/sparse_product.hpp"

using namespace bind;

namespace {

std::tuple<double, Array<double>, Array<double>> compute_column_sums(
    const nb::list& arrays, const nb::list& tables, const std::vector<std::size_t>& widths, In<double> centers,
    In<double> factors, In<double> missing_values, In<std::int32_t> labels, std::optional<In<double>> weight,
    In2<double> theta, bool based, bool with_curvature, std::size_t threads) {
  const std::size_t n = widths.size(), rows = labels.size(), functions = theta.shape(0);
  auto columns = make_design_columns<hedgerow::LogisticColumn>(arrays, tables, widths, centers, factors, rows);
  check_same_length(missing_values.size(), n, "gaps and widths differ in length");
  for (std::size_t i = 0; i < n; ++i) columns[i].missing_value = missing_values.data()[i];
  if (!functions) throw nb::value_error("theta has no functions");
  const std::size_t features = std::accumulate(widths.begin(), widths.end(), std::size_t{1});
  check_same_length(theta.shape(1), features, "theta and places differ in length");
  check_below(as_span(labels), functions + based, "a label is not below the number of classes");
  const auto counts = make_row_weights(weight, rows);
  hedgerow::LogisticSums out;
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(rows * features * functions, threads);
    out = hedgerow::compute_logistic_sums(columns, as_span(labels), counts, as_span(theta), functions, based,
                                          with_curvature, pool);
  }
  return {out.cost, to_numpy(std::move(out.gradient)), to_numpy(std::move(out.curvature))};
}

std::tuple<double, Array<double>, Array<double>> compute_sparse_sums(In<std::int64_t> starts, In<std::int32_t> ids,
                                                                     In<double> values, In<std::int32_t> labels,
                                                                     std::optional<In<double>> weight,
                                                                     In2<double> theta, bool based, bool with_curvature,
                                                                     std::size_t threads) {
  const std::size_t rows = labels.size(), functions = theta.shape(1);
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  check_same_length(starts.size(), rows + 1, "rows and labels differ in length");
  check_offsets(as_span(starts), ids.size());
  if (!functions || !theta.shape(0)) throw nb::value_error("theta has no functions");
  check_below(as_span(ids), theta.shape(0) - 1, "an id is not below the number of columns");
  check_below(as_span(labels), functions + based, "a label is not below the number of classes");
  const auto counts = make_row_weights(weight, rows);
  hedgerow::SparseLogisticSums out;
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(ids.size() * functions, threads);
    out = hedgerow::compute_sparse_logistic_sums(as_span(starts), as_span(ids), as_span(values), as_span(labels),
                                                 counts, as_span(theta), functions, based, with_curvature, pool);
  }
  return {out.cost, to_numpy(std::move(out.gradient)), to_numpy(std::move(out.probabilities))};
}

Array<double> multiply_sparse(In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, In2<double> lines,
                              std::size_t threads) {
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  check_offsets(as_span(starts), ids.size());
  check_below(as_span(ids), lines.shape(0), "an id is not below the number of lines");
  const std::size_t columns = lines.shape(1);
  std::vector<double> out((starts.size() - 1) * columns);
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(ids.size() * columns, threads);
    hedgerow::multiply_sparse(as_span(starts), as_span(ids), as_span(values), as_span(lines), columns, out, pool);
  }
  return to_numpy(std::move(out));
}

}  // namespace

void init_logistic(nb::module_& m) {
  m.def("compute_logistic_sums", compute_column_sums, "arrays"_a, "tables"_a, "widths"_a, "centers"_a.noconvert(),
        "factors"_a.noconvert(), "missing_values"_a.noconvert(), "labels"_a.noconvert(), "weight"_a.noconvert().none(),
        "theta"_a.noconvert(), "based"_a, "with_curvature"_a, "threads"_a);
  m.def("compute_sparse_logistic_sums", compute_sparse_sums, "starts"_a.noconvert(), "ids"_a.noconvert(),
        "values"_a.noconvert(), "labels"_a.noconvert(), "weight"_a.noconvert().none(), "theta"_a.noconvert(), "based"_a,
        "with_probabilities"_a, "threads"_a);
  m.def("multiply_sparse", multiply_sparse, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
        "lines"_a.noconvert(), "threads"_a);
  m.def(
      "solve_lasso_step",
      [](In2<double> hessian, In<double> gradient, In<double> l1, InOut<double> theta, double tolerance,
         std::size_t passes) {
        check_same_length(hessian.shape(0), theta.size(), "theta and Hessian differ in length");
        check_same_length(hessian.shape(1), theta.size(), "the Hessian is not square");
        check_same_length(gradient.size(), theta.size(), "theta and gradient differ in length");
        check_same_length(l1.size(), theta.size(), "theta and l1 differ in length");
        nb::gil_scoped_release unlocked;
        return hedgerow::solve_lasso_step(as_span(hessian), as_span(gradient), as_span(l1), as_span(theta), tolerance,
                                          passes, Interrupts());
      },
      "hessian"_a.noconvert(), "gradient"_a.noconvert(), "l1"_a.noconvert(), "theta"_a.noconvert(), "tolerance"_a,
      "passes"_a);
}

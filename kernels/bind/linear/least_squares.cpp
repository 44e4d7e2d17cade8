// Python bindings of least squares: sums of products and steps of gradient descent.
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind/design_columns.hpp"
#include "linear/sgd_steps.hpp"
#include "read/column_statistics.hpp"

using namespace bind;

namespace {

Array<double> compute_gram(const nb::list& arrays, const nb::list& tables, const std::vector<std::size_t>& widths,
                           In<double> centers, In<double> factors, std::optional<In<double>> weight, std::size_t rows,
                           std::size_t threads) {
  const auto columns = make_design_columns<hedgerow::DesignColumn>(arrays, tables, widths, centers, factors, rows);
  const std::size_t features = std::accumulate(widths.begin(), widths.end(), std::size_t{1});
  const auto counts = make_row_weights(weight, rows);
  std::vector<double> out;
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(rows * features, threads);
    out = hedgerow::compute_gram(columns, counts, rows, pool);
  }
  return to_numpy(std::move(out));
}

void check_steps(std::size_t rows, std::size_t target, const InOut<double>& theta) {
  check_same_length(target, rows, "target and rows differ in length");
  if (!theta.size()) throw nb::value_error("theta lacks the intercept");
}

void check_class_steps(std::size_t rows, const In<std::int32_t>& label, std::size_t classes) {
  check_same_length(label.size(), rows, "label and rows differ in length");
  if (classes < 2) throw nb::value_error("there must be two classes or more");
  check_below(as_span(label), classes, "a label is not below the number of classes");
}

}  // namespace

void init_least_squares(nb::module_& m) {
  m.def("compute_gram", compute_gram, "arrays"_a, "tables"_a, "widths"_a, "centers"_a.noconvert(),
        "factors"_a.noconvert(), "weight"_a.noconvert().none(), "rows"_a, "threads"_a);

  m.def(
      "compute_number_statistics",
      [](In<double> values, std::optional<In<double>> weight) {
        hedgerow::NumberStatistics out;
        {
          const auto counts = make_row_weights(weight, values.size());
          nb::gil_scoped_release unlocked;
          out = hedgerow::compute_number_statistics(as_span(values), counts);
        }
        return std::tuple(out.weight, out.missing, out.mean, out.squares, out.low, out.high);
      },
      "values"_a.noconvert(), "weight"_a.noconvert().none());

  m.def(
      "run_sgd_steps",
      [](In2<double> matrix, In<double> target, std::optional<In<double>> weight, double rate, InOut<double> theta) {
        check_steps(matrix.shape(0), target.size(), theta);
        check_same_length(matrix.shape(1) + 1, theta.size(), "theta and columns differ in length");
        const auto counts = make_row_weights(weight, target.size());
        nb::gil_scoped_release unlocked;
        const hedgerow::DenseDesignRows rows{as_span(matrix), matrix.shape(0), matrix.shape(1)};
        return hedgerow::run_sgd_steps(rows, as_span(target), counts, rate, as_span(theta), Interrupts());
      },
      "matrix"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert().none(), "rate"_a, "theta"_a.noconvert());

  m.def(
      "run_sparse_sgd_steps",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, In<double> target,
         std::optional<In<double>> weight, double rate, InOut<double> theta) {
        check_same_length(ids.size(), values.size(), "ids and values differ in length");
        check_offsets(as_span(starts), ids.size());
        check_steps(starts.size() - 1, target.size(), theta);
        check_below(as_span(ids), theta.size() - 1, "an id is not below the number of columns");
        const auto counts = make_row_weights(weight, target.size());
        nb::gil_scoped_release unlocked;
        const hedgerow::SparseDesignRows rows{as_span(starts), as_span(ids), as_span(values), target.size()};
        return hedgerow::run_sgd_steps(rows, as_span(target), counts, rate, as_span(theta), Interrupts());
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "target"_a.noconvert(),
      "weight"_a.noconvert().none(), "rate"_a, "theta"_a.noconvert());

  m.def(
      "run_class_sgd_steps",
      [](In2<double> matrix, In<std::int32_t> label, std::size_t classes, bool based, std::optional<In<double>> weight,
         double rate, InOut<double> theta) {
        check_class_steps(matrix.shape(0), label, classes);
        check_same_length((matrix.shape(1) + 1) * (classes - based), theta.size(),
                          "theta and columns differ in length");
        const auto counts = make_row_weights(weight, label.size());
        nb::gil_scoped_release unlocked;
        const hedgerow::DenseDesignRows rows{as_span(matrix), matrix.shape(0), matrix.shape(1)};
        return hedgerow::run_class_sgd_steps(rows, as_span(label), classes, based, counts, rate, as_span(theta),
                                             Interrupts());
      },
      "matrix"_a.noconvert(), "label"_a.noconvert(), "classes"_a, "based"_a, "weight"_a.noconvert().none(), "rate"_a,
      "theta"_a.noconvert());

  m.def(
      "run_sparse_class_sgd_steps",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, In<std::int32_t> label, std::size_t classes,
         bool based, std::optional<In<double>> weight, double rate, InOut<double> theta) {
        check_same_length(ids.size(), values.size(), "ids and values differ in length");
        check_offsets(as_span(starts), ids.size());
        check_class_steps(starts.size() - 1, label, classes);
        const std::size_t functions = classes - based;
        if (theta.size() < functions || theta.size() % functions) throw nb::value_error("theta and classes do not fit");
        check_below(as_span(ids), theta.size() / functions - 1, "an id is not below the number of columns");
        const auto counts = make_row_weights(weight, label.size());
        nb::gil_scoped_release unlocked;
        const hedgerow::SparseDesignRows rows{as_span(starts), as_span(ids), as_span(values), label.size()};
        return hedgerow::run_class_sgd_steps(rows, as_span(label), classes, based, counts, rate, as_span(theta),
                                             Interrupts());
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "label"_a.noconvert(), "classes"_a,
      "based"_a, "weight"_a.noconvert().none(), "rate"_a, "theta"_a.noconvert());
}

// Python bindings of linear/perceptron_winnow.hpp.
#include "linear/perceptron_winnow.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

template <typename T>
std::span<const T> given(const std::optional<In<T>>& array) {
  return array ? span(*array) : std::span<const T>();
}

hedgerow::LabeledRows shown_rows(const In<std::int32_t>& label, std::size_t classes,
                                 const std::optional<In<double>>& weight, const std::optional<In<std::int64_t>>& order,
                                 std::size_t rows) {
  same_length(label.size(), rows, "label and rows differ in length");
  if (classes < 2) throw nb::value_error("there must be two classes or more");
  check_below(span(label), classes, "a label is not below the number of classes");
  if (weight) {
    same_length(weight->size(), rows, "weight and rows differ in length");
    for (const double one : span(*weight)) {
      if (!(one >= 0) || !std::isfinite(one)) throw nb::value_error("a weight is negative or not finite");
    }
  }
  for (const std::int64_t row : given(order)) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows)
      throw nb::value_error("the order names a row that is not there");
  }
  return {span(label), classes, given(weight), given(order)};
}

// An array as large as the coefficients, or an empty one.
std::span<double> beside(const InOut<double>& array, std::size_t size) {
  if (array.size() && array.size() != size) throw nb::value_error("sums or pocket and coefficients differ in length");
  return span(array);
}

std::size_t functions_of(std::size_t classes) { return classes == 2 ? 1 : classes; }

hedgerow::MistakeProgress progress_of(const InOut<double>& figures) {
  same_length(figures.size(), 4, "progress has four figures");
  const double* at = figures.data();
  return {at[0], at[1], at[2], at[3]};
}

void put(const hedgerow::MistakeProgress& progress, const InOut<double>& figures) {
  double* at = figures.data();
  at[0] = progress.weight_shown, at[1] = progress.correct_run, at[2] = progress.longest_checked_run,
  at[3] = progress.pocket_mistakes;
}

template <typename Rows>
std::size_t perceptron(const Rows& rows, const hedgerow::LabeledRows& shown, const InOut<double>& coefficients,
                       const InOut<double>& sums, const InOut<double>& pocket, const InOut<double>& figures) {
  auto progress = progress_of(figures);
  const auto average = beside(sums, coefficients.size()), kept = beside(pocket, coefficients.size());
  std::size_t mistaken = 0;
  {
    nb::gil_scoped_release unlocked;
    mistaken = hedgerow::run_perceptron_pass(rows, shown, span(coefficients), average, kept, progress, Interrupts());
  }
  put(progress, figures);
  return mistaken;
}

}  // namespace

void init_mistakes(nb::module_& m) {
  m.def(
      "perceptron_pass",
      [](In2<double> matrix, In<std::int32_t> label, std::size_t classes, std::optional<In<double>> weight,
         std::optional<In<std::int64_t>> order, InOut<double> coefficients, InOut<double> sums, InOut<double> pocket,
         InOut<double> progress) {
        const auto shown = shown_rows(label, classes, weight, order, matrix.shape(0));
        same_length(coefficients.size(), (matrix.shape(1) + 1) * functions_of(classes),
                    "coefficients and columns differ in length");
        const hedgerow::DenseDesignRows rows{span(matrix), matrix.shape(0), matrix.shape(1)};
        return perceptron(rows, shown, coefficients, sums, pocket, progress);
      },
      "matrix"_a.noconvert(), "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert().none(),
      "order"_a.noconvert().none(), "coefficients"_a.noconvert(), "sums"_a.noconvert(), "pocket"_a.noconvert(),
      "progress"_a.noconvert());

  m.def(
      "perceptron_sparse_pass",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, In<std::int32_t> label, std::size_t classes,
         std::optional<In<double>> weight, std::optional<In<std::int64_t>> order, InOut<double> coefficients,
         InOut<double> sums, InOut<double> pocket, InOut<double> progress) {
        same_length(ids.size(), values.size(), "ids and values differ in length");
        check_offsets(span(starts), ids.size());
        const std::size_t n = starts.size() - 1, functions = functions_of(classes);
        const auto shown = shown_rows(label, classes, weight, order, n);
        if (coefficients.size() < functions || coefficients.size() % functions)
          throw nb::value_error("coefficients and classes do not fit");
        check_below(span(ids), coefficients.size() / functions - 1, "an id is not below the number of columns");
        const hedgerow::SparseDesignRows rows{span(starts), span(ids), span(values), n};
        return perceptron(rows, shown, coefficients, sums, pocket, progress);
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "label"_a.noconvert(), "classes"_a,
      "weight"_a.noconvert().none(), "order"_a.noconvert().none(), "coefficients"_a.noconvert(), "sums"_a.noconvert(),
      "pocket"_a.noconvert(), "progress"_a.noconvert());

  m.def(
      "winnow_pass",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<std::int32_t> label, std::size_t classes,
         std::optional<In<double>> weight, std::optional<In<std::int64_t>> order, double alpha, double theta,
         double start, bool balanced, InOut<double> exponents, InOut<double> sums, InOut<double> since,
         InOut<double> pocket, InOut<double> figures) {
        check_offsets(span(starts), ids.size());
        const std::size_t n = starts.size() - 1, functions = functions_of(classes);
        const auto shown = shown_rows(label, classes, weight, order, n);
        if (exponents.size() % functions) throw nb::value_error("exponents and classes do not fit");
        check_below(span(ids), exponents.size() / functions, "an id is not below the number of places");
        if (!(alpha > 1) || !(start > 0)) throw nb::value_error("alpha must be above 1 and start above 0");
        const hedgerow::FeatureSets rows{span(starts), span(ids), n};
        const hedgerow::WinnowOptions rule{alpha, theta, start, balanced};
        auto progress = progress_of(figures);
        const auto average = beside(sums, exponents.size()), kept = beside(pocket, exponents.size());
        same_length(since.size(), sums.size(), "sums and since differ in length");
        std::size_t mistaken = 0;
        {
          nb::gil_scoped_release unlocked;
          mistaken = hedgerow::run_winnow_pass(rows, shown, rule, span(exponents), average, span(since), kept, progress,
                                               Interrupts());
        }
        put(progress, figures);
        return mistaken;
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert().none(),
      "order"_a.noconvert().none(), "alpha"_a, "theta"_a, "start"_a, "balanced"_a, "exponents"_a.noconvert(),
      "sums"_a.noconvert(), "since"_a.noconvert(), "pocket"_a.noconvert(), "progress"_a.noconvert());
}

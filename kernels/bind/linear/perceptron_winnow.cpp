// Python bindings of linear/perceptron_winnow.hpp.
#include "linear/perceptron_winnow.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

template <typename T>
std::span<const T> get_span(const std::optional<In<T>>& array) {
  return array ? as_span(*array) : std::span<const T>();
}

hedgerow::LabeledRows make_labeled_rows(const In<std::int32_t>& label, std::size_t classes,
                                        const std::optional<In<double>>& weight,
                                        const std::optional<In<std::int64_t>>& order, std::size_t rows) {
  check_same_length(label.size(), rows, "label and rows differ in length");
  if (classes < 2) throw nb::value_error("there must be two classes or more");
  check_below(as_span(label), classes, "a label is not below the number of classes");
  if (weight) {
    check_same_length(weight->size(), rows, "weight and rows differ in length");
    for (const double one : as_span(*weight)) {
      if (!(one >= 0) || !std::isfinite(one)) throw nb::value_error("a weight is negative or not finite");
    }
  }
  for (const std::int64_t row : get_span(order)) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows)
      throw nb::value_error("the order names a row that is not there");
  }
  return {as_span(label), classes, get_span(weight), get_span(order)};
}

// An array as large as the coefficients, or an empty one.
std::span<double> check_beside(const InOut<double>& array, std::size_t size) {
  if (array.size() && array.size() != size) throw nb::value_error("sums or pocket and coefficients differ in length");
  return as_span(array);
}

std::size_t count_functions(std::size_t classes) { return classes == 2 ? 1 : classes; }

hedgerow::MistakeProgress make_progress(const InOut<double>& progress_numbers) {
  check_same_length(progress_numbers.size(), 4, "progress has four figures");
  const double* at = progress_numbers.data();
  return {at[0], at[1], at[2], at[3]};
}

void write_progress(const hedgerow::MistakeProgress& progress, const InOut<double>& progress_numbers) {
  double* at = progress_numbers.data();
  at[0] = progress.weight_shown, at[1] = progress.correct_run, at[2] = progress.longest_checked_run,
  at[3] = progress.pocket_mistakes;
}

template <typename Rows>
std::size_t call_perceptron_pass(const Rows& rows, const hedgerow::LabeledRows& labeled,
                                 const InOut<double>& coefficients, const InOut<double>& sums,
                                 const InOut<double>& pocket, const InOut<double>& progress_numbers) {
  auto progress = make_progress(progress_numbers);
  const auto average = check_beside(sums, coefficients.size()), kept = check_beside(pocket, coefficients.size());
  std::size_t mistaken = 0;
  {
    nb::gil_scoped_release unlocked;
    mistaken =
        hedgerow::run_perceptron_pass(rows, labeled, as_span(coefficients), average, kept, progress, Interrupts());
  }
  write_progress(progress, progress_numbers);
  return mistaken;
}

}  // namespace

void init_perceptron_winnow(nb::module_& m) {
  m.def(
      "run_perceptron_pass",
      [](In2<double> matrix, In<std::int32_t> label, std::size_t classes, std::optional<In<double>> weight,
         std::optional<In<std::int64_t>> order, InOut<double> coefficients, InOut<double> sums, InOut<double> pocket,
         InOut<double> progress) {
        const auto labeled = make_labeled_rows(label, classes, weight, order, matrix.shape(0));
        check_same_length(coefficients.size(), (matrix.shape(1) + 1) * count_functions(classes),
                          "coefficients and columns differ in length");
        const hedgerow::DenseDesignRows rows{as_span(matrix), matrix.shape(0), matrix.shape(1)};
        return call_perceptron_pass(rows, labeled, coefficients, sums, pocket, progress);
      },
      "matrix"_a.noconvert(), "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert().none(),
      "order"_a.noconvert().none(), "coefficients"_a.noconvert(), "sums"_a.noconvert(), "pocket"_a.noconvert(),
      "progress"_a.noconvert());

  m.def(
      "run_sparse_perceptron_pass",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, In<std::int32_t> label, std::size_t classes,
         std::optional<In<double>> weight, std::optional<In<std::int64_t>> order, InOut<double> coefficients,
         InOut<double> sums, InOut<double> pocket, InOut<double> progress) {
        check_same_length(ids.size(), values.size(), "ids and values differ in length");
        check_offsets(as_span(starts), ids.size());
        const std::size_t n = starts.size() - 1, functions = count_functions(classes);
        const auto labeled = make_labeled_rows(label, classes, weight, order, n);
        if (coefficients.size() < functions || coefficients.size() % functions)
          throw nb::value_error("coefficients and classes do not fit");
        check_below(as_span(ids), coefficients.size() / functions - 1, "an id is not below the number of columns");
        const hedgerow::SparseDesignRows rows{as_span(starts), as_span(ids), as_span(values), n};
        return call_perceptron_pass(rows, labeled, coefficients, sums, pocket, progress);
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "label"_a.noconvert(), "classes"_a,
      "weight"_a.noconvert().none(), "order"_a.noconvert().none(), "coefficients"_a.noconvert(), "sums"_a.noconvert(),
      "pocket"_a.noconvert(), "progress"_a.noconvert());

  m.def(
      "run_winnow_pass",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<std::int32_t> label, std::size_t classes,
         std::optional<In<double>> weight, std::optional<In<std::int64_t>> order, double alpha, double theta,
         double start, bool balanced, InOut<double> exponents, InOut<double> sums, InOut<double> last_changed,
         InOut<double> pocket, InOut<double> progress_numbers) {
        check_offsets(as_span(starts), ids.size());
        const std::size_t n = starts.size() - 1, functions = count_functions(classes);
        const auto labeled = make_labeled_rows(label, classes, weight, order, n);
        if (exponents.size() % functions) throw nb::value_error("exponents and classes do not fit");
        check_below(as_span(ids), exponents.size() / functions, "an id is not below the number of places");
        if (!(alpha > 1) || !(start > 0)) throw nb::value_error("alpha must be above 1 and start above 0");
        const hedgerow::FeatureSets rows{as_span(starts), as_span(ids), n};
        const hedgerow::WinnowOptions rule{alpha, theta, start, balanced};
        auto progress = make_progress(progress_numbers);
        const auto average = check_beside(sums, exponents.size()), kept = check_beside(pocket, exponents.size());
        check_same_length(last_changed.size(), sums.size(), "sums and since differ in length");
        std::size_t mistaken = 0;
        {
          nb::gil_scoped_release unlocked;
          mistaken = hedgerow::run_winnow_pass(rows, labeled, rule, as_span(exponents), average, as_span(last_changed),
                                               kept, progress, Interrupts());
        }
        write_progress(progress, progress_numbers);
        return mistaken;
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert().none(),
      "order"_a.noconvert().none(), "alpha"_a, "theta"_a, "start"_a, "balanced"_a, "exponents"_a.noconvert(),
      "sums"_a.noconvert(), "last_changed"_a.noconvert(), "pocket"_a.noconvert(), "progress"_a.noconvert());
}

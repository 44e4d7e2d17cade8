// Python bindings of read/class_counts.hpp, read/distinct_values.hpp, read/moments.hpp.
#include "read/class_counts.hpp"

#include <nanobind/stl/optional.h>

#include "bind/bind.hpp"
#include "read/distinct_values.hpp"
#include "read/moments.hpp"

using namespace bind;

namespace {

std::span<const double> get_weights(const std::optional<In<double>>& weight, std::size_t rows) {
  if (!weight) return {};
  check_same_length(weight->size(), rows, "weight and rows differ in length");
  return as_span(*weight);
}

void check_whole_sums(std::size_t size, std::size_t a_class) {
  if (size % (a_class * hedgerow::kLimbs)) throw nb::value_error("sums must hold whole sums");
}

}  // namespace

void init_class_counts(nb::module_& m) {
  m.def(
      "count_levels",
      [](In<std::int32_t> code, In<std::int32_t> label, std::optional<In<double>> weight, std::size_t levels,
         std::size_t classes) {
        check_same_length(code.size(), label.size(), "code and label differ in length");
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out =
              hedgerow::count_levels(as_span(code), as_span(label), get_weights(weight, code.size()), levels, classes);
        }
        return to_numpy(std::move(out));
      },
      "code"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(), "levels"_a, "classes"_a);

  m.def(
      "count_picks",
      [](In<std::int64_t> order, In<std::int64_t> picks) {
        std::vector<std::int64_t> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::count_picks(as_span(order), as_span(picks));
        }
        return to_numpy(std::move(out));
      },
      "order"_a.noconvert(), "picks"_a.noconvert());

  m.def(
      "count_distinct_values",
      [](In<double> value, In<std::int32_t> label, std::size_t maximum) {
        check_same_length(value.size(), label.size(), "value and label differ in length");
        if (maximum > 1'000'000) throw nb::value_error("this is meant for few values");
        hedgerow::DistinctValues out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::count_distinct_values(as_span(value), as_span(label), maximum);
        }
        return std::tuple(to_numpy(std::move(out.values)), to_numpy(std::move(out.rows)), out.too_many);
      },
      "value"_a.noconvert(), "label"_a.noconvert(), "maximum"_a);

  m.attr("SUMS") = hedgerow::kSumsPerClass;
  m.attr("LIMBS") = hedgerow::kLimbs;
  m.def(
      "add_moments",
      [](In<double> value, In<std::int32_t> label, std::optional<In<double>> weight, InOut<std::int64_t> sums) {
        check_same_length(value.size(), label.size(), "value and label differ in length");
        check_whole_sums(sums.size(), hedgerow::kSumsPerClass);
        nb::gil_scoped_release unlocked;
        return hedgerow::add_moments(as_span(value), as_span(label), get_weights(weight, value.size()), as_span(sums));
      },
      "value"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(), "sums"_a.noconvert());
  m.def(
      "propagate_carries",
      [](InOut<std::int64_t> sums) {
        check_whole_sums(sums.size(), 1);
        hedgerow::propagate_carries(as_span(sums));  // microseconds: giving the interpreter lock away would take longer
      },
      "sums"_a.noconvert());
  m.def(
      "compute_mean_and_squares",
      [](In<std::int64_t> sums) {
        check_whole_sums(sums.size(), hedgerow::kSumsPerClass);
        const std::size_t size = sums.size() / (hedgerow::kSumsPerClass * hedgerow::kLimbs) + 1;
        std::vector<double> weight(size), mean(size), squares(size);
        hedgerow::compute_mean_and_squares(as_span(sums), weight, mean, squares);
        return std::tuple(to_numpy(std::move(weight)), to_numpy(std::move(mean)), to_numpy(std::move(squares)));
      },
      "sums"_a.noconvert());
}

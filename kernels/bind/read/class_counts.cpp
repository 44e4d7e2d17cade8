// Python bindings of read/class_counts.hpp, read/distinct_values.hpp, read/moments.hpp.
#include "read/class_counts.hpp"

#include <nanobind/stl/optional.h>

#include "bind/bind.hpp"
#include "read/distinct_values.hpp"
#include "read/moments.hpp"

using namespace bind;

namespace {

std::span<const double> weights(const std::optional<In<double>>& weight, std::size_t rows) {
  if (!weight) return {};
  same_length(weight->size(), rows, "weight and rows differ in length");
  return span(*weight);
}

void whole_sums(std::size_t size, std::size_t a_class) {
  if (size % (a_class * hedgerow::kLimbs)) throw nb::value_error("sums must hold whole sums");
}

}  // namespace

void init_counts(nb::module_& m) {
  m.def(
      "count_levels",
      [](In<std::int32_t> code, In<std::int32_t> label, std::optional<In<double>> weight, std::size_t levels,
         std::size_t classes) {
        same_length(code.size(), label.size(), "code and label differ in length");
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::count_levels(span(code), span(label), weights(weight, code.size()), levels, classes);
        }
        return array(std::move(out));
      },
      "code"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(), "levels"_a, "classes"_a);

  m.def(
      "count_picks",
      [](In<std::int64_t> order, In<std::int64_t> picks) {
        std::vector<std::int64_t> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::count_picks(span(order), span(picks));
        }
        return array(std::move(out));
      },
      "order"_a.noconvert(), "picks"_a.noconvert());

  m.def(
      "distinct_values",
      [](In<double> value, In<std::int32_t> label, std::size_t most) {
        same_length(value.size(), label.size(), "value and label differ in length");
        if (most > 1'000'000) throw nb::value_error("this is meant for few values");
        hedgerow::DistinctValues out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::count_distinct_values(span(value), span(label), most);
        }
        return std::tuple(array(std::move(out.values)), array(std::move(out.rows)), out.too_many);
      },
      "value"_a.noconvert(), "label"_a.noconvert(), "most"_a);

  m.attr("SUMS") = hedgerow::kSumsPerClass;
  m.attr("LIMBS") = hedgerow::kLimbs;
  m.def(
      "add_moments",
      [](In<double> value, In<std::int32_t> label, std::optional<In<double>> weight, InOut<std::int64_t> sums) {
        same_length(value.size(), label.size(), "value and label differ in length");
        whole_sums(sums.size(), hedgerow::kSumsPerClass);
        nb::gil_scoped_release unlocked;
        return hedgerow::add_moments(span(value), span(label), weights(weight, value.size()), span(sums));
      },
      "value"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert().none(), "sums"_a.noconvert());
  m.def(
      "carry",
      [](InOut<std::int64_t> sums) {
        whole_sums(sums.size(), 1);
        hedgerow::propagate_carries(span(sums));  // microseconds: giving the interpreter lock away would take longer
      },
      "sums"_a.noconvert());
  m.def(
      "mean_and_squares",
      [](In<std::int64_t> sums) {
        whole_sums(sums.size(), hedgerow::kSumsPerClass);
        const std::size_t size = sums.size() / (hedgerow::kSumsPerClass * hedgerow::kLimbs) + 1;
        std::vector<double> weight(size), mean(size), squares(size);
        hedgerow::compute_mean_and_squares(span(sums), weight, mean, squares);
        return std::tuple(array(std::move(weight)), array(std::move(mean)), array(std::move(squares)));
      },
      "sums"_a.noconvert());
}

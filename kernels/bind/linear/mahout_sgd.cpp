// Python bindings of linear/mahout_sgd.hpp.
#include "linear/mahout_sgd.hpp"

#include <nanobind/stl/optional.h>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

hedgerow::MahoutSgdOptions make_options(const In<double>& settings) {
  check_same_length(settings.size(), 6, "annealing has 6 settings");
  const auto* s = settings.data();
  return {s[0], s[1], s[2], s[3], s[4], s[5]};
}

hedgerow::MahoutSgdState make_state(const InOut2<double>& beta, const InOut<std::int64_t>& penalized_until,
                                    const InOut<double>& row_counts, std::int64_t step) {
  check_same_length(beta.shape(1), penalized_until.size(), "beta and settled differ in length");
  check_same_length(beta.shape(1), row_counts.size(), "beta and seen differ in length");
  if (!beta.size()) throw nb::value_error("there are no coefficients");
  return {as_span(beta), as_span(penalized_until), as_span(row_counts), step};
}

}  // namespace

void init_mahout_sgd(nb::module_& m) {
  m.def(
      "learn_mahout_sgd",
      [](In<std::int64_t> starts, In<std::int32_t> slots, In<double> values, In<std::int32_t> label,
         std::optional<In<double>> weight, In<double> options, InOut2<double> beta, InOut<std::int64_t> penalized_until,
         InOut<double> row_counts, std::int64_t step) {
        auto state = make_state(beta, penalized_until, row_counts, step);
        check_offsets(as_span(starts), slots.size());
        check_same_length(starts.size(), label.size() + 1, "starts and label differ in length");
        check_same_length(slots.size(), values.size(), "slots and values differ in length");
        if (weight) check_same_length(weight->size(), label.size(), "weight and label differ in length");
        check_below(as_span(slots), penalized_until.size(), "a slot is out of range");
        check_below(as_span(label), beta.shape(0) + 1, "a label is out of range");
        const auto settings = make_options(options);
        {
          nb::gil_scoped_release unlocked;
          const hedgerow::MahoutSgdRows rows{as_span(starts), as_span(slots), as_span(values), as_span(label),
                                             weight ? as_span(*weight) : std::span<const double>()};
          hedgerow::learn_mahout_sgd(rows, settings, state, Interrupts());
        }
        return state.step;
      },
      "starts"_a.noconvert(), "slots"_a.noconvert(), "values"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "options"_a.noconvert(), "beta"_a.noconvert(), "penalized_until"_a.noconvert(),
      "row_counts"_a.noconvert(), "step"_a);
  m.def(
      "finish_mahout_sgd",
      [](In<double> options, InOut2<double> beta, InOut<std::int64_t> penalized_until, InOut<double> row_counts,
         std::int64_t step) {
        auto state = make_state(beta, penalized_until, row_counts, step);
        const auto settings = make_options(options);
        nb::gil_scoped_release unlocked;
        hedgerow::finish_mahout_sgd(settings, state);
        return state.step;
      },
      "options"_a.noconvert(), "beta"_a.noconvert(), "penalized_until"_a.noconvert(), "row_counts"_a.noconvert(),
      "step"_a);
}

// Python bindings of linear/mahout_sgd.hpp.
#include "linear/mahout_sgd.hpp"

#include <nanobind/stl/optional.h>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

hedgerow::MahoutSgdOptions how_of(const In<double>& settings) {
  same_length(settings.size(), 6, "annealing has 6 settings");
  const auto* s = settings.data();
  return {s[0], s[1], s[2], s[3], s[4], s[5]};
}

hedgerow::MahoutSgdState state_of(const InOut2<double>& beta, const InOut<std::int64_t>& settled,
                                  const InOut<double>& seen, std::int64_t step) {
  same_length(beta.shape(1), settled.size(), "beta and settled differ in length");
  same_length(beta.shape(1), seen.size(), "beta and seen differ in length");
  if (!beta.size()) throw nb::value_error("there are no coefficients");
  return {span(beta), span(settled), span(seen), step};
}

}  // namespace

void init_annealed(nb::module_& m) {
  m.def(
      "learn_annealed",
      [](In<std::int64_t> starts, In<std::int32_t> slots, In<double> values, In<std::int32_t> label,
         std::optional<In<double>> weight, In<double> how, InOut2<double> beta, InOut<std::int64_t> settled,
         InOut<double> seen, std::int64_t step) {
        auto state = state_of(beta, settled, seen, step);
        check_offsets(span(starts), slots.size());
        same_length(starts.size(), label.size() + 1, "starts and label differ in length");
        same_length(slots.size(), values.size(), "slots and values differ in length");
        if (weight) same_length(weight->size(), label.size(), "weight and label differ in length");
        check_below(span(slots), settled.size(), "a slot is out of range");
        check_below(span(label), beta.shape(0) + 1, "a label is out of range");
        const auto settings = how_of(how);
        {
          nb::gil_scoped_release unlocked;
          const hedgerow::MahoutSgdRows rows{span(starts), span(slots), span(values), span(label),
                                             weight ? span(*weight) : std::span<const double>()};
          hedgerow::learn_mahout_sgd(rows, settings, state, Interrupts());
        }
        return state.step;
      },
      "starts"_a.noconvert(), "slots"_a.noconvert(), "values"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "how"_a.noconvert(), "beta"_a.noconvert(), "settled"_a.noconvert(),
      "seen"_a.noconvert(), "step"_a);
  m.def(
      "settle_annealed",
      [](In<double> how, InOut2<double> beta, InOut<std::int64_t> settled, InOut<double> seen, std::int64_t step) {
        auto state = state_of(beta, settled, seen, step);
        const auto settings = how_of(how);
        nb::gil_scoped_release unlocked;
        hedgerow::finish_mahout_sgd(settings, state);
        return state.step;
      },
      "how"_a.noconvert(), "beta"_a.noconvert(), "settled"_a.noconvert(), "seen"_a.noconvert(), "step"_a);
}

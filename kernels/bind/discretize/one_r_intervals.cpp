// Python bindings of discretize/one_r_intervals.hpp.
#include "discretize/one_r_intervals.hpp"

#include "bind/bind.hpp"

using namespace bind;

void init_one_r_intervals(nb::module_& m) {
  m.def(
      "find_interval_ends",
      [](In2<double> weight, double minimum) {
        if (weight.shape(1) == 0) throw nb::value_error("there must be at least one class");
        std::vector<std::int64_t> ends;
        {
          nb::gil_scoped_release unlocked;
          ends = hedgerow::find_interval_ends(as_span(weight), weight.shape(1), minimum);
        }
        return to_numpy(std::move(ends));
      },
      "weight"_a.noconvert(), "min_weight"_a);
}

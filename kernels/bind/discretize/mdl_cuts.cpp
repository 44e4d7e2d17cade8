// Python bindings of discretize/mdl_cuts.hpp.
#include "discretize/mdl_cuts.hpp"

#include "bind/bind.hpp"

using namespace bind;

void init_mdl_cuts(nb::module_& m) {
  m.def(
      "find_mdl_cuts",
      [](In2<double> weight) {
        if (weight.shape(1) == 0) throw nb::value_error("there must be at least one class");
        std::vector<std::int64_t> ends;
        {
          nb::gil_scoped_release unlocked;
          ends = hedgerow::find_mdl_cuts(as_span(weight), weight.shape(1));
        }
        return to_numpy(std::move(ends));
      },
      "weight"_a.noconvert());
}

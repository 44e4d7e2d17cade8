// Python bindings of read/one_r_intervals.hpp.
#include "read/one_r_intervals.hpp"

#include "bind/bind.hpp"

using namespace bind;

void init_buckets(nb::module_& m) {
  m.def(
      "bucket_ends",
      [](In2<double> weight, double least) {
        if (weight.shape(1) == 0) throw nb::value_error("there must be at least one class");
        std::vector<std::int64_t> ends;
        {
          nb::gil_scoped_release unlocked;
          ends = hedgerow::find_interval_ends(span(weight), weight.shape(1), least);
        }
        return array(std::move(ends));
      },
      "weight"_a.noconvert(), "least"_a);
}

// Python bindings of core/decimals.hpp.
#include "core/decimals.hpp"

#include "bind/bind.hpp"

using namespace bind;

// The arrays are short, one number per class: giving the interpreter lock away would take longer than the work.

void init_decimals(nb::module_& m) {
  m.def(
      "find_shortest_decimals",
      [](In<double> value, In<double> tolerance) {
        check_same_length(value.size(), tolerance.size(), "value and tolerance differ in length");
        std::vector<double> out(value.size());
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = hedgerow::find_shortest_decimal(value.data()[i], tolerance.data()[i]);
        return to_numpy(std::move(out));
      },
      "value"_a.noconvert(), "tolerance"_a.noconvert());
  m.def(
      "round_significant",
      [](In<double> value, int digits) {
        if (digits < 1 || digits > 300) throw nb::value_error("a number has 1 to 300 significant digits");
        std::vector<double> out(value.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = hedgerow::round_significant(value.data()[i], digits);
        return to_numpy(std::move(out));
      },
      "value"_a.noconvert(), "digits"_a);
}

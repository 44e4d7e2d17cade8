// Python bindings of linear svm.
#include "bind/bind.hpp"
#include "bind/design_columns.hpp"
#include "linear/dual_coordinate_descent.hpp"

using namespace bind;

namespace {

Array<std::int64_t> descent(In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, In2<std::int8_t> signs,
                            In<double> bounds, bool squared, double rho, double tolerance, std::size_t most_passes,
                            std::uint64_t seed, InOut2<double> weights, InOut2<double> alphas, InOut<double> offsets,
                            std::size_t threads) {
  const std::size_t rows = bounds.size(), machines = offsets.size();
  same_length(ids.size(), values.size(), "ids and values differ in length");
  same_length(starts.size(), rows + 1, "rows and bounds differ in length");
  check_offsets(span(starts), ids.size());
  check_below(span(ids), weights.shape(0), "an id is not below the number of places");
  if (!machines) throw nb::value_error("there are no machines");
  same_length(signs.shape(0), rows, "signs and bounds differ in length");
  same_length(signs.shape(1), machines, "signs and offsets differ in length");
  same_length(weights.shape(1), machines, "weights and offsets differ in length");
  same_length(alphas.shape(0), rows, "alphas and bounds differ in length");
  same_length(alphas.shape(1), machines, "alphas and offsets differ in length");
  const hedgerow::DualDescentRows matrix{span(starts), span(ids), span(values)};
  const hedgerow::DualDescentOptions aims{squared, rho, tolerance, most_passes, seed};
  std::vector<std::int64_t> passes;
  {
    nb::gil_scoped_release unlocked;
    auto crew = crew_for(ids.size() * machines, threads);
    passes = hedgerow::run_dual_coordinate_descent(matrix, span(signs), span(bounds), aims, machines, span(weights),
                                                   span(alphas), span(offsets), crew);
  }
  return array(std::move(passes));
}

}  // namespace

void init_linear_machines(nb::module_& m) {
  m.def("linear_descent", descent, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
        "signs"_a.noconvert(), "bounds"_a.noconvert(), "squared"_a, "rho"_a, "tolerance"_a, "most_passes"_a, "seed"_a,
        "weights"_a.noconvert(), "alphas"_a.noconvert(), "offsets"_a.noconvert(), "threads"_a);
}

// Python bindings of linear svm.
#include "bind/bind.hpp"
#include "bind/design_columns.hpp"
#include "linear/dual_coordinate_descent.hpp"

using namespace bind;

namespace {

Array<std::int64_t> run_dual_coordinate_descent(In<std::int64_t> starts, In<std::int32_t> ids, In<double> values,
                                                In2<std::int8_t> signs, In<double> bounds, bool squared, double rho,
                                                double tolerance, std::size_t max_passes, std::uint64_t seed,
                                                InOut2<double> weights, InOut2<double> alphas, InOut<double> offsets,
                                                std::size_t threads) {
  const std::size_t rows = bounds.size(), machines = offsets.size();
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  check_same_length(starts.size(), rows + 1, "rows and bounds differ in length");
  check_offsets(as_span(starts), ids.size());
  check_below(as_span(ids), weights.shape(0), "an id is not below the number of places");
  if (!machines) throw nb::value_error("there are no machines");
  check_same_length(signs.shape(0), rows, "signs and bounds differ in length");
  check_same_length(signs.shape(1), machines, "signs and offsets differ in length");
  check_same_length(weights.shape(1), machines, "weights and offsets differ in length");
  check_same_length(alphas.shape(0), rows, "alphas and bounds differ in length");
  check_same_length(alphas.shape(1), machines, "alphas and offsets differ in length");
  const hedgerow::DualDescentRows matrix{as_span(starts), as_span(ids), as_span(values)};
  const hedgerow::DualDescentOptions options{squared, rho, tolerance, max_passes, seed};
  std::vector<std::int64_t> passes;
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(ids.size() * machines, threads);
    passes = hedgerow::run_dual_coordinate_descent(matrix, as_span(signs), as_span(bounds), options, machines,
                                                   as_span(weights), as_span(alphas), as_span(offsets), pool);
  }
  return to_numpy(std::move(passes));
}

}  // namespace

void init_linear_svm(nb::module_& m) {
  m.def("run_dual_coordinate_descent", run_dual_coordinate_descent, "starts"_a.noconvert(), "ids"_a.noconvert(),
        "values"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(), "squared"_a, "rho"_a, "tolerance"_a,
        "max_passes"_a, "seed"_a, "weights"_a.noconvert(), "alphas"_a.noconvert(), "offsets"_a.noconvert(),
        "threads"_a);
}

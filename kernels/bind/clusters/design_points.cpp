// Python bindings of clusters/cluster_statistics.hpp, clusters/design_points.hpp.
#include "clusters/design_points.hpp"

#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind/design_columns.hpp"
#include "clusters/cluster_statistics.hpp"

using namespace bind;

namespace {

bool fill_design_points(const nb::list& arrays, const nb::list& tables, const std::vector<std::size_t>& widths,
                        In<double> centers, In<double> factors, In<double> missing_values, double maximum,
                        InOut2<double> out, std::size_t threads) {
  const std::size_t rows = out.shape(0), width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  check_same_length(nb::len(arrays), widths.size(), "columns and widths differ in length");
  check_same_length(nb::len(tables), widths.size(), "tables and widths differ in length");
  for (const std::size_t features : {centers.size(), factors.size(), missing_values.size(), out.shape(1)})
    check_same_length(features, width, "centers, factors, gaps and points differ in places");
  std::vector<hedgerow::DesignColumn> columns;
  for (std::size_t i = 0; i < widths.size(); ++i)
    columns.push_back(make_design_column(arrays[i], tables[i], widths[i], rows));
  nb::gil_scoped_release unlocked;
  auto pool = make_pool(rows * width, threads);
  return hedgerow::fill_design_points(columns, {as_span(centers), as_span(factors), as_span(missing_values), maximum},
                                      rows, as_span(out), pool);
}

nb::tuple compute_cluster_statistics(In<double> values, In<std::int32_t> codes, std::optional<In<double>> weight,
                                     std::size_t clusters) {
  check_same_length(codes.size(), values.size(), "codes and values differ in length");
  check_below(as_span(codes), clusters, "a code is not below the number of clusters");
  const auto counts = make_row_weights(weight, values.size());
  hedgerow::ClusterStatistics found;
  {
    nb::gil_scoped_release unlocked;
    found = hedgerow::compute_cluster_statistics(as_span(values), as_span(codes), counts, clusters);
  }
  return nb::make_tuple(to_numpy(std::move(found.known)), to_numpy(std::move(found.means)),
                        to_numpy(std::move(found.squares)));
}

}  // namespace

void init_design_points(nb::module_& m) {
  m.def("fill_design_points", fill_design_points, "arrays"_a, "tables"_a, "widths"_a, "centers"_a.noconvert(),
        "factors"_a.noconvert(), "missing_values"_a.noconvert(), "max_absolute"_a, "out"_a.noconvert(), "threads"_a);
  m.def("compute_cluster_statistics", compute_cluster_statistics, "values"_a.noconvert(), "codes"_a.noconvert(),
        "weight"_a.none().noconvert(), "clusters"_a);
}

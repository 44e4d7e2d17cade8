// Python bindings of clusters/cluster_statistics.hpp, clusters/design_points.hpp.
#include "clusters/design_points.hpp"

#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind/design_columns.hpp"
#include "clusters/cluster_statistics.hpp"

using namespace bind;

namespace {

bool lay_points(const nb::list& arrays, const nb::list& tables, const std::vector<std::size_t>& widths,
                In<double> centers, In<double> factors, In<double> gaps, double most, InOut2<double> out,
                std::size_t threads) {
  const std::size_t rows = out.shape(0), width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  same_length(nb::len(arrays), widths.size(), "columns and widths differ in length");
  same_length(nb::len(tables), widths.size(), "tables and widths differ in length");
  for (const std::size_t places : {centers.size(), factors.size(), gaps.size(), out.shape(1)})
    same_length(places, width, "centers, factors, gaps and points differ in places");
  std::vector<hedgerow::DesignColumn> columns;
  for (std::size_t i = 0; i < widths.size(); ++i)
    columns.push_back(design_column(arrays[i], tables[i], widths[i], rows));
  nb::gil_scoped_release unlocked;
  auto crew = crew_for(rows * width, threads);
  return hedgerow::fill_design_points(columns, {span(centers), span(factors), span(gaps), most}, rows, span(out), crew);
}

nb::tuple cluster_figures(In<double> values, In<std::int32_t> codes, std::optional<In<double>> weight,
                          std::size_t clusters) {
  same_length(codes.size(), values.size(), "codes and values differ in length");
  check_below(span(codes), clusters, "a code is not below the number of clusters");
  const auto counts = row_weights(weight, values.size());
  hedgerow::ClusterStatistics found;
  {
    nb::gil_scoped_release unlocked;
    found = hedgerow::compute_cluster_statistics(span(values), span(codes), counts, clusters);
  }
  return nb::make_tuple(array(std::move(found.known)), array(std::move(found.means)), array(std::move(found.squares)));
}

}  // namespace

void init_points(nb::module_& m) {
  m.def("lay_points", lay_points, "arrays"_a, "tables"_a, "widths"_a, "centers"_a.noconvert(), "factors"_a.noconvert(),
        "gaps"_a.noconvert(), "most"_a, "out"_a.noconvert(), "threads"_a);
  m.def("cluster_figures", cluster_figures, "values"_a.noconvert(), "codes"_a.noconvert(),
        "weight"_a.none().noconvert(), "clusters"_a);
}

// Python bindings of clusters/kmeans.hpp.
#include "clusters/kmeans.hpp"

#include <bit>
#include <cmath>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

constexpr std::size_t kFewProducts = 200000;  // for a thread of its own to be worth it

void check_finite(std::span<const double> values, const char* what) {
  constexpr std::uint64_t sign = 0x8000000000000000, one = 0x0010000000000000;  // the last bit of exponents
  std::uint64_t odd = 0;
  for (const double value : values)
    odd |= (std::bit_cast<std::uint64_t>(value) & ~sign) + one;  // carries if all are set
  if (odd & sign) throw nb::value_error(what);
}

hedgerow::PointRows make_rows(In2<double> points, In<double> weights) {
  if (weights.size()) check_same_length(weights.size(), points.shape(0), "weights and points differ in length");
  if (points.shape(0) > 0x7fffffff) throw nb::value_error("there are too many points");
  check_finite(as_span(points), "a point is not finite");
  for (const double weight : as_span(weights))
    if (!(weight > 0) || std::isinf(weight)) throw nb::value_error("a weight is not positive and finite");
  return {points.data(), points.shape(0), points.shape(1), weights.size() ? weights.data() : nullptr};
}

hedgerow::ThreadPool make_pool(std::size_t threads, const hedgerow::PointRows& rows, std::size_t centers) {
  return hedgerow::ThreadPool(limit_threads(threads, rows.n * rows.width * centers, kFewProducts), Interrupts());
}

nb::tuple run_kmeans(In2<double> points, In<double> weights, InOut2<double> centers, InOut<std::int32_t> labels,
                     int algorithm, std::size_t passes, double tolerance, std::size_t threads) {
  const auto rows = make_rows(points, weights);
  check_same_length(centers.shape(1), rows.width, "centers and points differ in width");
  check_same_length(labels.size(), rows.n, "labels and points differ in length");
  if (!rows.n || !rows.width || !centers.shape(0)) throw nb::value_error("there must be points, places and centers");
  if (algorithm < 0 || algorithm > 2) throw nb::value_error("there is no such way");
  check_finite(std::span<const double>(centers.data(), centers.size()), "a center is not finite");
  hedgerow::KMeansResult found;
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(threads, rows, centers.shape(0));
    found = hedgerow::kmeans(rows, {static_cast<hedgerow::KMeansAlgorithm>(algorithm), passes, tolerance},
                             as_span(centers), as_span(labels), pool);
  }
  return nb::make_tuple(found.passes, found.converged, found.refilled, to_numpy(std::move(found.sizes)),
                        to_numpy(std::move(found.squares)));
}

void assign_nearest_centers(In2<double> points, In2<double> centers, InOut<std::int32_t> labels, InOut<double> squares,
                            std::size_t threads) {
  const auto rows = make_rows(points, {});
  check_same_length(centers.shape(1), rows.width, "centers and points differ in width");
  check_same_length(labels.size(), rows.n, "labels and points differ in length");
  check_same_length(squares.size(), rows.n, "squares and points differ in length");
  if (!centers.shape(0)) throw nb::value_error("there must be centers");
  nb::gil_scoped_release unlocked;
  auto pool = make_pool(threads, rows, centers.shape(0));
  hedgerow::assign_nearest_centers(rows, as_span(centers), as_span(labels), as_span(squares), pool);
}

Array<double> compute_seed_potentials(In2<double> points, In<double> weights, In2<double> seeds, In<double> nearest,
                                      std::size_t threads) {
  const auto rows = make_rows(points, weights);
  check_same_length(seeds.shape(1), rows.width, "seeds and points differ in width");
  check_same_length(nearest.size(), rows.n, "nearest and points differ in length");
  std::vector<double> out;
  {
    nb::gil_scoped_release unlocked;
    auto pool = make_pool(threads, rows, seeds.shape(0));
    out = hedgerow::compute_seed_potentials(rows, as_span(seeds), as_span(nearest), pool);
  }
  return to_numpy(std::move(out));
}

}  // namespace

void init_kmeans(nb::module_& m) {
  m.def("run_kmeans", run_kmeans, "points"_a.noconvert(), "weights"_a.noconvert(), "centers"_a.noconvert(),
        "labels"_a.noconvert(), "algorithm"_a, "passes"_a, "tolerance"_a, "threads"_a);
  m.def("assign_nearest_centers", assign_nearest_centers, "points"_a.noconvert(), "centers"_a.noconvert(),
        "labels"_a.noconvert(), "squares"_a.noconvert(), "threads"_a);
  m.def("compute_seed_potentials", compute_seed_potentials, "points"_a.noconvert(), "weights"_a.noconvert(),
        "seeds"_a.noconvert(), "nearest"_a.noconvert(), "threads"_a);
}

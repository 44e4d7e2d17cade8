// Python bindings of clusters/linkage.hpp.
#include "clusters/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

void check_finite(std::span<const double> values) {
  for (const double value : values)
    if (!std::isfinite(value)) throw nb::value_error("a number is missing or infinite");
}

hedgerow::LinkagePoints make_points(const In2<double>& points, bool cityblock) {
  if (points.shape(0) > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_finite(as_span(points));
  return {as_span(points), points.shape(0), points.shape(1), cityblock};
}

void check_weights(const In<double>& weights, std::size_t rows) {
  check_same_length(weights.size(), rows, "weights and rows differ in length");
  for (const double weight : as_span(weights))
    if (!(weight > 0) || std::isinf(weight)) throw nb::value_error("a weight is not above 0");
}

hedgerow::Linkage to_linkage(int code) {
  if (code < 0 || code > 5) throw nb::value_error("there is no such linkage");
  return static_cast<hedgerow::Linkage>(code);
}

// First rows, second rows, heights.
nb::tuple to_tuple(const std::vector<hedgerow::Merge>& merges) {
  std::vector<std::int32_t> first, second;
  std::vector<double> heights;
  for (const auto& merge : merges) {
    first.push_back(merge.first), second.push_back(merge.second), heights.push_back(merge.height);
  }
  return nb::make_tuple(to_numpy(std::move(first)), to_numpy(std::move(second)), to_numpy(std::move(heights)));
}

nb::tuple link_tree(In2<double> points, bool cityblock) {
  const auto given = make_points(points, cityblock);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    merges = hedgerow::link_single(given, Interrupts());
  }
  return to_tuple(merges);
}

nb::tuple link_centers(In2<double> points, In<double> weights, bool ward) {
  const auto given = make_points(points, false);
  check_weights(weights, given.rows);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    merges = hedgerow::link_by_centers(given, as_span(weights), ward, Interrupts());
  }
  return to_tuple(merges);
}

// Room for the distances of all pairs, in large pages where the system has them: columns are gone through as well as
// rows.
template <class T>
class DistanceArray {
 public:
  explicit DistanceArray(std::size_t rows) : size_(rows < 2 ? 0 : rows * (rows - 1) / 2) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t bytes = (size_ * sizeof(T) + page - 1) / page * page;
    values_.reset(static_cast<T*>(std::aligned_alloc(page, std::max(bytes, page))));
    if (!values_) throw std::bad_alloc();
#if defined(__linux__)
    madvise(values_.get(), bytes, MADV_HUGEPAGE);
#endif
  }
  std::span<T> all() { return {values_.get(), size_}; }

 private:
  struct DistanceDeleter {
    void operator()(T* values) const { std::free(values); }
  };
  std::size_t size_;
  std::unique_ptr<T, DistanceDeleter> values_;
};

// Once more in the order of the definition, if distances are equal somewhere.
template <class T, class Fill>
std::vector<hedgerow::Merge> link_with_ties(std::size_t rows, std::span<const double> weights,
                                            hedgerow::Linkage linkage, const Fill& fill) {
  DistanceArray<T> pair_distances(rows);
  bool tied = false;
  fill(pair_distances.all());
  auto merges = hedgerow::link_by_distances(pair_distances.all(), weights, linkage, false, tied, Interrupts());
  if (!tied) return merges;
  fill(pair_distances.all());
  return hedgerow::link_by_distances(pair_distances.all(), weights, linkage, true, tied, Interrupts());
}

// By the distances of all pairs of points, in single or double precision.
template <class Points>
nb::tuple link_points(const Points& points, const In<double>& weights, int linkage, bool single, std::size_t threads) {
  const std::size_t rows = weights.size();
  const auto code = to_linkage(linkage);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    const auto fill = [&](auto distances) {
      hedgerow::ThreadPool pool(limit_threads(threads, rows, 2000), Interrupts());
      hedgerow::fill_distances(points, distances, pool);
    };
    merges = single ? link_with_ties<float>(rows, as_span(weights), code, fill)
                    : link_with_ties<double>(rows, as_span(weights), code, fill);
  }
  return to_tuple(merges);
}

nb::tuple link_pairs(In2<double> points, In<double> weights, bool cityblock, int linkage, bool single,
                     std::size_t threads) {
  const auto given = make_points(points, cityblock);
  check_weights(weights, given.rows);
  return link_points(given, weights, linkage, single, threads);
}

nb::tuple link_sparse(In<std::int64_t> starts, In<std::int32_t> features, In<double> values, In<double> weights,
                      bool cityblock, int linkage, bool single, std::size_t threads) {
  check_offsets(as_span(starts), values.size());
  check_same_length(features.size(), values.size(), "places and values differ in length");
  if (starts.size() - 1 > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_weights(weights, starts.size() - 1);
  check_finite(as_span(values));
  return link_points(hedgerow::SparseLinkagePoints{as_span(starts), as_span(features), as_span(values), cityblock},
                     weights, linkage, single, threads);
}

nb::tuple link_distances(In<double> distances, In<double> weights, int linkage) {
  const std::size_t rows = weights.size();
  if (rows > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_weights(weights, rows);
  check_same_length(distances.size(), rows < 2 ? 0 : rows * (rows - 1) / 2, "distances and rows do not fit");
  for (const double value : as_span(distances))
    if (!(value >= 0) || std::isinf(value)) throw nb::value_error("a distance is missing, infinite or negative");
  const auto code = to_linkage(linkage);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    merges = link_with_ties<double>(rows, as_span(weights), code, [&](auto pair_distances) {
      std::copy(as_span(distances).begin(), as_span(distances).end(), pair_distances.begin());
    });
  }
  return to_tuple(merges);
}

}  // namespace

void init_linkage(nb::module_& m) {
  m.def("link_tree", link_tree, "points"_a.noconvert(), "cityblock"_a);
  m.def("link_centers", link_centers, "points"_a.noconvert(), "weights"_a.noconvert(), "ward"_a);
  m.def("link_pairs", link_pairs, "points"_a.noconvert(), "weights"_a.noconvert(), "cityblock"_a, "linkage"_a,
        "single"_a, "threads"_a);
  m.def("link_sparse", link_sparse, "starts"_a.noconvert(), "features"_a.noconvert(), "values"_a.noconvert(),
        "weights"_a.noconvert(), "cityblock"_a, "linkage"_a, "single"_a, "threads"_a);
  m.def("link_distances", link_distances, "distances"_a.noconvert(), "weights"_a.noconvert(), "linkage"_a);
}

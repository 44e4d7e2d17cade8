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

hedgerow::LinkagePoints points_of(const In2<double>& points, bool cityblock) {
  if (points.shape(0) > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_finite(span(points));
  return {span(points), points.shape(0), points.shape(1), cityblock};
}

void check_weights(const In<double>& weights, std::size_t rows) {
  same_length(weights.size(), rows, "weights and rows differ in length");
  for (const double weight : span(weights))
    if (!(weight > 0) || std::isinf(weight)) throw nb::value_error("a weight is not above 0");
}

hedgerow::Linkage linkage_of(int code) {
  if (code < 0 || code > 5) throw nb::value_error("there is no such linkage");
  return static_cast<hedgerow::Linkage>(code);
}

// First rows, second rows, heights.
nb::tuple told(const std::vector<hedgerow::Merge>& merges) {
  std::vector<std::int32_t> first, second;
  std::vector<double> heights;
  for (const auto& merge : merges) {
    first.push_back(merge.first), second.push_back(merge.second), heights.push_back(merge.height);
  }
  return nb::make_tuple(array(std::move(first)), array(std::move(second)), array(std::move(heights)));
}

nb::tuple linkage_tree(In2<double> points, bool cityblock) {
  const auto given = points_of(points, cityblock);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    merges = hedgerow::link_single(given, Interrupts());
  }
  return told(merges);
}

nb::tuple linkage_centers(In2<double> points, In<double> weights, bool ward) {
  const auto given = points_of(points, false);
  check_weights(weights, given.rows);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    merges = hedgerow::link_by_centers(given, span(weights), ward, Interrupts());
  }
  return told(merges);
}

// Room for the distances of all pairs, in large pages where the system has them: columns are gone through as well as
// rows.
template <class T>
class Room {
 public:
  explicit Room(std::size_t rows) : size_(rows < 2 ? 0 : rows * (rows - 1) / 2) {
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
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::size_t size_;
  std::unique_ptr<T, Free> values_;
};

// Once more in the order of the definition, if distances are equal somewhere.
template <class T, class Fill>
std::vector<hedgerow::Merge> linked(std::size_t rows, std::span<const double> weights, hedgerow::Linkage linkage,
                                    const Fill& fill) {
  Room<T> room(rows);
  bool tied = false;
  fill(room.all());
  auto merges = hedgerow::link_by_distances(room.all(), weights, linkage, false, tied, Interrupts());
  if (!tied) return merges;
  fill(room.all());
  return hedgerow::link_by_distances(room.all(), weights, linkage, true, tied, Interrupts());
}

// By the distances of all pairs of points, in single or double precision.
template <class Points>
nb::tuple linked_pairs(const Points& points, const In<double>& weights, int linkage, bool single, std::size_t threads) {
  const std::size_t rows = weights.size();
  const auto code = linkage_of(linkage);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    const auto fill = [&](auto distances) {
      hedgerow::ThreadPool crew(crew_of(threads, rows, 2000), Interrupts());
      hedgerow::fill_distances(points, distances, crew);
    };
    merges = single ? linked<float>(rows, span(weights), code, fill) : linked<double>(rows, span(weights), code, fill);
  }
  return told(merges);
}

nb::tuple linkage_pairs(In2<double> points, In<double> weights, bool cityblock, int linkage, bool single,
                        std::size_t threads) {
  const auto given = points_of(points, cityblock);
  check_weights(weights, given.rows);
  return linked_pairs(given, weights, linkage, single, threads);
}

nb::tuple linkage_sparse(In<std::int64_t> starts, In<std::int32_t> places, In<double> values, In<double> weights,
                         bool cityblock, int linkage, bool single, std::size_t threads) {
  check_offsets(span(starts), values.size());
  same_length(places.size(), values.size(), "places and values differ in length");
  if (starts.size() - 1 > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_weights(weights, starts.size() - 1);
  check_finite(span(values));
  return linked_pairs(hedgerow::SparseLinkagePoints{span(starts), span(places), span(values), cityblock}, weights,
                      linkage, single, threads);
}

nb::tuple linkage_given(In<double> distances, In<double> weights, int linkage) {
  const std::size_t rows = weights.size();
  if (rows > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_weights(weights, rows);
  same_length(distances.size(), rows < 2 ? 0 : rows * (rows - 1) / 2, "distances and rows do not fit");
  for (const double value : span(distances))
    if (!(value >= 0) || std::isinf(value)) throw nb::value_error("a distance is missing, infinite or negative");
  const auto code = linkage_of(linkage);
  std::vector<hedgerow::Merge> merges;
  {
    nb::gil_scoped_release unlocked;
    merges = linked<double>(rows, span(weights), code, [&](auto room) {
      std::copy(span(distances).begin(), span(distances).end(), room.begin());
    });
  }
  return told(merges);
}

}  // namespace

void init_linkage(nb::module_& m) {
  m.def("linkage_tree", linkage_tree, "points"_a.noconvert(), "cityblock"_a);
  m.def("linkage_centers", linkage_centers, "points"_a.noconvert(), "weights"_a.noconvert(), "ward"_a);
  m.def("linkage_pairs", linkage_pairs, "points"_a.noconvert(), "weights"_a.noconvert(), "cityblock"_a, "linkage"_a,
        "single"_a, "threads"_a);
  m.def("linkage_sparse", linkage_sparse, "starts"_a.noconvert(), "places"_a.noconvert(), "values"_a.noconvert(),
        "weights"_a.noconvert(), "cityblock"_a, "linkage"_a, "single"_a, "threads"_a);
  m.def("linkage_given", linkage_given, "distances"_a.noconvert(), "weights"_a.noconvert(), "linkage"_a);
}

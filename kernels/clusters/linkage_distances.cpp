// Linkage distances: part of clusters/linkage.hpp.
#include <algorithm>
#include <cmath>

#include "clusters/linkage.hpp"
#include "clusters/linkage_points.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kJobRows = 16;  // rows of a job

// Calls visit(number, thread) for every row.
template <class Row>
void for_each_row(ThreadPool& pool, std::size_t n, const Row& row) {
  pool.parallel_for((n + kJobRows - 1) / kJobRows, [&](std::size_t job, std::size_t thread) {
    for (std::size_t number = job * kJobRows; number < std::min(n, (job + 1) * kJobRows); ++number) row(number, thread);
  });
}

// The distances of a row to all rows behind it.
template <class T>
T* find_distance_row(std::span<T> distances, std::size_t n, std::size_t row) {
  return distances.data() + row * n - row * (row + 1) / 2;
}

// The sum over the features at which one of two rows has an entry, in their order: all others add 0.
template <bool CityBlock>
double compute_sparse_distance(const SparseLinkagePoints& points, std::size_t a, std::size_t b) {
  auto i = static_cast<std::size_t>(points.starts[a]), j = static_cast<std::size_t>(points.starts[b]);
  const auto end_i = static_cast<std::size_t>(points.starts[a + 1]),
             end_j = static_cast<std::size_t>(points.starts[b + 1]);
  const double* values = points.values.data();
  const auto step = [](double difference) { return CityBlock ? std::fabs(difference) : difference * difference; };
  double sum = 0;
  while (i < end_i && j < end_j) {
    const std::int32_t at = points.features[i], other = points.features[j];
    sum += step((at <= other ? values[i] : 0.0) - (other <= at ? values[j] : 0.0));
    i += at <= other, j += other <= at;
  }
  for (; i < end_i; ++i) sum += step(values[i]);
  for (; j < end_j; ++j) sum += step(values[j]);
  return sum;
}

}  // namespace

template <class T>
void fill_distances(const LinkagePoints& points, std::span<T> distances, ThreadPool& pool) {
  const PointSlots slots(points);
  const std::size_t n = points.rows, length = slots.stretches() * kStretch;
  std::vector<std::vector<double>> buffer(pool.size(), std::vector<double>(length));
  for_each_row(pool, n, [&](std::size_t row, std::size_t thread) {
    double* values = buffer[thread].data();
    get_slot_functions().compute_distances(slots, points.values.data() + row * points.width, row, values);
    T* own = find_distance_row(distances, n, row);
    if (points.cityblock) {
      for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(values[j]);
    } else {
      for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(std::sqrt(values[j]));
    }
  });
}

template <class T>
void fill_distances(const SparseLinkagePoints& points, std::span<T> distances, ThreadPool& pool) {
  const std::size_t n = points.rows();
  for_each_row(pool, n, [&](std::size_t row, std::size_t) {
    T* own = find_distance_row(distances, n, row);
    if (points.cityblock) {
      for (std::size_t j = row + 1; j < n; ++j)
        own[j - row - 1] = static_cast<T>(compute_sparse_distance<true>(points, row, j));
    } else {
      for (std::size_t j = row + 1; j < n; ++j)
        own[j - row - 1] = static_cast<T>(std::sqrt(compute_sparse_distance<false>(points, row, j)));
    }
  });
}

template void fill_distances(const LinkagePoints&, std::span<float>, ThreadPool&);
template void fill_distances(const LinkagePoints&, std::span<double>, ThreadPool&);
template void fill_distances(const SparseLinkagePoints&, std::span<float>, ThreadPool&);
template void fill_distances(const SparseLinkagePoints&, std::span<double>, ThreadPool&);

}  // namespace hedgerow

// Linkage distances: part of clusters/linkage.hpp.
#include <algorithm>
#include <cmath>

#include "clusters/linkage.hpp"
#include "clusters/linkage_points.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kRun = 16;  // rows of a job

// Calls row(number, member) for every row.
template <class Row>
void share_rows(ThreadPool& crew, std::size_t n, const Row& row) {
  crew.parallel_for((n + kRun - 1) / kRun, [&](std::size_t job, std::size_t member) {
    for (std::size_t number = job * kRun; number < std::min(n, (job + 1) * kRun); ++number) row(number, member);
  });
}

// The distances of a row to all rows behind it.
template <class T>
T* distances_of(std::span<T> distances, std::size_t n, std::size_t row) {
  return distances.data() + row * n - row * (row + 1) / 2;
}

// The sum over the places at which one of two rows has an entry, in their order: all others add 0.
template <bool City>
double sum_of(const SparsePoints& points, std::size_t a, std::size_t b) {
  auto i = static_cast<std::size_t>(points.starts[a]), j = static_cast<std::size_t>(points.starts[b]);
  const auto end_i = static_cast<std::size_t>(points.starts[a + 1]),
             end_j = static_cast<std::size_t>(points.starts[b + 1]);
  const double* values = points.values.data();
  const auto step = [](double apart) { return City ? std::fabs(apart) : apart * apart; };
  double sum = 0;
  while (i < end_i && j < end_j) {
    const std::int32_t at = points.places[i], other = points.places[j];
    sum += step((at <= other ? values[i] : 0.0) - (other <= at ? values[j] : 0.0));
    i += at <= other, j += other <= at;
  }
  for (; i < end_i; ++i) sum += step(values[i]);
  for (; j < end_j; ++j) sum += step(values[j]);
  return sum;
}

}  // namespace

template <class T>
void fill_distances(const LinkedPoints& points, std::span<T> distances, ThreadPool& crew) {
  const Slots slots(points);
  const std::size_t n = points.rows, length = slots.stretches() * kStretch;
  std::vector<std::vector<double>> room(crew.size(), std::vector<double>(length));
  share_rows(crew, n, [&](std::size_t row, std::size_t member) {
    double* values = room[member].data();
    slot_calls().values(slots, points.values.data() + row * points.width, row, values);
    T* own = distances_of(distances, n, row);
    if (points.cityblock) {
      for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(values[j]);
    } else {
      for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(std::sqrt(values[j]));
    }
  });
}

template <class T>
void fill_distances(const SparsePoints& points, std::span<T> distances, ThreadPool& crew) {
  const std::size_t n = points.rows();
  share_rows(crew, n, [&](std::size_t row, std::size_t) {
    T* own = distances_of(distances, n, row);
    if (points.cityblock) {
      for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(sum_of<true>(points, row, j));
    } else {
      for (std::size_t j = row + 1; j < n; ++j)
        own[j - row - 1] = static_cast<T>(std::sqrt(sum_of<false>(points, row, j)));
    }
  });
}

template void fill_distances(const LinkedPoints&, std::span<float>, ThreadPool&);
template void fill_distances(const LinkedPoints&, std::span<double>, ThreadPool&);
template void fill_distances(const SparsePoints&, std::span<float>, ThreadPool&);
template void fill_distances(const SparsePoints&, std::span<double>, ThreadPool&);

}  // namespace hedgerow

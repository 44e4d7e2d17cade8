#include <algorithm>
#include <cmath>

#include "linkage.hpp"
#include "linkage_points.hpp"

namespace hedgerow {

template <class T>
void fill_distances(const LinkedPoints& points, std::span<T> distances, Crew& crew) {
  const Slots slots(points);
  const std::size_t n = points.rows, length = slots.stretches() * kStretch, run = 16;
  std::vector<std::vector<double>> room(crew.members(), std::vector<double>(length));
  crew.share((n + run - 1) / run, [&](std::size_t job, std::size_t member) {
    double* values = room[member].data();
    for (std::size_t row = job * run; row < std::min(n, (job + 1) * run); ++row) {
      slot_calls().values(slots, points.values.data() + row * points.width, row, values);
      T* own = distances.data() + row * n - row * (row + 1) / 2;
      if (points.cityblock) {
        for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(values[j]);
      } else {
        for (std::size_t j = row + 1; j < n; ++j) own[j - row - 1] = static_cast<T>(std::sqrt(values[j]));
      }
    }
  });
}

template void fill_distances(const LinkedPoints&, std::span<float>, Crew&);
template void fill_distances(const LinkedPoints&, std::span<double>, Crew&);

}  // namespace hedgerow

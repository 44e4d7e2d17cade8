#include "clusters/kmeans_center_neighbors.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "clusters/kmeans_distances.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kMaxPairs = 4096;  // centers whose distances are made
constexpr std::size_t kJobCenters = 8;

}  // namespace

void CenterNeighbors::compute(const KMeansState& state, bool listed) {
  const std::size_t k = state.k, width = state.rows.width;
  half_distances_.assign(k, std::numeric_limits<double>::infinity());
  if (k > kMaxPairs) {
    half_distances_.assign(k, 0.0);  // nothing is known: only the second bound helps
    return;
  }
  if (listed) sorted_neighbors_.resize(k * k), distances_.resize(k * k);
  state.pool.parallel_for((k + kJobCenters - 1) / kJobCenters, [&](std::size_t job, std::size_t) {
    std::vector<double> squares(k);
    for (std::size_t a = job * kJobCenters; a < std::min(k, (job + 1) * kJobCenters); ++a) {
      for (std::size_t b = 0; b < k; ++b) {
        squares[b] = squared_distance(state.centers.data() + a * width, state.centers.data() + b * width, width);
        if (b != a) half_distances_[a] = std::min(half_distances_[a], squares[b]);
      }
      half_distances_[a] = std::sqrt(half_distances_[a]) * (0.5 - state.slack);
      if (listed) sort_neighbors(a, squares, state.slack);
    }
  });
}

void CenterNeighbors::sort_neighbors(std::size_t center, std::vector<double>& squares, double slack) {
  const std::size_t k = squares.size();
  std::int32_t* list = sorted_neighbors_.data() + center * k;
  std::iota(list, list + k, 0);
  squares[center] = -1;  // before others at the same place
  std::sort(list, list + k, [&](auto one, auto other) {
    return squares[static_cast<std::size_t>(one)] < squares[static_cast<std::size_t>(other)];
  });
  squares[center] = 0;
  for (std::size_t i = 0; i < k; ++i)
    distances_[center * k + i] = std::sqrt(squares[static_cast<std::size_t>(list[i])]) * (1 - slack);
}

}  // namespace hedgerow

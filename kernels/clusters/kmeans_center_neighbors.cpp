#include "clusters/kmeans_center_neighbors.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "clusters/kmeans_distances.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kMostPairs = 4096;  // centers whose distances are made
constexpr std::size_t kOfJob = 8;

}  // namespace

void NearCenters::make(const KMeansState& state, bool listed) {
  const std::size_t k = state.k, width = state.rows.width;
  half_.assign(k, std::numeric_limits<double>::infinity());
  if (k > kMostPairs) {
    half_.assign(k, 0.0);  // nothing is known: only the second bound helps
    return;
  }
  if (listed) list_.resize(k * k), far_.resize(k * k);
  state.crew.parallel_for((k + kOfJob - 1) / kOfJob, [&](std::size_t job, std::size_t) {
    std::vector<double> squares(k);
    for (std::size_t a = job * kOfJob; a < std::min(k, (job + 1) * kOfJob); ++a) {
      for (std::size_t b = 0; b < k; ++b) {
        squares[b] = squared_distance(state.centers.data() + a * width, state.centers.data() + b * width, width);
        if (b != a) half_[a] = std::min(half_[a], squares[b]);
      }
      half_[a] = std::sqrt(half_[a]) * (0.5 - state.slack);
      if (listed) sort(a, squares, state.slack);
    }
  });
}

void NearCenters::sort(std::size_t center, std::vector<double>& squares, double slack) {
  const std::size_t k = squares.size();
  std::int32_t* list = list_.data() + center * k;
  std::iota(list, list + k, 0);
  squares[center] = -1;  // before others at the same place
  std::sort(list, list + k, [&](auto one, auto other) {
    return squares[static_cast<std::size_t>(one)] < squares[static_cast<std::size_t>(other)];
  });
  squares[center] = 0;
  for (std::size_t i = 0; i < k; ++i)
    far_[center * k + i] = std::sqrt(squares[static_cast<std::size_t>(list[i])]) * (1 - slack);
}

}  // namespace hedgerow

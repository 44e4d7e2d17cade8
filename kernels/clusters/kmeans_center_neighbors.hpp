// The other centers of each one by distance, as far as they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clusters/kmeans.hpp"

namespace hedgerow {

class CenterNeighbors {
 public:
  // `listed`: not only how far the nearest one is, but all in their order.
  void compute(const KMeansState& state, bool listed);

  const double* half_distances() const {
    return half_distances_.data();
  }  // of each center the way to the nearest other one, halved
  const std::int32_t* sorted_neighbors(std::size_t center) const {
    return sorted_neighbors_.data() + center * half_distances_.size();
  }
  // How many centers may be one of the two nearest of a point that is no farther than `upper` from its own.
  std::size_t count_within(std::size_t center, double upper, double slack) const {
    const std::size_t k = half_distances_.size();
    const double* far = distances_.data() + center * k;
    const double reach = (2 * upper + far[1]) * (1 + 4 * slack);
    return static_cast<std::size_t>(std::upper_bound(far + 1, far + k, reach) - far);
  }

 private:
  void sort_neighbors(std::size_t center, std::vector<double>& squares, double slack);

  std::vector<double> half_distances_, distances_;
  std::vector<std::int32_t> sorted_neighbors_;
};

}  // namespace hedgerow

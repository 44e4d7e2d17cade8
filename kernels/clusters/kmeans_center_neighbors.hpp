// The other centers of each one by distance, as far as they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clusters/kmeans.hpp"

namespace hedgerow {

class NearCenters {
 public:
  // `listed`: not only how far the nearest one is, but all in their order.
  void make(const KMeansState& state, bool listed);

  const double* half() const { return half_.data(); }  // of each center the way to the nearest other one, halved
  const std::int32_t* list(std::size_t center) const { return list_.data() + center * half_.size(); }
  // How many centers may be one of the two nearest of a point that is no farther than `upper` from its own.
  std::size_t within(std::size_t center, double upper, double slack) const {
    const std::size_t k = half_.size();
    const double* far = far_.data() + center * k;
    const double reach = (2 * upper + far[1]) * (1 + 4 * slack);
    return static_cast<std::size_t>(std::upper_bound(far + 1, far + k, reach) - far);
  }

 private:
  void sort(std::size_t center, std::vector<double>& squares, double slack);

  std::vector<double> half_, far_;
  std::vector<std::int32_t> list_;
};

}  // namespace hedgerow

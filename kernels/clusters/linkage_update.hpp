// How far a merged cluster is from others.
#pragma once

#include <algorithm>

#include "clusters/linkage.hpp"

namespace hedgerow {

// The two parts of a merged cluster and a third: weights, and the distance of both parts.
struct MergeWeights {
  double a, b, other, distance;
};

// How far a merged cluster is from a third one, by how far its parts were (G. N. Lance and W. T. Williams, Computer
// Journal 9, 1967). Ward's and centroid linkage take squared distances of centers, group average that of average
// linkage.
template <Linkage L>
[[gnu::always_inline]] inline double update_distance(double from_a, double from_b, const MergeWeights& w) {
  if constexpr (L == Linkage::kSingle) return std::min(from_a, from_b);
  if constexpr (L == Linkage::kComplete) return std::max(from_a, from_b);
  const double share = w.b / (w.a + w.b), mean = from_a + (from_b - from_a) * share;
  if constexpr (L == Linkage::kCentroid || L == Linkage::kWard)
    return std::max(0.0, mean - share * (1 - share) * w.distance);
  return mean;
}

}  // namespace hedgerow

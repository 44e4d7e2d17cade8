#include "clusters/kmeans_bounds.hpp"

#include "core/target_avx2.hpp"

namespace hedgerow {

HEDGEROW_AVX2_CLONES std::size_t closed_gaps(float* gaps, const std::int32_t* labels, const float* falls,
                                             std::size_t begin, std::size_t end, std::int32_t* open) {
  constexpr std::size_t block = 16;
  std::size_t n = 0, i = begin;
  const auto fallen = [&](std::size_t row) {
    return (gaps[row] - falls[static_cast<std::size_t>(labels[row])]) * (1 - 4 * kGapUnit);
  };
  for (; i + block <= end; i += block) {
    std::int32_t some = 0;
    for (std::size_t p = 0; p < block; ++p) {
      gaps[i + p] = fallen(i + p);
      some |= !(gaps[i + p] > 0);  // NaN too
    }
    for (std::size_t p = 0; some && p < block; ++p) {
      open[n] = static_cast<std::int32_t>(i + p);
      n += !(gaps[i + p] > 0);
    }
  }
  for (; i < end; ++i) {
    gaps[i] = fallen(i);
    open[n] = static_cast<std::int32_t>(i);
    n += !(gaps[i] > 0);
  }
  return n;
}

}  // namespace hedgerow

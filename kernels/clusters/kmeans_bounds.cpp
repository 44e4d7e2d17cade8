#include "clusters/kmeans_bounds.hpp"

#include "core/target_avx2.hpp"

namespace hedgerow {

HEDGEROW_AVX2_CLONES std::size_t decrease_bounds(float* bounds, const std::int32_t* labels, const float* decreases,
                                                 std::size_t begin, std::size_t end, std::int32_t* open) {
  constexpr std::size_t block = 16;
  std::size_t n = 0, i = begin;
  const auto decreased = [&](std::size_t row) {
    return (bounds[row] - decreases[static_cast<std::size_t>(labels[row])]) * (1 - 4 * kBoundUnit);
  };
  for (; i + block <= end; i += block) {
    std::int32_t some = 0;
    for (std::size_t p = 0; p < block; ++p) {
      bounds[i + p] = decreased(i + p);
      some |= !(bounds[i + p] > 0);  // NaN too
    }
    for (std::size_t p = 0; some && p < block; ++p) {
      open[n] = static_cast<std::int32_t>(i + p);
      n += !(bounds[i + p] > 0);
    }
  }
  for (; i < end; ++i) {
    bounds[i] = decreased(i);
    open[n] = static_cast<std::int32_t>(i);
    n += !(bounds[i] > 0);
  }
  return n;
}

}  // namespace hedgerow

// The two nearest of some centers for the points of a panel, side by side, by |c|^2 / 2 - x c: |x - c|^2 is twice that
// and |x|^2. A panel holds of each feature the values of `Points` points; `halves` are |c|^2 / 2.
#pragma once

#include <cstddef>
#include <limits>

#include "core/kernel_functions.hpp"

namespace hedgerow {

template <class T, std::size_t Bytes, std::size_t Points>
struct NearestTwoScan {
  using Lanes = typename SimdPack<T, Bytes>::Lanes;
  using IntLanes = typename SimdPack<T, Bytes>::IntLanes;
  static constexpr std::size_t n = Points * sizeof(T) / Bytes;  // vectors of a panel's line

  Lanes first[n], second[n];
  IntLanes which[n];

  [[gnu::always_inline]] static const Lanes* line(const T* panel, std::size_t d) {
    return reinterpret_cast<const Lanes*>(panel + d * Points);
  }

  [[gnu::always_inline]] void clear() {
    for (std::size_t v = 0; v < n; ++v) {
      first[v] = second[v] = Lanes{} + std::numeric_limits<T>::infinity();
      which[v] = IntLanes{};
    }
  }

  // Looks at the centers that have these numbers, so many at once that their sums need not wait for each other.
  template <std::size_t Centers>
  [[gnu::always_inline]] void update(const T* panel, std::size_t width, const T* centers, const T* halves,
                                     const std::size_t* numbers) {
    Lanes sums[Centers][n];
    const T* from[Centers];
#pragma GCC unroll 8
    for (std::size_t c = 0; c < Centers; ++c) {
      from[c] = centers + numbers[c] * width;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < n; ++v) sums[c][v] = Lanes{} + halves[numbers[c]];
    }
    for (std::size_t d = 0; d < width; ++d) {
      const Lanes* x = line(panel, d);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < Centers; ++c) {
        const T center = from[c][d];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < n; ++v) sums[c][v] -= x[v] * center;
      }
    }
#pragma GCC unroll 8
    for (std::size_t c = 0; c < Centers; ++c) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < n; ++v) {
        const Lanes now = sums[c][v], one = first[v], two = second[v];
        const IntLanes nearer = now < one;
        const Lanes other = nearer ? one : now;
        second[v] = other < two ? other : two;
        first[v] = nearer ? now : one;
        which[v] = nearer ? IntLanes{} + static_cast<typename SimdPack<T, Bytes>::Bits>(numbers[c]) : which[v];
      }
    }
  }

  // |x|^2 of every point.
  [[gnu::always_inline]] static void compute_squared_norms(const T* panel, std::size_t width, Lanes* out) {
    for (std::size_t v = 0; v < n; ++v) out[v] = Lanes{};
    for (std::size_t d = 0; d < width; ++d)
      for (std::size_t v = 0; v < n; ++v) out[v] += line(panel, d)[v] * line(panel, d)[v];
  }
};

}  // namespace hedgerow

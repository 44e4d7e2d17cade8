#include "kmeans_products.hpp"
#include "processor.hpp"

#include <limits>

namespace hedgerow {

namespace {

constexpr std::size_t kAtOnce = 4;  // centers, so that sums need not wait for each other

template <std::size_t Bytes>
struct Ways {
  using Lanes [[gnu::vector_size(Bytes)]] = double;
  using Whole [[gnu::vector_size(Bytes)]] = std::int64_t;
  static constexpr std::size_t n = kPoints * sizeof(double) / Bytes;  // vectors of a panel's line

  struct Best {
    Lanes first[n], second[n];
    Whole which[n];
  };

  template <std::size_t Centers>
  [[gnu::always_inline]] static void take(const double* panel, std::size_t width, const double* centers,
                                          const double* halves, const std::size_t* numbers, Best& best) {
    Lanes sums[Centers][n];
    const double* from[Centers];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < Centers; ++c) {
      from[c] = centers + numbers[c] * width;
      for (std::size_t v = 0; v < n; ++v) sums[c][v] = Lanes{} + halves[numbers[c]];
    }
    for (std::size_t d = 0; d < width; ++d) {
      const Lanes* x = reinterpret_cast<const Lanes*>(panel + d * kPoints);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Centers; ++c) {
        const double center = from[c][d];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < n; ++v) sums[c][v] -= x[v] * center;
      }
    }
#pragma GCC unroll 4
    for (std::size_t c = 0; c < Centers; ++c) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < n; ++v) {
        const Lanes now = sums[c][v], first = best.first[v], second = best.second[v];
        const Whole nearer = now < first;
        const Lanes other = nearer ? first : now;
        best.second[v] = other < second ? other : second;
        best.first[v] = nearer ? now : first;
        best.which[v] = nearer ? Whole{} + static_cast<std::int64_t>(numbers[c]) : best.which[v];
      }
    }
  }

  [[gnu::always_inline]] static bool least(const double* panel, std::size_t width, const double* centers,
                                           const double* halves, double most, double slack, const std::int32_t* list,
                                           std::size_t count, TwoLeast& out) {
    Best best;
    for (std::size_t v = 0; v < n; ++v) {
      best.first[v] = best.second[v] = Lanes{} + std::numeric_limits<double>::infinity();
      best.which[v] = Whole{};
    }
    std::size_t i = 0, numbers[kAtOnce];
    for (; i + kAtOnce <= count; i += kAtOnce) {
      for (std::size_t c = 0; c < kAtOnce; ++c) numbers[c] = list ? static_cast<std::size_t>(list[i + c]) : i + c;
      take<kAtOnce>(panel, width, centers, halves, numbers, best);
    }
    for (; i < count; ++i) {
      numbers[0] = list ? static_cast<std::size_t>(list[i]) : i;
      take<1>(panel, width, centers, halves, numbers, best);
    }
    Lanes sums[n] = {};
    for (std::size_t d = 0; d < width; ++d) {
      const Lanes* x = reinterpret_cast<const Lanes*>(panel + d * kPoints);
      for (std::size_t v = 0; v < n; ++v) sums[v] += x[v] * x[v];
    }
    alignas(64) std::int64_t near[kPoints];
    for (std::size_t v = 0; v < n; ++v) {
      const Lanes margin = 4 * slack * (sums[v] + most);
      reinterpret_cast<Whole*>(near)[v] = 2 * (best.second[v] - best.first[v]) <= margin;
      const Lanes first = sums[v] + 2 * best.first[v], second = sums[v] + 2 * best.second[v] - margin;
      reinterpret_cast<Lanes*>(out.first)[v] = (first > 0 ? first : Lanes{}) + margin;
      reinterpret_cast<Lanes*>(out.second)[v] = second > 0 ? second : Lanes{};
      reinterpret_cast<Whole*>(out.which)[v] = best.which[v];
    }
    std::int64_t unsure = 0;
    for (const std::int64_t one : near) unsure |= one;
    return !unsure;
  }
};

#define HEDGEROW_PRODUCTS(NAME, TARGET, BYTES)                                                                       \
  TARGET bool least_##NAME(const double* panel, std::size_t width, const double* centers, const double* halves,      \
                           double most, double slack, const std::int32_t* list, std::size_t n, TwoLeast& out) {      \
    return Ways<BYTES>::least(panel, width, centers, halves, most, slack, list, n, out);                             \
  }                                                                                                                  \
  constexpr ProductScans scans_##NAME{least_##NAME};

HEDGEROW_PRODUCTS(plain, , 16)
#if defined(__x86_64__)
HEDGEROW_PRODUCTS(4, [[gnu::target("avx2,fma")]], 32)
HEDGEROW_PRODUCTS(8, [[gnu::target("avx512f,avx512dq,avx512vl,fma")]], 64)
#endif

const ProductScans& best_scans() {
#if defined(__x86_64__)
  if (has_avx512()) return scans_8;
  if (has_avx2()) return scans_4;
#endif
  return scans_plain;
}

}  // namespace

const ProductScans& product_scans() {
  static const ProductScans& best = best_scans();
  return best;
}

}  // namespace hedgerow

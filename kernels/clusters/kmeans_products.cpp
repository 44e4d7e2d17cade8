#include "clusters/kmeans_products.hpp"

#include "clusters/kmeans_two_nearest.hpp"
#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kCentersAtOnce = 4;  // centers, so that sums need not wait for each other

template <std::size_t Bytes>
struct ProductScan {
  using BestTwo = NearestTwoScan<double, Bytes, kPointsPerPanel>;
  using Lanes = typename BestTwo::Lanes;
  using IntLanes = typename BestTwo::IntLanes;
  static constexpr std::size_t n = BestTwo::n;

  [[gnu::always_inline]] static bool find_two_nearest(const double* panel, std::size_t width, const double* centers,
                                                      const double* halves, double maximum, double slack,
                                                      const std::int32_t* list, std::size_t count,
                                                      TwoNearestOfPanel& out) {
    BestTwo best;
    best.clear();
    std::size_t i = 0, numbers[kCentersAtOnce];
    for (; i + kCentersAtOnce <= count; i += kCentersAtOnce) {
      for (std::size_t c = 0; c < kCentersAtOnce; ++c)
        numbers[c] = list ? static_cast<std::size_t>(list[i + c]) : i + c;
      best.template update<kCentersAtOnce>(panel, width, centers, halves, numbers);
    }
    for (; i < count; ++i) {
      numbers[0] = list ? static_cast<std::size_t>(list[i]) : i;
      best.template update<1>(panel, width, centers, halves, numbers);
    }
    Lanes sums[n];
    BestTwo::compute_squared_norms(panel, width, sums);
    alignas(64) std::int64_t near[kPointsPerPanel];
    for (std::size_t v = 0; v < n; ++v) {
      const Lanes margin = 4 * slack * (sums[v] + maximum);
      reinterpret_cast<IntLanes*>(near)[v] = 2 * (best.second[v] - best.first[v]) <= margin;
      const Lanes first = sums[v] + 2 * best.first[v], second = sums[v] + 2 * best.second[v] - margin;
      reinterpret_cast<Lanes*>(out.first)[v] = (first > 0 ? first : Lanes{}) + margin;
      reinterpret_cast<Lanes*>(out.second)[v] = second > 0 ? second : Lanes{};
      reinterpret_cast<IntLanes*>(out.which)[v] = best.which[v];
    }
    std::int64_t unsure = 0;
    for (const std::int64_t one : near) unsure |= one;
    return !unsure;
  }
};

#define HEDGEROW_PRODUCTS(NAME, TARGET, BYTES)                                                                  \
  TARGET bool least_##NAME(const double* panel, std::size_t width, const double* centers, const double* halves, \
                           double maximum, double slack, const std::int32_t* list, std::size_t n,               \
                           TwoNearestOfPanel& out) {                                                            \
    return ProductScan<BYTES>::find_two_nearest(panel, width, centers, halves, maximum, slack, list, n, out);   \
  }                                                                                                             \
  constexpr ProductScanFunctions scans_##NAME{least_##NAME};

HEDGEROW_PRODUCTS(plain, , 16)
#if defined(__x86_64__)
HEDGEROW_PRODUCTS(4, [[gnu::target("avx2,fma")]], 32)
HEDGEROW_PRODUCTS(8, [[gnu::target("avx512f,avx512dq,avx512vl,fma")]], 64)
#endif

const ProductScanFunctions& choose_scans() {
#if defined(__x86_64__)
  if (has_avx512()) return scans_8;
  if (has_avx2()) return scans_4;
#endif
  return scans_plain;
}

}  // namespace

const ProductScanFunctions& get_product_scans() {
  static const ProductScanFunctions& best = choose_scans();
  return best;
}

}  // namespace hedgerow

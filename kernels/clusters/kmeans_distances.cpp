#include "clusters/kmeans_distances.hpp"

#include <limits>

#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kCentersAtOnce = 4;  // centers, so that sums need not wait for each other

template <std::size_t Bytes>
struct DistanceScan {
  using Lanes [[gnu::vector_size(Bytes)]] = double;
  using IntLanes [[gnu::vector_size(Bytes)]] = std::int64_t;
  static constexpr std::size_t n = kPointsPerPanel * sizeof(double) / Bytes;  // vectors of a panel's line

  template <std::size_t Centers>
  [[gnu::always_inline]] static void compute_squares(const double* panel, std::size_t width,
                                                     const double* const* centers, Lanes (&sums)[Centers][n]) {
    for (std::size_t c = 0; c < Centers; ++c)
      for (std::size_t v = 0; v < n; ++v) sums[c][v] = Lanes{};
    for (std::size_t d = 0; d < width; ++d) {
      const Lanes* x = reinterpret_cast<const Lanes*>(panel + d * kPointsPerPanel);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Centers; ++c) {
        const double center = centers[c][d];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < n; ++v) {
          const Lanes by = x[v] - center;
          sums[c][v] += by * by;
        }
      }
    }
  }

  struct BestTwo {
    Lanes first[n], second[n];
    IntLanes which[n];
  };

  template <bool Listed>
  [[gnu::always_inline]] static void update_best(const Lanes (&sums)[n], std::int64_t center, BestTwo& best) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < n; ++v) {
      const Lanes now = sums[v], first = best.first[v], second = best.second[v];
      IntLanes nearer = now < first;
      if constexpr (Listed) nearer |= (now == first) & (center < best.which[v]);
      const Lanes other = nearer ? first : now;  // the one of the two that is not the first
      best.second[v] = other < second ? other : second;
      best.first[v] = nearer ? now : first;
      best.which[v] = nearer ? IntLanes{} + center : best.which[v];
    }
  }

  template <bool Listed>
  [[gnu::always_inline]] static void scan_centers(const double* panel, std::size_t width, const double* centers,
                                                  const std::int32_t* list, std::size_t count, TwoNearestOfPanel& out) {
    BestTwo best;
    for (std::size_t v = 0; v < n; ++v) {
      best.first[v] = best.second[v] = Lanes{} + std::numeric_limits<double>::infinity();
      best.which[v] = IntLanes{} + (Listed ? std::numeric_limits<std::int64_t>::max() : 0);
    }
    const auto number = [&](std::size_t i) { return Listed ? static_cast<std::size_t>(list[i]) : i; };
    std::size_t i = 0;
    for (; i + kCentersAtOnce <= count; i += kCentersAtOnce) {
      const double* four[kCentersAtOnce];
      for (std::size_t c = 0; c < kCentersAtOnce; ++c) four[c] = centers + number(i + c) * width;
      Lanes sums[kCentersAtOnce][n];
      compute_squares<kCentersAtOnce>(panel, width, four, sums);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kCentersAtOnce; ++c)
        update_best<Listed>(sums[c], static_cast<std::int64_t>(number(i + c)), best);
    }
    for (; i < count; ++i) {
      const double* one[1] = {centers + number(i) * width};
      Lanes sums[1][n];
      compute_squares<1>(panel, width, one, sums);
      update_best<Listed>(sums[0], static_cast<std::int64_t>(number(i)), best);
    }
    for (std::size_t v = 0; v < n; ++v) {
      reinterpret_cast<Lanes*>(out.first)[v] = best.first[v];
      reinterpret_cast<Lanes*>(out.second)[v] = best.second[v];
      reinterpret_cast<IntLanes*>(out.which)[v] = best.which[v];
    }
  }

  [[gnu::always_inline]] static void compute_paired(const double* panel, const double* others, std::size_t width,
                                                    double* out) {
    Lanes sums[n] = {};
    for (std::size_t d = 0; d < width; ++d) {
      for (std::size_t v = 0; v < n; ++v) {
        const Lanes by = reinterpret_cast<const Lanes*>(panel + d * kPointsPerPanel)[v] -
                         reinterpret_cast<const Lanes*>(others + d * kPointsPerPanel)[v];
        sums[v] += by * by;
      }
    }
    for (std::size_t v = 0; v < n; ++v) reinterpret_cast<Lanes*>(out)[v] = sums[v];
  }
};

#define HEDGEROW_DISTANCE_SCANS(NAME, TARGET, BYTES)                                                                 \
  TARGET void all_##NAME(const double* panel, std::size_t width, const double* centers, std::size_t n,               \
                         TwoNearestOfPanel& out) {                                                                   \
    DistanceScan<BYTES>::scan_centers<false>(panel, width, centers, nullptr, n, out);                                \
  }                                                                                                                  \
  TARGET void listed_##NAME(const double* panel, std::size_t width, const double* centers, const std::int32_t* list, \
                            std::size_t n, TwoNearestOfPanel& out) {                                                 \
    DistanceScan<BYTES>::scan_centers<true>(panel, width, centers, list, n, out);                                    \
  }                                                                                                                  \
  TARGET void paired_##NAME(const double* panel, const double* others, std::size_t width, double* squares) {         \
    DistanceScan<BYTES>::compute_paired(panel, others, width, squares);                                              \
  }                                                                                                                  \
  constexpr CenterScanFunctions scans_##NAME{all_##NAME, listed_##NAME, paired_##NAME};

HEDGEROW_DISTANCE_SCANS(plain, , 16)
#if defined(__x86_64__)
HEDGEROW_DISTANCE_SCANS(4, [[gnu::target("avx2")]], 32)
HEDGEROW_DISTANCE_SCANS(8, [[gnu::target("avx512f,avx512dq,avx512vl")]], 64)
#endif

const CenterScanFunctions& choose_scans() {
#if defined(__x86_64__)
  if (has_avx512()) return scans_8;
  if (has_avx2()) return scans_4;
#endif
  return scans_plain;
}

}  // namespace

const CenterScanFunctions& get_center_scans() {
  static const CenterScanFunctions& best = choose_scans();
  return best;
}

}  // namespace hedgerow

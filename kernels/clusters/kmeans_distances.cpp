#include "clusters/kmeans_distances.hpp"

#include <limits>

#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kAtOnce = 4;  // centers, so that sums need not wait for each other

template <std::size_t Bytes>
struct Ways {
  using Lanes [[gnu::vector_size(Bytes)]] = double;
  using Whole [[gnu::vector_size(Bytes)]] = std::int64_t;
  static constexpr std::size_t n = kPoints * sizeof(double) / Bytes;  // vectors of a panel's line

  template <std::size_t Centers>
  [[gnu::always_inline]] static void squares(const double* panel, std::size_t width, const double* const* centers,
                                             Lanes (&sums)[Centers][n]) {
    for (std::size_t c = 0; c < Centers; ++c)
      for (std::size_t v = 0; v < n; ++v) sums[c][v] = Lanes{};
    for (std::size_t d = 0; d < width; ++d) {
      const Lanes* x = reinterpret_cast<const Lanes*>(panel + d * kPoints);
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

  struct Best {
    Lanes first[n], second[n];
    Whole which[n];
  };

  template <bool Listed>
  [[gnu::always_inline]] static void take(const Lanes (&sums)[n], std::int64_t center, Best& best) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < n; ++v) {
      const Lanes now = sums[v], first = best.first[v], second = best.second[v];
      Whole nearer = now < first;
      if constexpr (Listed) nearer |= (now == first) & (center < best.which[v]);
      const Lanes other = nearer ? first : now;  // the one of the two that is not the first
      best.second[v] = other < second ? other : second;
      best.first[v] = nearer ? now : first;
      best.which[v] = nearer ? Whole{} + center : best.which[v];
    }
  }

  template <bool Listed>
  [[gnu::always_inline]] static void scan(const double* panel, std::size_t width, const double* centers,
                                          const std::int32_t* list, std::size_t count, TwoLeast& out) {
    Best best;
    for (std::size_t v = 0; v < n; ++v) {
      best.first[v] = best.second[v] = Lanes{} + std::numeric_limits<double>::infinity();
      best.which[v] = Whole{} + (Listed ? std::numeric_limits<std::int64_t>::max() : 0);
    }
    const auto number = [&](std::size_t i) { return Listed ? static_cast<std::size_t>(list[i]) : i; };
    std::size_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
      const double* four[kAtOnce];
      for (std::size_t c = 0; c < kAtOnce; ++c) four[c] = centers + number(i + c) * width;
      Lanes sums[kAtOnce][n];
      squares<kAtOnce>(panel, width, four, sums);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kAtOnce; ++c) take<Listed>(sums[c], static_cast<std::int64_t>(number(i + c)), best);
    }
    for (; i < count; ++i) {
      const double* one[1] = {centers + number(i) * width};
      Lanes sums[1][n];
      squares<1>(panel, width, one, sums);
      take<Listed>(sums[0], static_cast<std::int64_t>(number(i)), best);
    }
    for (std::size_t v = 0; v < n; ++v) {
      reinterpret_cast<Lanes*>(out.first)[v] = best.first[v];
      reinterpret_cast<Lanes*>(out.second)[v] = best.second[v];
      reinterpret_cast<Whole*>(out.which)[v] = best.which[v];
    }
  }

  [[gnu::always_inline]] static void paired(const double* panel, const double* others, std::size_t width, double* out) {
    Lanes sums[n] = {};
    for (std::size_t d = 0; d < width; ++d) {
      for (std::size_t v = 0; v < n; ++v) {
        const Lanes by = reinterpret_cast<const Lanes*>(panel + d * kPoints)[v] -
                         reinterpret_cast<const Lanes*>(others + d * kPoints)[v];
        sums[v] += by * by;
      }
    }
    for (std::size_t v = 0; v < n; ++v) reinterpret_cast<Lanes*>(out)[v] = sums[v];
  }
};

#define HEDGEROW_SCANS(NAME, TARGET, BYTES)                                                                          \
  TARGET void all_##NAME(const double* panel, std::size_t width, const double* centers, std::size_t n,               \
                         TwoLeast& out) {                                                                            \
    Ways<BYTES>::scan<false>(panel, width, centers, nullptr, n, out);                                                \
  }                                                                                                                  \
  TARGET void listed_##NAME(const double* panel, std::size_t width, const double* centers, const std::int32_t* list, \
                            std::size_t n, TwoLeast& out) {                                                          \
    Ways<BYTES>::scan<true>(panel, width, centers, list, n, out);                                                    \
  }                                                                                                                  \
  TARGET void paired_##NAME(const double* panel, const double* others, std::size_t width, double* squares) {         \
    Ways<BYTES>::paired(panel, others, width, squares);                                                              \
  }                                                                                                                  \
  constexpr CenterScans scans_##NAME{all_##NAME, listed_##NAME, paired_##NAME};

HEDGEROW_SCANS(plain, , 16)
#if defined(__x86_64__)
HEDGEROW_SCANS(4, [[gnu::target("avx2")]], 32)
HEDGEROW_SCANS(8, [[gnu::target("avx512f,avx512dq,avx512vl")]], 64)
#endif

const CenterScans& best_scans() {
#if defined(__x86_64__)
  if (has_avx512()) return scans_8;
  if (has_avx2()) return scans_4;
#endif
  return scans_plain;
}

}  // namespace

const CenterScans& center_scans() {
  static const CenterScans& best = best_scans();
  return best;
}

}  // namespace hedgerow

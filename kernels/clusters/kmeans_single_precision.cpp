#include "clusters/kmeans_single_precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clusters/kmeans_two_nearest.hpp"
#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr double kFarthest = 0x1p20;  // place of a center; a row farther out than 1e18 overflows, and is not certain
constexpr float kUnit = 0x1p-24f;
constexpr float kTiny = 1e-30f;       // more than numbers near 0 lose
constexpr std::size_t kLooked = 512;  // rows that tell the middle, and the unit

struct ThinAsked {
  const Sixteen* panel;
  std::size_t width;
  const float *centers, *halves;
  float margin;  // e
  const std::int32_t* list;
  std::size_t n;
};

template <std::size_t Bytes>
struct Ways {
  using Best = TwoNearest<float, Bytes, kThinPoints>;
  using Lanes = typename Best::Lanes;
  using Whole = typename Best::Whole;
  static constexpr std::size_t n = Best::n;
  static constexpr std::size_t at_once = Bytes / 8;  // centers

  // The centers from the i-th on; returns how many.
  template <std::size_t Centers>
  [[gnu::always_inline]] static std::size_t some(const ThinAsked& asked, std::size_t i, Best& best) {
    std::size_t numbers[Centers];
    for (std::size_t c = 0; c < Centers; ++c)
      numbers[c] = asked.list ? static_cast<std::size_t>(asked.list[i + c]) : i + c;
    best.template take<Centers>(asked.panel->values, asked.width, asked.centers, asked.halves, numbers);
    return Centers;
  }

  [[gnu::always_inline]] static std::uint32_t least(const ThinAsked& asked, ThinLeast& out) {
    Best best;
    best.clear();
    std::size_t i = 0;
    while (i + at_once <= asked.n) i += some<at_once>(asked, i, best);
    if (at_once > 4 && i + 4 <= asked.n) i += some<4>(asked, i, best);
    if (at_once > 2 && i + 2 <= asked.n) i += some<2>(asked, i, best);
    if (i < asked.n) some<1>(asked, i, best);
    Lanes lengths[n];
    Best::lengths(asked.panel->values, asked.width, lengths);
    alignas(64) std::int32_t certain[kThinPoints];
    const float more = 1 + 4 * asked.margin, less = 1 - 4 * asked.margin;
    for (std::size_t v = 0; v < n; ++v) {
      const Lanes margin = 4 * asked.margin * lengths[v] + kTiny;
      const Lanes first = lengths[v] + 2 * best.first[v], second = (lengths[v] + 2 * best.second[v] - margin) * less;
      const Lanes upper = ((first > 0 ? first : Lanes{}) + margin) * more;
      reinterpret_cast<Lanes*>(out.first.values)[v] = upper;
      reinterpret_cast<Lanes*>(out.second.values)[v] = second > 0 ? second : Lanes{};
      reinterpret_cast<Whole*>(out.which)[v] = best.which[v];
      reinterpret_cast<Whole*>(certain)[v] = upper < second;
    }
    std::int32_t all = -1;
    for (std::size_t p = 0; p < kThinPoints; ++p) {
      out.first.values[p] = std::sqrt(out.first.values[p]) * more;
      out.second.values[p] = std::sqrt(out.second.values[p]) * less;
      all &= certain[p];
    }
    std::uint32_t unsure = 0;
    for (std::size_t p = 0; !all && p < kThinPoints; ++p) unsure |= static_cast<std::uint32_t>(!certain[p]) << p;
    return unsure;
  }
};

#define HEDGEROW_THIN(NAME, TARGET, BYTES) \
  TARGET std::uint32_t least_##NAME(const ThinAsked& asked, ThinLeast& out) { return Ways<BYTES>::least(asked, out); }

HEDGEROW_THIN(plain, , 16)
#if defined(__x86_64__)
HEDGEROW_THIN(8, [[gnu::target("avx2,fma")]], 32)
HEDGEROW_THIN(16, [[gnu::target("avx512f,avx512dq,avx512vl,fma")]], 64)
#endif

using Scan = std::uint32_t (*)(const ThinAsked&, ThinLeast&);

Scan best_scan() {
#if defined(__x86_64__)
  if (has_avx512()) return least_16;
  if (has_avx2()) return least_8;
#endif
  return least_plain;
}

}  // namespace

ThinFrame::ThinFrame(const PointRows& rows) : middle(rows.width) {
  const std::size_t step = rows.n / kLooked + 1, looked = (rows.n + step - 1) / step;
  for (std::size_t i = 0; i < rows.n; i += step)
    for (std::size_t d = 0; d < rows.width; ++d) middle[d] += rows.row(i)[d] / static_cast<double>(looked);
  double most = 0;
  for (std::size_t i = 0; i < rows.n; i += step)
    for (std::size_t d = 0; d < rows.width; ++d) most = std::max(most, std::fabs(rows.row(i)[d] - middle[d]));
  if (most > 0) factor = std::ldexp(1.0, -std::clamp(std::ilogb(most) + 1, -1000, 1000));
}

bool ThinCenters::make(std::span<const double> centers, const ThinFrame& frame) {
  width_ = frame.middle.size();
  margin_ = (6 * static_cast<float>(width_) + 32) * kUnit;
  centers_.resize(centers.size());
  halves_.resize(width_ ? centers.size() / width_ : 0);
  bool near = true;
  for (std::size_t c = 0; c < halves_.size(); ++c) {
    double sum = 0;
    for (std::size_t d = 0; d < width_; ++d) {
      const float own = frame.seen(centers[c * width_ + d], d);
      near = near && std::fabs(own) <= kFarthest;  // NaN is not
      centers_[c * width_ + d] = own;
      sum += static_cast<double>(own) * own;
    }
    halves_[c] = static_cast<float>(0.5 * sum);
  }
  return near;
}

std::uint32_t ThinCenters::scan(const Sixteen* panel, const std::int32_t* list, std::size_t n, ThinLeast& out) const {
  static const Scan best = best_scan();
  return best({panel, width_, centers_.data(), halves_.data(), margin_, list, n}, out);
}

}  // namespace hedgerow

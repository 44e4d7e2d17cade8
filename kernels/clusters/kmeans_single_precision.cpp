#include "clusters/kmeans_single_precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clusters/kmeans_two_nearest.hpp"
#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr double kFarthest = 0x1p20;  // place of a center; a row farther out than 1e18 overflows, and is not certain
constexpr float kRoundingUnit = 0x1p-24f;
constexpr float kAbsoluteMargin = 1e-30f;  // more than numbers near 0 lose
constexpr std::size_t kSampleRows = 512;   // rows that tell the middle, and the unit

struct SingleScanInput {
  const SixteenFloats* panel;
  std::size_t width;
  const float *centers, *halves;
  float margin;  // e
  const std::int32_t* list;
  std::size_t n;
};

template <std::size_t Bytes>
struct SingleScan {
  using BestTwo = NearestTwoScan<float, Bytes, kSinglePoints>;
  using Lanes = typename BestTwo::Lanes;
  using IntLanes = typename BestTwo::IntLanes;
  static constexpr std::size_t n = BestTwo::n;
  static constexpr std::size_t at_once = Bytes / 8;  // centers

  // The centers from the i-th on; returns how many.
  template <std::size_t Centers>
  [[gnu::always_inline]] static std::size_t scan_some(const SingleScanInput& input, std::size_t i, BestTwo& best) {
    std::size_t numbers[Centers];
    for (std::size_t c = 0; c < Centers; ++c)
      numbers[c] = input.list ? static_cast<std::size_t>(input.list[i + c]) : i + c;
    best.template update<Centers>(input.panel->values, input.width, input.centers, input.halves, numbers);
    return Centers;
  }

  [[gnu::always_inline]] static std::uint32_t find_two_nearest(const SingleScanInput& input, SingleTwoNearest& out) {
    BestTwo best;
    best.clear();
    std::size_t i = 0;
    while (i + at_once <= input.n) i += scan_some<at_once>(input, i, best);
    if (at_once > 4 && i + 4 <= input.n) i += scan_some<4>(input, i, best);
    if (at_once > 2 && i + 2 <= input.n) i += scan_some<2>(input, i, best);
    if (i < input.n) scan_some<1>(input, i, best);
    Lanes lengths[n];
    BestTwo::compute_squared_norms(input.panel->values, input.width, lengths);
    alignas(64) std::int32_t certain[kSinglePoints];
    const float more = 1 + 4 * input.margin, less = 1 - 4 * input.margin;
    for (std::size_t v = 0; v < n; ++v) {
      const Lanes margin = 4 * input.margin * lengths[v] + kAbsoluteMargin;
      const Lanes first = lengths[v] + 2 * best.first[v], second = (lengths[v] + 2 * best.second[v] - margin) * less;
      const Lanes upper = ((first > 0 ? first : Lanes{}) + margin) * more;
      reinterpret_cast<Lanes*>(out.first.values)[v] = upper;
      reinterpret_cast<Lanes*>(out.second.values)[v] = second > 0 ? second : Lanes{};
      reinterpret_cast<IntLanes*>(out.which)[v] = best.which[v];
      reinterpret_cast<IntLanes*>(certain)[v] = upper < second;
    }
    std::int32_t all = -1;
    for (std::size_t p = 0; p < kSinglePoints; ++p) {
      out.first.values[p] = std::sqrt(out.first.values[p]) * more;
      out.second.values[p] = std::sqrt(out.second.values[p]) * less;
      all &= certain[p];
    }
    std::uint32_t unsure = 0;
    for (std::size_t p = 0; !all && p < kSinglePoints; ++p) unsure |= static_cast<std::uint32_t>(!certain[p]) << p;
    return unsure;
  }
};

#define HEDGEROW_SINGLE_SCANS(NAME, TARGET, BYTES)                                         \
  TARGET std::uint32_t least_##NAME(const SingleScanInput& input, SingleTwoNearest& out) { \
    return SingleScan<BYTES>::find_two_nearest(input, out);                                \
  }

HEDGEROW_SINGLE_SCANS(plain, , 16)
#if defined(__x86_64__)
HEDGEROW_SINGLE_SCANS(8, [[gnu::target("avx2,fma")]], 32)
HEDGEROW_SINGLE_SCANS(16, [[gnu::target("avx512f,avx512dq,avx512vl,fma")]], 64)
#endif

using ScanFunction = std::uint32_t (*)(const SingleScanInput&, SingleTwoNearest&);

ScanFunction choose_scan() {
#if defined(__x86_64__)
  if (has_avx512()) return least_16;
  if (has_avx2()) return least_8;
#endif
  return least_plain;
}

}  // namespace

SingleFrame::SingleFrame(const PointRows& rows) : middle(rows.width) {
  const std::size_t step = rows.n / kSampleRows + 1, looked = (rows.n + step - 1) / step;
  for (std::size_t i = 0; i < rows.n; i += step)
    for (std::size_t d = 0; d < rows.width; ++d) middle[d] += rows.row(i)[d] / static_cast<double>(looked);
  double maximum = 0;
  for (std::size_t i = 0; i < rows.n; i += step)
    for (std::size_t d = 0; d < rows.width; ++d) maximum = std::max(maximum, std::fabs(rows.row(i)[d] - middle[d]));
  if (maximum > 0) factor = std::ldexp(1.0, -std::clamp(std::ilogb(maximum) + 1, -1000, 1000));
}

bool SingleCenters::prepare(std::span<const double> centers, const SingleFrame& frame) {
  width_ = frame.middle.size();
  margin_ = (6 * static_cast<float>(width_) + 32) * kRoundingUnit;
  centers_.resize(centers.size());
  halves_.resize(width_ ? centers.size() / width_ : 0);
  bool near = true;
  for (std::size_t c = 0; c < halves_.size(); ++c) {
    double sum = 0;
    for (std::size_t d = 0; d < width_; ++d) {
      const float own = frame.to_single(centers[c * width_ + d], d);
      near = near && std::fabs(own) <= kFarthest;  // NaN is not
      centers_[c * width_ + d] = own;
      sum += static_cast<double>(own) * own;
    }
    halves_[c] = static_cast<float>(0.5 * sum);
  }
  return near;
}

std::uint32_t SingleCenters::scan(const SixteenFloats* panel, const std::int32_t* list, std::size_t n,
                                  SingleTwoNearest& out) const {
  static const ScanFunction best = choose_scan();
  return best({panel, width_, centers_.data(), halves_.data(), margin_, list, n}, out);
}

}  // namespace hedgerow

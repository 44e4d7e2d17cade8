#include "clusters/linkage_points.hpp"

#include <algorithm>

#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <std::size_t Bytes>
struct StretchSums {
  using P = SimdPack<double, Bytes>;
  static constexpr std::size_t n = kStretch / P::n;
  typename P::Lanes lanes[n];

  [[gnu::always_inline]] void store(double* to) const {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < n; ++v) P::store(to + v * P::n, lanes[v]);
  }
};

template <std::size_t Bytes, bool CityBlock>
[[gnu::always_inline]] inline void add_differences(const double* stretch, const double* point, std::size_t width,
                                                   StretchSums<Bytes>& sums) {
  using P = SimdPack<double, Bytes>;
#pragma GCC unroll 16
  for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v) sums.lanes[v] = typename P::Lanes{};
  for (std::size_t p = 0; p < width; ++p) {
    const double* own = stretch + p * kStretch;
    const typename P::Lanes one = point[p] - typename P::Lanes{};
#pragma GCC unroll 16
    for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v) {
      const typename P::Lanes difference = P::load(own + v * P::n) - one;
      if constexpr (CityBlock) {
        sums.lanes[v] += difference < 0.0 ? -difference : difference;
      } else {
        sums.lanes[v] += difference * difference;
      }
    }
  }
}

// Whether any of the stretch's values is at most the limit, its own if Each - or below it, if Strict.
template <std::size_t Bytes, bool Strict, bool Each>
[[gnu::always_inline]] inline bool has_any_within(const StretchSums<Bytes>& sums, const double* limits) {
  using P = SimdPack<double, Bytes>;
  typename P::IntLanes found = {};
#pragma GCC unroll 16
  for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v) {
    typename P::Lanes limit;
    if constexpr (Each) {
      limit = P::load(limits + v * P::n);
    } else {
      limit = *limits - typename P::Lanes{};
    }
    if constexpr (Strict) {
      found |= sums.lanes[v] < limit;
    } else {
      found |= sums.lanes[v] <= limit;
    }
  }
  std::int64_t any = 0;
#pragma GCC unroll 8
  for (std::size_t l = 0; l < P::n; ++l) any |= found[l];
  return any != 0;
}

// -- the spanning tree ---------------------------------------------------------------------------------------

struct UpdateNearest {
  template <std::size_t Bytes, bool CityBlock>
  [[gnu::always_inline]] static NearestSlot run_metric(const PointSlots& slots, const double* point, std::int32_t row,
                                                       double* nearest, std::int32_t* from) {
    using P = SimdPack<double, Bytes>;
    typename P::Lanes minimum[StretchSums<Bytes>::n];
    typename P::IntLanes where[StretchSums<Bytes>::n];
    for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v)
      minimum[v] = kInf - typename P::Lanes{}, where[v] = typename P::IntLanes{} - 1;
    alignas(64) double values[kStretch];
    for (std::size_t number = 0; number < slots.stretches(); ++number) {
      StretchSums<Bytes> sums;
      add_differences<Bytes, CityBlock>(slots.stretch(number), point, slots.width(), sums);
      double* own = nearest + number * kStretch;
      if (has_any_within<Bytes, false, true>(sums, own)) {
        sums.store(values);
        std::int32_t* ends = from + number * kStretch;
        for (std::size_t l = 0; l < kStretch; ++l) {
          if (values[l] < own[l] || (values[l] == own[l] && row < ends[l])) own[l] = values[l], ends[l] = row;
        }
      }
#pragma GCC unroll 16
      for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v) {
        const typename P::Lanes now = P::load(own + v * P::n);
        const typename P::IntLanes less = now < minimum[v];
        minimum[v] = less ? now : minimum[v];
        where[v] = less ? typename P::IntLanes{} + static_cast<std::int64_t>(number) : where[v];
      }
    }
    NearestSlot out;
    for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v) {
      for (std::size_t l = 0; l < P::n; ++l) {
        const double value = minimum[v][l];
        if (where[v][l] < 0) continue;
        const auto slot = static_cast<std::int32_t>(where[v][l]) * static_cast<std::int32_t>(kStretch) +
                          static_cast<std::int32_t>(v * P::n + l);
        if (value < out.value || (value == out.value && slot < out.slot)) out.value = value, out.slot = slot;
      }
    }
    return out;
  }
  template <std::size_t Bytes>
  [[gnu::always_inline]] static NearestSlot run(const PointSlots& slots, const double* point, std::int32_t row,
                                                double* nearest, std::int32_t* from) {
    return slots.cityblock() ? run_metric<Bytes, true>(slots, point, row, nearest, from)
                             : run_metric<Bytes, false>(slots, point, row, nearest, from);
  }
};

// -- centers -------------------------------------------------------------------------------------------------

// A B / (A + B) is at least half the smaller of both: what is too far by that need not be divided.
constexpr double kHalf = 0.499999999;

template <std::size_t Bytes>
[[gnu::always_inline]] inline void apply_ward_factor(StretchSums<Bytes>& sums, const double* weights, double weight) {
  using P = SimdPack<double, Bytes>;
  const typename P::Lanes own = weight - typename P::Lanes{};
#pragma GCC unroll 16
  for (std::size_t v = 0; v < StretchSums<Bytes>::n; ++v) {
    const typename P::Lanes other = P::load(weights + v * P::n);
    sums.lanes[v] *= (other < own ? other : own) * kHalf;
  }
}

struct FindNearest {
  template <std::size_t Bytes, bool Ward>
  [[gnu::always_inline]] static NearestSlot run_linkage(const PointSlots& slots, const SlotQuery& query,
                                                        std::size_t begin, const double* weights) {
    NearestSlot out;
    alignas(64) double values[kStretch];
    for (std::size_t number = begin / kStretch; number < slots.stretches(); ++number) {
      StretchSums<Bytes> sums, bounds;
      add_differences<Bytes, false>(slots.stretch(number), query.point, slots.width(), sums);
      const double* own = Ward ? weights + number * kStretch : nullptr;
      bounds = sums;
      if constexpr (Ward) apply_ward_factor(bounds, own, query.weight);
      if (!has_any_within<Bytes, false, false>(bounds, &out.value)) continue;
      sums.store(values);
      const std::size_t first = number * kStretch;
      for (std::size_t l = begin > first ? begin - first : 0; l < kStretch; ++l) {
        double value = values[l];
        if constexpr (Ward) {
          if (!(value * std::min(own[l], query.weight) * kHalf <= out.value)) continue;
          value *= own[l] * query.weight / (own[l] + query.weight);
        }
        const auto slot = static_cast<std::int32_t>(first + l);
        if (!(value <= out.value) || slot == query.self) continue;
        if (value < out.value) {
          out = {value, slot, false};
        } else if (out.slot >= 0) {
          out.tied = true;
        }
      }
    }
    return out;
  }
  template <std::size_t Bytes>
  [[gnu::always_inline]] static NearestSlot run(const PointSlots& slots, const SlotQuery& query, std::size_t begin,
                                                const double* weights) {
    return weights ? run_linkage<Bytes, true>(slots, query, begin, weights)
                   : run_linkage<Bytes, false>(slots, query, begin, weights);
  }
};

struct OfferCandidate {
  template <std::size_t Bytes, bool Ward>
  [[gnu::always_inline]] static void run_linkage(const PointSlots& slots, const SlotQuery& query, std::size_t end,
                                                 const double* weights, double* keys, std::int32_t* candidates) {
    alignas(64) double values[kStretch];
    for (std::size_t number = 0; number * kStretch < end; ++number) {
      StretchSums<Bytes> sums, bounds;
      add_differences<Bytes, false>(slots.stretch(number), query.point, slots.width(), sums);
      const double* own = Ward ? weights + number * kStretch : nullptr;
      bounds = sums;
      if constexpr (Ward) apply_ward_factor(bounds, own, query.weight);
      const std::size_t first = number * kStretch;
      if (!has_any_within<Bytes, false, true>(bounds, keys + first)) continue;
      sums.store(values);
      for (std::size_t l = 0; l < std::min(kStretch, end - first); ++l) {
        double value = values[l];
        if constexpr (Ward) value *= own[l] * query.weight / (own[l] + query.weight);
        const std::size_t slot = first + l;
        if (value < keys[slot] || (value == keys[slot] && query.self < candidates[slot])) {
          keys[slot] = value, candidates[slot] = query.self;
        }
      }
    }
  }
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const PointSlots& slots, const SlotQuery& query, std::size_t end,
                                         const double* weights, double* keys, std::int32_t* candidates) {
    weights ? run_linkage<Bytes, true>(slots, query, end, weights, keys, candidates)
            : run_linkage<Bytes, false>(slots, query, end, weights, keys, candidates);
  }
};

struct DistanceValues {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const PointSlots& slots, const double* point, std::size_t begin,
                                         double* values) {
    for (std::size_t number = begin / kStretch; number < slots.stretches(); ++number) {
      StretchSums<Bytes> sums;
      if (slots.cityblock()) {
        add_differences<Bytes, true>(slots.stretch(number), point, slots.width(), sums);
      } else {
        add_differences<Bytes, false>(slots.stretch(number), point, slots.width(), sums);
      }
      sums.store(values + number * kStretch);
    }
  }
};

// -- machines ------------------------------------------------------------------------------------------------

template <class Kernel, class Result, class... Arguments>
Result run_with_16_bytes(Arguments... arguments) {
  return Kernel::template run<16>(arguments...);
}

#if defined(__x86_64__)
template <class Kernel, class Result, class... Arguments>
[[gnu::target("avx2")]] Result run_with_32_bytes(Arguments... arguments) {
  return Kernel::template run<32>(arguments...);
}

template <class Kernel, class Result, class... Arguments>
[[gnu::target("avx512f,avx512dq,avx512vl,avx2")]] Result run_with_64_bytes(Arguments... arguments) {
  return Kernel::template run<64>(arguments...);
}
#endif

}  // namespace

const SlotFunctions& get_slot_functions() {
#if defined(__x86_64__)
  if (has_avx512()) {
    static constexpr SlotFunctions functions{
        run_with_64_bytes<UpdateNearest, NearestSlot>, run_with_64_bytes<FindNearest, NearestSlot>,
        run_with_64_bytes<OfferCandidate, void>, run_with_64_bytes<DistanceValues, void>};
    return functions;
  }
  if (has_avx2()) {
    static constexpr SlotFunctions functions{
        run_with_32_bytes<UpdateNearest, NearestSlot>, run_with_32_bytes<FindNearest, NearestSlot>,
        run_with_32_bytes<OfferCandidate, void>, run_with_32_bytes<DistanceValues, void>};
    return functions;
  }
#endif
  static constexpr SlotFunctions functions{
      run_with_16_bytes<UpdateNearest, NearestSlot>, run_with_16_bytes<FindNearest, NearestSlot>,
      run_with_16_bytes<OfferCandidate, void>, run_with_16_bytes<DistanceValues, void>};
  return functions;
}

}  // namespace hedgerow

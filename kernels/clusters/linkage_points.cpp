#include "clusters/linkage_points.hpp"

#include <algorithm>

#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <std::size_t Bytes>
struct Part {
  using P = SimdPack<double, Bytes>;
  static constexpr std::size_t n = kStretch / P::n;
  typename P::Lanes lanes[n];

  [[gnu::always_inline]] void store(double* to) const {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < n; ++v) P::store(to + v * P::n, lanes[v]);
  }
};

template <std::size_t Bytes, bool City>
[[gnu::always_inline]] inline void compare(const double* stretch, const double* point, std::size_t width,
                                           Part<Bytes>& sums) {
  using P = SimdPack<double, Bytes>;
#pragma GCC unroll 16
  for (std::size_t v = 0; v < Part<Bytes>::n; ++v) sums.lanes[v] = typename P::Lanes{};
  for (std::size_t p = 0; p < width; ++p) {
    const double* own = stretch + p * kStretch;
    const typename P::Lanes one = point[p] - typename P::Lanes{};
#pragma GCC unroll 16
    for (std::size_t v = 0; v < Part<Bytes>::n; ++v) {
      const typename P::Lanes apart = P::load(own + v * P::n) - one;
      if constexpr (City) {
        sums.lanes[v] += apart < 0.0 ? -apart : apart;
      } else {
        sums.lanes[v] += apart * apart;
      }
    }
  }
}

// Whether any of the stretch's values is at most the limit, its own if Each - or below it, if Strict.
template <std::size_t Bytes, bool Strict, bool Each>
[[gnu::always_inline]] inline bool any_within(const Part<Bytes>& sums, const double* limits) {
  using P = SimdPack<double, Bytes>;
  typename P::IntLanes found = {};
#pragma GCC unroll 16
  for (std::size_t v = 0; v < Part<Bytes>::n; ++v) {
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

struct Approach {
  template <std::size_t Bytes, bool City>
  [[gnu::always_inline]] static Nearest go(const Slots& slots, const double* point, std::int32_t row, double* nearest,
                                           std::int32_t* from) {
    using P = SimdPack<double, Bytes>;
    typename P::Lanes least[Part<Bytes>::n];
    typename P::IntLanes where[Part<Bytes>::n];
    for (std::size_t v = 0; v < Part<Bytes>::n; ++v)
      least[v] = kInf - typename P::Lanes{}, where[v] = typename P::IntLanes{} - 1;
    alignas(64) double values[kStretch];
    for (std::size_t number = 0; number < slots.stretches(); ++number) {
      Part<Bytes> sums;
      compare<Bytes, City>(slots.stretch(number), point, slots.width(), sums);
      double* own = nearest + number * kStretch;
      if (any_within<Bytes, false, true>(sums, own)) {
        sums.store(values);
        std::int32_t* ends = from + number * kStretch;
        for (std::size_t l = 0; l < kStretch; ++l) {
          if (values[l] < own[l] || (values[l] == own[l] && row < ends[l])) own[l] = values[l], ends[l] = row;
        }
      }
#pragma GCC unroll 16
      for (std::size_t v = 0; v < Part<Bytes>::n; ++v) {
        const typename P::Lanes now = P::load(own + v * P::n);
        const typename P::IntLanes less = now < least[v];
        least[v] = less ? now : least[v];
        where[v] = less ? typename P::IntLanes{} + static_cast<std::int64_t>(number) : where[v];
      }
    }
    Nearest out;
    for (std::size_t v = 0; v < Part<Bytes>::n; ++v) {
      for (std::size_t l = 0; l < P::n; ++l) {
        const double value = least[v][l];
        if (where[v][l] < 0) continue;
        const auto slot = static_cast<std::int32_t>(where[v][l]) * static_cast<std::int32_t>(kStretch) +
                          static_cast<std::int32_t>(v * P::n + l);
        if (value < out.value || (value == out.value && slot < out.slot)) out.value = value, out.slot = slot;
      }
    }
    return out;
  }
  template <std::size_t Bytes>
  [[gnu::always_inline]] static Nearest run(const Slots& slots, const double* point, std::int32_t row, double* nearest,
                                            std::int32_t* from) {
    return slots.cityblock() ? go<Bytes, true>(slots, point, row, nearest, from)
                             : go<Bytes, false>(slots, point, row, nearest, from);
  }
};

// -- centers -------------------------------------------------------------------------------------------------

// A B / (A + B) is at least half the smaller of both: what is too far by that need not be divided.
constexpr double kHalf = 0.499999999;

template <std::size_t Bytes>
[[gnu::always_inline]] inline void weigh(Part<Bytes>& sums, const double* weights, double weight) {
  using P = SimdPack<double, Bytes>;
  const typename P::Lanes own = weight - typename P::Lanes{};
#pragma GCC unroll 16
  for (std::size_t v = 0; v < Part<Bytes>::n; ++v) {
    const typename P::Lanes other = P::load(weights + v * P::n);
    sums.lanes[v] *= (other < own ? other : own) * kHalf;
  }
}

struct FindNearest {
  template <std::size_t Bytes, bool Ward>
  [[gnu::always_inline]] static Nearest go(const Slots& slots, const Sought& sought, std::size_t begin,
                                           const double* weights) {
    Nearest out;
    alignas(64) double values[kStretch];
    for (std::size_t number = begin / kStretch; number < slots.stretches(); ++number) {
      Part<Bytes> sums, bounds;
      compare<Bytes, false>(slots.stretch(number), sought.point, slots.width(), sums);
      const double* own = Ward ? weights + number * kStretch : nullptr;
      bounds = sums;
      if constexpr (Ward) weigh(bounds, own, sought.weight);
      if (!any_within<Bytes, false, false>(bounds, &out.value)) continue;
      sums.store(values);
      const std::size_t first = number * kStretch;
      for (std::size_t l = begin > first ? begin - first : 0; l < kStretch; ++l) {
        double value = values[l];
        if constexpr (Ward) {
          if (!(value * std::min(own[l], sought.weight) * kHalf <= out.value)) continue;
          value *= own[l] * sought.weight / (own[l] + sought.weight);
        }
        const auto slot = static_cast<std::int32_t>(first + l);
        if (!(value <= out.value) || slot == sought.self) continue;
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
  [[gnu::always_inline]] static Nearest run(const Slots& slots, const Sought& sought, std::size_t begin,
                                            const double* weights) {
    return weights ? go<Bytes, true>(slots, sought, begin, weights) : go<Bytes, false>(slots, sought, begin, weights);
  }
};

struct Offer {
  template <std::size_t Bytes, bool Ward>
  [[gnu::always_inline]] static void go(const Slots& slots, const Sought& sought, std::size_t end,
                                        const double* weights, double* keys, std::int32_t* candidates) {
    alignas(64) double values[kStretch];
    for (std::size_t number = 0; number * kStretch < end; ++number) {
      Part<Bytes> sums, bounds;
      compare<Bytes, false>(slots.stretch(number), sought.point, slots.width(), sums);
      const double* own = Ward ? weights + number * kStretch : nullptr;
      bounds = sums;
      if constexpr (Ward) weigh(bounds, own, sought.weight);
      const std::size_t first = number * kStretch;
      if (!any_within<Bytes, false, true>(bounds, keys + first)) continue;
      sums.store(values);
      for (std::size_t l = 0; l < std::min(kStretch, end - first); ++l) {
        double value = values[l];
        if constexpr (Ward) value *= own[l] * sought.weight / (own[l] + sought.weight);
        const std::size_t slot = first + l;
        if (value < keys[slot] || (value == keys[slot] && sought.self < candidates[slot])) {
          keys[slot] = value, candidates[slot] = sought.self;
        }
      }
    }
  }
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const Slots& slots, const Sought& sought, std::size_t end,
                                         const double* weights, double* keys, std::int32_t* candidates) {
    weights ? go<Bytes, true>(slots, sought, end, weights, keys, candidates)
            : go<Bytes, false>(slots, sought, end, weights, keys, candidates);
  }
};

struct Values {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const Slots& slots, const double* point, std::size_t begin, double* values) {
    for (std::size_t number = begin / kStretch; number < slots.stretches(); ++number) {
      Part<Bytes> sums;
      if (slots.cityblock()) {
        compare<Bytes, true>(slots.stretch(number), point, slots.width(), sums);
      } else {
        compare<Bytes, false>(slots.stretch(number), point, slots.width(), sums);
      }
      sums.store(values + number * kStretch);
    }
  }
};

// -- machines ------------------------------------------------------------------------------------------------

template <class Work, class Result, class... Given>
Result on_16(Given... given) {
  return Work::template run<16>(given...);
}

#if defined(__x86_64__)
template <class Work, class Result, class... Given>
[[gnu::target("avx2")]] Result on_32(Given... given) {
  return Work::template run<32>(given...);
}

template <class Work, class Result, class... Given>
[[gnu::target("avx512f,avx512dq,avx512vl,avx2")]] Result on_64(Given... given) {
  return Work::template run<64>(given...);
}
#endif

}  // namespace

const SlotCalls& slot_calls() {
#if defined(__x86_64__)
  if (has_avx512()) {
    static constexpr SlotCalls calls{on_64<Approach, Nearest>, on_64<FindNearest, Nearest>, on_64<Offer, void>,
                                     on_64<Values, void>};
    return calls;
  }
  if (has_avx2()) {
    static constexpr SlotCalls calls{on_32<Approach, Nearest>, on_32<FindNearest, Nearest>, on_32<Offer, void>,
                                     on_32<Values, void>};
    return calls;
  }
#endif
  static constexpr SlotCalls calls{on_16<Approach, Nearest>, on_16<FindNearest, Nearest>, on_16<Offer, void>,
                                   on_16<Values, void>};
  return calls;
}

}  // namespace hedgerow

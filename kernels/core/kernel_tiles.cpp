#include "core/kernel_tiles.hpp"

#include <algorithm>

#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

// -- dot products --------------------------------------------------------------------------------------------

constexpr std::size_t kRun = 256;  // places that are gone through at a time, so that those of a group stay in the cache

// Part of a dot product: places `begin` to `end`, added to those before.
struct Run {
  std::size_t begin, end, width;
};

// Of High points of a group with Across panels.
template <class T, std::size_t Bytes, std::size_t High, std::size_t Across>
[[gnu::always_inline]] inline void multiply(const T* group, const T* panel, const Run& run, T* values) {
  using P = Pack<T, Bytes>;
  constexpr std::size_t vectors = kPanel<T> / P::n;
  typename P::Lanes sums[Across][High][vectors] = {};
  const std::size_t apart = run.width * kPanel<T>;
  if (run.begin) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Across; ++p) {
#pragma GCC unroll 8
      for (std::size_t a = 0; a < High; ++a) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v)
          sums[p][a][v] = P::load(values + p * kTile<T> + a * kPanel<T> + v * P::n);
      }
    }
  }
  for (std::size_t k = run.begin; k < run.end; ++k) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Across; ++p) {
      typename P::Lanes other[vectors];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) other[v] = P::load(panel + p * apart + k * kPanel<T> + v * P::n);
#pragma GCC unroll 8
      for (std::size_t a = 0; a < High; ++a) {
        const T one = group[k * kGroup + a];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v) sums[p][a][v] += other[v] * one;
      }
    }
  }
#pragma GCC unroll 4
  for (std::size_t p = 0; p < Across; ++p) {
#pragma GCC unroll 8
    for (std::size_t a = 0; a < High; ++a) {
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v)
        P::store(values + p * kTile<T> + a * kPanel<T> + v * P::n, sums[p][a][v]);
    }
  }
}

// sum + a * b, fused where vectors of so many bytes are: a loop of it could be compiled to products side by side and
// sums one by one, which is not what tiles do.
template <std::size_t Bytes, class T>
[[gnu::always_inline]] inline T plus_product(T sum, T a, T b) {
#if defined(__FP_FAST_FMA)
  constexpr bool fused = true;
#else
  constexpr bool fused = Bytes > 16;
#endif
  if constexpr (!fused) return sum + a * b;
  if constexpr (sizeof(T) == 4) return __builtin_fmaf(a, b, sum);
  return __builtin_fma(a, b, sum);
}

// Of one point with all panels: several at a time, for sums that do not wait for each other.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void multiply_one(const T* group, const T* panel, std::size_t panels, const Run& run,
                                                T* values) {
  constexpr std::size_t across = Bytes == 16 ? 1 : Bytes == 32 ? 2 : 4;
  const std::size_t apart = run.width * kPanel<T>;
  std::size_t p = 0;
  for (; p + across <= panels; p += across)
    multiply<T, Bytes, 1, across>(group, panel + p * apart, run, values + p * kTile<T>);
  for (; p < panels; ++p) multiply<T, Bytes, 1, 1>(group, panel + p * apart, run, values + p * kTile<T>);
}

// Of two and more with all panels: as many at a time as there are registers for.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void multiply_some(const T* group, std::size_t m, const T* panel, std::size_t panels,
                                                 const Run& run, T* values) {
  constexpr std::size_t most = Bytes == 64 ? 8 : Bytes == 32 ? 2 : 1, half = std::max<std::size_t>(most / 2, 1);
  for (std::size_t p = 0; p < panels; ++p) {
    const T* own = panel + p * run.width * kPanel<T>;
    T* to = values + p * kTile<T>;
    if (m <= half) {
      multiply<T, Bytes, half, 1>(group, own, run, to);
    } else {
      for (std::size_t a = 0; a < m; a += most) multiply<T, Bytes, most, 1>(group + a, own, run, to + a * kPanel<T>);
    }
  }
}

template <class T>
struct Dense {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const KernelForm& form, const T* group, const T* group_norms, std::size_t m,
                                         const T* panel, const T* panel_norms, std::size_t panels, std::size_t width,
                                         T* values) {
    for (std::size_t begin = 0; begin == 0 || begin < width; begin += kRun) {
      const Run run{begin, std::min(width, begin + kRun), width};
      if (m == 1) {
        multiply_one<T, Bytes>(group, panel, panels, run, values);
      } else {
        multiply_some<T, Bytes>(group, m, panel, panels, run, values);
      }
    }
    for (std::size_t p = 0; p < panels; ++p) {
      finish_products<T, Bytes>(form, values + p * kTile<T>, m, kPanel<T>, group_norms, panel_norms + p * kPanel<T>);
    }
  }
};

template <class T>
struct Sparse {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const KernelForm& form, const SparseView<T>& rows, std::size_t first,
                                         const T* norms, std::size_t m, const T* line, const T* line_norms, T* values) {
    using P = Pack<T, Bytes>;
    constexpr std::size_t vectors = kLine<T> / P::n;
    for (std::size_t a = 0; a < m; ++a) {
      typename P::Lanes sums[vectors] = {};
      for (std::int64_t i = rows.starts[first + a]; i < rows.starts[first + a + 1]; ++i) {
        const T* at = line + static_cast<std::size_t>(rows.ids[i]) * kLine<T>;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) sums[v] += P::load(at + v * P::n) * rows.values[i];
      }
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) P::store(values + a * kLine<T> + v * P::n, sums[v]);
    }
    finish_products<T, Bytes>(form, values, m, kLine<T>, norms, line_norms);
  }
};

template <class T>
struct SparseOne {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const KernelForm& form, const SparseView<T>& rows, std::size_t first,
                                         const T* norms, std::size_t n, const T* point, T norm, T* values) {
    for (std::size_t c = 0; c < n; ++c) {
      T sum = 0;
      for (std::int64_t i = rows.starts[first + c]; i < rows.starts[first + c + 1]; ++i) {
        sum = plus_product<Bytes, T>(sum, point[rows.ids[i]], rows.values[i]);
      }
      values[c] = sum;
    }
    const std::size_t whole = (n + kPanel<T> - 1) / kPanel<T> * kPanel<T>;
    std::fill(values + n, values + whole, T{0});
    finish_products<T, Bytes>(form, values, 1, whole, &norm, norms);
  }
};

template <class T>
struct Norms {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const T* points, std::size_t lanes, std::size_t width, T* out) {
    std::fill(out, out + lanes, T{0});
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t c = 0; c < lanes; ++c) {
        const T x = points[k * lanes + c];
        out[c] = plus_product<Bytes, T>(out[c], x, x);
      }
    }
  }
};

template <class T>
struct SparseNorms {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const SparseView<T>& rows, std::size_t n, T* out) {
    for (std::size_t r = 0; r < n; ++r) {
      T sum = 0;
      for (std::int64_t i = rows.starts[r]; i < rows.starts[r + 1]; ++i) {
        sum = plus_product<Bytes, T>(sum, rows.values[i], rows.values[i]);
      }
      out[r] = sum;
    }
  }
};

// -- sums over points ----------------------------------------------------------------------------------------

// Values are widened to doubles, as many as a vector holds, for all functions at once.
template <class T>
struct Add {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const T* values, std::size_t length, const std::int32_t* which,
                                         const double* coefs, std::size_t n, double* sums, std::size_t stride) {
    using P = Pack<double, Bytes>;
    using Narrow = Pack<T, Bytes * sizeof(T) / sizeof(double)>;
    for (std::size_t c = 0; c < length; c += P::n) {
      typename P::Lanes wide[kGroup];
#pragma GCC unroll 8
      for (std::size_t a = 0; a < kGroup; ++a) {
        wide[a] = __builtin_convertvector(Narrow::load(values + a * length + c), typename P::Lanes);
      }
      for (std::size_t f = 0; f < n; ++f) {
        const double* coef = coefs + f * kGroup;
        double* at = sums + static_cast<std::size_t>(which[f]) * stride + c;
        typename P::Lanes one = P::load(at), two = wide[4] * coef[4];  // two chains: half the time
#pragma GCC unroll 4
        for (std::size_t a = 0; a < 4; ++a) one += wide[a] * coef[a];
#pragma GCC unroll 4
        for (std::size_t a = 5; a < 8; ++a) two += wide[a] * coef[a];
        P::store(at, one + two);
      }
    }
  }
};

// -- machines ------------------------------------------------------------------------------------------------

// What is done with vectors of so many bytes, compiled for machines that have them.
template <class Work, class... Given>
void on_16(Given... given) {
  Work::template run<16>(given...);
}

#if defined(__x86_64__)
template <class Work, class... Given>
[[gnu::target("avx2,fma")]] void on_32(Given... given) {
  Work::template run<32>(given...);
}

template <class Work, class... Given>
[[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")]] void on_64(Given... given) {
  Work::template run<64>(given...);
}
#endif

}  // namespace

template <class T>
const TileCalls<T>& tile_calls() {
#if defined(__x86_64__)
  if (has_avx512()) {
    static constexpr TileCalls<T> calls{on_64<Dense<T>>, on_64<Sparse<T>>,      on_64<SparseOne<T>>,
                                        on_64<Norms<T>>, on_64<SparseNorms<T>>, on_64<Add<T>>};
    return calls;
  }
  if (has_avx2()) {
    static constexpr TileCalls<T> calls{on_32<Dense<T>>, on_32<Sparse<T>>,      on_32<SparseOne<T>>,
                                        on_32<Norms<T>>, on_32<SparseNorms<T>>, on_32<Add<T>>};
    return calls;
  }
#endif
  static constexpr TileCalls<T> calls{on_16<Dense<T>>, on_16<Sparse<T>>,      on_16<SparseOne<T>>,
                                      on_16<Norms<T>>, on_16<SparseNorms<T>>, on_16<Add<T>>};
  return calls;
}

template const TileCalls<float>& tile_calls<float>();
template const TileCalls<double>& tile_calls<double>();

}  // namespace hedgerow

#include "core/kernel_tiles.hpp"

#include <algorithm>

#include "core/cpu_features.hpp"

namespace hedgerow {

namespace {

// -- dot products --------------------------------------------------------------------------------------------

constexpr std::size_t kRunFeatures =
    256;  // features that are gone through at a time, so that those of a group stay in the cache

// Part of a dot product: features `begin` to `end`, added to those before.
struct FeatureRange {
  std::size_t begin, end, width;
};

// Of High points of a group with Across panels.
template <class T, std::size_t Bytes, std::size_t High, std::size_t Across>
[[gnu::always_inline]] inline void multiply_tile(const T* group, const T* panel, const FeatureRange& run, T* values) {
  using P = SimdPack<T, Bytes>;
  constexpr std::size_t vectors = kPanelPoints<T> / P::n;
  typename P::Lanes sums[Across][High][vectors] = {};
  const std::size_t stride = run.width * kPanelPoints<T>;
  if (run.begin) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Across; ++p) {
#pragma GCC unroll 8
      for (std::size_t a = 0; a < High; ++a) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v)
          sums[p][a][v] = P::load(values + p * kTileValues<T> + a * kPanelPoints<T> + v * P::n);
      }
    }
  }
  for (std::size_t k = run.begin; k < run.end; ++k) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Across; ++p) {
      typename P::Lanes other[vectors];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) other[v] = P::load(panel + p * stride + k * kPanelPoints<T> + v * P::n);
#pragma GCC unroll 8
      for (std::size_t a = 0; a < High; ++a) {
        const T one = group[k * kGroupPoints + a];
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
        P::store(values + p * kTileValues<T> + a * kPanelPoints<T> + v * P::n, sums[p][a][v]);
    }
  }
}

// sum + a * b, fused where vectors of so many bytes are: a loop of it could be compiled to products side by side and
// sums one by one, which is not what tiles do.
template <std::size_t Bytes, class T>
[[gnu::always_inline]] inline T multiply_add(T sum, T a, T b) {
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
[[gnu::always_inline]] inline void multiply_point(const T* group, const T* panel, std::size_t panels,
                                                  const FeatureRange& run, T* values) {
  constexpr std::size_t across = Bytes == 16 ? 1 : Bytes == 32 ? 2 : 4;
  const std::size_t stride = run.width * kPanelPoints<T>;
  std::size_t p = 0;
  for (; p + across <= panels; p += across)
    multiply_tile<T, Bytes, 1, across>(group, panel + p * stride, run, values + p * kTileValues<T>);
  for (; p < panels; ++p) multiply_tile<T, Bytes, 1, 1>(group, panel + p * stride, run, values + p * kTileValues<T>);
}

// Of two and more with all panels: as many at a time as there are registers for.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void multiply_points(const T* group, std::size_t m, const T* panel, std::size_t panels,
                                                   const FeatureRange& run, T* values) {
  constexpr std::size_t maximum = Bytes == 64 ? 8 : Bytes == 32 ? 2 : 1, half = std::max<std::size_t>(maximum / 2, 1);
  for (std::size_t p = 0; p < panels; ++p) {
    const T* own = panel + p * run.width * kPanelPoints<T>;
    T* to = values + p * kTileValues<T>;
    if (m <= half) {
      multiply_tile<T, Bytes, half, 1>(group, own, run, to);
    } else {
      for (std::size_t a = 0; a < m; a += maximum)
        multiply_tile<T, Bytes, maximum, 1>(group + a, own, run, to + a * kPanelPoints<T>);
    }
  }
}

template <class T>
struct DenseTiles {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const KernelFunction& function, const T* group, const T* group_norms,
                                         std::size_t m, const T* panel, const T* panel_norms, std::size_t panels,
                                         std::size_t width, T* values) {
    for (std::size_t begin = 0; begin == 0 || begin < width; begin += kRunFeatures) {
      const FeatureRange run{begin, std::min(width, begin + kRunFeatures), width};
      if (m == 1) {
        multiply_point<T, Bytes>(group, panel, panels, run, values);
      } else {
        multiply_points<T, Bytes>(group, m, panel, panels, run, values);
      }
    }
    for (std::size_t p = 0; p < panels; ++p) {
      apply_kernel<T, Bytes>(function, values + p * kTileValues<T>, m, kPanelPoints<T>, group_norms,
                             panel_norms + p * kPanelPoints<T>);
    }
  }
};

template <class T>
struct SparseTiles {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const KernelFunction& function, const SparseRowsView<T>& rows,
                                         std::size_t first, const T* norms, std::size_t m, const T* line,
                                         const T* line_norms, T* values) {
    using P = SimdPack<T, Bytes>;
    constexpr std::size_t vectors = kSparseLanes<T> / P::n;
    for (std::size_t a = 0; a < m; ++a) {
      typename P::Lanes sums[vectors] = {};
      for (std::int64_t i = rows.starts[first + a]; i < rows.starts[first + a + 1]; ++i) {
        const T* at = line + static_cast<std::size_t>(rows.ids[i]) * kSparseLanes<T>;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) sums[v] += P::load(at + v * P::n) * rows.values[i];
      }
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) P::store(values + a * kSparseLanes<T> + v * P::n, sums[v]);
    }
    apply_kernel<T, Bytes>(function, values, m, kSparseLanes<T>, norms, line_norms);
  }
};

template <class T>
struct SparsePointTiles {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const KernelFunction& function, const SparseRowsView<T>& rows,
                                         std::size_t first, const T* norms, std::size_t n, const T* point, T norm,
                                         T* values) {
    for (std::size_t c = 0; c < n; ++c) {
      T sum = 0;
      for (std::int64_t i = rows.starts[first + c]; i < rows.starts[first + c + 1]; ++i) {
        sum = multiply_add<Bytes, T>(sum, point[rows.ids[i]], rows.values[i]);
      }
      values[c] = sum;
    }
    const std::size_t whole = (n + kPanelPoints<T> - 1) / kPanelPoints<T> * kPanelPoints<T>;
    std::fill(values + n, values + whole, T{0});
    apply_kernel<T, Bytes>(function, values, 1, whole, &norm, norms);
  }
};

template <class T>
struct DenseNorms {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const T* points, std::size_t lanes, std::size_t width, T* out) {
    std::fill(out, out + lanes, T{0});
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t c = 0; c < lanes; ++c) {
        const T x = points[k * lanes + c];
        out[c] = multiply_add<Bytes, T>(out[c], x, x);
      }
    }
  }
};

template <class T>
struct SparseNorms {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const SparseRowsView<T>& rows, std::size_t n, T* out) {
    for (std::size_t r = 0; r < n; ++r) {
      T sum = 0;
      for (std::int64_t i = rows.starts[r]; i < rows.starts[r + 1]; ++i) {
        sum = multiply_add<Bytes, T>(sum, rows.values[i], rows.values[i]);
      }
      out[r] = sum;
    }
  }
};

// -- sums over points ----------------------------------------------------------------------------------------

// Values are widened to doubles, as many as a vector holds, for all functions at once.
template <class T>
struct AddWeighted {
  template <std::size_t Bytes>
  [[gnu::always_inline]] static void run(const T* values, std::size_t length, const std::int32_t* which,
                                         const double* coefs, std::size_t n, double* sums, std::size_t stride) {
    using P = SimdPack<double, Bytes>;
    using Narrow = SimdPack<T, Bytes * sizeof(T) / sizeof(double)>;
    for (std::size_t c = 0; c < length; c += P::n) {
      typename P::Lanes wide[kGroupPoints];
#pragma GCC unroll 8
      for (std::size_t a = 0; a < kGroupPoints; ++a) {
        wide[a] = __builtin_convertvector(Narrow::load(values + a * length + c), typename P::Lanes);
      }
      for (std::size_t f = 0; f < n; ++f) {
        const double* coef = coefs + f * kGroupPoints;
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
template <class Kernel, class... Arguments>
void run_with_16_bytes(Arguments... arguments) {
  Kernel::template run<16>(arguments...);
}

#if defined(__x86_64__)
template <class Kernel, class... Arguments>
[[gnu::target("avx2,fma")]] void run_with_32_bytes(Arguments... arguments) {
  Kernel::template run<32>(arguments...);
}

template <class Kernel, class... Arguments>
[[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")]] void run_with_64_bytes(Arguments... arguments) {
  Kernel::template run<64>(arguments...);
}
#endif

}  // namespace

template <class T>
const TileFunctions<T>& tile_functions() {
#if defined(__x86_64__)
  if (has_avx512()) {
    static constexpr TileFunctions<T> functions{
        run_with_64_bytes<DenseTiles<T>>, run_with_64_bytes<SparseTiles<T>>, run_with_64_bytes<SparsePointTiles<T>>,
        run_with_64_bytes<DenseNorms<T>>, run_with_64_bytes<SparseNorms<T>>, run_with_64_bytes<AddWeighted<T>>};
    return functions;
  }
  if (has_avx2()) {
    static constexpr TileFunctions<T> functions{
        run_with_32_bytes<DenseTiles<T>>, run_with_32_bytes<SparseTiles<T>>, run_with_32_bytes<SparsePointTiles<T>>,
        run_with_32_bytes<DenseNorms<T>>, run_with_32_bytes<SparseNorms<T>>, run_with_32_bytes<AddWeighted<T>>};
    return functions;
  }
#endif
  static constexpr TileFunctions<T> functions{
      run_with_16_bytes<DenseTiles<T>>, run_with_16_bytes<SparseTiles<T>>, run_with_16_bytes<SparsePointTiles<T>>,
      run_with_16_bytes<DenseNorms<T>>, run_with_16_bytes<SparseNorms<T>>, run_with_16_bytes<AddWeighted<T>>};
  return functions;
}

template const TileFunctions<float>& tile_functions<float>();
template const TileFunctions<double>& tile_functions<double>();

}  // namespace hedgerow

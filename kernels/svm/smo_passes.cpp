#include "svm/smo_passes.hpp"

#include <limits>
#include <type_traits>

#include "core/cpu_features.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // all of this is inlined: nothing is passed or returned
#endif

namespace hedgerow {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kChains = 2;  // of vectors, each with its own best: the next need not wait for the one before

// W numbers side by side, as doubles and as what rows are made of.
template <class T, std::size_t W>
struct WideLanes {
  using Doubles [[gnu::vector_size(W * 8)]] = double;
  using Numbers [[gnu::vector_size(W * sizeof(T))]] = T;
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using IndexLanes [[gnu::vector_size(W * sizeof(T))]] = Index;
  using LongIndexLanes [[gnu::vector_size(W * 8)]] = std::int64_t;
};

// Wherever they lie.
template <class Lanes, class T>
[[gnu::always_inline]] inline Lanes load_lanes(const T* from) {
  Lanes out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline typename WideLanes<T, W>::Doubles to_doubles(
    const typename WideLanes<T, W>::Numbers& numbers) {
  return __builtin_convertvector(numbers, typename WideLanes<T, W>::Doubles);
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline GradientExtremes advance_lanes(double* F, const T* one, const T* other, double step,
                                                             const T* up, const T* low, std::size_t n) {
  using V = WideLanes<T, W>;
  using Doubles = typename V::Doubles;
  using Numbers = typename V::Numbers;
  using LongIndexLanes = typename V::LongIndexLanes;
  Doubles highest[kChains], lowest[kChains];
  LongIndexLanes at[kChains], index;
  for (std::size_t l = 0; l < W; ++l) index[l] = static_cast<std::int64_t>(l);
  for (std::size_t c = 0; c < kChains; ++c) {
    highest[c] = Doubles{} - kInf;
    lowest[c] = Doubles{} + kInf;
    at[c] = LongIndexLanes{} - 1;
  }
  for (std::size_t b = 0; b < n; b += kChains * W) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < kChains; ++c) {
      const std::size_t from = b + c * W;
      const Numbers difference = load_lanes<Numbers>(one + from) - load_lanes<Numbers>(other + from);
      const Doubles f = load_lanes<Doubles>(F + from) - step * to_doubles<T, W>(difference);
      __builtin_memcpy(F + from, &f, sizeof f);
      const Doubles rising = f - to_doubles<T, W>(load_lanes<Numbers>(up + from));
      const Doubles falling = f + to_doubles<T, W>(load_lanes<Numbers>(low + from));
      const auto better = rising > highest[c];
      highest[c] = better ? rising : highest[c];
      at[c] = better ? index : at[c];
      lowest[c] = falling < lowest[c] ? falling : lowest[c];
      index += static_cast<std::int64_t>(W);
    }
  }
  GradientExtremes out{-kInf, -1, kInf};
  for (std::size_t c = 0; c < kChains; ++c) {
    for (std::size_t l = 0; l < W; ++l) {
      const double u = highest[c][l];
      if (at[c][l] >= 0 && (u > out.up || (u == out.up && at[c][l] < out.at))) out.up = u, out.at = at[c][l];
      if (lowest[c][l] < out.low) out.low = lowest[c][l];
    }
  }
  return out;
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline std::int64_t choose_partner_lanes(const double* F, const T* row, const T* low,
                                                                const T* diagonal, double best, T row_diagonal,
                                                                std::size_t n) {
  using V = WideLanes<T, W>;
  using Doubles = typename V::Doubles;
  using Numbers = typename V::Numbers;
  using IndexLanes = typename V::IndexLanes;
  Numbers maximum[kChains];
  IndexLanes at[kChains], index;
  for (std::size_t l = 0; l < W; ++l) index[l] = static_cast<typename V::Index>(l);
  for (std::size_t c = 0; c < kChains; ++c) {
    maximum[c] = Numbers{};
    at[c] = IndexLanes{} - 1;
  }
  const Numbers flat = Numbers{} + static_cast<T>(kMinCurvature);
  for (std::size_t b = 0; b < n; b += kChains * W) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < kChains; ++c) {
      const std::size_t from = b + c * W;
      const Doubles difference = best - load_lanes<Doubles>(F + from);
      const Numbers ahead = __builtin_convertvector(difference, Numbers) - load_lanes<Numbers>(low + from);
      const Numbers k = load_lanes<Numbers>(row + from);
      Numbers curve = (row_diagonal - k) + (load_lanes<Numbers>(diagonal + from) - k);
      curve = curve > flat ? curve : flat;
      const Numbers gain = ahead > Numbers{} ? ahead * ahead / curve : Numbers{};
      const auto better = gain > maximum[c];
      maximum[c] = better ? gain : maximum[c];
      at[c] = better ? index : at[c];
      index += static_cast<typename V::Index>(W);
    }
  }
  T best_gain = 0;
  std::int64_t out = -1;
  for (std::size_t c = 0; c < kChains; ++c) {
    for (std::size_t l = 0; l < W; ++l) {
      if (at[c][l] < 0) continue;
      if (maximum[c][l] > best_gain || (maximum[c][l] == best_gain && at[c][l] < out))
        best_gain = maximum[c][l], out = at[c][l];
    }
  }
  return out;
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline void add_lanes(double* F, const T* row, double step, std::size_t n) {
  using V = WideLanes<T, W>;
  using Doubles = typename V::Doubles;
  for (std::size_t b = 0; b < n; b += W) {
    const Doubles f = load_lanes<Doubles>(F + b) - step * to_doubles<T, W>(load_lanes<typename V::Numbers>(row + b));
    __builtin_memcpy(F + b, &f, sizeof f);
  }
}

template <class T>
GradientExtremes advance_baseline(double* F, const T* one, const T* other, double step, const T* up, const T* low,
                                  std::size_t n) {
  return advance_lanes<T, 2>(F, one, other, step, up, low, n);
}
template <class T>
std::int64_t choose_partner_baseline(const double* F, const T* row, const T* low, const T* diagonal, double best,
                                     T row_diagonal, std::size_t n) {
  return choose_partner_lanes<T, 2>(F, row, low, diagonal, best, row_diagonal, n);
}
template <class T>
void add_baseline(double* F, const T* row, double step, std::size_t n) {
  add_lanes<T, 2>(F, row, step, n);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] GradientExtremes advance_avx2(double* F, const T* one, const T* other, double step, const T* up,
                                                      const T* low, std::size_t n) {
  return advance_lanes<T, 4>(F, one, other, step, up, low, n);
}
template <class T>
[[gnu::target("avx2")]] std::int64_t choose_partner_avx2(const double* F, const T* row, const T* low, const T* diagonal,
                                                         double best, T row_diagonal, std::size_t n) {
  return choose_partner_lanes<T, 4>(F, row, low, diagonal, best, row_diagonal, n);
}
template <class T>
[[gnu::target("avx2")]] void add_avx2(double* F, const T* row, double step, std::size_t n) {
  add_lanes<T, 4>(F, row, step, n);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] GradientExtremes advance_avx512(double* F, const T* one, const T* other,
                                                                             double step, const T* up, const T* low,
                                                                             std::size_t n) {
  return advance_lanes<T, 8>(F, one, other, step, up, low, n);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] std::int64_t choose_partner_avx512(const double* F, const T* row,
                                                                                const T* low, const T* diagonal,
                                                                                double best, T row_diagonal,
                                                                                std::size_t n) {
  return choose_partner_lanes<T, 8>(F, row, low, diagonal, best, row_diagonal, n);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] void add_avx512(double* F, const T* row, double step, std::size_t n) {
  add_lanes<T, 8>(F, row, step, n);
}
#endif

}  // namespace

template <class T>
SmoKernels<T> choose_smo_kernels() {
#if defined(__x86_64__)
  if (has_avx512()) {
    return {advance_avx512<T>, choose_partner_avx512<T>, add_avx512<T>};
  }
  if (has_avx2()) return {advance_avx2<T>, choose_partner_avx2<T>, add_avx2<T>};
#endif
  return {advance_baseline<T>, choose_partner_baseline<T>, add_baseline<T>};
}

template SmoKernels<float> choose_smo_kernels<float>();
template SmoKernels<double> choose_smo_kernels<double>();

}  // namespace hedgerow

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
struct Wide {
  using Doubles [[gnu::vector_size(W * 8)]] = double;
  using Numbers [[gnu::vector_size(W * sizeof(T))]] = T;
  using Whole = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using Places [[gnu::vector_size(W * sizeof(T))]] = Whole;
  using LongPlaces [[gnu::vector_size(W * 8)]] = std::int64_t;
};

// Wherever they lie.
template <class Lanes, class T>
[[gnu::always_inline]] inline Lanes taken(const T* from) {
  Lanes out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline typename Wide<T, W>::Doubles doubles(const typename Wide<T, W>::Numbers& numbers) {
  return __builtin_convertvector(numbers, typename Wide<T, W>::Doubles);
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline Ends advance_by(double* F, const T* one, const T* other, double step, const T* up,
                                              const T* low, std::size_t n) {
  using V = Wide<T, W>;
  using Doubles = typename V::Doubles;
  using Numbers = typename V::Numbers;
  using LongPlaces = typename V::LongPlaces;
  Doubles highest[kChains], lowest[kChains];
  LongPlaces at[kChains], place;
  for (std::size_t l = 0; l < W; ++l) place[l] = static_cast<std::int64_t>(l);
  for (std::size_t c = 0; c < kChains; ++c) {
    highest[c] = Doubles{} - kInf;
    lowest[c] = Doubles{} + kInf;
    at[c] = LongPlaces{} - 1;
  }
  for (std::size_t b = 0; b < n; b += kChains * W) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < kChains; ++c) {
      const std::size_t from = b + c * W;
      const Numbers apart = taken<Numbers>(one + from) - taken<Numbers>(other + from);
      const Doubles f = taken<Doubles>(F + from) - step * doubles<T, W>(apart);
      __builtin_memcpy(F + from, &f, sizeof f);
      const Doubles rising = f - doubles<T, W>(taken<Numbers>(up + from));
      const Doubles falling = f + doubles<T, W>(taken<Numbers>(low + from));
      const auto better = rising > highest[c];
      highest[c] = better ? rising : highest[c];
      at[c] = better ? place : at[c];
      lowest[c] = falling < lowest[c] ? falling : lowest[c];
      place += static_cast<std::int64_t>(W);
    }
  }
  Ends out{-kInf, -1, kInf};
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
[[gnu::always_inline]] inline std::int64_t partner_by(const double* F, const T* row, const T* low, const T* diagonal,
                                                      double best, T own, std::size_t n) {
  using V = Wide<T, W>;
  using Doubles = typename V::Doubles;
  using Numbers = typename V::Numbers;
  using Places = typename V::Places;
  Numbers most[kChains];
  Places at[kChains], place;
  for (std::size_t l = 0; l < W; ++l) place[l] = static_cast<typename V::Whole>(l);
  for (std::size_t c = 0; c < kChains; ++c) {
    most[c] = Numbers{};
    at[c] = Places{} - 1;
  }
  const Numbers flat = Numbers{} + static_cast<T>(kFlat);
  for (std::size_t b = 0; b < n; b += kChains * W) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < kChains; ++c) {
      const std::size_t from = b + c * W;
      const Doubles gap = best - taken<Doubles>(F + from);
      const Numbers ahead = __builtin_convertvector(gap, Numbers) - taken<Numbers>(low + from);
      const Numbers k = taken<Numbers>(row + from);
      Numbers curve = (own - k) + (taken<Numbers>(diagonal + from) - k);
      curve = curve > flat ? curve : flat;
      const Numbers gain = ahead > Numbers{} ? ahead * ahead / curve : Numbers{};
      const auto better = gain > most[c];
      most[c] = better ? gain : most[c];
      at[c] = better ? place : at[c];
      place += static_cast<typename V::Whole>(W);
    }
  }
  T best_gain = 0;
  std::int64_t out = -1;
  for (std::size_t c = 0; c < kChains; ++c) {
    for (std::size_t l = 0; l < W; ++l) {
      if (at[c][l] < 0) continue;
      if (most[c][l] > best_gain || (most[c][l] == best_gain && at[c][l] < out)) best_gain = most[c][l], out = at[c][l];
    }
  }
  return out;
}

template <class T, std::size_t W>
[[gnu::always_inline]] inline void add_by(double* F, const T* row, double step, std::size_t n) {
  using V = Wide<T, W>;
  using Doubles = typename V::Doubles;
  for (std::size_t b = 0; b < n; b += W) {
    const Doubles f = taken<Doubles>(F + b) - step * doubles<T, W>(taken<typename V::Numbers>(row + b));
    __builtin_memcpy(F + b, &f, sizeof f);
  }
}

template <class T>
Ends advance_plain(double* F, const T* one, const T* other, double step, const T* up, const T* low, std::size_t n) {
  return advance_by<T, 2>(F, one, other, step, up, low, n);
}
template <class T>
std::int64_t partner_plain(const double* F, const T* row, const T* low, const T* diagonal, double best, T own,
                           std::size_t n) {
  return partner_by<T, 2>(F, row, low, diagonal, best, own, n);
}
template <class T>
void add_plain(double* F, const T* row, double step, std::size_t n) {
  add_by<T, 2>(F, row, step, n);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] Ends advance_4(double* F, const T* one, const T* other, double step, const T* up, const T* low,
                                       std::size_t n) {
  return advance_by<T, 4>(F, one, other, step, up, low, n);
}
template <class T>
[[gnu::target("avx2")]] std::int64_t partner_4(const double* F, const T* row, const T* low, const T* diagonal,
                                               double best, T own, std::size_t n) {
  return partner_by<T, 4>(F, row, low, diagonal, best, own, n);
}
template <class T>
[[gnu::target("avx2")]] void add_4(double* F, const T* row, double step, std::size_t n) {
  add_by<T, 4>(F, row, step, n);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] Ends advance_8(double* F, const T* one, const T* other, double step,
                                                            const T* up, const T* low, std::size_t n) {
  return advance_by<T, 8>(F, one, other, step, up, low, n);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] std::int64_t partner_8(const double* F, const T* row, const T* low,
                                                                    const T* diagonal, double best, T own,
                                                                    std::size_t n) {
  return partner_by<T, 8>(F, row, low, diagonal, best, own, n);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] void add_8(double* F, const T* row, double step, std::size_t n) {
  add_by<T, 8>(F, row, step, n);
}
#endif

}  // namespace

template <class T>
Passes<T> best_passes() {
#if defined(__x86_64__)
  if (has_avx512()) {
    return {advance_8<T>, partner_8<T>, add_8<T>};
  }
  if (has_avx2()) return {advance_4<T>, partner_4<T>, add_4<T>};
#endif
  return {advance_plain<T>, partner_plain<T>, add_plain<T>};
}

template Passes<float> best_passes<float>();
template Passes<double> best_passes<double>();

}  // namespace hedgerow

// Kernel functions of dot products, several at a time: vectors of floats or doubles of as many bytes as a machine has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // all of this is inlined: nothing is passed or returned
#endif

namespace hedgerow {

enum class KernelKind { kLinear, kPoly, kRbf, kSigmoid };

// linear: x.z; poly: (gamma x.z + theta)^degree; rbf: exp(-gamma |x - z|^2); sigmoid: tanh(gamma x.z + theta).
struct KernelFunction {
  KernelKind kind = KernelKind::kLinear;
  double gamma = 1, theta = 0;
  int degree = 1;
};

template <class T, std::size_t Bytes>
struct SimdPack {
  using Lanes [[gnu::vector_size(Bytes)]] = T;
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using IntLanes [[gnu::vector_size(Bytes)]] = Bits;
  static constexpr std::size_t n = Bytes / sizeof(T);

  // From and to wherever they lie.
  [[gnu::always_inline]] static Lanes load(const T* from) {
    Lanes lanes;
    __builtin_memcpy(&lanes, from, Bytes);
    return lanes;
  }
  [[gnu::always_inline]] static void store(T* to, const Lanes& lanes) { __builtin_memcpy(to, &lanes, Bytes); }
};

// What the exponential takes of a type: 1.5 * 2^(digits), which rounds to whole numbers in the lowest bits when added;
// ln 2 in two parts; the least argument whose result is a normal number; where the exponent is, and what is added to
// it.
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<double> {
  static constexpr double magic = 6755399441055744.0, high = 6.93147180369123816490e-01,
                          low = 1.90821492927058770002e-10;
  static constexpr double lowest = -708.0;
  static constexpr int bias = 1023, shift = 52;
};
template <>
struct ExpConstants<float> {
  static constexpr float magic = 12582912.0f, high = 0.693359375f, low = -2.12194440e-4f;
  static constexpr float lowest = -87.0f;
  static constexpr int bias = 127, shift = 23;
};

// For lowest <= x <= 0: e^x = scale + scale * rest, where scale is a power of two, and rest is e^r - 1 for |r| <=
// ln(2)/2, by Taylor's series, whose next term is below half a unit of the last place.
template <class P, class T>
[[gnu::always_inline]] inline void split_exp(const typename P::Lanes& x, typename P::Lanes& scale,
                                             typename P::Lanes& rest) {
  using Lanes = typename P::Lanes;
  using IntLanes = typename P::IntLanes;
  using E = ExpConstants<T>;
  const Lanes shifted = x * static_cast<T>(1.4426950408889634074) + E::magic;
  const Lanes n = shifted - E::magic;
  const Lanes r = (x - n * E::high) - n * E::low;
  Lanes p;
  if constexpr (sizeof(T) == 8) {
    p = static_cast<T>(1.0 / 479001600) + r * static_cast<T>(1.0 / 6227020800.0);
    p = static_cast<T>(1.0 / 39916800) + r * p;
    p = static_cast<T>(1.0 / 3628800) + r * p;
    p = static_cast<T>(1.0 / 362880) + r * p;
    p = static_cast<T>(1.0 / 40320) + r * p;
    p = static_cast<T>(1.0 / 5040) + r * p;
  } else {
    p = Lanes{} + static_cast<T>(1.0 / 5040);
  }
  p = static_cast<T>(1.0 / 720) + r * p;
  p = static_cast<T>(1.0 / 120) + r * p;
  p = static_cast<T>(1.0 / 24) + r * p;
  p = static_cast<T>(1.0 / 6) + r * p;
  p = static_cast<T>(0.5) + r * p;
  rest = r + (r * r) * p;
  scale = reinterpret_cast<Lanes>((reinterpret_cast<IntLanes>(shifted) + E::bias) << E::shift);
}

// e^x for x <= 0; 0 below the least argument.
template <class P, class T>
[[gnu::always_inline]] inline typename P::Lanes exp_lanes(const typename P::Lanes& x) {
  using Lanes = typename P::Lanes;
  const Lanes lowest = Lanes{} + ExpConstants<T>::lowest;
  const typename P::IntLanes underflow = x < lowest;
  Lanes scale, rest;
  split_exp<P, T>(underflow ? lowest : x, scale, rest);
  return underflow ? Lanes{} : scale + scale * rest;
}

// tanh x = -m / (2 + m) for x >= 0, where m = e^(-2 x) - 1, which keeps its digits near 0.
template <class P, class T>
[[gnu::always_inline]] inline typename P::Lanes tanh_lanes(const typename P::Lanes& x) {
  using Lanes = typename P::Lanes;
  const Lanes lowest = Lanes{} + ExpConstants<T>::lowest;
  const Lanes twice = (x < T{0} ? x : -x) * T{2};
  Lanes scale, rest;
  split_exp<P, T>(twice < lowest ? lowest : twice, scale, rest);
  const Lanes m = (scale - T{1}) + scale * rest;
  const Lanes positive = -m / (T{2} + m);
  return x < T{0} ? -positive : positive;
}

template <class Lanes, class T>
[[gnu::always_inline]] inline Lanes pow_lanes(const Lanes& of, int degree) {
  Lanes x = of, out = Lanes{} + T{1};
  for (;;) {
    if (degree & 1) out *= x;
    degree >>= 1;
    if (!degree) return out;
    x *= x;
  }
}

// Turns dot products of `m` points with `length` others, in lines of `length` numbers, into values of the function.
// The squared norms of both are used by rbf alone. `length` is a multiple of what a vector holds.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void apply_kernel(const KernelFunction& function, T* values, std::size_t m,
                                                std::size_t length, const T* norms, const T* others) {
  using P = SimdPack<T, Bytes>;
  using Lanes = typename P::Lanes;
  const T gamma = static_cast<T>(function.gamma), theta = static_cast<T>(function.theta);
  switch (function.kind) {
    case KernelKind::kLinear:
      return;
    case KernelKind::kRbf:
      for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t c = 0; c < length; c += P::n) {
          T* at = values + a * length + c;
          const Lanes squared = (P::load(others + c) + norms[a]) - T{2} * P::load(at);
          P::store(at, exp_lanes<P, T>((squared > T{0} ? squared : Lanes{}) * -gamma));
        }
      }
      return;
    case KernelKind::kPoly:
      for (std::size_t i = 0; i < m * length; i += P::n) {
        P::store(values + i, pow_lanes<Lanes, T>(P::load(values + i) * gamma + theta, function.degree));
      }
      return;
    case KernelKind::kSigmoid:
      for (std::size_t i = 0; i < m * length; i += P::n) {
        P::store(values + i, tanh_lanes<P, T>(P::load(values + i) * gamma + theta));
      }
      return;
  }
}

}  // namespace hedgerow

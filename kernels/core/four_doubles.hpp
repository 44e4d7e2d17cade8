// Four doubles at a time, and e to the power of them. The same result on every machine: element by element, in one
// order.
#pragma once

#include <cstdint>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // all of this is inlined: nothing is passed or returned
#endif

namespace hedgerow {

using Lanes = double __attribute__((vector_size(32)));
using UnalignedLanes = double __attribute__((vector_size(32), aligned(8), may_alias));  // wherever they lie
using IntLanes = std::int64_t __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Lanes load(const double* from) { return *reinterpret_cast<const UnalignedLanes*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Lanes& lanes) {
  *reinterpret_cast<UnalignedLanes*>(to) = lanes;
}
[[gnu::always_inline]] inline double add_lanes(const Lanes& lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}
[[gnu::always_inline]] inline Lanes max_lanes(const Lanes& a, const Lanes& b) { return a > b ? a : b; }

// e^x for x <= 0, within two units of the last place; 0 below about -708.
[[gnu::always_inline]] inline Lanes exp_nonpositive(Lanes x) {
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to whole numbers, in the lowest bits
  const Lanes lowest = Lanes{} - 708.0;
  const IntLanes underflow = x < lowest;
  x = underflow ? lowest : x;
  const Lanes shifted = x * 1.4426950408889634074 + magic;
  const Lanes n = shifted - magic;
  const Lanes r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  const Lanes r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const Lanes p01 = 1.0 + r;
  const Lanes p23 = 0.5 + r * (1.0 / 6);
  const Lanes p45 = 1.0 / 24 + r * (1.0 / 120);
  const Lanes p67 = 1.0 / 720 + r * (1.0 / 5040);
  const Lanes p89 = 1.0 / 40320 + r * (1.0 / 362880);
  const Lanes p1011 = 1.0 / 3628800 + r * (1.0 / 39916800);
  const Lanes p1213 = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
  const Lanes p = ((p01 + r2 * p23) + r4 * (p45 + r2 * p67)) + r8 * ((p89 + r2 * p1011) + r4 * p1213);
  const IntLanes power = (reinterpret_cast<IntLanes>(shifted) + 1023)
                         << 52;  // 2^n; what magic leaves above is shifted out
  const Lanes out = p * reinterpret_cast<Lanes>(power);
  return underflow ? Lanes{} : out;
}

}  // namespace hedgerow

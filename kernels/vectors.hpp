// Vectors of doubles of as many bytes as a machine has, chosen by the caller.
#pragma once

#include <cstddef>

namespace hedgerow {

template <std::size_t Bytes>
struct Vector {
  using Lanes [[gnu::vector_size(Bytes)]] = double;
  static constexpr std::size_t n = Bytes / sizeof(double);
};

// The sum of all lanes, halves first.
template <class Lanes>
[[gnu::always_inline]] inline double total(const Lanes& lanes) {
  constexpr std::size_t half = sizeof(Lanes) / sizeof(double) / 2;
  double some[half];
  for (std::size_t l = 0; l < half; ++l) some[l] = lanes[l] + lanes[l + half];
  for (std::size_t step = half / 2; step; step /= 2) {
    for (std::size_t l = 0; l < step; ++l) some[l] += some[l + step];
  }
  return some[0];
}

}  // namespace hedgerow

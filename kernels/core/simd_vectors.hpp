// Vectors of doubles of as many bytes as a machine has, chosen by the caller, and products of lines by them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hedgerow {

constexpr std::size_t kMaxTileLines = 4;  // lines of a tile, either way

template <std::size_t Bytes>
struct SimdVector {
  using Lanes [[gnu::vector_size(Bytes)]] = double;
  static constexpr std::size_t n = Bytes / sizeof(double);
};

// The sum of all lanes, halves first.
template <class Lanes>
[[gnu::always_inline]] inline double sum_lanes(const Lanes& lanes) {
  constexpr std::size_t half = sizeof(Lanes) / sizeof(double) / 2;
  double some[half];
  for (std::size_t l = 0; l < half; ++l) some[l] = lanes[l] + lanes[l + half];
  for (std::size_t step = half / 2; step; step /= 2) {
    for (std::size_t l = 0; l < step; ++l) some[l] += some[l + step];
  }
  return some[0];
}

template <class Lanes>
[[gnu::always_inline]] inline const Lanes& lanes_at(const double* from) {
  return *reinterpret_cast<const Lanes*>(from);
}

// Adds the products of `features` lines of two blocks to the lower half of `out`, whose lines are `across` numbers.
// Lines of a block are `stride` numbers apart, of which `length` count, both multiples of 8, and begin at multiples of
// 64 bytes; behind the last one are as many lines as a tile may reach beyond it. All sums of a tile of High by Across
// places are kept in registers.
template <std::size_t Bytes, std::size_t High, std::size_t Across>
[[gnu::always_inline]] inline void multiply_tiles(const double* left, const double* right, std::size_t stride,
                                                  std::size_t features, std::size_t length, double* out,
                                                  std::size_t across) {
  using Lanes = typename SimdVector<Bytes>::Lanes;
  static_assert(High <= kMaxTileLines && Across <= kMaxTileLines);
  for (std::size_t i = 0; i < features; i += High) {
    const std::size_t high = std::min(High, features - i);
    for (std::size_t j = 0; j < i + high; j += Across) {
      const double *p = left + i * stride, *q = right + j * stride;
      Lanes sums[High][Across] = {};
      for (std::size_t r = 0; r < length; r += SimdVector<Bytes>::n) {
        Lanes other[Across];
#pragma GCC unroll 4
        for (std::size_t b = 0; b < Across; ++b) other[b] = lanes_at<Lanes>(q + b * stride + r);
#pragma GCC unroll 4
        for (std::size_t a = 0; a < High; ++a) {
          const Lanes one = lanes_at<Lanes>(p + a * stride + r);
#pragma GCC unroll 4
          for (std::size_t b = 0; b < Across; ++b) sums[a][b] += one * other[b];
        }
      }
      double totals[High][Across];
#pragma GCC unroll 4
      for (std::size_t a = 0; a < High; ++a) {
#pragma GCC unroll 4
        for (std::size_t b = 0; b < Across; ++b) totals[a][b] = sum_lanes(sums[a][b]);
      }
      for (std::size_t a = 0; a < high; ++a) {
        for (std::size_t b = 0; b < Across && j + b <= i + a; ++b) out[(i + a) * across + j + b] += totals[a][b];
      }
    }
  }
}

struct alignas(64) EightDoubles {
  double values[8];
};

// Numbers that begin at a multiple of 64 bytes.
class AlignedDoubles {
 public:
  explicit AlignedDoubles(std::size_t n) : blocks_((n + 7) / 8) {}
  double* data() { return blocks_.empty() ? nullptr : blocks_.front().values; }
  const double* data() const { return blocks_.empty() ? nullptr : blocks_.front().values; }
  void clear() { std::fill(blocks_.begin(), blocks_.end(), EightDoubles{}); }

 private:
  std::vector<EightDoubles> blocks_;
};

}  // namespace hedgerow

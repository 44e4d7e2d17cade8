#include "read/column_statistics.hpp"

#include <algorithm>
#include <cstddef>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kBlock = 512, kLanes = 4;

using Lanes = double __attribute__((vector_size(32)));
using Loose = double __attribute__((vector_size(32), aligned(8), may_alias));  // wherever they lie

[[gnu::always_inline]] inline double total(const Lanes& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

// One block of exactly kBlock rows; a row that is not there has the weight 0. Two rows of lanes are added apart, so
// that the machine need not wait for one sum to begin the next.
HEDGEROW_AVX2_CLONES void block_figures(const double* value, const double* weight, NumberFigures& out) {
  constexpr std::size_t chains = 2;
  const Lanes none{};
  Lanes present[chains] = {}, all[chains] = {}, sum[chains] = {}, squares[chains] = {};
  Lanes low[chains] = {none + out.low, none + out.low}, high[chains] = {none + out.high, none + out.high};
  for (std::size_t i = 0; i < kBlock; i += chains * kLanes) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < chains; ++c) {
      const Lanes x = *reinterpret_cast<const Loose*>(value + i + c * kLanes);
      const Lanes w = *reinterpret_cast<const Loose*>(weight + i + c * kLanes);
      const auto there = x == x;
      const Lanes held = there ? w : none;
      present[c] += held;
      all[c] += w;
      sum[c] += held * (there ? x : none);
      low[c] = x < low[c] ? x : low[c];
      high[c] = x > high[c] ? x : high[c];
    }
  }
  out.weight = total(present[0] + present[1]);
  out.missing = total(all[0] + all[1]) - out.weight;
  out.mean = out.weight > 0 ? total(sum[0] + sum[1]) / out.weight : 0.0;
  for (std::size_t i = 0; i < kBlock; i += chains * kLanes) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < chains; ++c) {
      const Lanes x = *reinterpret_cast<const Loose*>(value + i + c * kLanes);
      const Lanes w = *reinterpret_cast<const Loose*>(weight + i + c * kLanes);
      const Lanes from = x == x ? x - out.mean : none;
      squares[c] += w * (from * from);
    }
  }
  out.squares = total(squares[0] + squares[1]);
  for (std::size_t l = 0; l < kLanes; ++l) {
    out.low = std::min({out.low, low[0][l], low[1][l]});
    out.high = std::max({out.high, high[0][l], high[1][l]});
  }
}

}  // namespace

NumberFigures merged(const NumberFigures& one, const NumberFigures& other) {
  NumberFigures out;
  out.weight = one.weight + other.weight;
  out.missing = one.missing + other.missing;
  out.low = std::min(one.low, other.low);
  out.high = std::max(one.high, other.high);
  if (out.weight > 0) {
    const double share = other.weight / out.weight, apart = other.mean - one.mean;
    out.mean = one.weight > 0 ? one.mean + apart * share : other.mean;
    out.squares = one.squares + other.squares + (one.weight > 0 ? apart * apart * (one.weight * share) : 0.0);
  }
  return out;
}

NumberFigures number_figures(std::span<const double> values, std::span<const double> weight) {
  NumberFigures out;
  double ones[kBlock], some[kBlock], some_weight[kBlock];
  std::fill(ones, ones + kBlock, 1.0);
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, values.size() - begin);
    const double* value = values.data() + begin;
    const double* counts = weight.empty() ? ones : weight.data() + begin;
    if (n < kBlock) {  // the rest repeats its first row with no weight
      std::copy(value, value + n, some);
      std::fill(some + n, some + kBlock, value[0]);
      std::copy(counts, counts + n, some_weight);
      std::fill(some_weight + n, some_weight + kBlock, 0.0);
      value = some, counts = some_weight;
    }
    NumberFigures block;
    block_figures(value, counts, block);
    out = merged(out, block);
  }
  return out;
}

}  // namespace hedgerow

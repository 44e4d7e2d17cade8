#include "read/column_statistics.hpp"

#include <algorithm>
#include <cstddef>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kBlock = 512, kLanes = 4;

using Lanes = double __attribute__((vector_size(32)));
using UnalignedLanes = double __attribute__((vector_size(32), aligned(8), may_alias));  // wherever they lie

[[gnu::always_inline]] inline double sum_lanes(const Lanes& lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// One block of exactly kBlock rows; a row that is not there has the weight 0. Two rows of lanes are added apart, so
// that the machine need not wait for one sum to begin the next.
HEDGEROW_AVX2_CLONES void add_block_statistics(const double* value, const double* weight, NumberStatistics& out) {
  constexpr std::size_t chains = 2;
  const Lanes none{};
  Lanes present[chains] = {}, all[chains] = {}, sum[chains] = {}, squares[chains] = {};
  Lanes low[chains] = {none + out.low, none + out.low}, high[chains] = {none + out.high, none + out.high};
  for (std::size_t i = 0; i < kBlock; i += chains * kLanes) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < chains; ++c) {
      const Lanes x = *reinterpret_cast<const UnalignedLanes*>(value + i + c * kLanes);
      const Lanes w = *reinterpret_cast<const UnalignedLanes*>(weight + i + c * kLanes);
      const auto present_weight = x == x;
      const Lanes missing_weight = present_weight ? w : none;
      present[c] += missing_weight;
      all[c] += w;
      sum[c] += missing_weight * (present_weight ? x : none);
      low[c] = x < low[c] ? x : low[c];
      high[c] = x > high[c] ? x : high[c];
    }
  }
  out.weight = sum_lanes(present[0] + present[1]);
  out.missing = sum_lanes(all[0] + all[1]) - out.weight;
  out.mean = out.weight > 0 ? sum_lanes(sum[0] + sum[1]) / out.weight : 0.0;
  for (std::size_t i = 0; i < kBlock; i += chains * kLanes) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < chains; ++c) {
      const Lanes x = *reinterpret_cast<const UnalignedLanes*>(value + i + c * kLanes);
      const Lanes w = *reinterpret_cast<const UnalignedLanes*>(weight + i + c * kLanes);
      const Lanes from = x == x ? x - out.mean : none;
      squares[c] += w * (from * from);
    }
  }
  out.squares = sum_lanes(squares[0] + squares[1]);
  for (std::size_t l = 0; l < kLanes; ++l) {
    out.low = std::min({out.low, low[0][l], low[1][l]});
    out.high = std::max({out.high, high[0][l], high[1][l]});
  }
}

}  // namespace

NumberStatistics merge_statistics(const NumberStatistics& one, const NumberStatistics& other) {
  NumberStatistics out;
  out.weight = one.weight + other.weight;
  out.missing = one.missing + other.missing;
  out.low = std::min(one.low, other.low);
  out.high = std::max(one.high, other.high);
  if (out.weight > 0) {
    const double share = other.weight / out.weight, difference = other.mean - one.mean;
    out.mean = one.weight > 0 ? one.mean + difference * share : other.mean;
    out.squares = one.squares + other.squares + (one.weight > 0 ? difference * difference * (one.weight * share) : 0.0);
  }
  return out;
}

NumberStatistics compute_number_statistics(std::span<const double> values, std::span<const double> weight) {
  NumberStatistics out;
  double ones[kBlock], block_values[kBlock], block_weight[kBlock];
  std::fill(ones, ones + kBlock, 1.0);
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, values.size() - begin);
    const double* value = values.data() + begin;
    const double* counts = weight.empty() ? ones : weight.data() + begin;
    if (n < kBlock) {  // the rest repeats its first row with no weight
      std::copy(value, value + n, block_values);
      std::fill(block_values + n, block_values + kBlock, value[0]);
      std::copy(counts, counts + n, block_weight);
      std::fill(block_weight + n, block_weight + kBlock, 0.0);
      value = block_values, counts = block_weight;
    }
    NumberStatistics block;
    add_block_statistics(value, counts, block);
    out = merge_statistics(out, block);
  }
  return out;
}

}  // namespace hedgerow

#include "linear/dual_coordinate_descent.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/cpu_features.hpp"
#include "core/splitmix.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // all of this is inlined: nothing is passed or returned
#endif

namespace hedgerow {

namespace {

// Eight doubles at a time: one vector of the widest machines, two or four of others, with the same results.
using Lanes [[gnu::vector_size(64)]] = double;
using UnalignedLanes [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;  // wherever they lie
using IntLanes [[gnu::vector_size(64)]] = std::int64_t;

[[gnu::always_inline]] inline Lanes load(const double* from) { return *reinterpret_cast<const UnalignedLanes*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Lanes& lanes) {
  *reinterpret_cast<UnalignedLanes*>(to) = lanes;
}

constexpr std::size_t kEight = 8;  // doubles of a vector
constexpr std::size_t kParts = 4;  // sums that a product of vectors is split into: no addition waits for the one before
constexpr std::size_t kMaxLanes = 24;        // machines of a group
constexpr std::size_t kRowsPerCheck = 1024;  // rows between looks up
constexpr double kInf = std::numeric_limits<double>::infinity();

// Machines that go through the rows together.
struct MachineGroup {
  const DualDescentRows& rows;
  const DualDescentOptions& options;
  std::size_t first, machines, width;                            // of the group; width: machines, up to a whole vector
  std::vector<double> weights, alphas, signs;                    // features x width, rows x width, rows x width
  std::vector<std::uint32_t> active;                             // of every row, the machines that visit it
  std::vector<double> upper, ridge, inverse;                     // of every row
  alignas(64) double bias[kMaxLanes] = {};                       // b + rho * sum of y alpha
  alignas(64) double high[kMaxLanes] = {}, low[kMaxLanes] = {};  // slopes of this pass
  alignas(64) double keep_high[kMaxLanes] = {}, keep_low[kMaxLanes] =
                                                    {};  // beyond these slopes a row at its bound is left out
  std::uint32_t unconverged = 0;                         // machines that have not settled
};

// Moves the alphas of all machines of a row; returns the machines that leave it out from now on.
template <std::size_t K>
[[gnu::always_inline]] inline std::uint32_t update_row(MachineGroup& g, std::size_t row, std::uint32_t machines) {
  constexpr std::size_t L = K * kEight;
  const auto begin = static_cast<std::size_t>(g.rows.starts[row]),
             end = static_cast<std::size_t>(g.rows.starts[row + 1]);
  const std::int32_t* ids = g.rows.ids.data();
  const double* values = g.rows.values.data();
  double* weights = g.weights.data();
  Lanes parts[kParts][K] = {};
  std::size_t at = begin;
  for (; at + kParts <= end; at += kParts) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kParts; ++p) {
      const double* feature = weights + static_cast<std::size_t>(ids[at + p]) * L;
      const double v = values[at + p];
#pragma GCC unroll 3
      for (std::size_t k = 0; k < K; ++k) parts[p][k] += v * load(feature + k * kEight);
    }
  }
  for (; at < end; ++at) {
    const double* feature = weights + static_cast<std::size_t>(ids[at]) * L;
#pragma GCC unroll 3
    for (std::size_t k = 0; k < K; ++k) parts[0][k] += values[at] * load(feature + k * kEight);
  }
  const double upper = g.upper[row], ridge = g.ridge[row], inverse = g.inverse[row];
  const Lanes tops = Lanes{} + upper, zero = {};
  IntLanes any = {}, out[K];
  Lanes pull[K];
#pragma GCC unroll 3
  for (std::size_t k = 0; k < K; ++k) {
    const IntLanes own = IntLanes{1, 2, 4, 8, 16, 32, 64, 128} << static_cast<std::int64_t>(k * kEight);
    const IntLanes seen = (own & static_cast<std::int64_t>(machines)) != 0;
    const Lanes alpha = load(g.alphas.data() + row * L + k * kEight), y = load(g.signs.data() + row * L + k * kEight);
    const Lanes f = (parts[0][k] + parts[1][k]) + (parts[2][k] + parts[3][k]);
    const Lanes slope = y * (f + load(g.bias + k * kEight)) - 1.0 + ridge * alpha;
    const IntLanes minimum = alpha <= zero, maximum = alpha >= tops;
    const Lanes falls = slope < zero ? slope : zero, rises = slope > zero ? slope : zero;
    const Lanes open = minimum ? falls : (maximum ? rises : slope);
    out[k] = seen & ((minimum & (slope > load(g.keep_high + k * kEight))) |
                     (maximum & (slope < load(g.keep_low + k * kEight))));
    const IntLanes moves = seen & ~out[k];
    const Lanes high = load(g.high + k * kEight), low = load(g.low + k * kEight);
    store(g.high + k * kEight, (moves & (open > high)) ? open : high);
    store(g.low + k * kEight, (moves & (open < low)) ? open : low);
    Lanes then = alpha - slope * inverse;
    then = then < zero ? zero : then;
    then = then > tops ? tops : then;
    then = moves ? then : alpha;
    store(g.alphas.data() + row * L + k * kEight, then);
    pull[k] = y * (then - alpha);
    store(g.bias + k * kEight, load(g.bias + k * kEight) + g.options.rho * pull[k]);
    any |= then != alpha;
  }
  std::int64_t moved = 0;
  for (std::size_t l = 0; l < kEight; ++l) moved |= any[l];
  if (moved) {
    for (at = begin; at < end; ++at) {
      double* feature = weights + static_cast<std::size_t>(ids[at]) * L;
      const double v = values[at];
#pragma GCC unroll 3
      for (std::size_t k = 0; k < K; ++k) store(feature + k * kEight, load(feature + k * kEight) + v * pull[k]);
    }
  }
  std::uint32_t gone = 0;
#pragma GCC unroll 3
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t l = 0; l < kEight; ++l) gone |= static_cast<std::uint32_t>(out[k][l] != 0) << (k * kEight + l);
  }
  return gone;
}

// The same for one machine; tells whether it leaves the row out.
bool update_row_of_one(MachineGroup& g, std::size_t row, std::size_t lane) {
  const auto begin = static_cast<std::size_t>(g.rows.starts[row]),
             end = static_cast<std::size_t>(g.rows.starts[row + 1]);
  double* weights = g.weights.data() + lane;
  const std::int32_t* ids = g.rows.ids.data();
  const double* values = g.rows.values.data();
  double parts[kParts] = {};
  std::size_t at = begin;
  for (; at + kParts <= end; at += kParts) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kParts; ++p)
      parts[p] += values[at + p] * weights[static_cast<std::size_t>(ids[at + p]) * g.width];
  }
  for (; at < end; ++at) parts[0] += values[at] * weights[static_cast<std::size_t>(ids[at]) * g.width];
  const double f = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  double& alpha = g.alphas[row * g.width + lane];
  const double y = g.signs[row * g.width + lane];
  const double slope = y * (f + g.bias[lane]) - 1.0 + g.ridge[row] * alpha;
  double open = slope;
  if (alpha <= 0) {
    if (slope > g.keep_high[lane]) return true;
    open = std::min(slope, 0.0);
  } else if (alpha >= g.upper[row]) {
    if (slope < g.keep_low[lane]) return true;
    open = std::max(slope, 0.0);
  }
  g.high[lane] = std::max(g.high[lane], open);
  g.low[lane] = std::min(g.low[lane], open);
  const double then = std::min(std::max(alpha - slope * g.inverse[row], 0.0), g.upper[row]);
  if (then == alpha) return false;
  const double pull = y * (then - alpha);
  alpha = then;
  g.bias[lane] = g.bias[lane] + g.options.rho * pull;
  for (at = begin; at < end; ++at) {
    double& w = weights[static_cast<std::size_t>(ids[at]) * g.width];
    w = w + values[at] * pull;
  }
  return false;
}

// Visits rows in an order, of which `n` are left.
template <std::size_t K>
[[gnu::always_inline]] inline void pass_over_rows(MachineGroup& g, const std::int32_t* order, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    const std::uint32_t machines = g.active[row] & g.unconverged;
    if (!machines) continue;
    if (static_cast<std::size_t>(std::popcount(machines)) <= K) {
      for (std::uint32_t left = machines; left; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (update_row_of_one(g, row, lane)) g.active[row] &= ~(1U << lane);
      }
    } else {
      g.active[row] &= ~update_row<K>(g, row, machines);
    }
  }
}

using PassFunction = void (*)(MachineGroup&, const std::int32_t*, std::size_t);

template <std::size_t K>
void pass_baseline(MachineGroup& g, const std::int32_t* order, std::size_t n) {
  pass_over_rows<K>(g, order, n);
}

#if defined(__x86_64__)
template <std::size_t K>
[[gnu::target("avx2")]] void pass_avx2(MachineGroup& g, const std::int32_t* order, std::size_t n) {
  pass_over_rows<K>(g, order, n);
}

template <std::size_t K>
[[gnu::target("avx512f,avx512dq")]] void pass_avx512(MachineGroup& g, const std::int32_t* order, std::size_t n) {
  pass_over_rows<K>(g, order, n);
}
#endif

PassFunction choose_pass(std::size_t vectors) {
#if defined(__x86_64__)
  if (has_avx512()) {
    constexpr PassFunction widest[] = {pass_avx512<1>, pass_avx512<2>, pass_avx512<3>};
    return widest[vectors - 1];
  }
  if (has_avx2()) {
    constexpr PassFunction wide[] = {pass_avx2<1>, pass_avx2<2>, pass_avx2<3>};
    return wide[vectors - 1];
  }
#endif
  constexpr PassFunction plain[] = {pass_baseline<1>, pass_baseline<2>, pass_baseline<3>};
  return plain[vectors - 1];
}

// The rows in the order of a pass (Fisher and Yates).
void shuffle_order(std::vector<std::int32_t>& order, std::uint64_t seed, std::size_t pass) {
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t state = mix_bits(seed + pass);
  for (std::size_t i = order.size(); i > 1; --i) {
    state += 0x9e3779b97f4a7c15;
    const auto other = static_cast<std::size_t>((static_cast<unsigned __int128>(mix_bits(state)) * i) >> 64);
    std::swap(order[i - 1], order[other]);
  }
}

// -- a group of machines -------------------------------------------------------------------------------------

MachineGroup make_group(const DualDescentRows& rows, std::span<const std::int8_t> signs, std::span<const double> bounds,
                        const DualDescentOptions& options, std::size_t machines, std::span<const double> weights,
                        std::span<const double> alphas, std::size_t first, std::size_t count) {
  const std::size_t n = bounds.size(), n_features = weights.size() / machines,
                    width = (count + kEight - 1) / kEight * kEight;
  MachineGroup g{rows, options, first, count, width, {}, {}, {}, {}, {}, {}, {}};
  g.weights.resize(n_features * width);
  g.alphas.resize(n * width);
  g.signs.resize(n * width);
  g.active.resize(n);
  g.upper.resize(n);
  g.ridge.resize(n);
  g.inverse.resize(n);
  for (std::size_t p = 0; p < n_features; ++p) {
    std::copy_n(weights.data() + p * machines + first, count, g.weights.data() + p * width);
  }
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(alphas.data() + row * machines + first, count, g.alphas.data() + row * width);
    for (std::size_t l = 0; l < count; ++l) g.signs[row * width + l] = signs[row * machines + first + l];
    g.upper[row] = options.squared ? kInf : bounds[row];
    g.ridge[row] = options.squared ? 0.5 / bounds[row] : 0.0;
    double square = options.rho + g.ridge[row];
    for (auto at = static_cast<std::size_t>(rows.starts[row]); at < static_cast<std::size_t>(rows.starts[row + 1]);
         ++at) {
      square += rows.values[at] * rows.values[at];
    }
    g.inverse[row] = 1 / square;
  }
  g.unconverged = count < 32 ? (1U << count) - 1 : ~0U;
  return g;
}

// All rows that a machine sees are visited again.
void reactivate(MachineGroup& g, std::size_t lane) {
  const std::uint32_t bit = 1U << lane;
  for (std::size_t row = 0; row < g.active.size(); ++row) {
    if (g.signs[row * g.width + lane] != 0 && g.upper[row] > 0) g.active[row] |= bit;
  }
  g.keep_high[lane] = kInf;
  g.keep_low[lane] = -kInf;
}

// Takes a group through its passes.
void solve_group(MachineGroup& g, std::span<double> offsets, std::span<std::int64_t> passes, const ThreadPool& pool,
                 bool is_caller) {
  const PassFunction pass_function = choose_pass(g.width / kEight);
  std::vector<std::int32_t> order(g.active.size());
  double sums[kMaxLanes];
  const auto balance = [&] {
    std::fill(sums, sums + g.width, 0.0);
    for (std::size_t row = 0; row < g.active.size(); ++row) {
      for (std::size_t l = 0; l < g.width; ++l) sums[l] += g.signs[row * g.width + l] * g.alphas[row * g.width + l];
    }
  };
  balance();
  std::uint32_t whole = g.unconverged;  // machines that have left out no row since they began anew
  for (std::size_t l = 0; l < g.machines; ++l) {
    reactivate(g, l);
    g.bias[l] = offsets[l] + g.options.rho * sums[l];
    passes[l] = static_cast<std::int64_t>(g.options.max_passes) + 1;
  }
  for (std::size_t pass = 1; pass <= g.options.max_passes && g.unconverged; ++pass) {
    shuffle_order(order, g.options.seed, pass);
    std::fill(g.high, g.high + kMaxLanes, -kInf);
    std::fill(g.low, g.low + kMaxLanes, kInf);
    for (std::size_t at = 0; at < order.size(); at += kRowsPerCheck) {
      if (pool.has_failed()) return;
      if (is_caller) pool.check_interrupt();
      pass_function(g, order.data() + at, std::min(kRowsPerCheck, order.size() - at));
    }
    balance();
    for (std::size_t l = 0; l < g.machines; ++l) {
      const std::uint32_t bit = 1U << l;
      if (!(g.unconverged & bit)) continue;
      const double shift = g.options.rho * sums[l];
      offsets[l] += shift;
      g.bias[l] = offsets[l] + shift;
      const bool near = g.high[l] - g.low[l] <= g.options.tolerance || g.high[l] < g.low[l];
      if (near && std::abs(shift) <= g.options.tolerance) {
        if (whole & bit) {
          g.unconverged &= ~bit;
          passes[l] = static_cast<std::int64_t>(pass);
          continue;
        }
        reactivate(g, l);
        whole |= bit;
        continue;
      }
      whole &= ~bit;
      g.keep_high[l] = g.high[l] > 0 ? g.high[l] : kInf;
      g.keep_low[l] = g.low[l] < 0 ? g.low[l] : -kInf;
    }
  }
}

}  // namespace

std::vector<std::int64_t> run_dual_coordinate_descent(const DualDescentRows& rows, std::span<const std::int8_t> signs,
                                                      std::span<const double> bounds, const DualDescentOptions& options,
                                                      std::size_t machines, std::span<double> weights,
                                                      std::span<double> alphas, std::span<double> offsets,
                                                      ThreadPool& pool) {
  const std::size_t n_features = weights.size() / machines;
  const std::size_t fewest = (machines + kMaxLanes - 1) / kMaxLanes, members = pool.size();
  const std::size_t groups = std::min(machines, (fewest + members - 1) / members * members);
  std::vector<std::int64_t> passes(machines);
  pool.parallel_for(groups, [&](std::size_t number, std::size_t thread) {
    const std::size_t first = number * machines / groups, count = (number + 1) * machines / groups - first;
    MachineGroup g = make_group(rows, signs, bounds, options, machines, weights, alphas, first, count);
    solve_group(g, offsets.subspan(first, count), std::span(passes).subspan(first, count), pool, thread == 0);
    for (std::size_t p = 0; p < n_features; ++p) {
      std::copy_n(g.weights.data() + p * g.width, count, weights.data() + p * machines + first);
    }
    for (std::size_t row = 0; row < bounds.size(); ++row) {
      std::copy_n(g.alphas.data() + row * g.width, count, alphas.data() + row * machines + first);
    }
  });
  return passes;
}

}  // namespace hedgerow

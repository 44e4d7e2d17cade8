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
using LoosePlace [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;  // wherever they lie
using WholeLanes [[gnu::vector_size(64)]] = std::int64_t;

[[gnu::always_inline]] inline Lanes load(const double* from) { return *reinterpret_cast<const LoosePlace*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Lanes& lanes) { *reinterpret_cast<LoosePlace*>(to) = lanes; }

constexpr std::size_t kEight = 8;  // doubles of a vector
constexpr std::size_t kParts = 4;  // sums that a product of vectors is split into: no addition waits for the one before
constexpr std::size_t kMostLanes = 24;  // machines of a group
constexpr std::size_t kEase = 1024;     // rows between looks up
constexpr double kInf = std::numeric_limits<double>::infinity();

// Machines that go through the rows together.
struct Group {
  const DescentRows& rows;
  const DescentAims& aims;
  std::size_t first, machines, width;          // of the group; width: machines, up to a whole vector
  std::vector<double> weights, alphas, signs;  // places x width, rows x width, rows x width
  std::vector<std::uint32_t> active;           // of every row, the machines that visit it
  std::vector<double> upper, ridge, inverse;   // of every row
  alignas(64) double bias[kMostLanes] = {};    // b + rho * sum of y alpha
  alignas(64) double high[kMostLanes] = {}, low[kMostLanes] = {};  // slopes of this pass
  alignas(64) double keep_high[kMostLanes] = {}, keep_low[kMostLanes] =
                                                     {};  // beyond these slopes a row at its bound is left out
  std::uint32_t working = 0;                              // machines that have not settled
};

// Moves the alphas of all machines of a row; returns the machines that leave it out from now on.
template <std::size_t K>
[[gnu::always_inline]] inline std::uint32_t visit(Group& g, std::size_t row, std::uint32_t machines) {
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
      const double* place = weights + static_cast<std::size_t>(ids[at + p]) * L;
      const double v = values[at + p];
#pragma GCC unroll 3
      for (std::size_t k = 0; k < K; ++k) parts[p][k] += v * load(place + k * kEight);
    }
  }
  for (; at < end; ++at) {
    const double* place = weights + static_cast<std::size_t>(ids[at]) * L;
#pragma GCC unroll 3
    for (std::size_t k = 0; k < K; ++k) parts[0][k] += values[at] * load(place + k * kEight);
  }
  const double upper = g.upper[row], ridge = g.ridge[row], inverse = g.inverse[row];
  const Lanes tops = Lanes{} + upper, zero = {};
  WholeLanes any = {}, out[K];
  Lanes pull[K];
#pragma GCC unroll 3
  for (std::size_t k = 0; k < K; ++k) {
    const WholeLanes own = WholeLanes{1, 2, 4, 8, 16, 32, 64, 128} << static_cast<std::int64_t>(k * kEight);
    const WholeLanes seen = (own & static_cast<std::int64_t>(machines)) != 0;
    const Lanes alpha = load(g.alphas.data() + row * L + k * kEight), y = load(g.signs.data() + row * L + k * kEight);
    const Lanes f = (parts[0][k] + parts[1][k]) + (parts[2][k] + parts[3][k]);
    const Lanes slope = y * (f + load(g.bias + k * kEight)) - 1.0 + ridge * alpha;
    const WholeLanes least = alpha <= zero, most = alpha >= tops;
    const Lanes falls = slope < zero ? slope : zero, rises = slope > zero ? slope : zero;
    const Lanes open = least ? falls : (most ? rises : slope);
    out[k] =
        seen & ((least & (slope > load(g.keep_high + k * kEight))) | (most & (slope < load(g.keep_low + k * kEight))));
    const WholeLanes moves = seen & ~out[k];
    const Lanes high = load(g.high + k * kEight), low = load(g.low + k * kEight);
    store(g.high + k * kEight, (moves & (open > high)) ? open : high);
    store(g.low + k * kEight, (moves & (open < low)) ? open : low);
    Lanes then = alpha - slope * inverse;
    then = then < zero ? zero : then;
    then = then > tops ? tops : then;
    then = moves ? then : alpha;
    store(g.alphas.data() + row * L + k * kEight, then);
    pull[k] = y * (then - alpha);
    store(g.bias + k * kEight, load(g.bias + k * kEight) + g.aims.rho * pull[k]);
    any |= then != alpha;
  }
  std::int64_t moved = 0;
  for (std::size_t l = 0; l < kEight; ++l) moved |= any[l];
  if (moved) {
    for (at = begin; at < end; ++at) {
      double* place = weights + static_cast<std::size_t>(ids[at]) * L;
      const double v = values[at];
#pragma GCC unroll 3
      for (std::size_t k = 0; k < K; ++k) store(place + k * kEight, load(place + k * kEight) + v * pull[k]);
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
bool visit_one(Group& g, std::size_t row, std::size_t lane) {
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
  g.bias[lane] = g.bias[lane] + g.aims.rho * pull;
  for (at = begin; at < end; ++at) {
    double& w = weights[static_cast<std::size_t>(ids[at]) * g.width];
    w = w + values[at] * pull;
  }
  return false;
}

// Visits rows in an order, of which `n` are left.
template <std::size_t K>
[[gnu::always_inline]] inline void go_through(Group& g, const std::int32_t* order, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    const std::uint32_t machines = g.active[row] & g.working;
    if (!machines) continue;
    if (static_cast<std::size_t>(std::popcount(machines)) <= K) {
      for (std::uint32_t left = machines; left; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (visit_one(g, row, lane)) g.active[row] &= ~(1U << lane);
      }
    } else {
      g.active[row] &= ~visit<K>(g, row, machines);
    }
  }
}

using Through = void (*)(Group&, const std::int32_t*, std::size_t);

template <std::size_t K>
void go_plain(Group& g, const std::int32_t* order, std::size_t n) {
  go_through<K>(g, order, n);
}

#if defined(__x86_64__)
template <std::size_t K>
[[gnu::target("avx2")]] void go_wide(Group& g, const std::int32_t* order, std::size_t n) {
  go_through<K>(g, order, n);
}

template <std::size_t K>
[[gnu::target("avx512f,avx512dq")]] void go_widest(Group& g, const std::int32_t* order, std::size_t n) {
  go_through<K>(g, order, n);
}
#endif

Through best_through(std::size_t vectors) {
#if defined(__x86_64__)
  if (has_avx512()) {
    constexpr Through widest[] = {go_widest<1>, go_widest<2>, go_widest<3>};
    return widest[vectors - 1];
  }
  if (has_avx2()) {
    constexpr Through wide[] = {go_wide<1>, go_wide<2>, go_wide<3>};
    return wide[vectors - 1];
  }
#endif
  constexpr Through plain[] = {go_plain<1>, go_plain<2>, go_plain<3>};
  return plain[vectors - 1];
}

// The rows in the order of a pass (Fisher and Yates).
void draw_order(std::vector<std::int32_t>& order, std::uint64_t seed, std::size_t pass) {
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t state = mix_bits(seed + pass);
  for (std::size_t i = order.size(); i > 1; --i) {
    state += 0x9e3779b97f4a7c15;
    const auto other = static_cast<std::size_t>((static_cast<unsigned __int128>(mix_bits(state)) * i) >> 64);
    std::swap(order[i - 1], order[other]);
  }
}

// -- a group of machines -------------------------------------------------------------------------------------

Group group_of(const DescentRows& rows, std::span<const std::int8_t> signs, std::span<const double> bounds,
               const DescentAims& aims, std::size_t machines, std::span<const double> weights,
               std::span<const double> alphas, std::size_t first, std::size_t count) {
  const std::size_t n = bounds.size(), places = weights.size() / machines,
                    width = (count + kEight - 1) / kEight * kEight;
  Group g{rows, aims, first, count, width, {}, {}, {}, {}, {}, {}, {}};
  g.weights.resize(places * width);
  g.alphas.resize(n * width);
  g.signs.resize(n * width);
  g.active.resize(n);
  g.upper.resize(n);
  g.ridge.resize(n);
  g.inverse.resize(n);
  for (std::size_t p = 0; p < places; ++p) {
    std::copy_n(weights.data() + p * machines + first, count, g.weights.data() + p * width);
  }
  for (std::size_t row = 0; row < n; ++row) {
    std::copy_n(alphas.data() + row * machines + first, count, g.alphas.data() + row * width);
    for (std::size_t l = 0; l < count; ++l) g.signs[row * width + l] = signs[row * machines + first + l];
    g.upper[row] = aims.squared ? kInf : bounds[row];
    g.ridge[row] = aims.squared ? 0.5 / bounds[row] : 0.0;
    double square = aims.rho + g.ridge[row];
    for (auto at = static_cast<std::size_t>(rows.starts[row]); at < static_cast<std::size_t>(rows.starts[row + 1]);
         ++at) {
      square += rows.values[at] * rows.values[at];
    }
    g.inverse[row] = 1 / square;
  }
  g.working = count < 32 ? (1U << count) - 1 : ~0U;
  return g;
}

// All rows that a machine sees are visited again.
void wake(Group& g, std::size_t lane) {
  const std::uint32_t bit = 1U << lane;
  for (std::size_t row = 0; row < g.active.size(); ++row) {
    if (g.signs[row * g.width + lane] != 0 && g.upper[row] > 0) g.active[row] |= bit;
  }
  g.keep_high[lane] = kInf;
  g.keep_low[lane] = -kInf;
}

// Takes a group through its passes.
void settle(Group& g, std::span<double> offsets, std::span<std::int64_t> passes, const ThreadPool& crew, bool caller) {
  const Through through = best_through(g.width / kEight);
  std::vector<std::int32_t> order(g.active.size());
  double sums[kMostLanes];
  const auto balance = [&] {
    std::fill(sums, sums + g.width, 0.0);
    for (std::size_t row = 0; row < g.active.size(); ++row) {
      for (std::size_t l = 0; l < g.width; ++l) sums[l] += g.signs[row * g.width + l] * g.alphas[row * g.width + l];
    }
  };
  balance();
  std::uint32_t whole = g.working;  // machines that have left out no row since they began anew
  for (std::size_t l = 0; l < g.machines; ++l) {
    wake(g, l);
    g.bias[l] = offsets[l] + g.aims.rho * sums[l];
    passes[l] = static_cast<std::int64_t>(g.aims.most_passes) + 1;
  }
  for (std::size_t pass = 1; pass <= g.aims.most_passes && g.working; ++pass) {
    draw_order(order, g.aims.seed, pass);
    std::fill(g.high, g.high + kMostLanes, -kInf);
    std::fill(g.low, g.low + kMostLanes, kInf);
    for (std::size_t at = 0; at < order.size(); at += kEase) {
      if (crew.has_failed()) return;
      if (caller) crew.check_interrupt();
      through(g, order.data() + at, std::min(kEase, order.size() - at));
    }
    balance();
    for (std::size_t l = 0; l < g.machines; ++l) {
      const std::uint32_t bit = 1U << l;
      if (!(g.working & bit)) continue;
      const double shift = g.aims.rho * sums[l];
      offsets[l] += shift;
      g.bias[l] = offsets[l] + shift;
      const bool near = g.high[l] - g.low[l] <= g.aims.tolerance || g.high[l] < g.low[l];
      if (near && std::abs(shift) <= g.aims.tolerance) {
        if (whole & bit) {
          g.working &= ~bit;
          passes[l] = static_cast<std::int64_t>(pass);
          continue;
        }
        wake(g, l);
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

std::vector<std::int64_t> linear_descent(const DescentRows& rows, std::span<const std::int8_t> signs,
                                         std::span<const double> bounds, const DescentAims& aims, std::size_t machines,
                                         std::span<double> weights, std::span<double> alphas, std::span<double> offsets,
                                         ThreadPool& crew) {
  const std::size_t places = weights.size() / machines;
  const std::size_t fewest = (machines + kMostLanes - 1) / kMostLanes, members = crew.size();
  const std::size_t groups = std::min(machines, (fewest + members - 1) / members * members);
  std::vector<std::int64_t> passes(machines);
  crew.parallel_for(groups, [&](std::size_t number, std::size_t member) {
    const std::size_t first = number * machines / groups, count = (number + 1) * machines / groups - first;
    Group g = group_of(rows, signs, bounds, aims, machines, weights, alphas, first, count);
    settle(g, offsets.subspan(first, count), std::span(passes).subspan(first, count), crew, member == 0);
    for (std::size_t p = 0; p < places; ++p) {
      std::copy_n(g.weights.data() + p * g.width, count, weights.data() + p * machines + first);
    }
    for (std::size_t row = 0; row < bounds.size(); ++row) {
      std::copy_n(g.alphas.data() + row * g.width, count, alphas.data() + row * machines + first);
    }
  });
  return passes;
}

}  // namespace hedgerow

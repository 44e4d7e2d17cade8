#include "linear/online_updates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/target_avx2.hpp"
#include "linear/online_losses.hpp"
#include "linear/online_parallel.hpp"

namespace hedgerow {
namespace {

using online::LazyRegularization;
using online::OnlineLossFunction;
using online::RowEntryReader;
using online::SlotEntry;

constexpr std::size_t kPrefetchDistance = 16;  // entries whose cells are fetched beforehand
constexpr std::size_t kRowsPerCheck = 4096;    // rows between two looks at the clock
using online::kMaxPrediction;

// The walks along a row. They are compiled for one function and for any number of them, side by side in lanes.
struct RowCells {
  std::span<const SlotEntry> row;
  float* cells;
  std::size_t stride, n;
};

void prefetch_cells(const RowCells& cells, std::size_t i) {
  if (i + kPrefetchDistance >= cells.row.size()) return;
  const float* const cell = cells.cells + cells.row[i + kPrefetchDistance].cell;
  for (std::size_t j = 0; j < cells.stride; j += 16) __builtin_prefetch(cell + j, 1);
}

// Takes the size of x into account; returns (x / s)^2.
[[gnu::always_inline]] inline double update_scale(float* cell, float x, std::size_t n, double power) {
  float& s = cell[2 * n];
  const float size = std::abs(x);
  if (size > s) {
    if (s > 0) {
      const float shrunk = power == 0.5 ? s / size : static_cast<float>(std::pow(s / size, 2 - 2 * power));
      for (std::size_t f = 0; f < n; ++f) cell[f] *= shrunk;
    }
    s = size;
  }
  const double share = x / s;
  return share * share;
}

template <std::size_t One>
[[gnu::always_inline]] inline double predict_cells(const RowCells& cells, bool normal, double power,
                                                   float* __restrict p) {
  const std::size_t n = One ? One : cells.n;
  double spread = 0;
  for (std::size_t i = 0; i < cells.row.size(); ++i) {
    prefetch_cells(cells, i);
    const float x = cells.row[i].x;
    float* const __restrict cell = cells.cells + cells.row[i].cell;
    if (normal) spread += update_scale(cell, x, n, power);
    for (std::size_t f = 0; f < n; ++f) p[f] += cell[f] * x;
  }
  return spread;
}

// The rate where `now` is positive, else 0; without a branch, which would keep it from being taken side by side.
[[gnu::always_inline]] inline float positive_only(float rate, float now) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rate) & (0 - static_cast<std::uint32_t>(now > 0)));
}

// G += gains x^2; rates = 1 / (s sqrt(G)), 0 where G is; q += x^2 rates. Returns the sum of x^2.
template <std::size_t One>
[[gnu::always_inline]] inline double adapt_cells(const RowCells& cells, bool normal, const float* __restrict gains,
                                                 float* __restrict rates, float* __restrict q) {
  const std::size_t n = One ? One : cells.n;
  double size = 0;
  for (const auto& [at, x] : cells.row) {
    float* const __restrict cell = cells.cells + at;
    const float square = x * x, own = normal ? 1 / cell[2 * n] : 1.0f;
    for (std::size_t f = 0; f < n; ++f) {
      const float now = cell[n + f] + gains[f] * square;
      const float rate = positive_only(own / std::sqrt(now), now);
      cell[n + f] = now;
      rates[f] = rate;
      q[f] += square * rate;
    }
    rates += n;
    size += square;
  }
  return size;
}

template <std::size_t One>
[[gnu::always_inline]] inline void move_cells(const RowCells& cells, const float* __restrict u,
                                              const float* __restrict rates) {
  const std::size_t n = One ? One : cells.n;
  for (const auto& [at, x] : cells.row) {
    float* const __restrict cell = cells.cells + at;
    for (std::size_t f = 0; f < n; ++f) cell[f] += u[f] * rates[f] * x;
    rates += n;
  }
}

HEDGEROW_AVX2_CLONES double predict_row(const RowCells& cells, bool normal, double power, float* p) {
  return cells.n == 1 ? predict_cells<1>(cells, normal, power, p) : predict_cells<0>(cells, normal, power, p);
}

HEDGEROW_AVX2_CLONES double adapt_row(const RowCells& cells, bool normal, const float* gains, float* rates, float* q) {
  return cells.n == 1 ? adapt_cells<1>(cells, normal, gains, rates, q) : adapt_cells<0>(cells, normal, gains, rates, q);
}

HEDGEROW_AVX2_CLONES void move_row(const RowCells& cells, const float* u, const float* rates) {
  cells.n == 1 ? move_cells<1>(cells, u, rates) : move_cells<0>(cells, u, rates);
}

class OnlineLearner {
 public:
  OnlineLearner(const OnlineRule& rule, OnlineCells cells, OnlineSums& sums)
      : rule_(rule),
        loss_{rule},
        cells_(cells),
        sums_(sums),
        n_(cells.functions),
        regularization_(rule, n_),
        p_(n_),
        gains_(n_),
        u_(n_),
        q_(n_) {
    power_ = rule.adaptive ? rule.power : 0.0;
  }

  // p of a row; its slots catch up and learn the scale of x first.
  void predict(std::span<const SlotEntry> row, double* predictions, double& spread) {
    std::fill(p_.begin(), p_.end(), 0.0f);
    catch_up(row);
    spread = predict_row(row_cells(row), rule_.normal, power_, p_.data());
    std::copy(p_.begin(), p_.end(), predictions);
  }

  // Learns a row that was predicted; function f has the target target(f).
  template <typename Target>
  void learn(std::span<const SlotEntry> row, double h, const double* predictions, double spread, Target&& target) {
    sums_.t += h;
    sums_.n += h * spread;
    const double base = rule_.adaptive ? rule_.rate : rule_.rate * std::pow(sums_.t, -rule_.power);
    const double eta = rule_.normal && sums_.n > 0 ? base * std::pow(sums_.t / sums_.n, 1 - power_) : base;
    bool some = false;
    for (std::size_t f = 0; f < n_; ++f) {
      const double slope = loss_.slope(predictions[f], target(f));
      gains_[f] = static_cast<float>(h * slope * slope);
      some |= slope != 0;
    }
    if (some) {
      fit_rates(row);
      for (std::size_t f = 0; f < n_; ++f)
        u_[f] = static_cast<float>(loss_.step(predictions[f], target(f), eta * h, q_[f]));
      move_row(row_cells(row), u_.data(), rates_.data());
    }
    sums_.shrunk += eta * h;
  }

 private:
  RowCells row_cells(std::span<const SlotEntry> row) const { return {row, cells_.cells.data(), cells_.stride, n_}; }

  void catch_up(std::span<const SlotEntry> row) {
    if (cells_.shrunk_before.empty()) return;
    for (const auto& [at, x] : row) {
      float* const cell = cells_.cells.data() + at;
      double& shrunk_before = cells_.shrunk_before[at / cells_.stride];
      const double more = sums_.shrunk - shrunk_before;
      if (at != 0 && more > 0) {
        for (std::size_t f = 0; f < n_; ++f) cell[f] = regularization_(cell, f, more);
      }
      shrunk_before = sums_.shrunk;
    }
  }

  // G, r and q of all entries.
  void fit_rates(std::span<const SlotEntry> row) {
    if (rates_.size() < row.size() * n_) rates_.resize(row.size() * n_ * 2);
    std::fill(q_.begin(), q_.end(), 0.0f);
    sums_.largest = std::max(sums_.largest, compute_rates(row));
  }

  double compute_rates(std::span<const SlotEntry> row) {
    if (rule_.adaptive && rule_.power == 0.5) {
      return adapt_row(row_cells(row), rule_.normal, gains_.data(), rates_.data(), q_.data());
    }
    double size = 0;
    float* rates = rates_.data();
    for (const auto& [at, x] : row) {
      float* const cell = cells_.cells.data() + at;
      const float square = x * x, s = rule_.normal ? cell[2 * n_] : 1.0f;
      const auto own = static_cast<float>(std::pow(s, 2 * power_ - 2));
      for (std::size_t f = 0; f < n_; ++f) {
        float& g = cell[n_ + f];
        g += rule_.adaptive ? gains_[f] * square : 0.0f;
        rates[f] = !rule_.adaptive ? own : g > 0 ? own * static_cast<float>(std::pow(g, -power_)) : 0.0f;
        q_[f] += square * rates[f];
      }
      rates += n_;
      size += square;
    }
    return size;
  }

  const OnlineRule& rule_;
  OnlineLossFunction loss_;
  OnlineCells cells_;
  OnlineSums& sums_;
  std::size_t n_;
  LazyRegularization regularization_;
  double power_;  // a
  std::vector<float> p_, gains_, u_, q_, rates_;
};

}  // namespace

std::size_t learn_online(const OnlineRule& rule, const SlotColumns& rows, std::span<const std::int64_t> order,
                         std::span<const double> target, std::span<const std::int32_t> codes,
                         std::span<const std::int32_t> classes, std::span<const double> weight, OnlineCells cells,
                         OnlineSums& sums, std::span<double> predictions, std::size_t threads,
                         const std::function<void()>& pause) {
  if (rule.delay)
    return learn_with_delay(rule, rows, order, target, codes, classes, weight, cells, sums, predictions, threads,
                            pause);
  const RowEntryReader reader(rows, cells.stride);
  OnlineLearner online(rule, cells, sums);
  const std::size_t n = cells.functions;
  std::vector<SlotEntry> entries;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    double* const p = predictions.data() + i * n;
    double spread = 0;
    entries.clear();
    reader.read(row, entries);
    online.predict(entries, p, spread);
    for (std::size_t f = 0; f < n; ++f) {
      if (!(std::abs(p[f]) < kMaxPrediction)) return i;
    }
    const double h = weight.empty() ? 1.0 : weight[row];
    if (classes.empty()) {
      online.learn(entries, h, p, spread, [&](std::size_t) { return target[row]; });
    } else {
      online.learn(entries, h, p, spread, [&](std::size_t f) { return codes[row] == classes[f] ? 1.0 : -1.0; });
    }
    if (i % kRowsPerCheck == 0 && pause) pause();
  }
  return order.size();
}

void predict_online(const OnlineRule& rule, const SlotColumns& rows, std::size_t n_rows, const OnlineCells& cells,
                    const OnlineSums& sums, std::span<double> predictions) {
  const LazyRegularization regularization(rule, cells.functions);
  const RowEntryReader reader(rows, cells.stride);
  const std::size_t n = cells.functions;
  std::vector<SlotEntry> entries;
  for (std::size_t row = 0; row < n_rows; ++row) {
    entries.clear();
    reader.read(row, entries);
    double* const p = predictions.data() + row * n;
    std::fill(p, p + n, 0.0);
    for (const auto& [at, x] : entries) {
      const float* const cell = cells.cells.data() + at;
      const double more =
          cells.shrunk_before.empty() || at == 0 ? 0.0 : sums.shrunk - cells.shrunk_before[at / cells.stride];
      for (std::size_t f = 0; f < n; ++f) {
        p[f] += static_cast<double>(more > 0 ? regularization(cell, f, more) : cell[f]) * static_cast<double>(x);
      }
    }
  }
}

void finish_online(const OnlineRule& rule, OnlineCells cells, const OnlineSums& sums) {
  const LazyRegularization regularization(rule, cells.functions);
  for (std::size_t slot = 0; slot < cells.shrunk_before.size(); ++slot) {
    float* const cell = cells.cells.data() + slot * cells.stride;
    const double more = sums.shrunk - cells.shrunk_before[slot];
    for (std::size_t f = 0; slot && more > 0 && f < cells.functions; ++f) cell[f] = regularization(cell, f, more);
    cells.shrunk_before[slot] = sums.shrunk;
  }
}

}  // namespace hedgerow

// What the ways of learning online share: the entries of rows, regularisation and losses. See online_updates.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/online_updates.hpp"

namespace hedgerow::online {

constexpr double kMaxPrediction = 1e30;  // a prediction of that size is none

struct SlotEntry {
  std::size_t cell;  // of the cell
  float x;
};

// The entries of one row after the other.
class RowEntryReader {
 public:
  RowEntryReader(const SlotColumns& rows, std::size_t stride) : rows_(rows), stride_(stride) {}

  // Adds the entries of a row to `out`.
  void read(std::size_t row, std::vector<SlotEntry>& out) const {
    out.push_back({0, 1.0f});
    for (const auto& column : rows_.numbers) {
      const double x = column.values[row];
      if (std::isnan(x)) {
        add(column.missing_slot, 1.0, out);
      } else {
        add(column.slot, x - column.center, out);
      }
    }
    for (const auto& column : rows_.levels) {
      const auto code = column.codes[row];
      add(code < 0 ? column.slots.back() : column.slots[static_cast<std::size_t>(code)], 1.0, out);
    }
    for (const auto& part : rows_.entries) {
      const auto from = static_cast<std::size_t>(part.starts[row]), to = static_cast<std::size_t>(part.starts[row + 1]);
      const auto before = out.size();
      out.resize(before + (to - from));
      auto* next = out.data() + before;
      for (auto e = from; e < to; ++e) {
        const auto id = static_cast<std::uint32_t>(part.ids[e]);
        const auto value = static_cast<float>(part.values[e]);
        *next = {(1 + static_cast<std::size_t>((id + part.base) & part.mask)) * stride_, value};
        next += value != 0;
      }
      out.resize(static_cast<std::size_t>(next - out.data()));
    }
  }

 private:
  void add(std::int64_t slot, double x, std::vector<SlotEntry>& out) const {
    const auto value = static_cast<float>(x);
    if (slot >= 0 && value != 0) out.push_back({static_cast<std::size_t>(slot) * stride_, value});
  }

  const SlotColumns& rows_;
  std::size_t stride_;
};

// Coefficients that catch up with regularisation.
class LazyRegularization {
 public:
  LazyRegularization(const OnlineRule& rule, std::size_t functions)
      : rule_(rule), n_(functions), power_(rule.adaptive ? rule.power : 0.0) {}

  // What the coefficient of function f has become while E grew by `growth`.
  float operator()(const float* cell, std::size_t f, double growth) const {
    const double w = cell[f];
    if (w == 0) return 0;
    const double pending = rate(cell, f) * growth, size = std::abs(w);
    const double decrease =
        rule_.l2 > 0 ? (size + rule_.l1 / rule_.l2) * std::expm1(-rule_.l2 * pending) : -rule_.l1 * pending;
    return size + decrease > 0 ? static_cast<float>(std::copysign(size + decrease, w)) : 0.0f;
  }

 private:
  // r
  double rate(const float* cell, std::size_t f) const {
    const double s = rule_.normal ? cell[2 * n_] : 1.0;
    if (!rule_.adaptive) return 1 / (s * s);
    const double g = cell[n_ + f];
    return g > 0 ? std::pow(g, -power_) * std::pow(s, 2 * power_ - 2) : 0.0;
  }

  const OnlineRule& rule_;
  std::size_t n_;
  double power_;
};

// The z of z + e^z = c, from any start that is below it; Newton's method comes down to it from above after one step.
inline double solve_logistic_step(double start, double c) {
  double z = start;
  const double maximum = c > 1 ? std::log(c) : c;
  for (int i = 0; i < 30; ++i) {
    const double e = std::exp(z), next = std::min(z - (z + e - c) / (1 + e), maximum);
    if (std::abs(next - z) <= 1e-12 * (1 + std::abs(z))) return next;
    z = next;
  }
  return z;
}

struct OnlineLossFunction {
  const OnlineRule& rule;

  double slope(double p, double y) const {
    switch (rule.loss) {
      case OnlineLoss::squared:
        return 2 * (p - y);
      case OnlineLoss::logistic:
        return -y / (1 + std::exp(y * p));
      case OnlineLoss::hinge:
        return y * p < 1 ? -y : 0.0;
      default:
        return p == y ? 0.0 : p < y ? -rule.tau : 1 - rule.tau;
    }
  }

  // u for a step of eta h; see above.
  double step(double p, double y, double eta_h, double q) const {
    if (!rule.invariant || !(q > 0)) return -eta_h * slope(p, y);
    switch (rule.loss) {
      case OnlineLoss::squared:
        return -(y - p) * std::expm1(-2 * eta_h * q) / q;
      case OnlineLoss::logistic: {
        const double z = y * p;
        if (z > 500) return 0;
        return y * (solve_logistic_step(z, z + std::exp(z) + eta_h * q) - z) / q;
      }
      case OnlineLoss::hinge:
        return y * p < 1 ? y * std::min(eta_h, (1 - y * p) / q) : 0.0;
      default: {
        if (p == y) return 0;
        return p < y ? std::min(eta_h * rule.tau, (y - p) / q) : -std::min(eta_h * (1 - rule.tau), (p - y) / q);
      }
    }
  }
};

}  // namespace hedgerow::online

// Learning a linear function one row at a time.
//
// A row has entries (slot, x), a weight h and a target y; a function has a coefficient w of every slot and says
// p = sum w x. Several functions (one a class) lie side by side in a slot's cell, so that one walk along a row serves
// all: a cell is [w of every function | G of every function | s], floats, padded to `stride`. For each row:
//
//   s = max(s, |x|), and where it grows w is multiplied by (s before / s)^(2 - 2a)           (normalised)
//   p = sum w x; the loss at p counts (progressive validation); t += h; N += h sum (x / s)^2
//   G += h (l'(p) x)^2                                                                        (adaptive)
//   r = G^-a s^(2a - 2), eta = rate (t / N)^(1 - a); where not adaptive a = 0 and eta is times t^-power
//   w += u r x, where u = -eta h l'(p), or (invariant) what it comes to if the row is learned in infinitely many,
//   infinitely small parts of its weight: with q = sum x^2 r, the solution of dp/dh = -eta q l'(p), p(0) = p:
//     squared  l = (p - y)^2                    u q = (y - p) (1 - exp(-2 eta h q))
//     logistic l = ln(1 + exp(-y p)), y = -1, 1    z + e^z = y p + e^(y p) + eta h q,  u q = y (z - y p)
//     hinge    l = max(0, 1 - y p)              u = y min(eta h, (1 - y p) / q) if y p < 1
//     quantile l = tau max(0, y - p) + (1 - tau) max(0, p - y)    u q goes no further than to y
//
// Regularisation goes on in infinitely small parts too: while the sum E of eta h grows, d|w| / dE = -r (l1 + l2 |w|),
// until w is 0. So after E has grown by e, |w| is max(0, |w| f - (1 - f) l1 / l2) with f = exp(-l2 r e), or |w| - l1 r
// e without l2, at whatever times that is computed. It is done lazily: a row's own slots first catch up with what is
// pending, as r changes only where a slot is in a row. `shrunk_before` holds the E that each slot has caught up with.
// The constant is not shrunk. This makes the mean of l + l1 |w| + l2 w^2 / 2 small. With a delay it is done in blocks
// of rows: see online_parallel.hpp.
//
// J. Duchi, E. Hazan, Y. Singer, Adaptive subgradient methods. JMLR 12 (2011); S. Ross, P. Mineiro, J. Langford,
// Normalized online learning. UAI (2013); N. Karampatziakis, J. Langford, Online importance weight aware updates. UAI
// (2011); J. Langford, L. Li, T. Zhang, Sparse online learning via truncated gradient. JMLR 10 (2009); B. Carpenter,
// Lazy sparse stochastic gradient descent for regularized multinomial logistic regression (2008); J. Langford, A.
// Smola, M. Zinkevich, Slow learners are fast. NIPS (2009). Cost: three passes over the entries of a row, times
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hedgerow {

enum class OnlineLoss { squared, logistic, hinge, quantile };

struct OnlineRule {
  OnlineLoss loss = OnlineLoss::squared;
  double tau = 0.5;
  double rate = 0.5;
  double power = 0.5;  // of G where adaptive, of t otherwise
  bool adaptive = true, normal = true, invariant = true;
  double l1 = 0, l2 = 0;
  std::size_t delay = 0;
};

// Columns of a table, and what becomes of them. A slot of -1 is none. Slot 0 is the constant.
struct SlotNumberColumn {
  const double* values;
  double center;                    // taken off
  std::int32_t slot, missing_slot;  // gap: of missing numbers
};
struct SlotLevelColumn {
  const std::int32_t* codes;
  std::span<const std::int32_t> slots;  // by code; the last is of missing levels
};
struct SlotSparseColumn {  // sparse rows
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  const double* values;
  std::uint32_t base, mask;  // an id's slot is 1 + ((id + base) & mask)
};
struct SlotColumns {
  std::vector<SlotNumberColumn> numbers;
  std::vector<SlotLevelColumn> levels;
  std::vector<SlotSparseColumn> entries;
};

// What changes while rows are learned, beside the cells.
struct OnlineSums {
  double t = 0, n = 0;  // weight of the rows; N
  double shrunk = 0;    // E
  double largest = 0;   // sum x^2 of a row
};

struct OnlineCells {
  std::span<float> cells;
  std::span<double> shrunk_before;  // the E of every slot; empty without regularisation
  std::size_t functions, stride;
};

// The stride of cells of so many functions.
constexpr std::size_t online_stride(std::size_t functions) { return (2 * functions + 1 + 3) / 4 * 4; }

// Learns rows in the given order. `target` are numbers, or where `classes` is not empty codes: function f is told 1 of
// the code classes[f] and -1 of all others. Writes the prediction of every row and function before it was learned, in
// the order of the rows as they are learned. Returns how many rows were learned: fewer if a prediction was no number.
// Only delayed learning makes use of several threads; the answer is the same for any number of them.
std::size_t learn_online(const OnlineRule& rule, const SlotColumns& rows, std::span<const std::int64_t> order,
                         std::span<const double> target, std::span<const std::int32_t> codes,
                         std::span<const std::int32_t> classes, std::span<const double> weight, OnlineCells cells,
                         OnlineSums& sums, std::span<double> predictions, std::size_t threads,
                         const std::function<void()>& pause);

// The predictions of all rows, learning nothing.
void predict_online(const OnlineRule& rule, const SlotColumns& rows, std::size_t n_rows, const OnlineCells& cells,
                    const OnlineSums& sums, std::span<double> predictions);

// Lets all slots catch up with regularisation.
void finish_online(const OnlineRule& rule, OnlineCells cells, const OnlineSums& sums);

}  // namespace hedgerow

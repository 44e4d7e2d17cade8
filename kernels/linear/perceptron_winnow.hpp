// Learning from mistakes, one row after the other: the perceptron and Winnow, plain, averaged, or with a pocket.
//
// A pass shows every row once, in the given order; a row on which the linear functions are right changes nothing.
// Perceptron (Rosenblatt 1958): of two classes one function, which says "first class" where its sum is above 0; a
// mistaken row is added to its coefficients (first class) or subtracted. Of more classes a function each, the largest
// sum decides and the first of equal ones; a mistaken row is added to its own class and subtracted from the one that
// was said (Duda and Hart 1973). Winnow (Littlestone 1988): rows are sets of features; a function says "its class"
// where the sum of its weights at these features is above theta; a mistake multiplies them by alpha (its class) or
// divides them. Balanced: a weight is plus minus minus; what multiplies plus divides minus. Of two classes one
// function, of more a function each, all for themselves. A weight is start * alpha^e, and the exponents e are what is
// kept, so that nothing is lost by rounding. Weights of rows: a row of weight w is shown up to w times in a row, until
// it is right, the last time with a step in proportion to what is left of w: the same as repeated rows. At most
// `kMaxShown` times.
// Averaged (Freund and Schapire 1999): `sums` adds up the coefficients after every row that was shown. Kept lazily:
// perceptron: average = coefficients - sums / shown; Winnow: see winnow_average.
// Pocket (Gallant 1990, with ratchet): mistakes are counted, up to as many as the pocket has, when a run of right rows
// ends that is longer than any before, and at the end of a pass; the coefficients with fewest mistakes are kept. In a
// pass no more than 20000 rows are looked at for that at any ends of runs, and then as many as there are at those of
// longer ones: of large tables not all longer runs are looked into, so that a pass costs at most three of a perceptron
// without pocket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"
#include "linear/design_rows.hpp"

namespace hedgerow {

inline constexpr int kMaxShown = 1000;  // times that a heavy row is shown in a pass

// How far learning is.
struct MistakeProgress {
  double weight_shown = 0;         // weight of all rows so far
  double correct_run = 0;          // weight of rows since the last mistake
  double longest_checked_run = 0;  // run that was looked into
  double pocket_mistakes = -1;     // weight of mistakes of the pocket; below 0: it is empty
};

// What rows there are besides their values: classes, weights (empty: 1) and the order in which they come (empty:
// theirs).
struct LabeledRows {
  std::span<const std::int32_t> label;
  std::size_t classes = 2;
  std::span<const double> weight;
  std::span<const std::int64_t> order;
};

// One pass; returns the number of rows that were mistaken. `sums` and `pocket` are as large as `coefficients`, or empty
// if there is no average or pocket. `pause` is called now and then.
std::size_t run_perceptron_pass(const DenseDesignRows& rows, const LabeledRows& labeled, std::span<double> coefficients,
                                std::span<double> sums, std::span<double> pocket, MistakeProgress& progress,
                                const InterruptCheck& pause);
std::size_t run_perceptron_pass(const SparseDesignRows& rows, const LabeledRows& labeled,
                                std::span<double> coefficients, std::span<double> sums, std::span<double> pocket,
                                MistakeProgress& progress, const InterruptCheck& pause);

// Places of row i: ids[starts[i]] to ids[starts[i + 1]].
struct FeatureSets {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  std::size_t rows = 0;
};

struct WinnowOptions {
  double alpha = 2, theta = 1, start = 1;
  bool balanced = false;
};

// Likewise. `exponents` lie feature by feature, one a function; `sums` and `last_changed` (when a weight was last
// changed) are for the average: of a weight it is (sum + weight * (shown - since)) / shown.
std::size_t run_winnow_pass(const FeatureSets& rows, const LabeledRows& labeled, const WinnowOptions& rule,
                            std::span<double> exponents, std::span<double> sums, std::span<double> last_changed,
                            std::span<double> pocket, MistakeProgress& progress, const InterruptCheck& pause);

// start * alpha^e, or with a balanced rule start * (alpha^e - alpha^-e).
double compute_winnow_weight(const WinnowOptions& rule, double exponent);

}  // namespace hedgerow

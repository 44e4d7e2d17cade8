// Locally weighted least squares: for every query a fit of its own to the rows around it, the near ones weighing most.
//
// A row at distance d weighs, beside its own weight and up to a factor that all rows share, with the bandwidth h
//   RECIPROCAL  1 / (d/h + 1)
//   GAUSSIAN    exp(-d²/(2 h²))
//   TRICUBE     (1 - (d/h)³)³ up to h, 0 beyond
// Weights below 1e-16 of the largest are left out: all together they are less than rows * 1e-16 of it.
// With `neighbors` only the nearest rows count, whose weights make up so much, and all that are as near as the last of
// them; h is then the bandwidth times the distance of that last one. Weights are taken relative to that of the nearest
// row, so that none underflows however far a query is; where all are 0 (TRICUBE), the nearest rows weigh 1.
//
// The fit minimises the weighted mean of the squared errors, plus `ridge` times the squares of slope times deviation
// (that of the place among the rows that count), by Cholesky on centered features; a feature that depends on those
// before it has the slope 0. All targets share the solution.
// Fewer rows than features, with a ridge, are solved for by the products of the rows instead, which gives the same
// slopes. The same for any number of threads. With m rows counted and n features O(m n² + n³) time a query and
// bandwidth, or O(m² n + m³) if m < n.
//
// After W. S. Cleveland, S. J. Devlin, Locally weighted regression. Journal of the ASA 83 (1988); C. G. Atkeson,
// A. W. Moore, S. Schaal, Locally weighted learning. Artificial Intelligence Review 11 (1997).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"
#include "neighbors/search_tree.hpp"

namespace hedgerow {

enum class LocalWeight { RECIPROCAL, GAUSSIAN, TRICUBE };

// Rows, one for every place in the blocks of the tree; those of empty places do not count.
struct LocalTrainingRows {
  SearchTree tree;
  std::span<const double> features;  // (row, feature), centered; without features the fit is a weighted mean
  std::span<const double> targets;   // (row, target), centered
  std::span<const double> weights;   // positive; none: every row weighs 1
  std::size_t n_features, n_targets;
};

struct LocalFitOptions {
  LocalWeight weight;
  std::span<const double> bandwidths;  // positive
  double neighbors;                    // 0: all rows count
  double ridge;
};

struct LocalQueries {
  MixedRows rows;
  std::span<const double> features;             // (query, feature)
  std::span<const std::int32_t> excluded_rows;  // a row of which a weight of 1 does not count; -1 is none; may be empty
};

struct LocalFits {
  std::span<double> values;  // (query, bandwidth, target); NaN where no row is left
  std::span<double> slopes;  // (query, target, feature), of a single bandwidth; may be empty
  std::span<double> means;   // (query, feature then target): the weighted means of the rows, of a single bandwidth
};

void fit_local_models(const LocalTrainingRows& rows, const LocalFitOptions& options, const LocalQueries& queries,
                      const LocalFits& out, ThreadPool& pool);

}  // namespace hedgerow

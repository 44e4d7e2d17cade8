// The nearest centers of rows, panel by panel: in single precision, where that does not decide by products of doubles,
// and where these do not, by squared differences. What is found is always what squared differences would tell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clusters/kmeans.hpp"
#include "clusters/kmeans_distances.hpp"
#include "clusters/kmeans_products.hpp"
#include "clusters/kmeans_single_precision.hpp"
#include "core/simd_vectors.hpp"

namespace hedgerow {

// What a pass has to know of the centers.
struct PreparedCenters {
  SingleFrame frame;
  SingleCenters single;
  CenterProducts products;
  bool uses_single = false;

  explicit PreparedCenters(const PointRows& rows) : frame(rows) {}

  void prepare(const KMeansState& state) {
    products.prepare(state.centers, state.rows.width);
    uses_single = state.rows.width <= kMaxSingleFeatures && single.prepare(state.centers, frame);
  }
};

class MixedPrecisionScan {
 public:
  MixedPrecisionScan(const KMeansState& state, const PreparedCenters& prepared)
      : rows_(state.rows),
        centers_(prepared),
        slack_(state.slack),
        single_panel_(rows_.width),
        panel_(rows_.width * kPointsPerPanel) {}

  // Finds the two nearest of `centers` centers that are listed, or of all if `list` is null, for up to 16 rows. Calls
  // given(row, nearest, near, other): its distance is at most `near`, that of any other at least `other`.
  template <class Report>
  void scan(const std::int32_t* rows, std::size_t n, const std::int32_t* list, std::size_t centers, Report& report) {
    if (!centers_.uses_single) {
      scan_doubles(rows, n, list, centers, report);
      return;
    }
    fill_single_panel(n, centers_.frame, single_panel_.data(), [&](std::size_t p) { return row(rows[p]); });
    SingleTwoNearest two;
    const std::uint32_t unsure = centers_.single.scan(single_panel_.data(), list, centers, two);
    resolve_single(two, unsure, rows, n, list, centers, report);
  }

  // The same of rows that have been scanned in single precision.
  template <class Report>
  void resolve_single(const SingleTwoNearest& two, std::uint32_t unsure, const std::int32_t* rows, std::size_t n,
                      const std::int32_t* list, std::size_t centers, Report& report) {
    const double unit = 1 / centers_.frame.factor;
    std::int32_t later[kSinglePoints];
    std::size_t waiting = 0;
    for (std::size_t p = 0; p < n; ++p) {
      if (unsure >> p & 1)
        later[waiting++] = rows[p];
      else
        report(rows[p], two.which[p], two.first.values[p] * unit, two.second.values[p] * unit);
    }
    scan_doubles(later, waiting, list, centers, report);
  }

 private:
  const double* row(std::int32_t number) const { return rows_.row(static_cast<std::size_t>(number)); }

  template <class Report>
  void scan_doubles(const std::int32_t* rows, std::size_t n, const std::int32_t* list, std::size_t centers,
                    Report& report) {
    const double more = 1 + slack_, less = 1 - slack_;
    for (; n; rows += std::min(kPointsPerPanel, n), n -= std::min(kPointsPerPanel, n)) {
      const std::size_t some = std::min(kPointsPerPanel, n);
      fill_panel(some, rows_.width, panel_.data(), [&](std::size_t p) { return row(rows[p]); });
      TwoNearestOfPanel two;
      centers_.products.scan(panel_.data(), list, centers, slack_, two);
      for (std::size_t p = 0; p < some; ++p)
        report(rows[p], static_cast<std::int32_t>(two.which[p]), std::sqrt(two.first[p]) * more,
               std::sqrt(two.second[p]) * less);
    }
  }

  const PointRows& rows_;
  const PreparedCenters& centers_;
  double slack_;
  std::vector<SixteenFloats> single_panel_;
  AlignedDoubles panel_;
};

// Gives a row to a cluster; returns whether it was another's.
inline bool assign_row(KMeansState& state, ClusterSums& sums, std::size_t row, std::int32_t to) {
  const std::int32_t from = state.labels[row];
  if (from == to) return false;
  const double *values = state.rows.row(row), weight = state.rows.weight(row);
  if (from >= 0) sums.add(static_cast<std::size_t>(from), values, weight, -1.0);
  sums.add(static_cast<std::size_t>(to), values, weight, 1.0);
  state.labels[row] = to;
  return true;
}

// Calls for the 16 rows of a list from `at` on, so that they are in the cache when it is their turn. Inlined, as
// compilers take a function that only fetches for one that does nothing.
[[gnu::always_inline]] inline void prefetch_rows(const PointRows& rows, const std::vector<std::int32_t>& list,
                                                 std::size_t at) {
  constexpr std::size_t line = 64 / sizeof(double), maximum = 8 * line;
  for (const std::size_t end = std::min(list.size(), at + kSinglePoints); at < end; ++at) {
    const double* row = rows.row(static_cast<std::size_t>(list[at]));
    for (std::size_t d = 0; d < std::min(rows.width, maximum); d += line) __builtin_prefetch(row + d);
    __builtin_prefetch(row + rows.width - 1);
  }
}

// Whether a thread may go on with the row at `at`; looks at the clock now and then.
inline bool may_continue(const KMeansState& state, std::size_t thread, std::size_t at) {
  constexpr std::size_t rows_between = 2048;
  if (at % rows_between >= kSinglePoints) return true;
  if (thread == 0) state.pool.check_interrupt();
  return !state.pool.has_failed();
}

}  // namespace hedgerow

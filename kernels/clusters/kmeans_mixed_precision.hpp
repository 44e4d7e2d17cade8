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
struct CentersSeen {
  ThinFrame frame;
  ThinCenters thin;
  CenterProducts products;
  bool is_thin = false;

  explicit CentersSeen(const PointRows& rows) : frame(rows) {}

  void make(const KMeansState& state) {
    products.make(state.centers, state.rows.width);
    is_thin = state.rows.width <= kMostThin && thin.make(state.centers, frame);
  }
};

class TierScan {
 public:
  TierScan(const KMeansState& state, const CentersSeen& seen)
      : rows_(state.rows), seen_(seen), slack_(state.slack), thin_(rows_.width), panel_(rows_.width * kPoints) {}

  // Finds the two nearest of `centers` centers that are listed, or of all if `list` is null, for up to 16 rows. Calls
  // given(row, nearest, near, other): its distance is at most `near`, that of any other at least `other`.
  template <class Given>
  void scan(const std::int32_t* rows, std::size_t n, const std::int32_t* list, std::size_t centers, Given& given) {
    if (!seen_.is_thin) {
      by_doubles(rows, n, list, centers, given);
      return;
    }
    fill_thin(n, seen_.frame, thin_.data(), [&](std::size_t p) { return row(rows[p]); });
    ThinLeast two;
    const std::uint32_t unsure = seen_.thin.scan(thin_.data(), list, centers, two);
    scanned(two, unsure, rows, n, list, centers, given);
  }

  // The same of rows that have been scanned in single precision.
  template <class Given>
  void scanned(const ThinLeast& two, std::uint32_t unsure, const std::int32_t* rows, std::size_t n,
               const std::int32_t* list, std::size_t centers, Given& given) {
    const double unit = 1 / seen_.frame.factor;
    std::int32_t later[kThinPoints];
    std::size_t waiting = 0;
    for (std::size_t p = 0; p < n; ++p) {
      if (unsure >> p & 1)
        later[waiting++] = rows[p];
      else
        given(rows[p], two.which[p], two.first.values[p] * unit, two.second.values[p] * unit);
    }
    by_doubles(later, waiting, list, centers, given);
  }

 private:
  const double* row(std::int32_t number) const { return rows_.row(static_cast<std::size_t>(number)); }

  template <class Given>
  void by_doubles(const std::int32_t* rows, std::size_t n, const std::int32_t* list, std::size_t centers,
                  Given& given) {
    const double more = 1 + slack_, less = 1 - slack_;
    for (; n; rows += std::min(kPoints, n), n -= std::min(kPoints, n)) {
      const std::size_t some = std::min(kPoints, n);
      fill_panel(some, rows_.width, panel_.data(), [&](std::size_t p) { return row(rows[p]); });
      TwoLeast two;
      seen_.products.scan(panel_.data(), list, centers, slack_, two);
      for (std::size_t p = 0; p < some; ++p)
        given(rows[p], static_cast<std::int32_t>(two.which[p]), std::sqrt(two.first[p]) * more,
              std::sqrt(two.second[p]) * less);
    }
  }

  const PointRows& rows_;
  const CentersSeen& seen_;
  double slack_;
  std::vector<Sixteen> thin_;
  AlignedDoubles panel_;
};

// Gives a row to a cluster; returns whether it was another's.
inline bool move_row(KMeansState& state, ClusterSums& sums, std::size_t row, std::int32_t to) {
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
[[gnu::always_inline]] inline void fetch_rows(const PointRows& rows, const std::vector<std::int32_t>& list,
                                              std::size_t at) {
  constexpr std::size_t line = 64 / sizeof(double), most = 8 * line;
  for (const std::size_t end = std::min(list.size(), at + kThinPoints); at < end; ++at) {
    const double* row = rows.row(static_cast<std::size_t>(list[at]));
    for (std::size_t d = 0; d < std::min(rows.width, most); d += line) __builtin_prefetch(row + d);
    __builtin_prefetch(row + rows.width - 1);
  }
}

// Whether a member of the crew may go on with the row at `at`; looks at the clock now and then.
inline bool may_go_on(const KMeansState& state, std::size_t member, std::size_t at) {
  constexpr std::size_t rows_between = 2048;
  if (at % rows_between >= kThinPoints) return true;
  if (member == 0) state.crew.check_interrupt();
  return !state.crew.has_failed();
}

}  // namespace hedgerow

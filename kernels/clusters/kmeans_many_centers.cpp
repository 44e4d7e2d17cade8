// Many centers: where bounds do not tell that a row's own center is still the nearest, only those near that are
// scanned.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "clusters/kmeans.hpp"
#include "clusters/kmeans_center_neighbors.hpp"
#include "clusters/kmeans_mixed_precision.hpp"

namespace hedgerow {

namespace {

constexpr double kRoundingUnit = 0x1p-53;

class ManyCentersAssigner final : public Assigner {
 public:
  explicit ManyCentersAssigner(KMeansState& state)
      : state_(state),
        slices_(state.rows.n),
        first_(state.labels.empty() || state.labels[0] < 0),
        centers_(state.rows),
        distance_moved_(state.k),
        decrease_(state.k),
        upper_(state.rows.n, std::numeric_limits<double>::infinity()),
        lower_(state.rows.n) {
    for (std::size_t s = 0; s < slices_.n; ++s) slice_sums_.emplace_back(state.k, state.rows.width);
  }

  std::size_t assign() override {
    centers_.prepare(state_);
    if (!first_) center_neighbors_.compute(state_, true);
    std::vector<std::size_t> changed(slices_.n);
    state_.pool.parallel_for(slices_.n, [&](std::size_t slice, std::size_t thread) {
      ManyCentersSlice work(*this, slice, thread);
      changed[slice] = first_ ? work.scan_all() : work.scan_some();
    });
    for (auto& found : slice_sums_) state_.sums.move_from(found);
    first_ = false;
    return std::accumulate(changed.begin(), changed.end(), std::size_t{0});
  }

  // The bound of the others falls by the longest way of them.
  void update_bounds(std::span<const double> distances_moved) override {
    double maximum = 0, next = 0;
    std::size_t whose = 0;
    for (std::size_t c = 0; c < distances_moved.size(); ++c) {
      if (distances_moved[c] > maximum)
        next = maximum, maximum = distances_moved[c], whose = c;
      else
        next = std::max(next, distances_moved[c]);
    }
    std::ranges::copy(distances_moved, distance_moved_.begin());
    std::ranges::fill(decrease_, maximum);
    if (!decrease_.empty()) decrease_[whose] = next;
  }

 private:
  // The rows of one slice.
  class ManyCentersSlice {
   public:
    ManyCentersSlice(ManyCentersAssigner& all, std::size_t slice, std::size_t thread)
        : all_(all),
          state_(all.state_),
          sums_(all.slice_sums_[slice]),
          begin_(all.slices_.begin(slice)),
          end_(all.slices_.begin(slice + 1)),
          thread_(thread),
          scan_(state_, all.centers_),
          panel_(state_.rows.width * kPointsPerPanel),
          own_panel_(state_.rows.width * kPointsPerPanel) {}

    // What a scan has found.
    void operator()(std::int32_t row, std::int32_t to, double near, double other) {
      const auto i = static_cast<std::size_t>(row);
      upper()[i] = near, lower()[i] = other;
      changed_ += assign_row(state_, sums_, i, to);
    }

    std::size_t scan_all() {
      std::int32_t rows[kSinglePoints];
      for (std::size_t i = begin_; i < end_ && may_continue(state_, thread_, i); i += kSinglePoints) {
        const std::size_t n = std::min(kSinglePoints, end_ - i);
        for (std::size_t p = 0; p < n; ++p) rows[p] = static_cast<std::int32_t>(i + p);
        scan_.scan(rows, n, nullptr, state_.k, *this);
      }
      return changed_;
    }

    std::size_t scan_some() {
      find_undecided();
      tighten_bounds();
      scan_neighbors();
      return changed_;
    }

   private:
    double* upper() { return all_.upper_.data(); }
    double* lower() { return all_.lower_.data(); }
    std::size_t label(std::int32_t row) const {
      return static_cast<std::size_t>(state_.labels[static_cast<std::size_t>(row)]);
    }

    // Moves the bounds; opens the rows whose bounds meet.
    void find_undecided() {
      open_.resize(end_ - begin_);
      const double *distance_moved = all_.distance_moved_.data(), *decrease = all_.decrease_.data(),
                   *half = all_.center_neighbors_.half_distances();
      const std::int32_t* labels = state_.labels.data();
      const double up = 1 + 4 * kRoundingUnit, down = 1 - 4 * kRoundingUnit;
      std::size_t n = 0;
      for (std::size_t i = begin_; i < end_; ++i) {
        const auto own = static_cast<std::size_t>(labels[i]);
        const double high = (upper()[i] + distance_moved[own]) * up, low = (lower()[i] - decrease[own]) * down;
        upper()[i] = high;
        lower()[i] = low;
        const double minimum = low > half[own] ? low : half[own];
        open_[n] = static_cast<std::int32_t>(i);
        n += !(high < minimum);
      }
      open_.resize(n);
    }

    // Makes the distances to the own centers; rows that are decided by them are closed again.
    void tighten_bounds() {
      const std::size_t width = state_.rows.width;
      const double *half = all_.center_neighbors_.half_distances(), more = 1 + state_.slack;
      std::size_t left = 0;
      alignas(64) double squares[kPointsPerPanel];
      for (std::size_t at = 0; at < open_.size() && may_continue(state_, thread_, at); at += kPointsPerPanel) {
        const std::size_t n = std::min(kPointsPerPanel, open_.size() - at);
        const std::int32_t* rows = open_.data() + at;
        prefetch_rows(state_.rows, open_, at + 2 * kSinglePoints);
        fill_panel(n, width, panel_.data(),
                   [&](std::size_t p) { return state_.rows.row(static_cast<std::size_t>(rows[p])); });
        fill_panel(n, width, own_panel_.data(),
                   [&](std::size_t p) { return state_.centers.data() + label(rows[p]) * width; });
        get_center_scans().paired(panel_.data(), own_panel_.data(), width, squares);
        for (std::size_t p = 0; p < n; ++p) {
          const auto i = static_cast<std::size_t>(rows[p]);
          const double high = std::sqrt(squares[p]) * more;
          upper()[i] = high;
          open_[left] = rows[p];
          left += !(high < std::max(lower()[i], half[label(rows[p])]));
        }
      }
      open_.resize(left);
    }

    // Open rows of the same cluster together: the same centers are near to them.
    void scan_neighbors() {
      std::vector<std::size_t> starts(state_.k + 1);
      for (const std::int32_t i : open_) ++starts[label(i) + 1];
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      std::vector<std::int32_t> sorted(open_.size());
      auto next = starts;
      for (const std::int32_t i : open_) sorted[next[label(i)]++] = i;
      for (std::size_t c = 0; c < state_.k; ++c) {
        for (std::size_t at = starts[c]; at < starts[c + 1]; at += kSinglePoints) {
          if (!may_continue(state_, thread_, at)) return;
          const std::size_t n = std::min(kSinglePoints, starts[c + 1] - at);
          prefetch_rows(state_.rows, sorted, at + 2 * kSinglePoints);
          double maximum = 0;
          for (std::size_t p = 0; p < n; ++p) maximum = std::max(maximum, upper()[sorted[at + p]]);
          scan_.scan(sorted.data() + at, n, all_.center_neighbors_.sorted_neighbors(c),
                     all_.center_neighbors_.count_within(c, maximum, state_.slack), *this);
        }
      }
    }

    ManyCentersAssigner& all_;
    KMeansState& state_;
    ClusterSums& sums_;
    std::size_t begin_, end_, thread_, changed_ = 0;
    MixedPrecisionScan scan_;
    AlignedDoubles panel_, own_panel_;
    std::vector<std::int32_t> open_;
  };

  KMeansState& state_;
  RowSlices slices_;
  bool first_;
  CenterNeighbors center_neighbors_;
  PreparedCenters centers_;
  std::vector<double> distance_moved_, decrease_;  // of each center: its way, and the longest of the others
  std::vector<double> upper_, lower_;  // of each row: no less than to its own center, no more than to any other
  std::vector<ClusterSums> slice_sums_;
};

}  // namespace

std::unique_ptr<Assigner> make_neighbor_assigner(KMeansState& state) {
  return std::make_unique<ManyCentersAssigner>(state);
}

}  // namespace hedgerow

// Few centers: all of them are scanned for a row, unless it is known that its own is still the nearest.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "clusters/kmeans.hpp"
#include "clusters/kmeans_bounds.hpp"
#include "clusters/kmeans_mixed_precision.hpp"

namespace hedgerow {

namespace {

constexpr double kMaxOpenShare = 0.35;  // share of rows that are not decided, beyond which scanning all is sooner done
constexpr std::size_t kMaxWait = 8;     // passes that are then scanned without looking

class FewCentersAssigner final : public Assigner {
 public:
  FewCentersAssigner(KMeansState& state, bool use_bounds)
      : state_(state),
        use_bounds_(use_bounds),
        slices_(state.rows.n),
        first_(state.labels.empty() || state.labels[0] < 0),
        centers_(state.rows),
        decreases_(state.k),
        bounds_(std::make_unique_for_overwrite<float[]>(use_bounds ? state.rows.n : 0)),
        panels_(std::make_unique_for_overwrite<SixteenFloats[]>((state.rows.n + kSinglePoints - 1) / kSinglePoints *
                                                                state.rows.width)),
        slice_states_(slices_.n) {
    for (std::size_t s = 0; s < slices_.n; ++s) slice_sums_.emplace_back(state.k, state.rows.width);
    if (use_bounds && !first_) std::fill_n(bounds_.get(), state.rows.n, 0.0f);  // labels that somebody else has given
  }

  std::size_t assign() override {
    centers_.prepare(state_);
    std::vector<std::size_t> changed(slices_.n);
    state_.pool.parallel_for(slices_.n, [&](std::size_t slice, std::size_t thread) {
      FewCentersSlice work(*this, slice, thread);
      changed[slice] = first_ || !use_bounds_ ? work.scan_all() : work.scan_some();
    });
    for (auto& found : slice_sums_) state_.sums.move_from(found);
    first_ = false;
    return std::accumulate(changed.begin(), changed.end(), std::size_t{0});
  }

  // A bound decreases by the distance that the row's own center moved and the longest that another did.
  void update_bounds(std::span<const double> distances_moved) override {
    double maximum = 0, next = 0;
    for (const double drift : distances_moved)
      next = std::max(next, std::min(maximum, drift)), maximum = std::max(maximum, drift);
    bool is_seen = false;  // the one that went farthest
    for (std::size_t c = 0; c < distances_moved.size(); ++c) {
      const bool farthest = !is_seen && distances_moved[c] == maximum;
      is_seen = is_seen || farthest;
      decreases_[c] = round_decrease_up((distances_moved[c] + (farthest ? next : maximum)) * centers_.frame.factor);
    }
  }

 private:
  struct SliceState {
    bool is_filled = false;          // panels are filled
    std::size_t left = 0, wait = 0;  // passes to scan without looking: still, and last time
  };

  // The rows of one slice.
  class FewCentersSlice {
   public:
    FewCentersSlice(FewCentersAssigner& all, std::size_t slice, std::size_t thread)
        : all_(all),
          state_(all.state_),
          sums_(all.slice_sums_[slice]),
          slice_state_(all.slice_states_[slice]),
          begin_(all.slices_.begin(slice)),
          end_(all.slices_.begin(slice + 1)),
          thread_(thread),
          scan_(state_, all.centers_) {}

    // What a scan has found.
    void operator()(std::int32_t row, std::int32_t to, double near, double other) {
      const auto i = static_cast<std::size_t>(row);
      if (all_.use_bounds_) all_.bounds_[i] = round_bound_down((other - near) * all_.centers_.frame.factor);
      changed_ += assign_row(state_, sums_, i, to);
    }

    std::size_t scan_all() {
      const bool fill = !std::exchange(slice_state_.is_filled, all_.centers_.uses_single);
      std::int32_t rows[kSinglePoints];
      for (std::size_t i = begin_; i < end_ && may_continue(state_, thread_, i); i += kSinglePoints) {
        const std::size_t n = std::min(kSinglePoints, end_ - i);
        for (std::size_t p = 0; p < kSinglePoints; ++p) rows[p] = static_cast<std::int32_t>(i + p);
        if (!all_.centers_.uses_single) {
          scan_.scan(rows, n, nullptr, state_.k, *this);
          continue;
        }
        SixteenFloats* panel = all_.panels_.get() + i / kSinglePoints * state_.rows.width;
        if (fill)
          fill_single_panel(n, all_.centers_.frame, panel, [&](std::size_t p) { return state_.rows.row(i + p); });
        SingleTwoNearest two;
        const std::uint32_t unsure = all_.centers_.single.scan(panel, nullptr, state_.k, two);
        if (unsure || n < kSinglePoints)
          scan_.resolve_single(two, unsure, rows, n, nullptr, state_.k, *this);
        else
          accept_panel(two, i);
      }
      return changed_;
    }

    std::size_t scan_some() {
      if (slice_state_.left) {
        --slice_state_.left;
        return scan_all();
      }
      open_.resize(end_ - begin_);
      open_.resize(decrease_bounds(all_.bounds_.get(), state_.labels.data(), all_.decreases_.data(), begin_, end_,
                                   open_.data()));
      if (static_cast<double>(open_.size()) > kMaxOpenShare * static_cast<double>(end_ - begin_)) {
        slice_state_.left = slice_state_.wait = std::min(kMaxWait, 2 * slice_state_.wait + 1);
        return scan_all();
      }
      slice_state_.wait = 0;
      for (std::size_t at = 0; at < open_.size() && may_continue(state_, thread_, at); at += kSinglePoints) {
        prefetch_rows(state_.rows, open_, at + 2 * kSinglePoints);
        scan_.scan(open_.data() + at, std::min(kSinglePoints, open_.size() - at), nullptr, state_.k, *this);
      }
      return changed_;
    }

   private:
    // A whole panel whose points are all certain.
    void accept_panel(const SingleTwoNearest& two, std::size_t begin) {
      if (all_.use_bounds_) {
        float* bounds = all_.bounds_.get() + begin;
        for (std::size_t p = 0; p < kSinglePoints; ++p)
          bounds[p] = round_bound_down(two.second.values[p] - two.first.values[p]);
      }
      const std::int32_t* labels = state_.labels.data() + begin;
      std::int32_t differ = 0;
      for (std::size_t p = 0; p < kSinglePoints; ++p) differ |= labels[p] ^ two.which[p];
      for (std::size_t p = 0; differ && p < kSinglePoints; ++p)
        changed_ += assign_row(state_, sums_, begin + p, two.which[p]);
    }

    FewCentersAssigner& all_;
    KMeansState& state_;
    ClusterSums& sums_;
    SliceState& slice_state_;
    std::size_t begin_, end_, thread_, changed_ = 0;
    MixedPrecisionScan scan_;
    std::vector<std::int32_t> open_;
  };

  KMeansState& state_;
  bool use_bounds_;
  RowSlices slices_;
  bool first_;
  PreparedCenters centers_;
  std::vector<float> decreases_;     // of each center: by how much the bounds of its rows decrease
  std::unique_ptr<float[]> bounds_;  // of each row: how much farther others are than its own center, no more than that
  std::vector<ClusterSums> slice_sums_;
  std::unique_ptr<SixteenFloats[]> panels_;  // all rows
  std::vector<SliceState> slice_states_;
};

}  // namespace

std::unique_ptr<Assigner> make_bound_assigner(KMeansState& state, bool use_bounds) {
  return std::make_unique<FewCentersAssigner>(state, use_bounds);
}

}  // namespace hedgerow

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

constexpr double kMostOpen = 0.35;   // share of rows that are not decided, beyond which scanning all is sooner done
constexpr std::size_t kLongest = 8;  // passes that are then scanned without looking

class FewCenters final : public Assigner {
 public:
  FewCenters(KMeansState& state, bool keep)
      : state_(state),
        keep_(keep),
        slices_(state.rows.n),
        first_(state.labels.empty() || state.labels[0] < 0),
        seen_(state.rows),
        falls_(state.k),
        gaps_(std::make_unique_for_overwrite<float[]>(keep ? state.rows.n : 0)),
        panels_(std::make_unique_for_overwrite<Sixteen[]>((state.rows.n + kThinPoints - 1) / kThinPoints *
                                                          state.rows.width)),
        of_slice_(slices_.n) {
    for (std::size_t s = 0; s < slices_.n; ++s) found_.emplace_back(state.k, state.rows.width);
    if (keep && !first_) std::fill_n(gaps_.get(), state.rows.n, 0.0f);  // labels that somebody else has given
  }

  std::size_t assign() override {
    seen_.make(state_);
    std::vector<std::size_t> changed(slices_.n);
    state_.crew.parallel_for(slices_.n, [&](std::size_t slice, std::size_t member) {
      Slice work(*this, slice, member);
      changed[slice] = first_ || !keep_ ? work.scan_all() : work.scan_some();
    });
    for (auto& found : found_) state_.sums.take(found);
    first_ = false;
    return std::accumulate(changed.begin(), changed.end(), std::size_t{0});
  }

  // A gap falls by the way of the own center and the longest way of another.
  void moved(std::span<const double> drifts) override {
    double most = 0, next = 0;
    for (const double drift : drifts) next = std::max(next, std::min(most, drift)), most = std::max(most, drift);
    bool is_seen = false;  // the one that went farthest
    for (std::size_t c = 0; c < drifts.size(); ++c) {
      const bool farthest = !is_seen && drifts[c] == most;
      is_seen = is_seen || farthest;
      falls_[c] = fall_of((drifts[c] + (farthest ? next : most)) * seen_.frame.factor);
    }
  }

 private:
  struct OfSlice {
    bool is_laid = false;            // panels are filled
    std::size_t left = 0, wait = 0;  // passes to scan without looking: still, and last time
  };

  // The rows of one slice.
  class Slice {
   public:
    Slice(FewCenters& all, std::size_t slice, std::size_t member)
        : all_(all),
          state_(all.state_),
          sums_(all.found_[slice]),
          own_(all.of_slice_[slice]),
          begin_(all.slices_.begin(slice)),
          end_(all.slices_.begin(slice + 1)),
          member_(member),
          scan_(state_, all.seen_) {}

    // What a scan has found.
    void operator()(std::int32_t row, std::int32_t to, double near, double other) {
      const auto i = static_cast<std::size_t>(row);
      if (all_.keep_) all_.gaps_[i] = gap_of((other - near) * all_.seen_.frame.factor);
      changed_ += move_row(state_, sums_, i, to);
    }

    std::size_t scan_all() {
      const bool lay = !std::exchange(own_.is_laid, all_.seen_.is_thin);
      std::int32_t rows[kThinPoints];
      for (std::size_t i = begin_; i < end_ && may_go_on(state_, member_, i); i += kThinPoints) {
        const std::size_t n = std::min(kThinPoints, end_ - i);
        for (std::size_t p = 0; p < kThinPoints; ++p) rows[p] = static_cast<std::int32_t>(i + p);
        if (!all_.seen_.is_thin) {
          scan_.scan(rows, n, nullptr, state_.k, *this);
          continue;
        }
        Sixteen* panel = all_.panels_.get() + i / kThinPoints * state_.rows.width;
        if (lay) fill_thin(n, all_.seen_.frame, panel, [&](std::size_t p) { return state_.rows.row(i + p); });
        ThinLeast two;
        const std::uint32_t unsure = all_.seen_.thin.scan(panel, nullptr, state_.k, two);
        if (unsure || n < kThinPoints)
          scan_.scanned(two, unsure, rows, n, nullptr, state_.k, *this);
        else
          take(two, i);
      }
      return changed_;
    }

    std::size_t scan_some() {
      if (own_.left) {
        --own_.left;
        return scan_all();
      }
      open_.resize(end_ - begin_);
      open_.resize(closed_gaps(all_.gaps_.get(), state_.labels.data(), all_.falls_.data(), begin_, end_, open_.data()));
      if (static_cast<double>(open_.size()) > kMostOpen * static_cast<double>(end_ - begin_)) {
        own_.left = own_.wait = std::min(kLongest, 2 * own_.wait + 1);
        return scan_all();
      }
      own_.wait = 0;
      for (std::size_t at = 0; at < open_.size() && may_go_on(state_, member_, at); at += kThinPoints) {
        fetch_rows(state_.rows, open_, at + 2 * kThinPoints);
        scan_.scan(open_.data() + at, std::min(kThinPoints, open_.size() - at), nullptr, state_.k, *this);
      }
      return changed_;
    }

   private:
    // A whole panel whose points are all certain.
    void take(const ThinLeast& two, std::size_t begin) {
      if (all_.keep_) {
        float* gaps = all_.gaps_.get() + begin;
        for (std::size_t p = 0; p < kThinPoints; ++p) gaps[p] = gap_of(two.second.values[p] - two.first.values[p]);
      }
      const std::int32_t* labels = state_.labels.data() + begin;
      std::int32_t differ = 0;
      for (std::size_t p = 0; p < kThinPoints; ++p) differ |= labels[p] ^ two.which[p];
      for (std::size_t p = 0; differ && p < kThinPoints; ++p)
        changed_ += move_row(state_, sums_, begin + p, two.which[p]);
    }

    FewCenters& all_;
    KMeansState& state_;
    ClusterSums& sums_;
    OfSlice& own_;
    std::size_t begin_, end_, member_, changed_ = 0;
    TierScan scan_;
    std::vector<std::int32_t> open_;
  };

  KMeansState& state_;
  bool keep_;
  Slices slices_;
  bool first_;
  CentersSeen seen_;
  std::vector<float> falls_;       // of each center: by how much the gaps of its rows fall
  std::unique_ptr<float[]> gaps_;  // of each row: how much farther others are than its own center, no more than that
  std::vector<ClusterSums> found_;
  std::unique_ptr<Sixteen[]> panels_;  // all rows
  std::vector<OfSlice> of_slice_;
};

}  // namespace

std::unique_ptr<Assigner> assign_by_gaps(KMeansState& state, bool keep) {
  return std::make_unique<FewCenters>(state, keep);
}

}  // namespace hedgerow

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

constexpr double kUnit = 0x1p-53;

class ManyCenters final : public Assigner {
 public:
  explicit ManyCenters(KMeansState& state)
      : state_(state),
        slices_(state.rows.n),
        first_(state.labels.empty() || state.labels[0] < 0),
        seen_(state.rows),
        drift_(state.k),
        fall_(state.k),
        upper_(state.rows.n, std::numeric_limits<double>::infinity()),
        lower_(state.rows.n) {
    for (std::size_t s = 0; s < slices_.n; ++s) found_.emplace_back(state.k, state.rows.width);
  }

  std::size_t assign() override {
    seen_.make(state_);
    if (!first_) near_.make(state_, true);
    std::vector<std::size_t> changed(slices_.n);
    state_.crew.parallel_for(slices_.n, [&](std::size_t slice, std::size_t member) {
      Slice work(*this, slice, member);
      changed[slice] = first_ ? work.scan_all() : work.scan_some();
    });
    for (auto& found : found_) state_.sums.take(found);
    first_ = false;
    return std::accumulate(changed.begin(), changed.end(), std::size_t{0});
  }

  // The bound of the others falls by the longest way of them.
  void moved(std::span<const double> drifts) override {
    double most = 0, next = 0;
    std::size_t whose = 0;
    for (std::size_t c = 0; c < drifts.size(); ++c) {
      if (drifts[c] > most)
        next = most, most = drifts[c], whose = c;
      else
        next = std::max(next, drifts[c]);
    }
    std::ranges::copy(drifts, drift_.begin());
    std::ranges::fill(fall_, most);
    if (!fall_.empty()) fall_[whose] = next;
  }

 private:
  // The rows of one slice.
  class Slice {
   public:
    Slice(ManyCenters& all, std::size_t slice, std::size_t member)
        : all_(all),
          state_(all.state_),
          sums_(all.found_[slice]),
          begin_(all.slices_.begin(slice)),
          end_(all.slices_.begin(slice + 1)),
          member_(member),
          scan_(state_, all.seen_),
          panel_(state_.rows.width * kPoints),
          own_(state_.rows.width * kPoints) {}

    // What a scan has found.
    void operator()(std::int32_t row, std::int32_t to, double near, double other) {
      const auto i = static_cast<std::size_t>(row);
      upper()[i] = near, lower()[i] = other;
      changed_ += move_row(state_, sums_, i, to);
    }

    std::size_t scan_all() {
      std::int32_t rows[kThinPoints];
      for (std::size_t i = begin_; i < end_ && may_go_on(state_, member_, i); i += kThinPoints) {
        const std::size_t n = std::min(kThinPoints, end_ - i);
        for (std::size_t p = 0; p < n; ++p) rows[p] = static_cast<std::int32_t>(i + p);
        scan_.scan(rows, n, nullptr, state_.k, *this);
      }
      return changed_;
    }

    std::size_t scan_some() {
      undecided();
      tighten();
      scan_near();
      return changed_;
    }

   private:
    double* upper() { return all_.upper_.data(); }
    double* lower() { return all_.lower_.data(); }
    std::size_t label(std::int32_t row) const {
      return static_cast<std::size_t>(state_.labels[static_cast<std::size_t>(row)]);
    }

    // Moves the bounds; opens the rows whose bounds meet.
    void undecided() {
      open_.resize(end_ - begin_);
      const double *drift = all_.drift_.data(), *fall = all_.fall_.data(), *half = all_.near_.half();
      const std::int32_t* labels = state_.labels.data();
      const double up = 1 + 4 * kUnit, down = 1 - 4 * kUnit;
      std::size_t n = 0;
      for (std::size_t i = begin_; i < end_; ++i) {
        const auto own = static_cast<std::size_t>(labels[i]);
        const double high = (upper()[i] + drift[own]) * up, low = (lower()[i] - fall[own]) * down;
        upper()[i] = high;
        lower()[i] = low;
        const double least = low > half[own] ? low : half[own];
        open_[n] = static_cast<std::int32_t>(i);
        n += !(high < least);
      }
      open_.resize(n);
    }

    // Makes the distances to the own centers; rows that are decided by them are closed again.
    void tighten() {
      const std::size_t width = state_.rows.width;
      const double *half = all_.near_.half(), more = 1 + state_.slack;
      std::size_t left = 0;
      alignas(64) double squares[kPoints];
      for (std::size_t at = 0; at < open_.size() && may_go_on(state_, member_, at); at += kPoints) {
        const std::size_t n = std::min(kPoints, open_.size() - at);
        const std::int32_t* rows = open_.data() + at;
        fetch_rows(state_.rows, open_, at + 2 * kThinPoints);
        fill_panel(n, width, panel_.data(),
                   [&](std::size_t p) { return state_.rows.row(static_cast<std::size_t>(rows[p])); });
        fill_panel(n, width, own_.data(),
                   [&](std::size_t p) { return state_.centers.data() + label(rows[p]) * width; });
        center_scans().paired(panel_.data(), own_.data(), width, squares);
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
    void scan_near() {
      std::vector<std::size_t> starts(state_.k + 1);
      for (const std::int32_t i : open_) ++starts[label(i) + 1];
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      std::vector<std::int32_t> sorted(open_.size());
      auto next = starts;
      for (const std::int32_t i : open_) sorted[next[label(i)]++] = i;
      for (std::size_t c = 0; c < state_.k; ++c) {
        for (std::size_t at = starts[c]; at < starts[c + 1]; at += kThinPoints) {
          if (!may_go_on(state_, member_, at)) return;
          const std::size_t n = std::min(kThinPoints, starts[c + 1] - at);
          fetch_rows(state_.rows, sorted, at + 2 * kThinPoints);
          double most = 0;
          for (std::size_t p = 0; p < n; ++p) most = std::max(most, upper()[sorted[at + p]]);
          scan_.scan(sorted.data() + at, n, all_.near_.list(c), all_.near_.within(c, most, state_.slack), *this);
        }
      }
    }

    ManyCenters& all_;
    KMeansState& state_;
    ClusterSums& sums_;
    std::size_t begin_, end_, member_, changed_ = 0;
    TierScan scan_;
    AlignedDoubles panel_, own_;
    std::vector<std::int32_t> open_;
  };

  KMeansState& state_;
  Slices slices_;
  bool first_;
  NearCenters near_;
  CentersSeen seen_;
  std::vector<double> drift_, fall_;   // of each center: its way, and the longest of the others
  std::vector<double> upper_, lower_;  // of each row: no less than to its own center, no more than to any other
  std::vector<ClusterSums> found_;
};

}  // namespace

std::unique_ptr<Assigner> assign_by_lists(KMeansState& state) { return std::make_unique<ManyCenters>(state); }

}  // namespace hedgerow

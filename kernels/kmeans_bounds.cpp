#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kmeans.hpp"
#include "kmeans_products.hpp"
#include "kmeans_scan.hpp"
#include "vectors.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kListedFrom = 24;  // centers; for fewer, all are scanned sooner than the near ones found
constexpr std::size_t kRowsOfList = 16;  // rows a center, for lists of near centers to be worth making
constexpr double kMostOpen = 0.5;        // share of rows whose bounds do not decide, beyond which all are scanned
constexpr std::size_t kBlock = 2048;     // rows between looks at the clock

// The other centers of each one by distance, as far as they are asked for.
class NearCenters {
 public:
  void make(const KMeansState& state, bool listed) {
    const std::size_t k = state.k, width = state.rows.width;
    half_.assign(k, std::numeric_limits<double>::infinity());
    if (k > kMostPairs) {
      half_.assign(k, 0.0);  // nothing is known: only the second bound helps
      return;
    }
    listed_ = listed;
    if (listed) list_.resize(k * k), far_.resize(k * k);
    state.crew.share((k + 7) / 8, [&](std::size_t job, std::size_t) {
      std::vector<double> squares(k);
      for (std::size_t a = job * 8; a < std::min(k, job * 8 + 8); ++a) {
        for (std::size_t b = 0; b < k; ++b) {
          squares[b] = squared_distance(state.centers.data() + a * width, state.centers.data() + b * width, width);
          if (b != a) half_[a] = std::min(half_[a], squares[b]);
        }
        half_[a] = std::sqrt(half_[a]) * (0.5 - state.slack);
        if (!listed) continue;
        std::int32_t* list = list_.data() + a * k;
        std::iota(list, list + k, 0);
        squares[a] = -1;  // before others at the same place
        std::sort(list, list + k, [&](auto one, auto other) {
          return squares[static_cast<std::size_t>(one)] < squares[static_cast<std::size_t>(other)];
        });
        squares[a] = 0;
        for (std::size_t i = 0; i < k; ++i)
          far_[a * k + i] = std::sqrt(squares[static_cast<std::size_t>(list[i])]) * (1 - state.slack);
      }
    });
  }

  bool listed() const { return listed_; }
  const double* half() const { return half_.data(); }
  const std::int32_t* list(std::size_t center) const { return list_.data() + center * half_.size(); }
  // How many centers may be one of the two nearest of a point that is no farther than `upper` from its own.
  std::size_t within(std::size_t center, double upper, double slack) const {
    const std::size_t k = half_.size();
    const double* far = far_.data() + center * k;
    const double reach = (2 * upper + far[1]) * (1 + 4 * slack);
    return static_cast<std::size_t>(std::upper_bound(far + 1, far + k, reach) - far);
  }

 private:
  static constexpr std::size_t kMostPairs = 4096;
  bool listed_ = false;
  std::vector<double> half_, far_;
  std::vector<std::int32_t> list_;
};

class Bounds final : public Assigner {
 public:
  Bounds(KMeansState& state, bool keep)
      : state_(state),
        keep_(keep),
        listed_(keep && state.k >= kListedFrom && state.rows.n >= kRowsOfList * state.k),
        slices_(state.rows.n),
        first_(state.labels.empty() || state.labels[0] < 0),
        drift_(state.k),
        fall_(state.k),
        panels_(listed_ ? 0 : (state.rows.n + kPoints - 1) / kPoints * kPoints * state.rows.width) {
    const auto& rows = state.rows;
    for (std::size_t i = 0; i < rows.n && !listed_; i += kPoints)
      fill_panel(std::min(kPoints, rows.n - i), rows.width, panels_.data() + i * rows.width,
                 [&](std::size_t p) { return rows.row(i + p); });
    if (keep) {
      upper_.assign(state.rows.n, std::numeric_limits<double>::infinity());
      lower_.assign(state.rows.n, 0.0);
    }
    for (std::size_t s = 0; s < slices_.n; ++s) found_.emplace_back(state.k, state.rows.width);
  }

  std::size_t assign() override {
    const bool all = first_ || !keep_;
    products_.make(state_.centers, state_.rows.width);
    if (!all) near_.make(state_, listed_);
    std::vector<std::size_t> changed(slices_.n);
    state_.crew.share(slices_.n, [&](std::size_t slice, std::size_t member) {
      Slice work(*this, slice, member);
      changed[slice] = all ? work.scan_all() : work.scan_some();
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
    Slice(Bounds& all, std::size_t slice, std::size_t member)
        : all_(all),
          state_(all.state_),
          sums_(all.found_[slice]),
          begin_(all.slices_.begin(slice)),
          end_(all.slices_.begin(slice + 1)),
          member_(member),
          panel_(state_.rows.width * kPoints),
          own_(state_.rows.width * kPoints) {}

    std::size_t scan_all() {
      std::int32_t rows[kPoints];
      for (std::size_t i = begin_; i < end_ && go_on(i); i += kPoints) {
        const std::size_t n = std::min(kPoints, end_ - i);
        for (std::size_t p = 0; p < n; ++p) rows[p] = static_cast<std::int32_t>(i + p);
        if (all_.listed_) fill(rows, n);
        scan(all_.listed_ ? panel_.data() : all_.panels_.data() + i * state_.rows.width, rows, n, nullptr, state_.k);
      }
      return changed_;
    }

    std::size_t scan_some() {
      undecided();
      if (all_.listed_) {
        tighten();
        scan_near();
      } else if (open_.size() > kMostOpen * static_cast<double>(end_ - begin_)) {
        return scan_all();  // sooner than bringing them to panels
      } else {
        for (std::size_t at = 0; at < open_.size() && go_on(at); at += kPoints) {
          const std::size_t n = std::min(kPoints, open_.size() - at);
          fill(open_.data() + at, n);
          scan(panel_.data(), open_.data() + at, n, nullptr, state_.k);
        }
      }
      return changed_;
    }

   private:
    bool go_on(std::size_t at) const {
      if (at % kBlock >= kPoints) return true;
      if (member_ == 0) state_.crew.pause();
      return !state_.crew.failed();
    }

    double* upper() { return all_.upper_.data(); }
    double* lower() { return all_.lower_.data(); }

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
      const double *half = all_.near_.half(), more = 1 + state_.slack;
      std::size_t left = 0;
      alignas(64) double squares[kPoints];
      for (std::size_t at = 0; at < open_.size() && go_on(at); at += kPoints) {
        const std::size_t n = std::min(kPoints, open_.size() - at);
        const std::int32_t* rows = open_.data() + at;
        fill(rows, n);
        fill_panel(n, state_.rows.width, own_.data(), [&](std::size_t p) {
          return state_.centers.data() + static_cast<std::size_t>(label(rows[p])) * state_.rows.width;
        });
        center_scans().paired(panel_.data(), own_.data(), state_.rows.width, squares);
        for (std::size_t p = 0; p < n; ++p) {
          const auto i = static_cast<std::size_t>(rows[p]);
          const double high = std::sqrt(squares[p]) * more;
          upper()[i] = high;
          open_[left] = rows[p];
          left += !(high < std::max(lower()[i], half[static_cast<std::size_t>(label(rows[p]))]));
        }
      }
      open_.resize(left);
    }

    // Open rows of the same cluster together: the same centers are near to them.
    void scan_near() {
      std::vector<std::size_t> starts(state_.k + 1);
      for (const std::int32_t i : open_) ++starts[static_cast<std::size_t>(label(i)) + 1];
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      std::vector<std::int32_t> sorted(open_.size());
      auto next = starts;
      for (const std::int32_t i : open_) sorted[next[static_cast<std::size_t>(label(i))]++] = i;
      for (std::size_t c = 0; c < state_.k; ++c) {
        for (std::size_t at = starts[c]; at < starts[c + 1]; at += kPoints) {
          if (!go_on(at)) return;
          const std::size_t n = std::min(kPoints, starts[c + 1] - at);
          double most = 0;
          for (std::size_t p = 0; p < n; ++p) most = std::max(most, upper()[sorted[at + p]]);
          fill(sorted.data() + at, n);
          scan(panel_.data(), sorted.data() + at, n, all_.near_.list(c), all_.near_.within(c, most, state_.slack));
        }
      }
    }

    std::int32_t& label(std::int32_t row) { return state_.labels[static_cast<std::size_t>(row)]; }

    void fill(const std::int32_t* rows, std::size_t n) {
      fill_panel(n, state_.rows.width, panel_.data(),
                 [&](std::size_t p) { return state_.rows.row(static_cast<std::size_t>(rows[p])); });
    }

    // The two nearest of the centers listed, or of all.
    void scan(const double* panel, const std::int32_t* rows, std::size_t n, const std::int32_t* list, std::size_t centers) {
      TwoLeast two;
      all_.products_.scan(panel, list, centers, state_.slack, two);
      const double more = 1 + state_.slack, less = 1 - state_.slack;
      for (std::size_t p = 0; p < n; ++p) {
        const auto i = static_cast<std::size_t>(rows[p]);
        if (all_.keep_) {
          upper()[i] = std::sqrt(two.first[p]) * more;
          lower()[i] = std::sqrt(two.second[p]) * less;
        }
        give(i, static_cast<std::int32_t>(two.which[p]));
      }
    }

    void give(std::size_t i, std::int32_t to) {
      const std::int32_t from = state_.labels[i];
      if (from == to) return;
      const double *row = state_.rows.row(i), weight = state_.rows.weight(i);
      if (from >= 0) sums_.add(static_cast<std::size_t>(from), row, weight, -1.0);
      sums_.add(static_cast<std::size_t>(to), row, weight, 1.0);
      state_.labels[i] = to;
      ++changed_;
    }

    static constexpr double kUnit = 0x1p-53;
    Bounds& all_;
    KMeansState& state_;
    ClusterSums& sums_;
    std::size_t begin_, end_, member_, changed_ = 0;
    Aligned panel_, own_;
    std::vector<std::int32_t> open_;
  };

  KMeansState& state_;
  bool keep_, listed_;
  Slices slices_;
  bool first_;
  NearCenters near_;
  CenterProducts products_;
  std::vector<double> drift_, fall_;  // of each center: its way, and the longest of the others
  std::vector<double> upper_, lower_;  // of each row: no less than to its own center, no more than to any other
  std::vector<ClusterSums> found_;
  Aligned panels_;  // all rows, where every center is scanned
};

}  // namespace

std::unique_ptr<Assigner> assign_by_bounds(KMeansState& state, bool keep) { return std::make_unique<Bounds>(state, keep); }

}  // namespace hedgerow

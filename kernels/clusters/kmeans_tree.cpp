// The search tree of k-means: part of clusters/kmeans.hpp.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "clusters/kmeans.hpp"
#include "clusters/kmeans_boxes.hpp"
#include "clusters/kmeans_distances.hpp"
#include "core/simd_vectors.hpp"

namespace hedgerow {

namespace {

constexpr std::int32_t kJobDepth = 4;  // whose nodes, and leaves above, are the jobs of a pass
constexpr std::int32_t kMixed = -1, kNobody = -2;

class Filter final : public Assigner {
 public:
  explicit Filter(KMeansState& state)
      : state_(state), boxes_(state.rows, state.crew), owner_(boxes_.size(), kNobody), labels_(state.rows.n, kNobody) {
    for (std::size_t node = 0; node < boxes_.size(); ++node) {
      const auto& one = boxes_.node(node);
      if (one.depth < kJobDepth && !one.is_leaf()) owner_[node] = kMixed;
      if (one.depth == kJobDepth || (one.depth < kJobDepth && one.is_leaf())) tops_.push_back(node);
    }
    for (std::size_t job = 0; job < tops_.size(); ++job) found_.emplace_back(state.k, state.rows.width);
  }

  std::size_t assign() override {
    std::vector<std::size_t> changed(tops_.size());
    state_.crew.parallel_for(tops_.size(), [&](std::size_t job, std::size_t member) {
      Walk walk(*this, found_[job], member);
      changed[job] = walk.run(tops_[job]);
    });
    for (auto& found : found_) state_.sums.take(found);
    return std::accumulate(changed.begin(), changed.end(), std::size_t{0});
  }

  void moved(std::span<const double>) override {}

  void label() override {
    for (std::size_t node = 0; node < owner_.size(); ++node) {
      hand_down(node);
      if (!boxes_.is_leaf(node)) continue;
      for (std::size_t i = boxes_.begin(node); i < boxes_.end(node); ++i) state_.labels[boxes_.row_of(i)] = labels_[i];
    }
  }

 private:
  // What belonged to one cluster as a whole is now told of its halves, or rows.
  void hand_down(std::size_t node) {
    const std::int32_t owner = std::exchange(owner_[node], kMixed);
    if (owner == kMixed) return;
    if (boxes_.is_leaf(node))
      std::fill(labels_.begin() + static_cast<std::ptrdiff_t>(boxes_.begin(node)),
                labels_.begin() + static_cast<std::ptrdiff_t>(boxes_.end(node)), owner);
    else
      owner_[boxes_.left(node)] = owner_[boxes_.right(node)] = owner;
  }

  // One job's way down the tree.
  class Walk {
   public:
    Walk(Filter& all, ClusterSums& sums, std::size_t member)
        : all_(all),
          boxes_(all.boxes_),
          state_(all.state_),
          sums_(sums),
          member_(member),
          middle_(state_.rows.width),
          panel_(state_.rows.width * kPoints) {}

    std::size_t run(std::size_t node) {
      candidates_.resize(state_.k);
      std::iota(candidates_.begin(), candidates_.end(), 0);
      enter(node, 0, state_.k);
      return changed_;
    }

   private:
    const double* center(std::int32_t c) const {
      return state_.centers.data() + static_cast<std::size_t>(c) * state_.rows.width;
    }

    // Candidates are at [from, to) of a stack.
    void enter(std::size_t node, std::size_t from, std::size_t to) {
      if (++steps_ % 1024 == 0) {
        if (member_ == 0) state_.crew.check_interrupt();
        if (state_.crew.has_failed()) return;
      }
      candidates_.resize(to);
      keep_possible(node, from, to);
      const std::size_t end = candidates_.size();
      if (end - to == 1) {
        give(node, candidates_[to]);
      } else {
        all_.hand_down(node);
        if (boxes_.is_leaf(node)) {
          scan(node, candidates_.data() + to, end - to);
        } else {
          enter(boxes_.left(node), to, end);
          enter(boxes_.right(node), to, end);
        }
      }
      candidates_.resize(to);
    }

    // Pushes the candidates that may be nearest to a point of the box. A center is not if, of the corner farthest in
    // its direction, the center nearest to the middle is nearer by more than rounding can do anywhere in the box.
    void keep_possible(std::size_t node, std::size_t from, std::size_t to) {
      const std::size_t width = state_.rows.width;
      const double *low = boxes_.low(node), *high = boxes_.high(node);
      for (std::size_t d = 0; d < width; ++d) middle_[d] = 0.5 * low[d] + 0.5 * high[d];
      std::int32_t best = candidates_[from];
      double least = squared_distance(middle_.data(), center(best), width);
      for (std::size_t i = from + 1; i < to; ++i) {
        const double square = squared_distance(middle_.data(), center(candidates_[i]), width);
        if (square < least) least = square, best = candidates_[i];
      }
      const double* mine = center(best);
      for (std::size_t i = from; i < to; ++i) {
        const std::int32_t one = candidates_[i];
        if (one != best) {
          const double* other = center(one);
          double far = 0, near = 0;
          for (std::size_t d = 0; d < width; ++d) {
            const double corner = other[d] > mine[d] ? high[d] : low[d];
            far += (corner - other[d]) * (corner - other[d]);
            near += (corner - mine[d]) * (corner - mine[d]);
          }
          if (far - near > 8 * state_.slack * (far + boxes_.across(node))) continue;
        }
        candidates_.push_back(one);
      }
    }

    void give(std::size_t node, std::int32_t to) {
      const std::int32_t from = all_.owner_[node];
      if (from == to) return;
      if (from != kMixed) {
        const auto& sums = boxes_.sums();
        if (from >= 0) sums_.add_sum(static_cast<std::size_t>(from), sums.sums(node), sums.lost(node), -1.0);
        sums_.add_sum(static_cast<std::size_t>(to), sums.sums(node), sums.lost(node), 1.0);
        changed_ += boxes_.end(node) - boxes_.begin(node);
      } else if (boxes_.is_leaf(node)) {
        for (std::size_t i = boxes_.begin(node); i < boxes_.end(node); ++i) give_row(i, to);
      } else {
        give(boxes_.left(node), to);
        give(boxes_.right(node), to);
      }
      all_.owner_[node] = to;
    }

    void give_row(std::size_t i, std::int32_t to) {
      const std::int32_t from = std::exchange(all_.labels_[i], to);
      if (from == to) return;
      const auto rows = boxes_.rows();
      if (from >= 0) sums_.add(static_cast<std::size_t>(from), rows.row(i), rows.weight(i), -1.0);
      sums_.add(static_cast<std::size_t>(to), rows.row(i), rows.weight(i), 1.0);
      ++changed_;
    }

    void scan(std::size_t node, const std::int32_t* list, std::size_t n) {
      TwoLeast two;
      const auto rows = boxes_.rows();
      for (std::size_t i = boxes_.begin(node); i < boxes_.end(node); i += kPoints) {
        const std::size_t m = std::min(kPoints, boxes_.end(node) - i);
        fill_panel(m, rows.width, panel_.data(), [&](std::size_t p) { return rows.row(i + p); });
        center_scans().listed(panel_.data(), rows.width, state_.centers.data(), list, n, two);
        for (std::size_t p = 0; p < m; ++p) give_row(i + p, static_cast<std::int32_t>(two.which[p]));
      }
    }

    Filter& all_;
    const Boxes& boxes_;
    KMeansState& state_;
    ClusterSums& sums_;
    std::size_t member_, changed_ = 0, steps_ = 0;
    std::vector<std::int32_t> candidates_;
    std::vector<double> middle_;
    AlignedDoubles panel_;
  };

  KMeansState& state_;
  Boxes boxes_;
  std::vector<std::size_t> tops_;     // the nodes that are jobs
  std::vector<std::int32_t> owner_;   // of each node: its cluster, if it is one
  std::vector<std::int32_t> labels_;  // of each row in the order of the tree, where the block is mixed
  std::vector<ClusterSums> found_;
};

}  // namespace

std::unique_ptr<Assigner> assign_by_tree(KMeansState& state) { return std::make_unique<Filter>(state); }

}  // namespace hedgerow

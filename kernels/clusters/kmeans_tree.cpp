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
constexpr std::int32_t kMixed = -1, kNoOwner = -2;

class FilteringAssigner final : public Assigner {
 public:
  explicit FilteringAssigner(KMeansState& state)
      : state_(state),
        boxes_(state.rows, state.pool),
        owner_(boxes_.size(), kNoOwner),
        labels_(state.rows.n, kNoOwner) {
    for (std::size_t node = 0; node < boxes_.size(); ++node) {
      const auto& one = boxes_.node(node);
      if (one.depth < kJobDepth && !one.is_leaf()) owner_[node] = kMixed;
      if (one.depth == kJobDepth || (one.depth < kJobDepth && one.is_leaf())) job_nodes_.push_back(node);
    }
    for (std::size_t job = 0; job < job_nodes_.size(); ++job) job_sums_.emplace_back(state.k, state.rows.width);
  }

  std::size_t assign() override {
    std::vector<std::size_t> changed(job_nodes_.size());
    state_.pool.parallel_for(job_nodes_.size(), [&](std::size_t job, std::size_t thread) {
      TreeFilter filter(*this, job_sums_[job], thread);
      changed[job] = filter.filter_subtree(job_nodes_[job]);
    });
    for (auto& found : job_sums_) state_.sums.move_from(found);
    return std::accumulate(changed.begin(), changed.end(), std::size_t{0});
  }

  void update_bounds(std::span<const double>) override {}

  void write_labels() override {
    for (std::size_t node = 0; node < owner_.size(); ++node) {
      push_owner_down(node);
      if (!boxes_.is_leaf(node)) continue;
      for (std::size_t i = boxes_.begin(node); i < boxes_.end(node); ++i) state_.labels[boxes_.row_of(i)] = labels_[i];
    }
  }

 private:
  // What belonged to one cluster as a whole is now told of its halves, or rows.
  void push_owner_down(std::size_t node) {
    const std::int32_t owner = std::exchange(owner_[node], kMixed);
    if (owner == kMixed) return;
    if (boxes_.is_leaf(node))
      std::fill(labels_.begin() + static_cast<std::ptrdiff_t>(boxes_.begin(node)),
                labels_.begin() + static_cast<std::ptrdiff_t>(boxes_.end(node)), owner);
    else
      owner_[boxes_.left(node)] = owner_[boxes_.right(node)] = owner;
  }

  // One job's way down the tree.
  class TreeFilter {
   public:
    TreeFilter(FilteringAssigner& all, ClusterSums& sums, std::size_t thread)
        : all_(all),
          boxes_(all.boxes_),
          state_(all.state_),
          sums_(sums),
          thread_(thread),
          middle_(state_.rows.width),
          panel_(state_.rows.width * kPointsPerPanel) {}

    std::size_t filter_subtree(std::size_t node) {
      candidates_.resize(state_.k);
      std::iota(candidates_.begin(), candidates_.end(), 0);
      filter_node(node, 0, state_.k);
      return changed_;
    }

   private:
    const double* center(std::int32_t c) const {
      return state_.centers.data() + static_cast<std::size_t>(c) * state_.rows.width;
    }

    // Candidates are at [from, to) of a stack.
    void filter_node(std::size_t node, std::size_t from, std::size_t to) {
      if (++steps_ % 1024 == 0) {
        if (thread_ == 0) state_.pool.check_interrupt();
        if (state_.pool.has_failed()) return;
      }
      candidates_.resize(to);
      push_possible_centers(node, from, to);
      const std::size_t end = candidates_.size();
      if (end - to == 1) {
        assign_node(node, candidates_[to]);
      } else {
        all_.push_owner_down(node);
        if (boxes_.is_leaf(node)) {
          scan_leaf(node, candidates_.data() + to, end - to);
        } else {
          filter_node(boxes_.left(node), to, end);
          filter_node(boxes_.right(node), to, end);
        }
      }
      candidates_.resize(to);
    }

    // Pushes the candidates that may be nearest to a point of the box. A center is not if, of the corner farthest in
    // its direction, the center nearest to the middle is nearer by more than rounding can do anywhere in the box.
    void push_possible_centers(std::size_t node, std::size_t from, std::size_t to) {
      const std::size_t width = state_.rows.width;
      const double *low = boxes_.low(node), *high = boxes_.high(node);
      for (std::size_t d = 0; d < width; ++d) middle_[d] = 0.5 * low[d] + 0.5 * high[d];
      std::int32_t best = candidates_[from];
      double minimum = squared_distance(middle_.data(), center(best), width);
      for (std::size_t i = from + 1; i < to; ++i) {
        const double square = squared_distance(middle_.data(), center(candidates_[i]), width);
        if (square < minimum) minimum = square, best = candidates_[i];
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
          if (far - near > 8 * state_.slack * (far + boxes_.squared_diagonal(node))) continue;
        }
        candidates_.push_back(one);
      }
    }

    void assign_node(std::size_t node, std::int32_t to) {
      const std::int32_t from = all_.owner_[node];
      if (from == to) return;
      if (from != kMixed) {
        const auto& sums = boxes_.sums();
        if (from >= 0) sums_.add_sum(static_cast<std::size_t>(from), sums.sums(node), sums.compensations(node), -1.0);
        sums_.add_sum(static_cast<std::size_t>(to), sums.sums(node), sums.compensations(node), 1.0);
        changed_ += boxes_.end(node) - boxes_.begin(node);
      } else if (boxes_.is_leaf(node)) {
        for (std::size_t i = boxes_.begin(node); i < boxes_.end(node); ++i) assign_row(i, to);
      } else {
        assign_node(boxes_.left(node), to);
        assign_node(boxes_.right(node), to);
      }
      all_.owner_[node] = to;
    }

    void assign_row(std::size_t i, std::int32_t to) {
      const std::int32_t from = std::exchange(all_.labels_[i], to);
      if (from == to) return;
      const auto rows = boxes_.rows();
      if (from >= 0) sums_.add(static_cast<std::size_t>(from), rows.row(i), rows.weight(i), -1.0);
      sums_.add(static_cast<std::size_t>(to), rows.row(i), rows.weight(i), 1.0);
      ++changed_;
    }

    void scan_leaf(std::size_t node, const std::int32_t* list, std::size_t n) {
      TwoNearestOfPanel two;
      const auto rows = boxes_.rows();
      for (std::size_t i = boxes_.begin(node); i < boxes_.end(node); i += kPointsPerPanel) {
        const std::size_t m = std::min(kPointsPerPanel, boxes_.end(node) - i);
        fill_panel(m, rows.width, panel_.data(), [&](std::size_t p) { return rows.row(i + p); });
        get_center_scans().listed(panel_.data(), rows.width, state_.centers.data(), list, n, two);
        for (std::size_t p = 0; p < m; ++p) assign_row(i + p, static_cast<std::int32_t>(two.which[p]));
      }
    }

    FilteringAssigner& all_;
    const BoxTree& boxes_;
    KMeansState& state_;
    ClusterSums& sums_;
    std::size_t thread_, changed_ = 0, steps_ = 0;
    std::vector<std::int32_t> candidates_;
    std::vector<double> middle_;
    AlignedDoubles panel_;
  };

  KMeansState& state_;
  BoxTree boxes_;
  std::vector<std::size_t> job_nodes_;  // the nodes that are jobs
  std::vector<std::int32_t> owner_;     // of each node: its cluster, if it is one
  std::vector<std::int32_t> labels_;    // of each row in the order of the tree, where the block is mixed
  std::vector<ClusterSums> job_sums_;
};

}  // namespace

std::unique_ptr<Assigner> make_tree_assigner(KMeansState& state) { return std::make_unique<FilteringAssigner>(state); }

}  // namespace hedgerow

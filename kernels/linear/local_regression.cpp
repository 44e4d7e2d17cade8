#include "linear/local_regression.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNegligibleWeight = 1e-16;     // a weight that does not count beside 1
constexpr double kGaussianReach = 73.68272298;  // twice its logarithm: (d² - nearest²) / h² of rows that count
constexpr double kDependentShare = 1e-13;       // share of its variance that a feature must have of its own
constexpr std::size_t kPanelRows = 128;         // rows of a panel
constexpr std::size_t kJobQueries = 16;
constexpr double kMinRowRidge = 1e-12;  // from which on solutions by rows are as exact as by features
constexpr std::size_t kProductsPerCheck = std::size_t{1} << 26;  // a few hundredths of a second

using Lanes = double __attribute__((vector_size(32)));
using UnalignedLanes = double __attribute__((vector_size(32), aligned(8), may_alias));

// Adds the products of lines of `kPanelRows`: out[i * across + j] += left[i] . right[j], for j up to i and from `high -
// 1` on; the products of features are symmetric, and only their lower half is read.
HEDGEROW_AVX2_CLONES void add_products(const double* left, std::size_t high, const double* right, std::size_t across,
                                       double* out) {
  for (std::size_t i = 0; i < high; ++i) {
    const double* own = left + i * kPanelRows;
    for (std::size_t j = 0; j < across; j += 4) {
      if (j > i && j + 3 < high - 1) j = (high - 1) / 4 * 4;
      const double* with = right + j * kPanelRows;  // lines behind the last one are there, and not used
      Lanes a{}, b{}, c{}, d{};
      for (std::size_t r = 0; r < kPanelRows; r += 4) {
        const Lanes one = *reinterpret_cast<const UnalignedLanes*>(own + r);
        a += one * *reinterpret_cast<const UnalignedLanes*>(with + r);
        b += one * *reinterpret_cast<const UnalignedLanes*>(with + kPanelRows + r);
        c += one * *reinterpret_cast<const UnalignedLanes*>(with + 2 * kPanelRows + r);
        d += one * *reinterpret_cast<const UnalignedLanes*>(with + 3 * kPanelRows + r);
      }
      const double sums[4] = {(a[0] + a[1]) + (a[2] + a[3]), (b[0] + b[1]) + (b[2] + b[3]),
                              (c[0] + c[1]) + (c[2] + c[3]), (d[0] + d[1]) + (d[2] + d[3])};
      for (std::size_t k = 0; k < std::min<std::size_t>(4, across - j); ++k) out[i * across + j + k] += sums[k];
    }
  }
}

[[gnu::always_inline]] inline double dot(const double* one, const double* other, std::size_t n) {
  Lanes a{}, b{};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    a += *reinterpret_cast<const UnalignedLanes*>(one + k) * *reinterpret_cast<const UnalignedLanes*>(other + k);
    b +=
        *reinterpret_cast<const UnalignedLanes*>(one + k + 4) * *reinterpret_cast<const UnalignedLanes*>(other + k + 4);
  }
  a += b;
  double sum = (a[0] + a[1]) + (a[2] + a[3]);
  for (; k < n; ++k) sum += one[k] * other[k];
  return sum;
}

// The lower Cholesky factor in place of the lower half of a matrix; 0 in the diagonal where a line depends on others.
HEDGEROW_AVX2_CLONES void cholesky(double* lower, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double* own = lower + j * n;
    const double whole = own[j], left = whole - dot(own, own, j);
    own[j] = left > kDependentShare * whole && left > 0 ? std::sqrt(left) : 0.0;
    for (std::size_t i = j + 1; i < n; ++i) {
      double* line = lower + i * n;
      line[j] = own[j] > 0 ? (line[j] - dot(line, own, j)) / own[j] : 0.0;
    }
  }
}

// Solves LL'x = b for several b, which lie side by side; 0 where the diagonal is.
void substitute(const double* lower, std::size_t n, double* values, std::size_t targets) {
  for (std::size_t t = 0; t < targets; ++t) {
    for (std::size_t i = 0; i < n; ++i) {
      double value = values[i * targets + t];
      for (std::size_t k = 0; k < i; ++k) value -= lower[i * n + k] * values[k * targets + t];
      values[i * targets + t] = lower[i * n + i] > 0 ? value / lower[i * n + i] : 0.0;
    }
    for (std::size_t i = n; i-- > 0;) {
      double value = values[i * targets + t];
      for (std::size_t k = i + 1; k < n; ++k) value -= lower[k * n + i] * values[k * targets + t];
      values[i * targets + t] = lower[i * n + i] > 0 ? value / lower[i * n + i] : 0.0;
    }
  }
}

// The lower half of the products of rows of n numbers with each other, and `more` in the diagonal.
HEDGEROW_AVX2_CLONES void row_products(const double* rows, std::size_t m, std::size_t n, double more, double* out) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) out[i * m + j] = dot(rows + i * n, rows + j * n, n);
    out[i * m + i] = dot(rows + i * n, rows + i * n, n) + more;
  }
}

// Collects the nearest rows whose weights make up k, and all that are as near as the last of them.
class HeaviestNeighbors {
 public:
  void clear(double k, std::span<const double> weights, std::int32_t excluded_row) {
    k_ = k, weights_ = weights, excluded_row_ = excluded_row;
    neighbors_.clear();
    limit_ = kInfinity;
    next_trim_size_ = first_trim_size();
  }

  double limit() const { return limit_; }
  bool wants(double square, std::int32_t) const { return square <= limit_; }

  void offer(double square, std::int32_t row, std::size_t at) {
    if (!(weight(row, at) > 0)) return;
    neighbors_.push_back({square, row, static_cast<std::uint32_t>(at)});
    if (neighbors_.size() >= next_trim_size_) trim();
  }

  // Leaves out what is not among the nearest.
  void trim() {
    if (weights_.empty()) {
      trim_by_count();
      return;
    }
    std::sort(neighbors_.begin(), neighbors_.end(), is_nearer_neighbor);
    double sum = 0;
    std::size_t size = 0;
    for (; size < neighbors_.size(); ++size) {
      if (sum >= k_ && neighbors_[size].distance != neighbors_[size - 1].distance) break;
      sum += weight(neighbors_[size].row, neighbors_[size].position);
    }
    neighbors_.resize(size);
    if (sum >= k_) limit_ = neighbors_.back().distance;
    next_trim_size_ = std::max(first_trim_size(), size + size / 2 + 4);
  }

  std::vector<Neighbor>& neighbors() { return neighbors_; }

  double weight(std::int32_t row, std::size_t at) const {
    return (weights_.empty() ? 1.0 : weights_[at]) - (row == excluded_row_ ? 1.0 : 0.0);
  }

 private:
  // The same where every row weighs 1, which needs no order.
  void trim_by_count() {
    const auto k = static_cast<std::size_t>(std::max(1.0, std::min(std::ceil(k_), 1e15)));
    if (neighbors_.size() >= k) {
      const auto last = neighbors_.begin() + static_cast<std::ptrdiff_t>(k) - 1;
      std::nth_element(neighbors_.begin(), last, neighbors_.end(), is_nearer_neighbor);
      limit_ = last->distance;
      neighbors_.erase(
          std::remove_if(last + 1, neighbors_.end(), [&](const Neighbor& one) { return one.distance > limit_; }),
          neighbors_.end());
    }
    next_trim_size_ = std::max(first_trim_size(), neighbors_.size() + neighbors_.size() / 2 + 4);
  }

  std::size_t first_trim_size() const { return static_cast<std::size_t>(std::min(k_, 1e6)) + 1; }

  double k_ = 1;
  std::span<const double> weights_;
  std::int32_t excluded_row_ = -1;
  std::vector<Neighbor> neighbors_;
  double limit_ = kInfinity;
  std::size_t next_trim_size_ = 1;
};

// Fits of one query after the other, by one thread.
class LocalFitter {
 public:
  LocalFitter(const LocalTrainingRows& rows, const LocalFitOptions& options, std::function<bool()> pause)
      : rows_(rows),
        options_(options),
        should_stop_(std::move(pause)),
        across_(rows.n_features + rows.n_targets + 1),
        left_((rows.n_features + 1) * kPanelRows),
        right_((across_ + 3) * kPanelRows),
        sums_((rows.n_features + 1) * across_),
        center_(rows.n_features + rows.n_targets),
        factor_(rows.n_features * rows.n_features),
        slopes_(rows.n_features * rows.n_targets) {
    for (const double bandwidth : options.bandwidths) widest_ = std::max(widest_, bandwidth);
  }

  void fit(const MixedRow& query, std::size_t number, const LocalQueries& queries, const LocalFits& out) {
    const std::size_t n = options_.bandwidths.size(), targets = rows_.n_targets;
    collect_neighbors(query, queries.excluded_rows.empty() ? -1 : queries.excluded_rows[number]);
    const double* features = queries.features.data() + number * rows_.n_features;
    for (std::size_t i = 0; i < n && !stopped_; ++i) {
      double* values = out.values.data() + (number * n + i) * targets;
      if (neighbors_->empty()) {
        std::fill(values, values + targets, std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      compute_weights(options_.bandwidths[i]);
      if (options_.ridge >= kMinRowRidge && weighted_neighbors_.size() < rows_.n_features) {
        solve_by_rows();
      } else {
        accumulate_sums();
        solve_by_features();
      }
      predict(features, values);
    }
    if (!out.slopes.empty())
      for (std::size_t t = 0; t < targets; ++t)
        for (std::size_t p = 0; p < rows_.n_features; ++p)
          out.slopes[(number * targets + t) * rows_.n_features + p] =
              neighbors_->empty() ? 0.0 : slopes_[p * targets + t];
    if (!out.means.empty())
      for (std::size_t i = 0; i < center_.size(); ++i)
        out.means[number * center_.size() + i] = neighbors_->empty() ? 0.0 : center_[i] + mean(i);
  }

 private:
  // -- the rows that count ------------------------------------------------------------------------------------------

  void collect_neighbors(const MixedRow& query, std::int32_t excluded_row) {
    excluded_row_ = excluded_row;
    if (options_.neighbors > 0) {
      search_nearest(query, options_.neighbors);
    } else if (options_.weight == LocalWeight::RECIPROCAL) {
      collect_all(query);
    } else if (options_.weight == LocalWeight::GAUSSIAN) {
      search_nearest(query, std::numeric_limits<double>::min());
      if (!neighbors_->empty()) search_within(query, neighbors_->front().distance + kGaussianReach * widest_ * widest_);
    } else {
      search_within(query, widest_ * widest_);
      if (neighbors_->empty()) search_nearest(query, std::numeric_limits<double>::min());
    }
    nearest_ = farthest_ = 0;
    if (neighbors_->empty()) return;
    const auto [minimum, maximum] = std::minmax_element(neighbors_->begin(), neighbors_->end(), is_nearer_neighbor);
    nearest_ = minimum->distance, farthest_ = maximum->distance;
    base_ = minimum->position;
  }

  void search_nearest(const MixedRow& query, double k) {
    heaviest_neighbors_.clear(k, rows_.weights, excluded_row_);
    TreeSearch(rows_.tree, heaviest_neighbors_).search(query);
    heaviest_neighbors_.trim();
    neighbors_ = &heaviest_neighbors_.neighbors();
  }

  void search_within(const MixedRow& query, double limit) {
    radius_collector_.clear(limit);
    TreeSearch(rows_.tree, radius_collector_).search(query);
    neighbors_ = &radius_collector_.neighbors();
    drop_excluded();
  }

  void collect_all(const MixedRow& query) {
    radius_collector_.clear(kInfinity);
    TreeSearch(rows_.tree, radius_collector_).search(query);
    neighbors_ = &radius_collector_.neighbors();
    drop_excluded();
  }

  // Leaves out the row that must not count, unless it weighs more than 1.
  void drop_excluded() {
    if (excluded_row_ < 0) return;
    std::erase_if(*neighbors_,
                  [&](const Neighbor& one) { return one.row == excluded_row_ && !(neighbor_weight(one) > 0); });
  }

  double neighbor_weight(const Neighbor& one) const {
    return (rows_.weights.empty() ? 1.0 : rows_.weights[one.position]) - (one.row == excluded_row_ ? 1.0 : 0.0);
  }

  // -- weights ------------------------------------------------------------------------------------------------------

  void compute_weights(double bandwidth) {
    const double h = options_.neighbors > 0 ? bandwidth * std::sqrt(farthest_) : bandwidth;
    const double top = options_.weight == LocalWeight::TRICUBE ? relative_weight(nearest_, h) : 1.0;
    weighted_neighbors_.clear();
    for (const auto& one : *neighbors_) {
      const double weight = one.distance == nearest_ ? (top > 0 ? 1.0 : 0.0) : relative_weight(one.distance, h) / top;
      if (weight >= kNegligibleWeight) weighted_neighbors_.push_back({weight * neighbor_weight(one), one.position});
    }
    if (!weighted_neighbors_.empty()) return;
    for (const auto& one : *neighbors_)
      if (one.distance == nearest_) weighted_neighbors_.push_back({neighbor_weight(one), one.position});
  }

  // The weight of a row beside that of the nearest; of TRICUBE its own.
  double relative_weight(double square, double h) const {
    switch (options_.weight) {
      case LocalWeight::RECIPROCAL:
        return (std::sqrt(nearest_) + h) / (std::sqrt(square) + h);
      case LocalWeight::GAUSSIAN: {
        const double difference = (square - nearest_) / h / h / 2;
        return difference < kGaussianReach / 2 ? std::exp(-difference) : 0.0;
      }
      default: {
        const double u = std::sqrt(square) / h;
        if (!(u < 1)) return 0.0;
        const double rest = 1 - u * u * u;
        return rest * rest * rest;
      }
    }
  }

  // -- sums ---------------------------------------------------------------------------------------------------------

  // Sums of weighted products: features and 1, by features, targets and 1. All are taken from those of one row, so that
  // no digits are lost where all that count lie close together.
  void accumulate_sums() {
    const std::size_t features = rows_.n_features, targets = rows_.n_targets;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    if (options_.weight == LocalWeight::RECIPROCAL && !(options_.neighbors > 0)) {
      std::fill(center_.begin(), center_.end(), 0.0);  // rows far away weigh much together, and the mean is 0
    } else {
      std::copy_n(rows_.features.data() + base_ * features, features, center_.data());
      std::copy_n(rows_.targets.data() + base_ * targets, targets, center_.data() + features);
    }
    for (std::size_t begin = 0; begin < weighted_neighbors_.size(); begin += kPanelRows) {
      fill_panel(begin, std::min(kPanelRows, weighted_neighbors_.size() - begin));
      add_products(left_.data(), features + 1, right_.data(), across_, sums_.data());
      count_products((features + 1) * across_ * kPanelRows / 2);
      if (stopped_) return;
    }
  }

  // Looks up now and then in long work; if another thread has failed, nobody waits for the rest.
  void count_products(std::size_t products) {
    products_done_ += products;
    if (products_done_ < kProductsPerCheck) return;
    products_done_ = 0;
    stopped_ = !should_stop_();
  }

  void fill_panel(std::size_t begin, std::size_t n) {
    const std::size_t features = rows_.n_features, targets = rows_.n_targets;
    if (n < kPanelRows) {
      std::fill(left_.begin(), left_.end(), 0.0);
      std::fill(right_.begin(), right_.end(), 0.0);
    }
    for (std::size_t r = 0; r < n; ++r) {
      const auto& [weight, at] = weighted_neighbors_[begin + r];
      const double* own = rows_.features.data() + at * features;
      for (std::size_t p = 0; p < features; ++p) {
        const double value = own[p] - center_[p];
        right_[p * kPanelRows + r] = value;
        left_[p * kPanelRows + r] = weight * value;
      }
      const double* row_targets = rows_.targets.data() + at * targets;
      for (std::size_t t = 0; t < targets; ++t)
        right_[(features + t) * kPanelRows + r] = row_targets[t] - center_[features + t];
      right_[(features + targets) * kPanelRows + r] = 1.0;
      left_[features * kPanelRows + r] = weight;
    }
  }

  // -- the solution -------------------------------------------------------------------------------------------------

  double total() const { return sums_.back(); }
  double mean(std::size_t i) const { return sums_[rows_.n_features * across_ + i] / total(); }

  void predict(const double* features, double* values) const {
    const std::size_t n = rows_.n_features, targets = rows_.n_targets;
    for (std::size_t t = 0; t < targets; ++t) {
      double value = center_[n + t] + mean(n + t);
      for (std::size_t p = 0; p < n; ++p) value += slopes_[p * targets + t] * (features[p] - center_[p] - mean(p));
      values[t] = value;
    }
  }

  // From the covariances with the ridge.
  void solve_by_features() {
    const std::size_t n = rows_.n_features, targets = rows_.n_targets;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor_[i * n + j] = sums_[i * across_ + j] / total() - mean(i) * mean(j);
      factor_[i * n + i] *= 1 + options_.ridge;
      for (std::size_t t = 0; t < targets; ++t)
        slopes_[i * targets + t] = sums_[i * across_ + n + t] / total() - mean(i) * mean(n + t);
    }
    cholesky(factor_.data(), n);
    count_products(n * n * n / 3);
    substitute(factor_.data(), n, slopes_.data(), targets);
  }

  // The same with fewer rows than features, from the products of rows: with features z of deviation 1 and targets y,
  // both centered and times the roots of the shares of the rows, the slopes are z'(zz' + ridge)^-1 y.
  void solve_by_rows() {
    const std::size_t n = rows_.n_features, targets = rows_.n_targets, m = weighted_neighbors_.size();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::copy_n(rows_.features.data() + base_ * n, n, center_.data());
    std::copy_n(rows_.targets.data() + base_ * targets, targets, center_.data() + n);
    double* means = sums_.data() + n * across_;  // of what is left after the row at the center
    for (const auto& [weight, at] : weighted_neighbors_) {
      for (std::size_t p = 0; p < n; ++p) means[p] += weight * (rows_.features[at * n + p] - center_[p]);
      for (std::size_t t = 0; t < targets; ++t)
        means[n + t] += weight * (rows_.targets[at * targets + t] - center_[n + t]);
      sums_.back() += weight;
    }
    scaled_.resize(m * n), shares_.resize(m * targets), likeness_.resize(m * m), scales_.assign(n, 0.0);
    for (std::size_t r = 0; r < m; ++r) {
      const auto& [weight, at] = weighted_neighbors_[r];
      const double root = std::sqrt(weight / total());
      for (std::size_t p = 0; p < n; ++p) {
        const double value = root * (rows_.features[at * n + p] - center_[p] - mean(p));
        scaled_[r * n + p] = value;
        scales_[p] += value * value;
      }
      for (std::size_t t = 0; t < targets; ++t)
        shares_[r * targets + t] = root * (rows_.targets[at * targets + t] - center_[n + t] - mean(n + t));
    }
    for (double& scale : scales_) scale = scale > 0 ? 1 / std::sqrt(scale) : 0.0;
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t p = 0; p < n; ++p) scaled_[r * n + p] *= scales_[p];
    row_products(scaled_.data(), m, n, options_.ridge, likeness_.data());
    cholesky(likeness_.data(), m);
    count_products(m * m * n / 2 + m * m * m / 3);
    substitute(likeness_.data(), m, shares_.data(), targets);
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t p = 0; p < n; ++p)
        for (std::size_t t = 0; t < targets; ++t)
          slopes_[p * targets + t] += scaled_[r * n + p] * scales_[p] * shares_[r * targets + t];
  }

  struct WeightedNeighbor {
    double weight;
    std::size_t at;
  };

  const LocalTrainingRows& rows_;
  const LocalFitOptions& options_;
  std::function<bool()> should_stop_;
  std::size_t across_, products_done_ = 0;
  bool stopped_ = false;
  double widest_ = 0, nearest_ = 0, farthest_ = 0;
  std::size_t base_ = 0;
  std::int32_t excluded_row_ = -1;
  HeaviestNeighbors heaviest_neighbors_;
  RadiusCollector radius_collector_;
  std::vector<Neighbor>* neighbors_ = &radius_collector_.neighbors();
  std::vector<WeightedNeighbor> weighted_neighbors_;
  std::vector<double> left_, right_, sums_, center_, factor_, slopes_;
  std::vector<double> scaled_, shares_, likeness_, scales_;  // of solutions by rows
};

}  // namespace

void fit_local_models(const LocalTrainingRows& rows, const LocalFitOptions& options, const LocalQueries& queries,
                      const LocalFits& out, ThreadPool& pool) {
  struct LocalFitThread {
    LocalFitThread(const LocalTrainingRows& own, const LocalFitOptions& options, const LocalQueries& queries,
                   std::function<bool()> pause)
        : row(queries.rows), fitter(own, options, std::move(pause)) {}
    MixedRowReader row;
    LocalFitter fitter;
  };
  const auto order = order_queries_by_block(rows.tree, queries.rows, pool);
  std::vector<std::unique_ptr<LocalFitThread>> members(pool.size());
  pool.parallel_for((order.size() + kJobQueries - 1) / kJobQueries, [&](std::size_t job, std::size_t number) {
    auto& thread = members[number];
    if (!thread) {
      thread = std::make_unique<LocalFitThread>(rows, options, queries, [&pool, number] {
        if (number == 0) pool.check_interrupt();
        return !pool.has_failed();
      });
    }
    for (auto i = job * kJobQueries; i < std::min(order.size(), (job + 1) * kJobQueries) && !pool.has_failed(); ++i) {
      if (number == 0) pool.check_interrupt();
      const auto query = static_cast<std::size_t>(order[i]);
      thread->fitter.fit(thread->row(query), query, queries, out);
    }
  });
}

}  // namespace hedgerow

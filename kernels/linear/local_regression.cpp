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

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double tiny = 1e-16;         // a weight that does not count beside 1
constexpr double reach = 73.68272298;  // twice its logarithm: (d² - nearest²) / h² of rows that count
constexpr double dependent = 1e-13;    // share of its variance that a place must have of its own
constexpr std::size_t length = 128;    // rows of a panel
constexpr std::size_t job_queries = 16;
constexpr double least_ridge = 1e-12;  // from which on solutions by rows are as exact as by places
constexpr std::size_t pause_products = std::size_t{1} << 26;  // a few hundredths of a second

using Lanes = double __attribute__((vector_size(32)));
using Loose = double __attribute__((vector_size(32), aligned(8), may_alias));

// Adds the products of lines of `length`: out[i * across + j] += left[i] . right[j], for j up to i and from `high - 1`
// on; the products of places are symmetric, and only their lower half is read.
HEDGEROW_AVX2_CLONES void add_products(const double* left, std::size_t high, const double* right, std::size_t across,
                                       double* out) {
  for (std::size_t i = 0; i < high; ++i) {
    const double* own = left + i * length;
    for (std::size_t j = 0; j < across; j += 4) {
      if (j > i && j + 3 < high - 1) j = (high - 1) / 4 * 4;
      const double* with = right + j * length;  // lines behind the last one are there, and not used
      Lanes a{}, b{}, c{}, d{};
      for (std::size_t r = 0; r < length; r += 4) {
        const Lanes one = *reinterpret_cast<const Loose*>(own + r);
        a += one * *reinterpret_cast<const Loose*>(with + r);
        b += one * *reinterpret_cast<const Loose*>(with + length + r);
        c += one * *reinterpret_cast<const Loose*>(with + 2 * length + r);
        d += one * *reinterpret_cast<const Loose*>(with + 3 * length + r);
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
    a += *reinterpret_cast<const Loose*>(one + k) * *reinterpret_cast<const Loose*>(other + k);
    b += *reinterpret_cast<const Loose*>(one + k + 4) * *reinterpret_cast<const Loose*>(other + k + 4);
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
    own[j] = left > dependent * whole && left > 0 ? std::sqrt(left) : 0.0;
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
class Heaviest {
 public:
  void clear(double k, std::span<const double> weights, std::int32_t left_out) {
    k_ = k, weights_ = weights, left_out_ = left_out;
    found_.clear();
    limit_ = infinite;
    next_ = first_cut();
  }

  double limit() const { return limit_; }
  bool wants(double square, std::int32_t) const { return square <= limit_; }

  void offer(double square, std::int32_t row, std::size_t at) {
    if (!(weight(row, at) > 0)) return;
    found_.push_back({square, row, static_cast<std::uint32_t>(at)});
    if (found_.size() >= next_) cut();
  }

  // Leaves out what is not among the nearest.
  void cut() {
    if (weights_.empty()) {
      cut_by_number();
      return;
    }
    std::sort(found_.begin(), found_.end(), found_nearer);
    double sum = 0;
    std::size_t size = 0;
    for (; size < found_.size(); ++size) {
      if (sum >= k_ && found_[size].distance != found_[size - 1].distance) break;
      sum += weight(found_[size].row, found_[size].at);
    }
    found_.resize(size);
    if (sum >= k_) limit_ = found_.back().distance;
    next_ = std::max(first_cut(), size + size / 2 + 4);
  }

  std::vector<Found>& found() { return found_; }

  double weight(std::int32_t row, std::size_t at) const {
    return (weights_.empty() ? 1.0 : weights_[at]) - (row == left_out_ ? 1.0 : 0.0);
  }

 private:
  // The same where every row weighs 1, which needs no order.
  void cut_by_number() {
    const auto k = static_cast<std::size_t>(std::max(1.0, std::min(std::ceil(k_), 1e15)));
    if (found_.size() >= k) {
      const auto last = found_.begin() + static_cast<std::ptrdiff_t>(k) - 1;
      std::nth_element(found_.begin(), last, found_.end(), found_nearer);
      limit_ = last->distance;
      found_.erase(std::remove_if(last + 1, found_.end(), [&](const Found& one) { return one.distance > limit_; }),
                   found_.end());
    }
    next_ = std::max(first_cut(), found_.size() + found_.size() / 2 + 4);
  }

  std::size_t first_cut() const { return static_cast<std::size_t>(std::min(k_, 1e6)) + 1; }

  double k_ = 1;
  std::span<const double> weights_;
  std::int32_t left_out_ = -1;
  std::vector<Found> found_;
  double limit_ = infinite;
  std::size_t next_ = 1;
};

// Fits of one query after the other, by one member of a crew.
class Fitter {
 public:
  Fitter(const LocalRows& rows, const LocalHow& how, std::function<bool()> pause)
      : rows_(rows),
        how_(how),
        pause_(std::move(pause)),
        across_(rows.n_places + rows.n_targets + 1),
        left_((rows.n_places + 1) * length),
        right_((across_ + 3) * length),
        sums_((rows.n_places + 1) * across_),
        center_(rows.n_places + rows.n_targets),
        factor_(rows.n_places * rows.n_places),
        slopes_(rows.n_places * rows.n_targets) {
    for (const double bandwidth : how.bandwidths) widest_ = std::max(widest_, bandwidth);
  }

  void fit(const MixedRow& query, std::size_t number, const LocalQueries& queries, const LocalFits& out) {
    const std::size_t n = how_.bandwidths.size(), targets = rows_.n_targets;
    collect(query, queries.left_out.empty() ? -1 : queries.left_out[number]);
    const double* places = queries.places.data() + number * rows_.n_places;
    for (std::size_t i = 0; i < n && !stopped_; ++i) {
      double* values = out.values.data() + (number * n + i) * targets;
      if (found_->empty()) {
        std::fill(values, values + targets, std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      weigh(how_.bandwidths[i]);
      if (how_.ridge >= least_ridge && counted_.size() < rows_.n_places) {
        solve_by_rows();
      } else {
        sum();
        solve_by_places();
      }
      predict(places, values);
    }
    if (!out.slopes.empty())
      for (std::size_t t = 0; t < targets; ++t)
        for (std::size_t p = 0; p < rows_.n_places; ++p)
          out.slopes[(number * targets + t) * rows_.n_places + p] = found_->empty() ? 0.0 : slopes_[p * targets + t];
    if (!out.means.empty())
      for (std::size_t i = 0; i < center_.size(); ++i)
        out.means[number * center_.size() + i] = found_->empty() ? 0.0 : center_[i] + mean(i);
  }

 private:
  // -- the rows that count ------------------------------------------------------------------------------------------

  void collect(const MixedRow& query, std::int32_t left_out) {
    left_out_ = left_out;
    if (how_.neighbors > 0) {
      search_nearest(query, how_.neighbors);
    } else if (how_.weight == LocalWeight::RECIPROCAL) {
      take_all(query);
    } else if (how_.weight == LocalWeight::GAUSSIAN) {
      search_nearest(query, std::numeric_limits<double>::min());
      if (!found_->empty()) search_within(query, found_->front().distance + reach * widest_ * widest_);
    } else {
      search_within(query, widest_ * widest_);
      if (found_->empty()) search_nearest(query, std::numeric_limits<double>::min());
    }
    nearest_ = farthest_ = 0;
    if (found_->empty()) return;
    const auto [least, most] = std::minmax_element(found_->begin(), found_->end(), found_nearer);
    nearest_ = least->distance, farthest_ = most->distance;
    base_ = least->at;
  }

  void search_nearest(const MixedRow& query, double k) {
    heaviest_.clear(k, rows_.weights, left_out_);
    TreeSearch(rows_.tree, heaviest_).search(query);
    heaviest_.cut();
    found_ = &heaviest_.found();
  }

  void search_within(const MixedRow& query, double limit) {
    within_.clear(limit);
    TreeSearch(rows_.tree, within_).search(query);
    found_ = &within_.found();
    drop();
  }

  void take_all(const MixedRow& query) {
    within_.clear(infinite);
    TreeSearch(rows_.tree, within_).search(query);
    found_ = &within_.found();
    drop();
  }

  // Leaves out the row that must not count, unless it weighs more than 1.
  void drop() {
    if (left_out_ < 0) return;
    std::erase_if(*found_, [&](const Found& one) { return one.row == left_out_ && !(own_weight(one) > 0); });
  }

  double own_weight(const Found& one) const {
    return (rows_.weights.empty() ? 1.0 : rows_.weights[one.at]) - (one.row == left_out_ ? 1.0 : 0.0);
  }

  // -- weights ------------------------------------------------------------------------------------------------------

  void weigh(double bandwidth) {
    const double h = how_.neighbors > 0 ? bandwidth * std::sqrt(farthest_) : bandwidth;
    const double top = how_.weight == LocalWeight::TRICUBE ? relative(nearest_, h) : 1.0;
    counted_.clear();
    for (const auto& one : *found_) {
      const double weight = one.distance == nearest_ ? (top > 0 ? 1.0 : 0.0) : relative(one.distance, h) / top;
      if (weight >= tiny) counted_.push_back({weight * own_weight(one), one.at});
    }
    if (!counted_.empty()) return;
    for (const auto& one : *found_)
      if (one.distance == nearest_) counted_.push_back({own_weight(one), one.at});
  }

  // The weight of a row beside that of the nearest; of TRICUBE its own.
  double relative(double square, double h) const {
    switch (how_.weight) {
      case LocalWeight::RECIPROCAL:
        return (std::sqrt(nearest_) + h) / (std::sqrt(square) + h);
      case LocalWeight::GAUSSIAN: {
        const double apart = (square - nearest_) / h / h / 2;
        return apart < reach / 2 ? std::exp(-apart) : 0.0;
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

  // Sums of weighted products: places and 1, by places, targets and 1. All are taken from those of one row, so that no
  // digits are lost where all that count lie close together.
  void sum() {
    const std::size_t places = rows_.n_places, targets = rows_.n_targets;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    if (how_.weight == LocalWeight::RECIPROCAL && !(how_.neighbors > 0)) {
      std::fill(center_.begin(), center_.end(), 0.0);  // rows far away weigh much together, and the mean is 0
    } else {
      std::copy_n(rows_.places.data() + base_ * places, places, center_.data());
      std::copy_n(rows_.targets.data() + base_ * targets, targets, center_.data() + places);
    }
    for (std::size_t begin = 0; begin < counted_.size(); begin += length) {
      fill(begin, std::min(length, counted_.size() - begin));
      add_products(left_.data(), places + 1, right_.data(), across_, sums_.data());
      worked((places + 1) * across_ * length / 2);
      if (stopped_) return;
    }
  }

  // Looks up now and then in long work; if another member has failed, nobody waits for the rest.
  void worked(std::size_t products) {
    done_ += products;
    if (done_ < pause_products) return;
    done_ = 0;
    stopped_ = !pause_();
  }

  void fill(std::size_t begin, std::size_t n) {
    const std::size_t places = rows_.n_places, targets = rows_.n_targets;
    if (n < length) {
      std::fill(left_.begin(), left_.end(), 0.0);
      std::fill(right_.begin(), right_.end(), 0.0);
    }
    for (std::size_t r = 0; r < n; ++r) {
      const auto& [weight, at] = counted_[begin + r];
      const double* own = rows_.places.data() + at * places;
      for (std::size_t p = 0; p < places; ++p) {
        const double value = own[p] - center_[p];
        right_[p * length + r] = value;
        left_[p * length + r] = weight * value;
      }
      const double* aims = rows_.targets.data() + at * targets;
      for (std::size_t t = 0; t < targets; ++t) right_[(places + t) * length + r] = aims[t] - center_[places + t];
      right_[(places + targets) * length + r] = 1.0;
      left_[places * length + r] = weight;
    }
  }

  // -- the solution -------------------------------------------------------------------------------------------------

  double total() const { return sums_.back(); }
  double mean(std::size_t i) const { return sums_[rows_.n_places * across_ + i] / total(); }

  void predict(const double* places, double* values) const {
    const std::size_t n = rows_.n_places, targets = rows_.n_targets;
    for (std::size_t t = 0; t < targets; ++t) {
      double value = center_[n + t] + mean(n + t);
      for (std::size_t p = 0; p < n; ++p) value += slopes_[p * targets + t] * (places[p] - center_[p] - mean(p));
      values[t] = value;
    }
  }

  // From the covariances with the ridge.
  void solve_by_places() {
    const std::size_t n = rows_.n_places, targets = rows_.n_targets;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor_[i * n + j] = sums_[i * across_ + j] / total() - mean(i) * mean(j);
      factor_[i * n + i] *= 1 + how_.ridge;
      for (std::size_t t = 0; t < targets; ++t)
        slopes_[i * targets + t] = sums_[i * across_ + n + t] / total() - mean(i) * mean(n + t);
    }
    cholesky(factor_.data(), n);
    worked(n * n * n / 3);
    substitute(factor_.data(), n, slopes_.data(), targets);
  }

  // The same with fewer rows than places, from the products of rows: with places z of deviation 1 and targets y, both
  // centered and times the roots of the shares of the rows, the slopes are z'(zz' + ridge)^-1 y.
  void solve_by_rows() {
    const std::size_t n = rows_.n_places, targets = rows_.n_targets, m = counted_.size();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::copy_n(rows_.places.data() + base_ * n, n, center_.data());
    std::copy_n(rows_.targets.data() + base_ * targets, targets, center_.data() + n);
    double* means = sums_.data() + n * across_;  // of what is left after the row at the center
    for (const auto& [weight, at] : counted_) {
      for (std::size_t p = 0; p < n; ++p) means[p] += weight * (rows_.places[at * n + p] - center_[p]);
      for (std::size_t t = 0; t < targets; ++t)
        means[n + t] += weight * (rows_.targets[at * targets + t] - center_[n + t]);
      sums_.back() += weight;
    }
    scaled_.resize(m * n), shares_.resize(m * targets), likeness_.resize(m * m), scales_.assign(n, 0.0);
    for (std::size_t r = 0; r < m; ++r) {
      const auto& [weight, at] = counted_[r];
      const double root = std::sqrt(weight / total());
      for (std::size_t p = 0; p < n; ++p) {
        const double value = root * (rows_.places[at * n + p] - center_[p] - mean(p));
        scaled_[r * n + p] = value;
        scales_[p] += value * value;
      }
      for (std::size_t t = 0; t < targets; ++t)
        shares_[r * targets + t] = root * (rows_.targets[at * targets + t] - center_[n + t] - mean(n + t));
    }
    for (double& scale : scales_) scale = scale > 0 ? 1 / std::sqrt(scale) : 0.0;
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t p = 0; p < n; ++p) scaled_[r * n + p] *= scales_[p];
    row_products(scaled_.data(), m, n, how_.ridge, likeness_.data());
    cholesky(likeness_.data(), m);
    worked(m * m * n / 2 + m * m * m / 3);
    substitute(likeness_.data(), m, shares_.data(), targets);
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t p = 0; p < n; ++p)
        for (std::size_t t = 0; t < targets; ++t)
          slopes_[p * targets + t] += scaled_[r * n + p] * scales_[p] * shares_[r * targets + t];
  }

  struct Counted {
    double weight;
    std::size_t at;
  };

  const LocalRows& rows_;
  const LocalHow& how_;
  std::function<bool()> pause_;
  std::size_t across_, done_ = 0;
  bool stopped_ = false;
  double widest_ = 0, nearest_ = 0, farthest_ = 0;
  std::size_t base_ = 0;
  std::int32_t left_out_ = -1;
  Heaviest heaviest_;
  AllWithin within_;
  std::vector<Found>* found_ = &within_.found();
  std::vector<Counted> counted_;
  std::vector<double> left_, right_, sums_, center_, factor_, slopes_;
  std::vector<double> scaled_, shares_, likeness_, scales_;  // of solutions by rows
};

}  // namespace

void local_fits(const LocalRows& rows, const LocalHow& how, const LocalQueries& queries, const LocalFits& out,
                ThreadPool& crew) {
  struct Member {
    Member(const LocalRows& own, const LocalHow& how, const LocalQueries& asked, std::function<bool()> pause)
        : row(asked.rows), fitter(own, how, std::move(pause)) {}
    MixedRowReader row;
    Fitter fitter;
  };
  const auto order = order_by_block(rows.tree, queries.rows, crew);
  std::vector<std::unique_ptr<Member>> members(crew.size());
  crew.parallel_for((order.size() + job_queries - 1) / job_queries, [&](std::size_t job, std::size_t number) {
    auto& member = members[number];
    if (!member) {
      member = std::make_unique<Member>(rows, how, queries, [&crew, number] {
        if (number == 0) crew.check_interrupt();
        return !crew.has_failed();
      });
    }
    for (auto i = job * job_queries; i < std::min(order.size(), (job + 1) * job_queries) && !crew.has_failed(); ++i) {
      if (number == 0) crew.check_interrupt();
      const auto query = static_cast<std::size_t>(order[i]);
      member->fitter.fit(member->row(query), query, queries, out);
    }
  });
}

}  // namespace hedgerow

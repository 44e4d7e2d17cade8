#include "local_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "wide.hpp"

namespace hedgerow {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double tiny = 1e-16;         // a weight that does not count beside 1
constexpr double reach = 73.68272298;  // twice its logarithm: (d² - nearest²) / h² of rows that count
constexpr double dependent = 1e-13;    // share of its variance that a place must have of its own
constexpr std::size_t length = 128;    // rows of a panel
constexpr std::size_t job_queries = 16;

using Lanes = double __attribute__((vector_size(32)));
using Loose = double __attribute__((vector_size(32), aligned(8), may_alias));

// Adds the products of some lines with some others: out[i * across + j] += left[i] . right[j], lines of `length`.
HEDGEROW_WIDE void add_products(const double* left, std::size_t high, const double* right, std::size_t across,
                                double* out) {
  for (std::size_t i = 0; i < high; ++i) {
    const double* own = left + i * length;
    for (std::size_t j = 0; j < across; j += 4) {
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
  Fitter(const LocalRows& rows, const LocalHow& how)
      : rows_(rows),
        how_(how),
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
    for (std::size_t i = 0; i < n; ++i) {
      double* values = out.values.data() + (number * n + i) * targets;
      if (found_->empty()) {
        std::fill(values, values + targets, std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      weigh(how_.bandwidths[i]);
      sum();
      solve(places, values);
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
    }
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

  void solve(const double* places, double* values) {
    const std::size_t n = rows_.n_places, targets = rows_.n_targets;
    factor();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t t = 0; t < targets; ++t)
        slopes_[i * targets + t] = sums_[i * across_ + n + t] / total() - mean(i) * mean(n + t);
    substitute();
    for (std::size_t t = 0; t < targets; ++t) {
      double value = center_[n + t] + mean(n + t);
      for (std::size_t p = 0; p < n; ++p) value += slopes_[p * targets + t] * (places[p] - center_[p] - mean(p));
      values[t] = value;
    }
  }

  // The lower factor of the covariances with the ridge; 0 in the diagonal where a place depends on others.
  void factor() {
    const std::size_t n = rows_.n_places;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        double value = sums_[i * across_ + j] / total() - mean(i) * mean(j);
        if (i == j) value *= 1 + how_.ridge;
        const double whole = value;
        for (std::size_t k = 0; k < j; ++k) value -= factor_[i * n + k] * factor_[j * n + k];
        if (i == j)
          factor_[j * n + j] = value > dependent * whole && value > 0 ? std::sqrt(value) : 0.0;
        else
          factor_[i * n + j] = factor_[j * n + j] > 0 ? value / factor_[j * n + j] : 0.0;
      }
    }
  }

  void substitute() {
    const std::size_t n = rows_.n_places, targets = rows_.n_targets;
    for (std::size_t t = 0; t < targets; ++t) {
      for (std::size_t i = 0; i < n; ++i) {
        double value = slopes_[i * targets + t];
        for (std::size_t k = 0; k < i; ++k) value -= factor_[i * n + k] * slopes_[k * targets + t];
        slopes_[i * targets + t] = factor_[i * n + i] > 0 ? value / factor_[i * n + i] : 0.0;
      }
      for (std::size_t i = n; i-- > 0;) {
        double value = slopes_[i * targets + t];
        for (std::size_t k = i + 1; k < n; ++k) value -= factor_[k * n + i] * slopes_[k * targets + t];
        slopes_[i * targets + t] = factor_[i * n + i] > 0 ? value / factor_[i * n + i] : 0.0;
      }
    }
  }

  struct Counted {
    double weight;
    std::size_t at;
  };

  const LocalRows& rows_;
  const LocalHow& how_;
  std::size_t across_;
  double widest_ = 0, nearest_ = 0, farthest_ = 0;
  std::size_t base_ = 0;
  std::int32_t left_out_ = -1;
  Heaviest heaviest_;
  AllWithin within_;
  std::vector<Found>* found_ = &within_.found();
  std::vector<Counted> counted_;
  std::vector<double> left_, right_, sums_, center_, factor_, slopes_;
};

}  // namespace

void local_fits(const LocalRows& rows, const LocalHow& how, const LocalQueries& queries, const LocalFits& out,
                Crew& crew) {
  struct Member {
    Member(const LocalRows& own, const LocalHow& how, const LocalQueries& asked)
        : row(asked.rows), fitter(own, how) {}
    RowReader row;
    Fitter fitter;
  };
  const auto order = order_by_block(rows.tree, queries.rows, crew);
  std::vector<std::unique_ptr<Member>> members(crew.members());
  crew.share((order.size() + job_queries - 1) / job_queries, [&](std::size_t job, std::size_t number) {
    auto& member = members[number];
    if (!member) member = std::make_unique<Member>(rows, how, queries);
    for (auto i = job * job_queries; i < std::min(order.size(), (job + 1) * job_queries) && !crew.failed(); ++i) {
      if (number == 0) crew.pause();
      const auto query = static_cast<std::size_t>(order[i]);
      member->fitter.fit(member->row(query), query, queries, out);
    }
  });
}

}  // namespace hedgerow

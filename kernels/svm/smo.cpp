#include "svm/smo.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hedgerow {

namespace {

constexpr std::size_t kShrinkSteps =
    1000;  // after which to look for rows to set aside, or half as many as there are rows
constexpr std::size_t kStepsPerCheck = 64;  // after which to look up

}  // namespace

template <class T>
SmoSolver<T>::SmoSolver(KernelRows& rows, const SvmProblem& problem, const SvmOptions& options,
                        std::span<const double> alpha, ThreadPool& pool)
    : rows_(rows),
      options_(options),
      pool_(pool),
      n_(rows.size()),
      active_(n_),
      cache_(n_, options.cache_bytes),
      order_(n_),
      y_(problem.signs.begin(), problem.signs.end()),
      alpha_(alpha.begin(), alpha.end()),
      bound_(problem.bounds.begin(), problem.bounds.end()),
      ridge_(problem.ridge.begin(), problem.ridge.end()),
      p_(problem.linear.begin(), problem.linear.end()),
      F_(padded(n_)),
      up_(padded(n_), kInf),
      low_(padded(n_), kInf),
      diagonal_(padded(n_), T{1}),
      made_ahead_(n_),
      block_(std::clamp<std::size_t>(options.block, 1, kMaxBlock)) {
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t b = 0; b < n_; ++b) {
    const double k = rows_.diagonal(b);
    largest_diagonal_ = std::max(largest_diagonal_, k);
    diagonal_[b] = static_cast<T>(k + ridge_[b]);
    any_hard_margin_ = any_hard_margin_ || has_hard_margin(b);
    mark_bounds(b);
  }
  recompute_F_from(0);
}

template <class T>
bool SmoSolver<T>::has_hard_margin(std::size_t b) const {
  return std::isinf(bound_[b]) && ridge_[b] == 0;
}

template <class T>
GradientExtremes SmoSolver<T>::find_extremes() {
  const T* some = diagonal_.data();  // twice the same: F stays as it is
  return passes_.advance(F_.data(), some, some, 0.0, up_.data(), low_.data(), active_);
}

template <class T>
void SmoSolver<T>::run_steps(double tolerance, std::int64_t until) {
  extremes_ = find_extremes();
  solution_.converged = false;
  std::size_t until_shrink = std::max(active_ / 2, kShrinkSteps), until_look = kStepsPerCheck;
  for (;;) {
    const double violation = extremes_.at < 0 || extremes_.low == kInf ? 0.0 : extremes_.up - extremes_.low;
    if (!(violation > tolerance)) {
      if (active_ == n_) {
        solution_.converged = true;
        break;
      }
      unshrink();
      continue;
    }
    if (solution_.steps >= std::min(options_.max_steps, until)) break;
    if (options_.shrink && --until_shrink == 0) {
      until_shrink = std::max(active_ / 2, kShrinkSteps);
      if (!has_unshrunk_ && violation <= 10 * tolerance && active_ < n_) {
        has_unshrunk_ = true;
        unshrink();
        continue;
      }
      shrink();
    }
    if (--until_look == 0) {
      until_look = kStepsPerCheck;
      pool_.check_interrupt();
      if (options_.progress) options_.progress(solution_.steps, violation);
      if (any_hard_margin_ && is_unbounded()) {
        solution_.separable = false;
        break;
      }
    }
    const auto i = static_cast<std::size_t>(extremes_.at);
    const T* row_i = get_row(i);
    const std::int64_t partner =
        passes_.choose_partner(F_.data(), row_i, low_.data(), diagonal_.data(), extremes_.up, diagonal_[i], active_);
    if (partner < 0) break;  // values that are no numbers
    const auto j = static_cast<std::size_t>(partner);
    take_step(i, j, row_i, get_row(j));
    ++solution_.steps;
  }
  if (active_ < n_) unshrink();
  solution_.violation = extremes_.at < 0 || extremes_.low == kInf ? 0.0 : std::max(extremes_.up - extremes_.low, 0.0);
}

template <class T>
void SmoSolver<T>::recompute_F(double tolerance) {
  recompute_F_from(0);
  extremes_ = find_extremes();
  solution_.violation = extremes_.at < 0 || extremes_.low == kInf ? 0.0 : std::max(extremes_.up - extremes_.low, 0.0);
  solution_.converged = solution_.converged && solution_.violation <= tolerance;
}

template <class T>
SvmSolution SmoSolver<T>::get_solution() const {
  SvmSolution out = solution_;
  out.alpha.resize(n_);
  out.F.resize(n_);
  for (std::size_t b = 0; b < n_; ++b) {
    out.alpha[point_of(b)] = alpha_[b];
    out.F[point_of(b)] = F_[b];
  }
  return out;
}

template <class T>
void SmoSolver<T>::restore_rows() {
  std::vector<std::int32_t> back(n_);
  for (std::size_t b = 0; b < n_; ++b) back[point_of(b)] = static_cast<std::int32_t>(b);
  rows_.reorder(back.data());
}

// y a of i rises as far as that of j falls, until F of both is the same, or one can go no further.
template <class T>
void SmoSolver<T>::take_step(std::size_t i, std::size_t j, const T* row_i, const T* row_j) {
  const double k = static_cast<double>(row_i[j]);
  double curve = (static_cast<double>(diagonal_[i]) - k) + (static_cast<double>(diagonal_[j]) - k);
  if (!(curve > kMinCurvature)) curve = kMinCurvature;
  const double rise = room_up(i), fall = room_down(j);
  const double t = std::min({(F_[i] - F_[j]) / curve, rise, fall});
  const auto moved = [&](std::size_t b, double by, bool all) {
    if (all) {
      alpha_[b] = by > 0 ? bound_[b] : 0.0;
    } else {
      alpha_[b] = std::clamp(alpha_[b] + by, 0.0, bound_[b]);
    }
    mark_bounds(b);
  };
  moved(i, y_[i] * t, t == rise);
  moved(j, -y_[j] * t, t == fall);
  F_[i] -= t * ridge_[i];
  F_[j] += t * ridge_[j];
  extremes_ = passes_.advance(F_.data(), row_i, row_j, t, up_.data(), low_.data(), active_);
}

// Alphas of a hard margin are shares of two points, one in the hull of each class, times half their sum: |w| over that
// is the distance of these points, which no margin exceeds.
template <class T>
bool SmoSolver<T>::is_unbounded() const {
  double sum = 0.0, squares = 0.0;
  for (std::size_t b = 0; b < n_; ++b) {
    if (alpha_[b] == 0) continue;
    sum += alpha_[b];
    squares -= y_[b] * alpha_[b] * (F_[b] + y_[b] * (p_[b] + ridge_[b] * alpha_[b]));
  }
  return 2 * std::sqrt(std::max(squares, 0.0)) < options_.touching * std::sqrt(std::max(largest_diagonal_, 0.0)) * sum;
}

template class SmoSolver<float>;
template class SmoSolver<double>;

}  // namespace hedgerow

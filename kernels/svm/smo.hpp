// Sequential minimal optimisation for kernel machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "svm/kernel_rows.hpp"
#include "svm/row_cache.hpp"
#include "svm/smo_passes.hpp"

namespace hedgerow {

// Minimise 1/2 a'Qa + p'a over 0 <= a_i <= C_i, sum y_i a_i as at the start; Q_ij = y_i y_j (K_ij + [i = j] ridge_i).
struct SvmProblem {
  std::span<const std::int8_t> signs;
  std::span<const double> bounds;  // C; inf: none
  std::span<const double> ridge;
  std::span<const double> linear;  // p
};

struct SvmOptions {
  double tolerance = 1e-3;  // of the worst pair that breaks the Kuhn-Tucker conditions
  std::size_t cache_bytes = std::size_t{1} << 29;
  std::int64_t max_steps = INT64_MAX;  // steps
  std::size_t block = 8;               // rows that are made at a time
  std::size_t products_per_value = 0;  // products that a value takes: rows that take many are shared among threads
  bool shrink = true;
  double touching = 1e-5;                              // see is_endless in learn/svm/solution_quality.py
  std::function<void(std::int64_t, double)> progress;  // steps, violation; called by the thread that asked for the work
};

struct SvmSolution {
  std::vector<double> alpha;
  std::vector<double> F;  // -y G, G the gradient
  std::int64_t steps = 0, rows_made = 0, rows_made_ahead = 0,
               rows_used = 0;  // rows made, those of them made ahead, and used later
  double violation = 0.0;
  bool converged = false, separable = true;
  bool polished = false;  // in double precision, after single
};

// Two alphas a step: i may rise most, j is the one whose fall gains most (R.-E. Fan, P.-H. Chen, C.-J. Lin, JMLR 6,
// 2005). Rows at a bound that are unlikely to leave it are set aside (T. Joachims 1999), as in libsvm; their F is made
// up for when the others have settled. The result depends neither on the threads nor on the size of the cache.
template <class T>
class SmoSolver {
 public:
  // `alpha` is where to begin: within bounds.
  SmoSolver(KernelRows& rows, const SvmProblem& problem, const SvmOptions& options, std::span<const double> alpha,
            ThreadPool& pool);
  // Steps until the conditions hold within `tolerance`, or there were `until` of them; may be called again.
  void run_steps(double tolerance, std::int64_t until = INT64_MAX);
  // F anew, from the alphas: what rounding has added up over many steps is gone.
  void recompute_F(double tolerance);
  SvmSolution get_solution() const;                               // by point
  std::span<const std::int32_t> order() const { return order_; }  // the point at every position of the rows
  void restore_rows();  // to the order that they had; nothing can be run any more

 private:
  static constexpr std::size_t kMaxBlock = 16;
  static constexpr T kInf = std::numeric_limits<T>::infinity();
  static std::size_t padded(std::size_t n) { return (n + 63) / 64 * 64; }

  bool has_hard_margin(std::size_t b) const;
  double room_up(std::size_t b) const { return y_[b] > 0 ? bound_[b] - alpha_[b] : alpha_[b]; }
  double room_down(std::size_t b) const { return y_[b] > 0 ? alpha_[b] : bound_[b] - alpha_[b]; }
  void mark_bounds(std::size_t b) {
    up_[b] = room_up(b) > 0 ? T{0} : kInf;
    low_[b] = room_down(b) > 0 ? T{0} : kInf;
  }
  GradientExtremes find_extremes();
  bool is_unbounded() const;
  void take_step(std::size_t i, std::size_t j, const T* row_i, const T* row_j);

  // smo_rows.cpp
  const T* get_row(std::size_t b);
  void fill_rows(std::span<const std::int32_t> columns, std::size_t from, std::size_t to, T* const* out);
  void find_likely_columns();
  std::size_t take_likely_columns(std::int32_t excluded, std::int32_t* out, std::size_t maximum);
  std::size_t point_of(std::size_t b) const { return static_cast<std::size_t>(order_[b]); }

  // smo_shrinking.cpp
  void shrink();
  void unshrink();
  void recompute_F_from(std::size_t from);

  KernelRows& rows_;
  const SvmOptions& options_;
  ThreadPool& pool_;
  std::size_t n_, active_;
  KernelRowCache<T> cache_;
  SmoKernels<T> passes_ = choose_smo_kernels<T>();

  // By column, in the order of columns; a little longer than there are rows.
  std::vector<std::int32_t> order_;  // points
  std::vector<double> y_, alpha_, bound_, ridge_, p_, F_;
  std::vector<T> up_, low_, diagonal_;

  std::vector<std::int32_t> likely_columns_;  // columns whose rows are wanted next, the likeliest last
  std::vector<std::uint8_t> made_ahead_;
  std::size_t block_;
  GradientExtremes extremes_{};
  SvmSolution solution_;
  bool any_hard_margin_ = false, has_unshrunk_ = false;
  double largest_diagonal_ = 0.0;
};

}  // namespace hedgerow

// A kernel machine's problem solved in single precision where that is enough, and otherwise in double.
#pragma once

#include <span>
#include <vector>

#include "svm_smo.hpp"
#include "vectors.hpp"

namespace hedgerow {

// Unless `single`, double precision from the start. What single precision has found is checked by F of some rows in double,
// those at the ends among them; unless the tolerance would hold with F as far off everywhere, double precision goes on from
// there. `alpha` is where to begin.
SvmState solve_svm(KernelRows& rows, bool single, const SvmProblem& problem, const SvmOptions& options,
                   std::span<const double> alpha, Crew& crew);

// Rows of a matrix that is given, of which `points` are those of the problem.
class GivenRows : public KernelRows {
 public:
  GivenRows(const double* matrix, std::size_t stride, std::span<const std::int64_t> points)
      : matrix_(matrix), stride_(stride), points_(points.begin(), points.end()) {}
  std::size_t size() const override { return points_.size(); }
  void rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, float* const* out) const override {
    copy(which, m, from, to, out);
  }
  void rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, double* const* out) const override {
    copy(which, m, from, to, out);
  }
  double diagonal(std::size_t i) const override { return line(i)[points_[i]]; }
  void reorder(const std::int32_t* order) override {
    std::vector<std::int64_t> points(points_.size());
    for (std::size_t q = 0; q < points.size(); ++q) points[q] = points_[static_cast<std::size_t>(order[q])];
    points_ = std::move(points);
  }
  double single_error() const override { return 6e-8; }

 private:
  const double* line(std::size_t i) const { return matrix_ + static_cast<std::size_t>(points_[i]) * stride_; }

  template <class T>
  void copy(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, T* const* out) const {
    for (std::size_t a = 0; a < m; ++a) {
      const double* row = line(static_cast<std::size_t>(which[a]));
      for (std::size_t c = from; c < to; ++c) out[a][c - from] = static_cast<T>(row[points_[c]]);
    }
  }

  const double* matrix_;
  std::size_t stride_;
  std::vector<std::int64_t> points_;
};

}  // namespace hedgerow

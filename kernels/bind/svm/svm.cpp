// Python bindings of svm/point_rows.hpp, svm/solve.hpp.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include "bind/interrupts.hpp"
#include "bind/svm/kernel_arrays.hpp"
#include "svm/point_rows.hpp"
#include "svm/solve.hpp"

using namespace bind;

namespace {

// Rows that a Python function makes: called with positions of points, it returns their rows, of all points.
class CalledRows : public hedgerow::PositionedKernelRows<CalledRows> {
 public:
  CalledRows(nb::callable function, std::span<const double> diagonal)
      : PositionedKernelRows(std::vector<std::int64_t>(diagonal.size())),
        function_(std::move(function)),
        diagonal_(diagonal) {
    std::iota(points_.begin(), points_.end(), 0);
  }
  double diagonal(std::size_t i) const override { return diagonal_[static_cast<std::size_t>(points_[i])]; }

  template <class T>
  void fill(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, T* const* out) const {
    nb::gil_scoped_acquire locked;
    std::vector<std::int64_t> wanted(m);
    for (std::size_t a = 0; a < m; ++a) wanted[a] = points_[static_cast<std::size_t>(which[a])];
    const auto made = nb::cast<In2<double>>(function_(array(std::move(wanted))), false);
    if (made.shape(0) != m || made.shape(1) != size()) throw nb::value_error("rows of a kernel have the wrong shape");
    for (std::size_t a = 0; a < m; ++a) copy_entries(made.data() + a * size(), from, to, out[a]);
  }

 private:
  nb::callable function_;
  std::span<const double> diagonal_;
};

void check_rows(std::span<const std::int64_t> rows, std::size_t n) {
  for (const std::int64_t row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= n)
      throw nb::value_error("a row of the problem is not in the matrix");
  }
}

// How many products a kernel value takes, about; never 0.
std::size_t products_of(const hedgerow::KernelPoints& points) {
  if (!points.is_sparse()) return std::max<std::size_t>(points.width, 1);
  const auto entries = static_cast<std::size_t>(points.sparse.starts[points.n] - points.sparse.starts[0]);
  return entries / std::max<std::size_t>(points.n, 1) + 1;
}

// What is asked of the solver, and the arrays that it borrows.
struct Asked {
  In<std::int8_t> signs;
  In<double> bounds, ridge, linear, start;
  double tolerance;
  std::size_t cache_bytes, threads;
  std::int64_t most;
  bool single, shrink;
  std::size_t block;
  std::optional<nb::callable> progress;
};

nb::dict solve(hedgerow::KernelRows& rows, const Asked& asked, std::size_t work) {
  const std::size_t n = rows.size();
  for (const std::size_t size :
       {asked.signs.size(), asked.bounds.size(), asked.ridge.size(), asked.linear.size(), asked.start.size()}) {
    same_length(size, n, "arrays of a problem differ in length");
  }
  if (n > INT32_MAX / 2) throw nb::value_error("there are too many rows");
  hedgerow::SvmOptions options;
  options.tolerance = asked.tolerance;
  options.cache_bytes = asked.cache_bytes;
  options.max_steps = asked.most;
  options.block = asked.block;
  options.products_per_value = work;
  options.shrink = asked.shrink;
  if (asked.progress) {
    using Clock = std::chrono::steady_clock;
    options.progress = [&, next = Clock::now() + std::chrono::milliseconds(200)](std::int64_t steps,
                                                                                 double violation) mutable {
      if (Clock::now() < next) return;
      next = Clock::now() + std::chrono::milliseconds(200);
      nb::gil_scoped_acquire locked;
      (*asked.progress)(steps, violation);
    };
  }
  hedgerow::SvmSolution state;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(work ? asked.threads : 1, Interrupts());
    const hedgerow::SvmProblem problem{span(asked.signs), span(asked.bounds), span(asked.ridge), span(asked.linear)};
    state = hedgerow::solve_svm(rows, asked.single, problem, options, span(asked.start), crew);
  }
  nb::dict out;
  out["alpha"] = array(std::move(state.alpha));
  out["F"] = array(std::move(state.F));
  out["steps"] = state.steps;
  out["made"] = state.rows_made;
  out["ahead"] = state.rows_made_ahead;
  out["used"] = state.rows_used;
  out["violation"] = state.violation;
  out["settled"] = state.converged;
  out["separable"] = state.separable;
  out["polished"] = state.polished;
  return out;
}

}  // namespace

void init_svm(nb::module_& m) {
  m.def(
      "smo_points",
      [](nb::handle points, In<std::int64_t> rows, const FormNumbers& kernel, In<std::int8_t> signs, In<double> bounds,
         In<double> ridge, In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes,
         std::size_t threads, std::int64_t most, bool single, bool shrink, std::size_t block,
         std::optional<nb::callable> progress) {
        const auto given = points_of(points);
        check_rows(span(rows), given.n);
        const auto form = form_of(kernel);
        std::unique_ptr<hedgerow::KernelRows> source;
        {
          nb::gil_scoped_release unlocked;
          source = rows_of(given, span(rows), form);
        }
        return solve(*source,
                     {signs, bounds, ridge, linear, start, tolerance, cache_bytes, threads, most, single, shrink, block,
                      progress},
                     products_of(given));
      },
      "points"_a, "rows"_a.noconvert(), "kernel"_a, "signs"_a.noconvert(), "bounds"_a.noconvert(),
      "ridge"_a.noconvert(), "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "threads"_a,
      "most"_a, "single"_a, "shrink"_a, "block"_a, "progress"_a.none());

  m.def(
      "smo_given",
      [](In2<double> matrix, In<std::int64_t> rows, In<std::int8_t> signs, In<double> bounds, In<double> ridge,
         In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes, std::int64_t most, bool single,
         bool shrink, std::optional<nb::callable> progress) {
        same_length(matrix.shape(0), matrix.shape(1), "the matrix of a kernel must be square");
        check_rows(span(rows), matrix.shape(0));
        hedgerow::PrecomputedKernelRows source(matrix.data(), matrix.shape(1), span(rows));
        return solve(
            source, {signs, bounds, ridge, linear, start, tolerance, cache_bytes, 1, most, single, shrink, 1, progress},
            0);
      },
      "matrix"_a.noconvert(), "rows"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(),
      "ridge"_a.noconvert(), "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "most"_a,
      "single"_a, "shrink"_a, "progress"_a.none());

  m.def(
      "smo_called",
      [](const nb::callable& function, In<double> diagonal, In<std::int8_t> signs, In<double> bounds, In<double> ridge,
         In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes, std::int64_t most, bool single,
         bool shrink, std::size_t block, std::optional<nb::callable> progress) {
        CalledRows source(function, span(diagonal));
        return solve(
            source,
            {signs, bounds, ridge, linear, start, tolerance, cache_bytes, 1, most, single, shrink, block, progress}, 0);
      },
      "function"_a, "diagonal"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(), "ridge"_a.noconvert(),
      "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "most"_a, "single"_a, "shrink"_a,
      "block"_a, "progress"_a.none());
}

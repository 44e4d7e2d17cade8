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
class CallbackKernelRows : public hedgerow::PositionedKernelRows<CallbackKernelRows> {
 public:
  CallbackKernelRows(nb::callable function, std::span<const double> diagonal)
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
    const auto made = nb::cast<In2<double>>(function_(to_numpy(std::move(wanted))), false);
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
std::size_t estimate_products(const hedgerow::KernelPoints& points) {
  if (!points.is_sparse()) return std::max<std::size_t>(points.width, 1);
  const auto entries = static_cast<std::size_t>(points.sparse.starts[points.n] - points.sparse.starts[0]);
  return entries / std::max<std::size_t>(points.n, 1) + 1;
}

// What is asked of the solver, and the arrays that it borrows.
struct SolverArguments {
  In<std::int8_t> signs;
  In<double> bounds, ridge, linear, start;
  double tolerance;
  std::size_t cache_bytes, threads;
  std::int64_t max_steps;
  bool single, shrink;
  std::size_t block;
  std::optional<nb::callable> progress;
};

nb::dict solve_svm(hedgerow::KernelRows& rows, const SolverArguments& arguments, std::size_t work) {
  const std::size_t n = rows.size();
  for (const std::size_t size : {arguments.signs.size(), arguments.bounds.size(), arguments.ridge.size(),
                                 arguments.linear.size(), arguments.start.size()}) {
    check_same_length(size, n, "arrays of a problem differ in length");
  }
  if (n > INT32_MAX / 2) throw nb::value_error("there are too many rows");
  hedgerow::SvmOptions options;
  options.tolerance = arguments.tolerance;
  options.cache_bytes = arguments.cache_bytes;
  options.max_steps = arguments.max_steps;
  options.block = arguments.block;
  options.products_per_value = work;
  options.shrink = arguments.shrink;
  if (arguments.progress) {
    using Clock = std::chrono::steady_clock;
    options.progress = [&, next = Clock::now() + std::chrono::milliseconds(200)](std::int64_t steps,
                                                                                 double violation) mutable {
      if (Clock::now() < next) return;
      next = Clock::now() + std::chrono::milliseconds(200);
      nb::gil_scoped_acquire locked;
      (*arguments.progress)(steps, violation);
    };
  }
  hedgerow::SvmSolution solution;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(work ? arguments.threads : 1, Interrupts());
    const hedgerow::SvmProblem problem{as_span(arguments.signs), as_span(arguments.bounds), as_span(arguments.ridge),
                                       as_span(arguments.linear)};
    solution = hedgerow::solve_svm(rows, arguments.single, problem, options, as_span(arguments.start), pool);
  }
  nb::dict out;
  out["alpha"] = to_numpy(std::move(solution.alpha));
  out["F"] = to_numpy(std::move(solution.F));
  out["steps"] = solution.steps;
  out["made"] = solution.rows_made;
  out["ahead"] = solution.rows_made_ahead;
  out["used"] = solution.rows_used;
  out["violation"] = solution.violation;
  out["settled"] = solution.converged;
  out["separable"] = solution.separable;
  out["polished"] = solution.polished;
  return out;
}

}  // namespace

void init_svm(nb::module_& m) {
  m.def(
      "solve_svm_of_points",
      [](nb::handle points, In<std::int64_t> rows, const KernelFunctionNumbers& kernel, In<std::int8_t> signs,
         In<double> bounds, In<double> ridge, In<double> linear, In<double> start, double tolerance,
         std::size_t cache_bytes, std::size_t threads, std::int64_t maximum, bool single, bool shrink,
         std::size_t block, std::optional<nb::callable> progress) {
        const auto given = make_points(points);
        check_rows(as_span(rows), given.n);
        const auto function = make_kernel_function(kernel);
        std::unique_ptr<hedgerow::KernelRows> source;
        {
          nb::gil_scoped_release unlocked;
          source = make_kernel_rows(given, as_span(rows), function);
        }
        return solve_svm(*source,
                         {signs, bounds, ridge, linear, start, tolerance, cache_bytes, threads, maximum, single, shrink,
                          block, progress},
                         estimate_products(given));
      },
      "points"_a, "rows"_a.noconvert(), "kernel"_a, "signs"_a.noconvert(), "bounds"_a.noconvert(),
      "ridge"_a.noconvert(), "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "threads"_a,
      "most"_a, "single"_a, "shrink"_a, "block"_a, "progress"_a.none());

  m.def(
      "solve_svm_of_matrix",
      [](In2<double> matrix, In<std::int64_t> rows, In<std::int8_t> signs, In<double> bounds, In<double> ridge,
         In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes, std::int64_t maximum,
         bool single, bool shrink, std::optional<nb::callable> progress) {
        check_same_length(matrix.shape(0), matrix.shape(1), "the matrix of a kernel must be square");
        check_rows(as_span(rows), matrix.shape(0));
        hedgerow::PrecomputedKernelRows source(matrix.data(), matrix.shape(1), as_span(rows));
        return solve_svm(
            source,
            {signs, bounds, ridge, linear, start, tolerance, cache_bytes, 1, maximum, single, shrink, 1, progress}, 0);
      },
      "matrix"_a.noconvert(), "rows"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(),
      "ridge"_a.noconvert(), "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "most"_a,
      "single"_a, "shrink"_a, "progress"_a.none());

  m.def(
      "solve_svm_of_function",
      [](const nb::callable& function, In<double> diagonal, In<std::int8_t> signs, In<double> bounds, In<double> ridge,
         In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes, std::int64_t maximum,
         bool single, bool shrink, std::size_t block, std::optional<nb::callable> progress) {
        CallbackKernelRows source(function, as_span(diagonal));
        return solve_svm(
            source,
            {signs, bounds, ridge, linear, start, tolerance, cache_bytes, 1, maximum, single, shrink, block, progress},
            0);
      },
      "function"_a, "diagonal"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(), "ridge"_a.noconvert(),
      "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "most"_a, "single"_a, "shrink"_a,
      "block"_a, "progress"_a.none());
}

#include <nanobind/stl/optional.h>

#include <chrono>
#include <memory>
#include <optional>

#include "interrupts.hpp"
#include "kernel_arrays.hpp"
#include "svm_solve.hpp"

using namespace bind;

namespace {

// Rows that a Python function makes: called with positions of points, it returns their rows, of all points.
class CalledRows : public hedgerow::KernelRows {
 public:
  CalledRows(nb::callable function, std::span<const double> diagonal)
      : function_(std::move(function)), diagonal_(diagonal), points_(diagonal.size()) {
    for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = static_cast<std::int64_t>(i);
  }
  std::size_t size() const override { return points_.size(); }
  void rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, float* const* out) const override {
    call(which, m, from, to, out);
  }
  void rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, double* const* out) const override {
    call(which, m, from, to, out);
  }
  double diagonal(std::size_t i) const override { return diagonal_[static_cast<std::size_t>(points_[i])]; }
  void reorder(const std::int32_t* order) override {
    std::vector<std::int64_t> points(points_.size());
    for (std::size_t q = 0; q < points.size(); ++q) points[q] = points_[static_cast<std::size_t>(order[q])];
    points_ = std::move(points);
  }
  double single_error() const override { return 6e-8; }

 private:
  template <class T>
  void call(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to, T* const* out) const {
    nb::gil_scoped_acquire locked;
    std::vector<std::int64_t> wanted(m);
    for (std::size_t a = 0; a < m; ++a) wanted[a] = points_[static_cast<std::size_t>(which[a])];
    const auto made = nb::cast<In2<double>>(function_(array(std::move(wanted))), false);
    if (made.shape(0) != m || made.shape(1) != size()) throw nb::value_error("rows of a kernel have the wrong shape");
    for (std::size_t a = 0; a < m; ++a) {
      const double* row = made.data() + a * size();
      for (std::size_t c = from; c < to; ++c) out[a][c - from] = static_cast<T>(row[points_[c]]);
    }
  }

  nb::callable function_;
  std::span<const double> diagonal_;
  std::vector<std::int64_t> points_;
};

void check_rows(std::span<const std::int64_t> rows, std::size_t n) {
  for (const std::int64_t row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= n) throw nb::value_error("a row of the problem is not in the matrix");
  }
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
  for (const std::size_t size : {asked.signs.size(), asked.bounds.size(), asked.ridge.size(), asked.linear.size(), asked.start.size()}) {
    same_length(size, n, "arrays of a problem differ in length");
  }
  if (n > INT32_MAX / 2) throw nb::value_error("there are too many rows");
  hedgerow::SvmOptions options;
  options.tolerance = asked.tolerance;
  options.cache_bytes = asked.cache_bytes;
  options.most = asked.most;
  options.block = asked.block;
  options.work = work;
  options.shrink = asked.shrink;
  if (asked.progress) {
    using Clock = std::chrono::steady_clock;
    options.progress = [&, next = Clock::now() + std::chrono::milliseconds(200)](std::int64_t steps, double violation) mutable {
      if (Clock::now() < next) return;
      next = Clock::now() + std::chrono::milliseconds(200);
      nb::gil_scoped_acquire locked;
      (*asked.progress)(steps, violation);
    };
  }
  hedgerow::SvmState state;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(work ? asked.threads : 1, Interrupts());
    const hedgerow::SvmProblem problem{span(asked.signs), span(asked.bounds), span(asked.ridge), span(asked.linear)};
    state = hedgerow::solve_svm(rows, asked.single, problem, options, span(asked.start), crew);
  }
  nb::dict out;
  out["alpha"] = array(std::move(state.alpha));
  out["F"] = array(std::move(state.F));
  out["steps"] = state.steps;
  out["made"] = state.made;
  out["ahead"] = state.ahead;
  out["used"] = state.used;
  out["violation"] = state.violation;
  out["settled"] = state.settled;
  out["separable"] = state.separable;
  out["polished"] = state.polished;
  return out;
}

}  // namespace

void init_svm(nb::module_& m) {
  m.def(
      "smo_dense",
      [](In2<double> points, In<std::int64_t> rows, const FormNumbers& kernel, In<std::int8_t> signs,
         In<double> bounds, In<double> ridge, In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes,
         std::size_t threads, std::int64_t most, bool single, bool shrink, std::size_t block, std::optional<nb::callable> progress) {
        check_rows(span(rows), points.shape(0));
        const auto form = form_of(kernel);
        std::unique_ptr<hedgerow::KernelRows> source;
        {
          nb::gil_scoped_release unlocked;
          source = hedgerow::dense_rows(points.data(), points.shape(1), span(rows), form);
        }
        return solve(*source, {signs, bounds, ridge, linear, start, tolerance, cache_bytes, threads, most, single, shrink, block, progress},
                     std::max<std::size_t>(points.shape(1), 1));
      },
      "points"_a.noconvert(), "rows"_a.noconvert(), "kernel"_a, "signs"_a.noconvert(), "bounds"_a.noconvert(),
      "ridge"_a.noconvert(), "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "threads"_a,
      "most"_a, "single"_a, "shrink"_a, "block"_a, "progress"_a.none());

  m.def(
      "smo_sparse",
      [](In<std::int64_t> starts, In<std::int32_t> ids, In<double> values, std::size_t width, In<std::int64_t> rows,
         const FormNumbers& kernel, In<std::int8_t> signs, In<double> bounds, In<double> ridge,
         In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes, std::size_t threads, std::int64_t most,
         bool single, bool shrink, std::size_t block, std::optional<nb::callable> progress) {
        same_length(ids.size(), values.size(), "ids and values differ in length");
        check_offsets(span(starts), ids.size());
        check_below(span(ids), width, "an id is not below the number of columns");
        check_rows(span(rows), starts.size() - 1);
        const auto form = form_of(kernel);
        std::unique_ptr<hedgerow::KernelRows> source;
        {
          nb::gil_scoped_release unlocked;
          source = hedgerow::sparse_rows(starts.data(), ids.data(), values.data(), width, span(rows), form);
        }
        const std::size_t work = ids.size() / std::max<std::size_t>(starts.size() - 1, 1) + 1;
        return solve(*source, {signs, bounds, ridge, linear, start, tolerance, cache_bytes, threads, most, single, shrink, block, progress},
                     work);
      },
      "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "width"_a, "rows"_a.noconvert(), "kernel"_a,
      "signs"_a.noconvert(), "bounds"_a.noconvert(), "ridge"_a.noconvert(), "linear"_a.noconvert(), "start"_a.noconvert(),
      "tolerance"_a, "cache_bytes"_a, "threads"_a, "most"_a, "single"_a, "shrink"_a, "block"_a, "progress"_a.none());

  m.def(
      "smo_given",
      [](In2<double> matrix, In<std::int64_t> rows, In<std::int8_t> signs, In<double> bounds, In<double> ridge, In<double> linear,
         In<double> start, double tolerance, std::size_t cache_bytes, std::int64_t most, bool single, bool shrink,
         std::optional<nb::callable> progress) {
        same_length(matrix.shape(0), matrix.shape(1), "the matrix of a kernel must be square");
        check_rows(span(rows), matrix.shape(0));
        hedgerow::GivenRows source(matrix.data(), matrix.shape(1), span(rows));
        return solve(source, {signs, bounds, ridge, linear, start, tolerance, cache_bytes, 1, most, single, shrink, 1, progress}, 0);
      },
      "matrix"_a.noconvert(), "rows"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(), "ridge"_a.noconvert(),
      "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "most"_a, "single"_a, "shrink"_a,
      "progress"_a.none());

  m.def(
      "smo_called",
      [](const nb::callable& function, In<double> diagonal, In<std::int8_t> signs, In<double> bounds, In<double> ridge,
         In<double> linear, In<double> start, double tolerance, std::size_t cache_bytes, std::int64_t most, bool single,
         bool shrink, std::size_t block, std::optional<nb::callable> progress) {
        CalledRows source(function, span(diagonal));
        return solve(source, {signs, bounds, ridge, linear, start, tolerance, cache_bytes, 1, most, single, shrink, block, progress}, 0);
      },
      "function"_a, "diagonal"_a.noconvert(), "signs"_a.noconvert(), "bounds"_a.noconvert(), "ridge"_a.noconvert(),
      "linear"_a.noconvert(), "start"_a.noconvert(), "tolerance"_a, "cache_bytes"_a, "most"_a, "single"_a, "shrink"_a,
      "block"_a, "progress"_a.none());
}

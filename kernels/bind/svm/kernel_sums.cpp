// Python bindings of svm/kernel_sums.hpp.
#include "svm/kernel_sums.hpp"

#include <algorithm>
#include <numeric>

#include "bind/interrupts.hpp"
#include "bind/svm/kernel_arrays.hpp"

using namespace bind;

namespace {

constexpr std::size_t kFewProducts = 2000000;  // for a thread of its own to be worth it

void compute_kernel_sums(const KernelFunctionNumbers& function, nb::handle vectors, In2<double> coefs,
                         In<double> offsets, nb::handle rows, bool single, InOut2<double> out, std::size_t threads) {
  const auto own = make_kernel_function(function);
  const auto from = make_points(vectors), to = make_points(rows);
  if (from.is_sparse() != to.is_sparse()) throw nb::value_error("vectors and rows must both be sparse, or neither");
  check_same_length(from.width, to.width, "vectors and rows differ in width");
  check_same_length(coefs.shape(0), from.n, "coefs and vectors differ in length");
  check_same_length(coefs.shape(1), offsets.size(), "coefs and offsets differ in functions");
  check_same_length(out.shape(0), offsets.size(), "out and offsets differ in functions");
  check_same_length(out.shape(1), to.n, "out and rows differ in length");
  nb::gil_scoped_release unlocked;
  const double products = static_cast<double>(from.n) * static_cast<double>(to.n) * static_cast<double>(from.width + 8);
  const auto maximum = static_cast<std::size_t>(std::min(1e6, 1 + products / kFewProducts));
  hedgerow::ThreadPool pool(std::clamp<std::size_t>(threads, 1, maximum), Interrupts());
  hedgerow::compute_kernel_sums(own, from, as_span(coefs), as_span(offsets), to, single, out.data(), pool);
}

std::unique_ptr<hedgerow::KernelRows> make_all_rows(const KernelFunctionNumbers& function,
                                                    const hedgerow::KernelPoints& points) {
  std::vector<std::int64_t> all(points.n);
  std::iota(all.begin(), all.end(), 0);
  return make_kernel_rows(points, all, make_kernel_function(function));
}

// Rows of the matrix of kernel values of all points with each other, from column `from` on, which take another order
// before, if one is given.
template <typename T>
void fill_kernel_rows(const KernelFunctionNumbers& function, nb::handle points, In<std::int32_t> which,
                      In<std::int32_t> order, std::size_t from, InOut2<T> out) {
  const auto given = make_points(points);
  const auto rows = make_all_rows(function, given);
  check_below(as_span(which), given.n, "a row is not below their number");
  check_below(as_span(order), given.n, "a row is not below their number");
  check_same_length(out.shape(0), which.size(), "out and which differ in length");
  if (from > given.n || out.shape(1) > given.n - from) throw nb::value_error("there are not so many rows");
  nb::gil_scoped_release unlocked;
  if (order.size() == given.n) rows->reorder(order.data());
  std::vector<T*> lines(which.size());
  for (std::size_t a = 0; a < lines.size(); ++a) lines[a] = out.data() + a * out.shape(1);
  rows->fill_rows(which.data(), which.size(), from, from + out.shape(1), lines.data());
}

double estimate_single_error(const KernelFunctionNumbers& function, nb::handle points) {
  const auto given = make_points(points);
  nb::gil_scoped_release unlocked;
  return make_all_rows(function, given)->estimate_single_error();
}

}  // namespace

void init_kernel_sums(nb::module_& m) {
  m.def("compute_kernel_sums", compute_kernel_sums, "function"_a, "vectors"_a, "coefs"_a.noconvert(),
        "offsets"_a.noconvert(), "rows"_a, "single"_a, "out"_a.noconvert(), "threads"_a);
  m.def("fill_kernel_rows", fill_kernel_rows<double>, "function"_a, "points"_a, "which"_a.noconvert(),
        "order"_a.noconvert(), "start"_a, "out"_a.noconvert());
  m.def("fill_kernel_rows_single", fill_kernel_rows<float>, "function"_a, "points"_a, "which"_a.noconvert(),
        "order"_a.noconvert(), "start"_a, "out"_a.noconvert());
  m.def("estimate_single_error", estimate_single_error, "function"_a, "points"_a);
}

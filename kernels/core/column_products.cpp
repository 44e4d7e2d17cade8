#include "core/column_products.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cpu_features.hpp"
#include "core/simd_vectors.hpp"
#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kBlockNumbers = std::size_t{1} << 15;  // numbers of a block
constexpr std::size_t kMaxRunNumbers = std::size_t{1}
                                       << 22;  // numbers of all runs' matrices, if there are more than 4 of them

// -- products of tiles ---------------------------------------------------------------------------------------

// The products of the features of a block with each other.
using MultiplyPanel = void (*)(const double*, std::size_t, std::size_t, double*);

void multiply_baseline(const double* panel, std::size_t features, std::size_t length, double* out) {
  multiply_tiles<16, 4, 3>(panel, panel, length, features, length, out, features);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_avx2(const double* panel, std::size_t features, std::size_t length,
                                               double* out) {
  multiply_tiles<32, 4, 3>(panel, panel, length, features, length, out, features);
}

[[gnu::target("avx512f,fma")]] void multiply_avx512(const double* panel, std::size_t features, std::size_t length,
                                                    double* out) {
  multiply_tiles<64, 4, 4>(panel, panel, length, features, length, out, features);
}
#endif

// What the machine has.
MultiplyPanel choose_multiply() {
#if defined(__x86_64__)
  if (has_avx512()) return multiply_avx512;
  if (has_avx2()) return multiply_avx2;
#endif
  return multiply_baseline;
}

// -- blocks of rows ------------------------------------------------------------------------------------------

HEDGEROW_AVX2_CLONES void scale_numbers(const double* from, std::size_t n, double center, double factor, double* out) {
  for (std::size_t r = 0; r < n; ++r) {
    const double x = (from[r] - center) * factor;
    out[r] = x == x ? x : 0.0;
  }
}

HEDGEROW_AVX2_CLONES void scale_weighted_numbers(const double* from, const double* root, std::size_t n, double center,
                                                 double factor, double* out) {
  for (std::size_t r = 0; r < n; ++r) {
    const double x = (from[r] - center) * factor;
    out[r] = (x == x ? x : 0.0) * root[r];
  }
}

HEDGEROW_AVX2_CLONES void mark_missing(const double* from, const double* root, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = from[r] == from[r] ? 0.0 : root[r];
}

HEDGEROW_AVX2_CLONES void take_square_roots(const double* weight, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = std::sqrt(weight[r]);
}

// A block of rows, feature by feature, each value times the root of the row's weight.
class ProductPanel {
 public:
  ProductPanel(std::span<const DesignColumn> columns, std::span<const double> weight, std::size_t features,
               std::size_t length)
      : columns_(columns),
        weight_(weight),
        features_(features),
        length_(length),
        values_((features + 2 * kMaxTileLines) * length),
        root_(length, 1.0) {}

  void fill(std::size_t begin, std::size_t n) {
    if (n < length_) values_.clear();
    if (!weight_.empty()) take_square_roots(weight_.data() + begin, n, root_.data());
    double* out = values_.data();
    for (const DesignColumn& column : columns_) {
      if (column.numbers) {
        fill_column(column, begin, n, out);
      } else {
        std::fill(out, out + column.width * length_, 0.0);
        for (std::size_t r = 0; r < n; ++r) {
          const std::int32_t code = column.codes[begin + r];
          const std::int32_t feature = code < 0 ? column.table.back() : column.table[static_cast<std::size_t>(code)];
          if (feature >= 0) out[static_cast<std::size_t>(feature) * length_ + r] = root_[r];
        }
      }
      out += column.width * length_;
    }
    std::copy(root_.data(), root_.data() + n, out);
  }

  void add_products_to(double* out) const { multiply_(values_.data(), features_, length_, out); }

 private:
  void fill_column(const DesignColumn& column, std::size_t begin, std::size_t n, double* out) const {
    const double* numbers = column.numbers + begin;
    if (weight_.empty()) {
      scale_numbers(numbers, n, column.center, column.factor, out);
    } else {
      scale_weighted_numbers(numbers, root_.data(), n, column.center, column.factor, out);
    }
    if (column.width == 2) mark_missing(numbers, root_.data(), n, out + length_);
  }

  std::span<const DesignColumn> columns_;
  std::span<const double> weight_;
  std::size_t features_, length_;
  AlignedDoubles values_;
  std::vector<double> root_;
  MultiplyPanel multiply_ = choose_multiply();
};

}  // namespace

std::vector<double> compute_gram(std::span<const DesignColumn> columns, std::span<const double> weight,
                                 std::size_t rows, ThreadPool& pool) {
  std::size_t features = 1;
  for (const DesignColumn& column : columns) features += column.width;
  const std::size_t length = std::clamp<std::size_t>(kBlockNumbers / features / 8 * 8, 64, 512);
  const std::size_t blocks = (rows + length - 1) / length;
  const std::size_t cells = features * features;
  const std::size_t maximum = std::clamp<std::size_t>(kMaxRunNumbers / cells, 4, 64);
  const std::size_t run_blocks = std::max<std::size_t>(1, (blocks + maximum - 1) / maximum);
  const std::size_t runs = (blocks + run_blocks - 1) / run_blocks;
  std::vector<std::vector<double>> sums(runs);
  pool.parallel_for(runs, [&](std::size_t run, std::size_t thread) {
    ProductPanel panel(columns, weight, features, length);
    sums[run].resize(cells);
    for (std::size_t block = run * run_blocks; block < std::min(blocks, (run + 1) * run_blocks); ++block) {
      if (pool.has_failed()) return;
      if (thread == 0) pool.check_interrupt();
      const std::size_t begin = block * length;
      panel.fill(begin, std::min(length, rows - begin));
      panel.add_products_to(sums[run].data());
    }
  });
  std::vector<double> out(cells);
  for (const auto& sum : sums) {
    for (std::size_t i = 0; i < cells; ++i) out[i] += sum[i];
  }
  if (!weight.empty()) out.back() = std::accumulate(weight.begin(), weight.end(), 0.0);  // roots are rounded
  for (std::size_t i = 0; i < features; ++i) {
    for (std::size_t j = i + 1; j < features; ++j) out[i * features + j] = out[j * features + i];
  }
  return out;
}

}  // namespace hedgerow

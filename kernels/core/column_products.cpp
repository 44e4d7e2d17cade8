#include "core/column_products.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cpu_features.hpp"
#include "core/simd_vectors.hpp"
#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kPanel = std::size_t{1} << 15;  // numbers of a block
constexpr std::size_t kRunRoom = std::size_t{1}
                                 << 22;  // numbers of all runs' matrices, if there are more than 4 of them

// -- products of tiles ---------------------------------------------------------------------------------------

// The products of the places of a block with each other.
using Multiply = void (*)(const double*, std::size_t, std::size_t, double*);

void multiply_plain(const double* panel, std::size_t places, std::size_t length, double* out) {
  multiply_tiles<16, 4, 3>(panel, panel, length, places, length, out, places);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_4(const double* panel, std::size_t places, std::size_t length, double* out) {
  multiply_tiles<32, 4, 3>(panel, panel, length, places, length, out, places);
}

[[gnu::target("avx512f,fma")]] void multiply_8(const double* panel, std::size_t places, std::size_t length,
                                               double* out) {
  multiply_tiles<64, 4, 4>(panel, panel, length, places, length, out, places);
}
#endif

// What the machine has.
Multiply best_multiply() {
#if defined(__x86_64__)
  if (has_avx512()) return multiply_8;
  if (has_avx2()) return multiply_4;
#endif
  return multiply_plain;
}

// -- blocks of rows ------------------------------------------------------------------------------------------

HEDGEROW_WIDE void put_numbers(const double* from, std::size_t n, double center, double factor, double* out) {
  for (std::size_t r = 0; r < n; ++r) {
    const double x = (from[r] - center) * factor;
    out[r] = x == x ? x : 0.0;
  }
}

HEDGEROW_WIDE void put_weighed(const double* from, const double* root, std::size_t n, double center, double factor,
                               double* out) {
  for (std::size_t r = 0; r < n; ++r) {
    const double x = (from[r] - center) * factor;
    out[r] = (x == x ? x : 0.0) * root[r];
  }
}

HEDGEROW_WIDE void put_gaps(const double* from, const double* root, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = from[r] == from[r] ? 0.0 : root[r];
}

HEDGEROW_WIDE void put_roots(const double* weight, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = std::sqrt(weight[r]);
}

// A block of rows, place by place, each value times the root of the row's weight.
class Panel {
 public:
  Panel(std::span<const GramColumn> columns, std::span<const double> weight, std::size_t places, std::size_t length)
      : columns_(columns),
        weight_(weight),
        places_(places),
        length_(length),
        values_((places + 2 * kMostTile) * length),
        root_(length, 1.0) {}

  void fill(std::size_t begin, std::size_t n) {
    if (n < length_) values_.clear();
    if (!weight_.empty()) put_roots(weight_.data() + begin, n, root_.data());
    double* out = values_.data();
    for (const GramColumn& column : columns_) {
      if (column.numbers) {
        put(column, begin, n, out);
      } else {
        std::fill(out, out + column.width * length_, 0.0);
        for (std::size_t r = 0; r < n; ++r) {
          const std::int32_t code = column.codes[begin + r];
          const std::int32_t place = code < 0 ? column.table.back() : column.table[static_cast<std::size_t>(code)];
          if (place >= 0) out[static_cast<std::size_t>(place) * length_ + r] = root_[r];
        }
      }
      out += column.width * length_;
    }
    std::copy(root_.data(), root_.data() + n, out);
  }

  void add_to(double* out) const { multiply_(values_.data(), places_, length_, out); }

 private:
  void put(const GramColumn& column, std::size_t begin, std::size_t n, double* out) const {
    const double* numbers = column.numbers + begin;
    if (weight_.empty()) {
      put_numbers(numbers, n, column.center, column.factor, out);
    } else {
      put_weighed(numbers, root_.data(), n, column.center, column.factor, out);
    }
    if (column.width == 2) put_gaps(numbers, root_.data(), n, out + length_);
  }

  std::span<const GramColumn> columns_;
  std::span<const double> weight_;
  std::size_t places_, length_;
  Aligned values_;
  std::vector<double> root_;
  Multiply multiply_ = best_multiply();
};

}  // namespace

std::vector<double> gram(std::span<const GramColumn> columns, std::span<const double> weight, std::size_t rows,
                         Crew& crew) {
  std::size_t places = 1;
  for (const GramColumn& column : columns) places += column.width;
  const std::size_t length = std::clamp<std::size_t>(kPanel / places / 8 * 8, 64, 512);
  const std::size_t blocks = (rows + length - 1) / length;
  const std::size_t cells = places * places;
  const std::size_t most = std::clamp<std::size_t>(kRunRoom / cells, 4, 64);
  const std::size_t run_blocks = std::max<std::size_t>(1, (blocks + most - 1) / most);
  const std::size_t runs = (blocks + run_blocks - 1) / run_blocks;
  std::vector<std::vector<double>> sums(runs);
  crew.share(runs, [&](std::size_t run, std::size_t member) {
    Panel panel(columns, weight, places, length);
    sums[run].resize(cells);
    for (std::size_t block = run * run_blocks; block < std::min(blocks, (run + 1) * run_blocks); ++block) {
      if (crew.failed()) return;
      if (member == 0) crew.pause();
      const std::size_t begin = block * length;
      panel.fill(begin, std::min(length, rows - begin));
      panel.add_to(sums[run].data());
    }
  });
  std::vector<double> out(cells);
  for (const auto& sum : sums) {
    for (std::size_t i = 0; i < cells; ++i) out[i] += sum[i];
  }
  if (!weight.empty()) out.back() = std::accumulate(weight.begin(), weight.end(), 0.0);  // roots are rounded
  for (std::size_t i = 0; i < places; ++i) {
    for (std::size_t j = i + 1; j < places; ++j) out[i * places + j] = out[j * places + i];
  }
  return out;
}

}  // namespace hedgerow

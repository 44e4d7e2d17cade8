#include "linear/sparse_product.hpp"

#include <algorithm>

#include "core/four_doubles.hpp"
#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kRunRows = 512;  // rows of a job

struct SparseMatrix {
  const std::int64_t* starts;
  const std::int32_t* ids;
  const double* values;
};

// Columns `first` to `first + 4 * Wide` of some rows, summed in registers.
template <std::size_t Wide>
[[gnu::always_inline]] inline void multiply_columns(const SparseMatrix& rows, std::size_t begin, std::size_t end,
                                                    const double* lines, std::size_t columns, double* out) {
  for (std::size_t i = begin; i < end; ++i) {
    Lanes sums[Wide] = {};
    for (std::int64_t at = rows.starts[i]; at < rows.starts[i + 1]; ++at) {
      const double* line = lines + static_cast<std::size_t>(rows.ids[at]) * columns;
      const double value = rows.values[at];
#pragma GCC unroll 8
      for (std::size_t w = 0; w < Wide; ++w) sums[w] += value * load(line + 4 * w);
    }
#pragma GCC unroll 8
    for (std::size_t w = 0; w < Wide; ++w) store(out + i * columns + 4 * w, sums[w]);
  }
}

HEDGEROW_AVX2_CLONES void multiply_rows(const SparseMatrix& rows, std::size_t begin, std::size_t end,
                                        const double* lines, std::size_t columns, double* out) {
  std::size_t c = 0;
  for (; c + 24 <= columns; c += 24) multiply_columns<6>(rows, begin, end, lines + c, columns, out + c);
  for (; c + 20 <= columns; c += 20) multiply_columns<5>(rows, begin, end, lines + c, columns, out + c);
  for (; c + 8 <= columns; c += 8) multiply_columns<2>(rows, begin, end, lines + c, columns, out + c);
  for (; c + 4 <= columns; c += 4) multiply_columns<1>(rows, begin, end, lines + c, columns, out + c);
  for (; c < columns; ++c) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (std::int64_t at = rows.starts[i]; at < rows.starts[i + 1]; ++at) {
        sum += rows.values[at] * lines[static_cast<std::size_t>(rows.ids[at]) * columns + c];
      }
      out[i * columns + c] = sum;
    }
  }
}

}  // namespace

void multiply_sparse(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                     std::span<const double> values, std::span<const double> lines, std::size_t columns,
                     std::span<double> out, ThreadPool& pool) {
  const std::size_t rows = starts.size() - 1;
  const SparseMatrix matrix{starts.data(), ids.data(), values.data()};
  pool.parallel_for((rows + kRunRows - 1) / kRunRows, [&](std::size_t run, std::size_t thread) {
    if (thread == 0) pool.check_interrupt();
    multiply_rows(matrix, run * kRunRows, std::min(rows, (run + 1) * kRunRows), lines.data(), columns, out.data());
  });
}

}  // namespace hedgerow

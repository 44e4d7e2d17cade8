#include "linear/logistic_columns.hpp"

#include <algorithm>
#include <cmath>

#include "core/cpu_features.hpp"
#include "core/four_doubles.hpp"
#include "core/simd_vectors.hpp"
#include "core/target_avx2.hpp"
#include "linear/logistic_probabilities.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kPanel = std::size_t{1} << 15;  // numbers of a block
constexpr std::size_t kLinePadding = 8;               // between lines, so that they do not share places of the cache
constexpr std::size_t kMaxRunNumbers = std::size_t{1}
                                       << 22;  // numbers of all runs' sums, if there are more than 2 of them
constexpr std::size_t kMaxRuns = 64;

// Has a stretch of the next block fetched while this one is worked on: a column's part of a block is about a page,
// beyond which machines do not foresee what is read.
void prefetch_stretch(const double* from, std::size_t n) {
#if defined(__GNUC__)
  for (std::size_t r = 0; r < n; r += 8) __builtin_prefetch(from + r, 0, 2);
#endif
}

HEDGEROW_AVX2_CLONES void scale_numbers(const double* from, std::size_t n, const LogisticColumn& column, double* out) {
  const double center = column.center, factor = column.factor, missing_value = column.missing_value;
  for (std::size_t r = 0; r < n; ++r) {
    const double x = (from[r] - center) * factor;
    out[r] = x == x ? x : missing_value;
  }
}

HEDGEROW_AVX2_CLONES void mark_missing(const double* from, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = from[r] == from[r] ? 0.0 : 1.0;
}

HEDGEROW_AVX2_CLONES void multiply_lines(const double* line, const double* factor, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = line[r] * factor[r];
}

// -- products, in vectors of as many bytes as the machine has --------------------------------------------------

// Linear functions of a block: `Functions` of them for `Wide` vectors of rows at a time stay in registers.
template <std::size_t Bytes, std::size_t Functions, std::size_t Wide>
[[gnu::always_inline]] inline void evaluate_functions(const double* panel, std::size_t stride, std::size_t features,
                                                      std::size_t length, const double* theta, double* out) {
  using Lanes = typename SimdVector<Bytes>::Lanes;
  constexpr std::size_t n = SimdVector<Bytes>::n;
  for (std::size_t r = 0; r < length; r += n * Wide) {
    Lanes sums[Functions][Wide] = {};
    for (std::size_t p = 0; p < features; ++p) {
      const double* line = panel + p * stride + r;
#pragma GCC unroll 4
      for (std::size_t w = 0; w < Wide; ++w) {
        const Lanes z = lanes_at<Lanes>(line + n * w);
#pragma GCC unroll 4
        for (std::size_t c = 0; c < Functions; ++c) sums[c][w] += theta[c * features + p] * z;
      }
    }
#pragma GCC unroll 4
    for (std::size_t c = 0; c < Functions; ++c) {
#pragma GCC unroll 4
      for (std::size_t w = 0; w < Wide; ++w) *reinterpret_cast<Lanes*>(out + c * stride + r + n * w) = sums[c][w];
    }
  }
}

template <std::size_t Bytes, std::size_t Wide>
[[gnu::always_inline]] inline void evaluate_all_functions(const double* panel, std::size_t stride, std::size_t features,
                                                          std::size_t length, const double* theta,
                                                          std::size_t functions, double* out) {
  std::size_t c = 0;
  for (; c + 4 <= functions; c += 4) {
    evaluate_functions<Bytes, 4, Wide>(panel, stride, features, length, theta + c * features, out + c * stride);
  }
  for (; c + 2 <= functions; c += 2) {
    evaluate_functions<Bytes, 2, 4>(panel, stride, features, length, theta + c * features, out + c * stride);
  }
  for (; c < functions; ++c)
    evaluate_functions<Bytes, 1, 4>(panel, stride, features, length, theta + c * features, out + c * stride);
}

// Adds the products of every feature's line with every function's line: `Features` by `Functions` sums at a time.
template <std::size_t Bytes, std::size_t Features, std::size_t Functions>
[[gnu::always_inline]] inline void accumulate_dots(const double* panel, const double* lines, std::size_t stride,
                                                   std::size_t length, double* out, std::size_t features) {
  using Lanes = typename SimdVector<Bytes>::Lanes;
  Lanes sums[Features][Functions] = {};
  for (std::size_t r = 0; r < length; r += SimdVector<Bytes>::n) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Features; ++p) {
      const Lanes z = lanes_at<Lanes>(panel + p * stride + r);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Functions; ++c) sums[p][c] += z * lanes_at<Lanes>(lines + c * stride + r);
    }
  }
#pragma GCC unroll 4
  for (std::size_t p = 0; p < Features; ++p) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < Functions; ++c) out[c * features + p] += sum_lanes(sums[p][c]);
  }
}

template <std::size_t Bytes, std::size_t Functions>
[[gnu::always_inline]] inline void accumulate_dots_of_functions(const double* panel, const double* lines,
                                                                std::size_t stride, std::size_t length,
                                                                std::size_t features, double* out) {
  std::size_t p = 0;
  for (; p + 4 <= features; p += 4)
    accumulate_dots<Bytes, 4, Functions>(panel + p * stride, lines, stride, length, out + p, features);
  for (; p < features; ++p)
    accumulate_dots<Bytes, 1, Functions>(panel + p * stride, lines, stride, length, out + p, features);
}

template <std::size_t Bytes, std::size_t Functions>
[[gnu::always_inline]] inline void accumulate_all_dots(const double* panel, const double* lines, std::size_t stride,
                                                       std::size_t length, std::size_t features, std::size_t functions,
                                                       double* out) {
  std::size_t c = 0;
  for (; c + Functions <= functions; c += Functions) {
    accumulate_dots_of_functions<Bytes, Functions>(panel, lines + c * stride, stride, length, features,
                                                   out + c * features);
  }
  for (; c < functions; ++c)
    accumulate_dots_of_functions<Bytes, 1>(panel, lines + c * stride, stride, length, features, out + c * features);
}

#define HEDGEROW_PRODUCT_KERNELS(name, target, bytes, wide, functions_at_once, tile)                              \
  target void functions_##name(const double* panel, std::size_t stride, std::size_t features, std::size_t length, \
                               const double* theta, std::size_t functions, double* out) {                         \
    evaluate_all_functions<bytes, wide>(panel, stride, features, length, theta, functions, out);                  \
  }                                                                                                               \
  target void dots_##name(const double* panel, const double* lines, std::size_t stride, std::size_t length,       \
                          std::size_t features, std::size_t functions, double* out) {                             \
    accumulate_all_dots<bytes, functions_at_once>(panel, lines, stride, length, features, functions, out);        \
  }                                                                                                               \
  target void products_##name(const double* left, const double* right, std::size_t stride, std::size_t features,  \
                              std::size_t length, double* out, std::size_t across) {                              \
    multiply_tiles<bytes, 4, tile>(left, right, stride, features, length, out, across);                           \
  }

HEDGEROW_PRODUCT_KERNELS(plain, , 16, 2, 2, 3)
#if defined(__x86_64__)
HEDGEROW_PRODUCT_KERNELS(4, [[gnu::target("avx2,fma")]], 32, 2, 2, 3)
HEDGEROW_PRODUCT_KERNELS(8, [[gnu::target("avx512f,fma")]], 64, 4, 4, 4)
#endif
#undef HEDGEROW_PRODUCT_KERNELS

struct ProductKernels {
  decltype(&functions_plain) functions;
  decltype(&dots_plain) dots;
  decltype(&products_plain) products;
};

// What the machine has.
ProductKernels choose_product_kernels() {
#if defined(__x86_64__)
  if (has_avx512()) return {functions_8, dots_8, products_8};
  if (has_avx2()) return {functions_4, dots_4, products_4};
#endif
  return {functions_plain, dots_plain, products_plain};
}

// -- blocks of rows ------------------------------------------------------------------------------------------

struct LogisticTask {
  std::span<const LogisticColumn> columns;
  std::span<const std::int32_t> labels;
  std::span<const double> weight, theta;
  std::size_t features, functions, length, stride;  // the 1 counts as a feature
  bool based, with_curvature;
};

// A block of rows, feature by feature, and what is found there.
class LogisticBlock {
 public:
  explicit LogisticBlock(const LogisticTask& task)
      : task_(task),
        panel_((task.features + 2 * kMaxTileLines) * task.stride),
        scaled_(task.with_curvature ? (task.features + 2 * kMaxTileLines) * task.stride : 0),
        probabilities_(task.functions * task.stride),
        error_(task.functions * task.stride),
        row_weights_(task.stride),
        top_(task.stride),
        norm_(task.stride),
        counts_(task.stride),
        share_(task.stride) {}

  void add_block(std::size_t begin, std::size_t n, LogisticSums& sums) {
    fill_panel(begin, n);
    const LogisticTask& t = task_;
    kernels_.functions(panel_.data(), t.stride, t.features, t.length, t.theta.data(), t.functions,
                       probabilities_.data());
    const double* weight = t.weight.empty() ? nullptr : t.weight.data() + begin;
    double cost = 0;
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t label = static_cast<std::size_t>(t.labels[begin + r]);
      row_weights_[r] = label < t.based ? 0.0 : probabilities_.data()[(label - t.based) * t.stride + r];
    }
    compute_probabilities({probabilities_.data(), top_.data(), norm_.data(), t.functions, t.stride, t.based}, t.length);
    for (std::size_t r = 0; r < n; ++r) {  // row by row: the sums of both would cancel where functions are huge
      const double behind = top_[r] - row_weights_[r];
      cost += weight ? weight[r] * behind : behind;
    }
    sums.cost += cost + sum_log_norms(norm_.data(), weight, n, t.functions + t.based);
    compute_errors(begin, n);
    kernels_.dots(panel_.data(), error_.data(), t.stride, t.length, t.features, t.functions, sums.gradient.data());
    if (t.with_curvature) add_curvature(sums.curvature.data());
  }

 private:
  void fill_panel(std::size_t begin, std::size_t n) {
    const std::size_t stride = task_.stride;
    if (n < task_.length) panel_.clear();
    double* out = panel_.data();
    for (const LogisticColumn& column : task_.columns) {
      if (column.numbers) {
        const std::size_t next = begin + n, rows = task_.labels.size();
        if (next < rows) prefetch_stretch(column.numbers + next, std::min(task_.length, rows - next));
        scale_numbers(column.numbers + begin, n, column, out);
        if (column.width == 2) mark_missing(column.numbers + begin, n, out + stride);
      } else {
        std::fill(out, out + column.width * stride, 0.0);
        for (std::size_t r = 0; r < n; ++r) {
          const std::int32_t code = column.codes[begin + r];
          const std::int32_t feature = code < 0 ? column.table.back() : column.table[static_cast<std::size_t>(code)];
          if (feature >= 0) out[static_cast<std::size_t>(feature) * stride + r] = 1.0;
        }
      }
      out += column.width * stride;
    }
    std::fill(out, out + n, 1.0);
    std::fill(counts_.begin(), counts_.end(), 0.0);
    for (std::size_t r = 0; r < n; ++r) counts_[r] = task_.weight.empty() ? 1.0 : task_.weight[begin + r];
  }

  // Weight times probability less the class itself; 0 beyond the last row.
  void compute_errors(std::size_t begin, std::size_t n) {
    for (std::size_t c = 0; c < task_.functions; ++c) {
      multiply_lines(probabilities_.data() + c * task_.stride, counts_.data(), task_.length,
                     error_.data() + c * task_.stride);
    }
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t label = static_cast<std::size_t>(task_.labels[begin + r]);
      if (label >= task_.based) error_.data()[(label - task_.based) * task_.stride + r] -= counts_[r];
    }
  }

  void add_curvature(double* out) {
    const std::size_t across = task_.functions * task_.features;
    for (std::size_t a = 0; a < task_.functions; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const double *pa = probabilities_.data() + a * task_.stride, *pb = probabilities_.data() + b * task_.stride;
        for (std::size_t r = 0; r < task_.length; ++r) {
          share_[r] = a == b ? counts_[r] * pa[r] * (1 - pa[r]) : -counts_[r] * pa[r] * pb[r];
        }
        for (std::size_t p = 0; p < task_.features; ++p) {
          multiply_lines(panel_.data() + p * task_.stride, share_.data(), task_.length,
                         scaled_.data() + p * task_.stride);
        }
        kernels_.products(scaled_.data(), panel_.data(), task_.stride, task_.features, task_.length,
                          out + a * task_.features * across + b * task_.features, across);
      }
    }
  }

  const LogisticTask& task_;
  const ProductKernels kernels_ = choose_product_kernels();
  AlignedDoubles panel_, scaled_, probabilities_, error_;
  std::vector<double> row_weights_, top_, norm_, counts_, share_;
};

// Fills the upper halves: every block is symmetric, and so is the whole.
void mirror_upper_halves(std::vector<double>& matrix, std::size_t features, std::size_t functions) {
  const std::size_t across = features * functions;
  for (std::size_t a = 0; a < functions; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t i = 0; i < features; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          const double value = matrix[(a * features + i) * across + b * features + j];
          matrix[(a * features + j) * across + b * features + i] = value;
          matrix[(b * features + i) * across + a * features + j] = value;
          matrix[(b * features + j) * across + a * features + i] = value;
        }
      }
    }
  }
}

}  // namespace

LogisticSums compute_logistic_sums(std::span<const LogisticColumn> columns, std::span<const std::int32_t> labels,
                                   std::span<const double> weight, std::span<const double> theta, std::size_t functions,
                                   bool based, bool with_curvature, ThreadPool& pool) {
  const std::size_t features = functions ? theta.size() / functions : 0, rows = labels.size();
  const std::size_t length = std::clamp<std::size_t>(kPanel / std::max<std::size_t>(features, 1) / 32 * 32, 64, 512);
  const LogisticTask task{columns, labels,        weight, theta, features, functions, length, length + kLinePadding,
                          based,   with_curvature};
  const std::size_t cells = with_curvature ? theta.size() * theta.size() : 0;
  const std::size_t blocks = (rows + length - 1) / length;
  const std::size_t maximum = std::clamp<std::size_t>(kMaxRunNumbers / (cells + theta.size() + 1), 2, kMaxRuns);
  const std::size_t run_blocks = std::max<std::size_t>(1, (blocks + maximum - 1) / maximum);
  const std::size_t runs = (blocks + run_blocks - 1) / run_blocks;
  std::vector<LogisticSums> sums(runs);
  pool.parallel_for(runs, [&](std::size_t run, std::size_t thread) {
    LogisticBlock block(task);
    sums[run].gradient.resize(theta.size());
    sums[run].curvature.resize(cells);
    for (std::size_t at = run * run_blocks; at < std::min(blocks, (run + 1) * run_blocks); ++at) {
      if (pool.has_failed()) return;
      if (thread == 0) pool.check_interrupt();
      const std::size_t begin = at * length;
      block.add_block(begin, std::min(length, rows - begin), sums[run]);
    }
  });
  LogisticSums out{0, std::vector<double>(theta.size()), std::vector<double>(cells)};
  for (const auto& sum : sums) {
    out.cost += sum.cost;
    for (std::size_t i = 0; i < theta.size(); ++i) out.gradient[i] += sum.gradient[i];
    for (std::size_t i = 0; i < cells; ++i) out.curvature[i] += sum.curvature[i];
  }
  if (with_curvature) mirror_upper_halves(out.curvature, features, functions);
  return out;
}

}  // namespace hedgerow

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

constexpr std::size_t kPanel = std::size_t{1} << 15;    // numbers of a block
constexpr std::size_t kPad = 8;                         // between lines, so that they do not share places of the cache
constexpr std::size_t kRunRoom = std::size_t{1} << 22;  // numbers of all runs' sums, if there are more than 2 of them
constexpr std::size_t kMostRuns = 64;

// Has a stretch of the next block fetched while this one is worked on: a column's part of a block is about a page,
// beyond which machines do not foresee what is read.
void foresee(const double* from, std::size_t n) {
#if defined(__GNUC__)
  for (std::size_t r = 0; r < n; r += 8) __builtin_prefetch(from + r, 0, 2);
#endif
}

HEDGEROW_AVX2_CLONES void put_numbers(const double* from, std::size_t n, const LogisticColumn& column, double* out) {
  const double center = column.center, factor = column.factor, gap = column.gap;
  for (std::size_t r = 0; r < n; ++r) {
    const double x = (from[r] - center) * factor;
    out[r] = x == x ? x : gap;
  }
}

HEDGEROW_AVX2_CLONES void put_gaps(const double* from, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = from[r] == from[r] ? 0.0 : 1.0;
}

HEDGEROW_AVX2_CLONES void multiply(const double* line, const double* factor, std::size_t n, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] = line[r] * factor[r];
}

// -- products, in vectors of as many bytes as the machine has --------------------------------------------------

// Linear functions of a block: `Functions` of them for `Wide` vectors of rows at a time stay in registers.
template <std::size_t Bytes, std::size_t Functions, std::size_t Wide>
[[gnu::always_inline]] inline void functions_of(const double* panel, std::size_t stride, std::size_t places,
                                                std::size_t length, const double* theta, double* out) {
  using Lanes = typename SimdVector<Bytes>::Lanes;
  constexpr std::size_t n = SimdVector<Bytes>::n;
  for (std::size_t r = 0; r < length; r += n * Wide) {
    Lanes sums[Functions][Wide] = {};
    for (std::size_t p = 0; p < places; ++p) {
      const double* line = panel + p * stride + r;
#pragma GCC unroll 4
      for (std::size_t w = 0; w < Wide; ++w) {
        const Lanes z = lanes_at<Lanes>(line + n * w);
#pragma GCC unroll 4
        for (std::size_t c = 0; c < Functions; ++c) sums[c][w] += theta[c * places + p] * z;
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
[[gnu::always_inline]] inline void all_functions(const double* panel, std::size_t stride, std::size_t places,
                                                 std::size_t length, const double* theta, std::size_t functions,
                                                 double* out) {
  std::size_t c = 0;
  for (; c + 4 <= functions; c += 4) {
    functions_of<Bytes, 4, Wide>(panel, stride, places, length, theta + c * places, out + c * stride);
  }
  for (; c + 2 <= functions; c += 2) {
    functions_of<Bytes, 2, 4>(panel, stride, places, length, theta + c * places, out + c * stride);
  }
  for (; c < functions; ++c)
    functions_of<Bytes, 1, 4>(panel, stride, places, length, theta + c * places, out + c * stride);
}

// Adds the products of every place's line with every function's line: `Places` by `Functions` sums at a time.
template <std::size_t Bytes, std::size_t Places, std::size_t Functions>
[[gnu::always_inline]] inline void dots(const double* panel, const double* lines, std::size_t stride,
                                        std::size_t length, double* out, std::size_t places) {
  using Lanes = typename SimdVector<Bytes>::Lanes;
  Lanes sums[Places][Functions] = {};
  for (std::size_t r = 0; r < length; r += SimdVector<Bytes>::n) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Places; ++p) {
      const Lanes z = lanes_at<Lanes>(panel + p * stride + r);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Functions; ++c) sums[p][c] += z * lanes_at<Lanes>(lines + c * stride + r);
    }
  }
#pragma GCC unroll 4
  for (std::size_t p = 0; p < Places; ++p) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < Functions; ++c) out[c * places + p] += sum_lanes(sums[p][c]);
  }
}

template <std::size_t Bytes, std::size_t Functions>
[[gnu::always_inline]] inline void dots_of(const double* panel, const double* lines, std::size_t stride,
                                           std::size_t length, std::size_t places, double* out) {
  std::size_t p = 0;
  for (; p + 4 <= places; p += 4) dots<Bytes, 4, Functions>(panel + p * stride, lines, stride, length, out + p, places);
  for (; p < places; ++p) dots<Bytes, 1, Functions>(panel + p * stride, lines, stride, length, out + p, places);
}

template <std::size_t Bytes, std::size_t Functions>
[[gnu::always_inline]] inline void all_dots(const double* panel, const double* lines, std::size_t stride,
                                            std::size_t length, std::size_t places, std::size_t functions,
                                            double* out) {
  std::size_t c = 0;
  for (; c + Functions <= functions; c += Functions) {
    dots_of<Bytes, Functions>(panel, lines + c * stride, stride, length, places, out + c * places);
  }
  for (; c < functions; ++c) dots_of<Bytes, 1>(panel, lines + c * stride, stride, length, places, out + c * places);
}

#define HEDGEROW_WAYS(name, target, bytes, wide, functions_at_once, tile)                                         \
  target void functions_##name(const double* panel, std::size_t stride, std::size_t features, std::size_t length, \
                               const double* theta, std::size_t functions, double* out) {                         \
    all_functions<bytes, wide>(panel, stride, features, length, theta, functions, out);                           \
  }                                                                                                               \
  target void dots_##name(const double* panel, const double* lines, std::size_t stride, std::size_t length,       \
                          std::size_t features, std::size_t functions, double* out) {                             \
    all_dots<bytes, functions_at_once>(panel, lines, stride, length, features, functions, out);                   \
  }                                                                                                               \
  target void products_##name(const double* left, const double* right, std::size_t stride, std::size_t features,  \
                              std::size_t length, double* out, std::size_t across) {                              \
    multiply_tiles<bytes, 4, tile>(left, right, stride, features, length, out, across);                           \
  }

HEDGEROW_WAYS(plain, , 16, 2, 2, 3)
#if defined(__x86_64__)
HEDGEROW_WAYS(4, [[gnu::target("avx2,fma")]], 32, 2, 2, 3)
HEDGEROW_WAYS(8, [[gnu::target("avx512f,fma")]], 64, 4, 4, 4)
#endif
#undef HEDGEROW_WAYS

struct Ways {
  decltype(&functions_plain) functions;
  decltype(&dots_plain) dots;
  decltype(&products_plain) products;
};

// What the machine has.
Ways best_ways() {
#if defined(__x86_64__)
  if (has_avx512()) return {functions_8, dots_8, products_8};
  if (has_avx2()) return {functions_4, dots_4, products_4};
#endif
  return {functions_plain, dots_plain, products_plain};
}

// -- blocks of rows ------------------------------------------------------------------------------------------

struct Task {
  std::span<const LogisticColumn> columns;
  std::span<const std::int32_t> labels;
  std::span<const double> weight, theta;
  std::size_t places, functions, length, stride;  // the 1 counts as a place
  bool based, curved;
};

// A block of rows, place by place, and what is found there.
class Block {
 public:
  explicit Block(const Task& task)
      : task_(task),
        panel_((task.places + 2 * kMaxTileLines) * task.stride),
        scaled_(task.curved ? (task.places + 2 * kMaxTileLines) * task.stride : 0),
        chance_(task.functions * task.stride),
        error_(task.functions * task.stride),
        own_(task.stride),
        top_(task.stride),
        norm_(task.stride),
        counts_(task.stride),
        share_(task.stride) {}

  void add(std::size_t begin, std::size_t n, LogisticSums& sums) {
    fill(begin, n);
    const Task& t = task_;
    ways_.functions(panel_.data(), t.stride, t.places, t.length, t.theta.data(), t.functions, chance_.data());
    const double* weight = t.weight.empty() ? nullptr : t.weight.data() + begin;
    double cost = 0;
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t label = static_cast<std::size_t>(t.labels[begin + r]);
      own_[r] = label < t.based ? 0.0 : chance_.data()[(label - t.based) * t.stride + r];
    }
    chances({chance_.data(), top_.data(), norm_.data(), t.functions, t.stride, t.based}, t.length);
    for (std::size_t r = 0; r < n; ++r) {  // row by row: the sums of both would cancel where functions are huge
      const double behind = top_[r] - own_[r];
      cost += weight ? weight[r] * behind : behind;
    }
    sums.cost += cost + log_sum(norm_.data(), weight, n, t.functions + t.based);
    put_errors(begin, n);
    ways_.dots(panel_.data(), error_.data(), t.stride, t.length, t.places, t.functions, sums.gradient.data());
    if (t.curved) bend(sums.curvature.data());
  }

 private:
  void fill(std::size_t begin, std::size_t n) {
    const std::size_t stride = task_.stride;
    if (n < task_.length) panel_.clear();
    double* out = panel_.data();
    for (const LogisticColumn& column : task_.columns) {
      if (column.numbers) {
        const std::size_t next = begin + n, rows = task_.labels.size();
        if (next < rows) foresee(column.numbers + next, std::min(task_.length, rows - next));
        put_numbers(column.numbers + begin, n, column, out);
        if (column.width == 2) put_gaps(column.numbers + begin, n, out + stride);
      } else {
        std::fill(out, out + column.width * stride, 0.0);
        for (std::size_t r = 0; r < n; ++r) {
          const std::int32_t code = column.codes[begin + r];
          const std::int32_t place = code < 0 ? column.table.back() : column.table[static_cast<std::size_t>(code)];
          if (place >= 0) out[static_cast<std::size_t>(place) * stride + r] = 1.0;
        }
      }
      out += column.width * stride;
    }
    std::fill(out, out + n, 1.0);
    std::fill(counts_.begin(), counts_.end(), 0.0);
    for (std::size_t r = 0; r < n; ++r) counts_[r] = task_.weight.empty() ? 1.0 : task_.weight[begin + r];
  }

  // Weight times probability less the class itself; 0 beyond the last row.
  void put_errors(std::size_t begin, std::size_t n) {
    for (std::size_t c = 0; c < task_.functions; ++c) {
      multiply(chance_.data() + c * task_.stride, counts_.data(), task_.length, error_.data() + c * task_.stride);
    }
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t label = static_cast<std::size_t>(task_.labels[begin + r]);
      if (label >= task_.based) error_.data()[(label - task_.based) * task_.stride + r] -= counts_[r];
    }
  }

  void bend(double* out) {
    const std::size_t across = task_.functions * task_.places;
    for (std::size_t a = 0; a < task_.functions; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const double *pa = chance_.data() + a * task_.stride, *pb = chance_.data() + b * task_.stride;
        for (std::size_t r = 0; r < task_.length; ++r) {
          share_[r] = a == b ? counts_[r] * pa[r] * (1 - pa[r]) : -counts_[r] * pa[r] * pb[r];
        }
        for (std::size_t p = 0; p < task_.places; ++p) {
          multiply(panel_.data() + p * task_.stride, share_.data(), task_.length, scaled_.data() + p * task_.stride);
        }
        ways_.products(scaled_.data(), panel_.data(), task_.stride, task_.places, task_.length,
                       out + a * task_.places * across + b * task_.places, across);
      }
    }
  }

  const Task& task_;
  const Ways ways_ = best_ways();
  AlignedDoubles panel_, scaled_, chance_, error_;
  std::vector<double> own_, top_, norm_, counts_, share_;
};

// Fills the upper halves: every block is symmetric, and so is the whole.
void mirror(std::vector<double>& matrix, std::size_t places, std::size_t functions) {
  const std::size_t across = places * functions;
  for (std::size_t a = 0; a < functions; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t i = 0; i < places; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          const double value = matrix[(a * places + i) * across + b * places + j];
          matrix[(a * places + j) * across + b * places + i] = value;
          matrix[(b * places + i) * across + a * places + j] = value;
          matrix[(b * places + j) * across + a * places + i] = value;
        }
      }
    }
  }
}

}  // namespace

LogisticSums logistic_columns(std::span<const LogisticColumn> columns, std::span<const std::int32_t> labels,
                              std::span<const double> weight, std::span<const double> theta, std::size_t functions,
                              bool based, bool curved, ThreadPool& crew) {
  const std::size_t places = functions ? theta.size() / functions : 0, rows = labels.size();
  const std::size_t length = std::clamp<std::size_t>(kPanel / std::max<std::size_t>(places, 1) / 32 * 32, 64, 512);
  const Task task{columns, labels, weight, theta, places, functions, length, length + kPad, based, curved};
  const std::size_t cells = curved ? theta.size() * theta.size() : 0;
  const std::size_t blocks = (rows + length - 1) / length;
  const std::size_t most = std::clamp<std::size_t>(kRunRoom / (cells + theta.size() + 1), 2, kMostRuns);
  const std::size_t run_blocks = std::max<std::size_t>(1, (blocks + most - 1) / most);
  const std::size_t runs = (blocks + run_blocks - 1) / run_blocks;
  std::vector<LogisticSums> sums(runs);
  crew.parallel_for(runs, [&](std::size_t run, std::size_t member) {
    Block block(task);
    sums[run].gradient.resize(theta.size());
    sums[run].curvature.resize(cells);
    for (std::size_t at = run * run_blocks; at < std::min(blocks, (run + 1) * run_blocks); ++at) {
      if (crew.has_failed()) return;
      if (member == 0) crew.check_interrupt();
      const std::size_t begin = at * length;
      block.add(begin, std::min(length, rows - begin), sums[run]);
    }
  });
  LogisticSums out{0, std::vector<double>(theta.size()), std::vector<double>(cells)};
  for (const auto& sum : sums) {
    out.cost += sum.cost;
    for (std::size_t i = 0; i < theta.size(); ++i) out.gradient[i] += sum.gradient[i];
    for (std::size_t i = 0; i < cells; ++i) out.curvature[i] += sum.curvature[i];
  }
  if (curved) mirror(out.curvature, places, functions);
  return out;
}

}  // namespace hedgerow

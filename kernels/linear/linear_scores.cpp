#include "linear/linear_scores.hpp"

#include <algorithm>
#include <vector>

#include "core/cpu_features.hpp"
#include "core/four_doubles.hpp"
#include "core/simd_vectors.hpp"
#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kGroup = 4;                            // columns of numbers that are multiplied at a time
constexpr std::size_t kTile = 4;                             // functions of a tile
constexpr std::size_t kMinRows = 64, kMaxRows = 512;         // rows of a block
constexpr std::size_t kBlockNumbers = std::size_t{1} << 14;  // numbers of a block's functions
constexpr std::size_t kJobRows = std::size_t{1} << 13;
constexpr double kLargest = 1e300;

// -- products ------------------------------------------------------------------------------------------------

// Adds four lines of a panel times their slopes to `Functions` lines of `out`. Lines are `length` numbers, a multiple
// of 8. `slopes` are four a function.
template <std::size_t Bytes, std::size_t Functions>
[[gnu::always_inline]] inline void add_group(const double* panel, std::size_t length, const double* slopes,
                                             double* out) {
  using Lanes = typename SimdVector<Bytes>::Lanes;
  for (std::size_t r = 0; r < length; r += Bytes / sizeof(double)) {
    Lanes x[kGroup];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kGroup; ++j) x[j] = *reinterpret_cast<const Lanes*>(panel + j * length + r);
#pragma GCC unroll 4
    for (std::size_t f = 0; f < Functions; ++f) {
      Lanes& sum = *reinterpret_cast<Lanes*>(out + f * length + r);
      Lanes now = sum;
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kGroup; ++j) now += x[j] * slopes[f * kGroup + j];
      sum = now;
    }
  }
}

template <std::size_t Bytes>
[[gnu::always_inline]] inline void add_groups(const double* panel, std::size_t length, const double* slopes,
                                              std::size_t functions, double* out) {
  std::size_t f = 0;
  for (; f + kTile <= functions; f += kTile) {
    add_group<Bytes, kTile>(panel, length, slopes + f * kGroup, out + f * length);
  }
  slopes += f * kGroup;
  out += f * length;
  if (functions - f == 1) add_group<Bytes, 1>(panel, length, slopes, out);
  if (functions - f == 2) add_group<Bytes, 2>(panel, length, slopes, out);
  if (functions - f == 3) add_group<Bytes, 3>(panel, length, slopes, out);
}

using AddGroups = void (*)(const double*, std::size_t, const double*, std::size_t, double*);

void add_baseline(const double* panel, std::size_t length, const double* slopes, std::size_t functions, double* out) {
  add_groups<16>(panel, length, slopes, functions, out);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_avx2(const double* panel, std::size_t length, const double* slopes,
                                          std::size_t functions, double* out) {
  add_groups<32>(panel, length, slopes, functions, out);
}

[[gnu::target("avx512f,fma")]] void add_avx512(const double* panel, std::size_t length, const double* slopes,
                                               std::size_t functions, double* out) {
  add_groups<64>(panel, length, slopes, functions, out);
}
#endif

// What the machine has.
AddGroups choose_add() {
#if defined(__x86_64__)
  if (has_avx512()) return add_avx512;
  if (has_avx2()) return add_avx2;
#endif
  return add_baseline;
}

// -- probabilities -------------------------------------------------------------------------------------------

// Lines of functions become probabilities, that of the base, whose function is 0, in a line of its own.
HEDGEROW_AVX2_CLONES void apply_softmax(double* values, std::size_t functions, std::size_t length, bool based,
                                        double temperature, double* base) {
  for (std::size_t r = 0; r < length; r += 4) {
    double* at = values + r;
    Lanes top = based || !functions ? Lanes{} : load(at);
    for (std::size_t c = 0; c < functions; ++c) top = max_lanes(load(at + c * length), top);
    const Lanes its = exp_nonpositive(-top / temperature);
    Lanes norm = based ? its : Lanes{};
    for (std::size_t c = 0; c < functions; ++c) {
      const Lanes e = exp_nonpositive((load(at + c * length) - top) / temperature);
      store(at + c * length, e);
      norm += e;
    }
    for (std::size_t c = 0; c < functions; ++c) store(at + c * length, load(at + c * length) / norm);
    if (based) store(base + r, its / norm);
  }
}

HEDGEROW_AVX2_CLONES void make_finite(double* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i] == values[i] ? values[i] : 0.0;
    values[i] = x > kLargest ? kLargest : x < -kLargest ? -kLargest : x;
  }
}

// -- columns -------------------------------------------------------------------------------------------------

// Copies numbers; returns whether one is missing or infinite.
HEDGEROW_AVX2_CLONES bool copy_numbers(const double* from, std::size_t n, double* out) {
  double has_nonfinite[8] = {};
  std::size_t r = 0;
  for (; r + 8 <= n; r += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      const double x = from[r + l];
      out[r + l] = x;
      has_nonfinite[l] += x - x;
    }
  }
  for (; r < n; ++r) {
    out[r] = from[r];
    has_nonfinite[0] += from[r] - from[r];
  }
  double all = 0;
  for (const double one : has_nonfinite) all += one;
  return all != 0 || all != all;
}

HEDGEROW_AVX2_CLONES void add_choices(const std::int32_t* choice, std::size_t n, const double* adds, double* out) {
  for (std::size_t r = 0; r < n; ++r) out[r] += adds[choice[r]];
}

// The number of cuts below x.
inline std::size_t find_interval(std::span<const double> cuts, double x) {
  const double* low = cuts.data();
  std::size_t n = cuts.size();
  if (!n) return 0;
  while (n > 1) {
    const std::size_t half = n / 2;
    low = low[half - 1] < x ? low + half : low;
    n -= half;
  }
  return static_cast<std::size_t>(low - cuts.data()) + (*low < x);
}

struct alignas(64) EightScores {
  double values[8];
};

// Blocks of rows, one after the other.
class ScoreBlock {
 public:
  ScoreBlock(std::span<const ScoreColumn> columns, std::span<const double> intercepts, const double* added,
             std::size_t rows, const ScoreTarget& target, std::span<bool> known, std::span<const double> slopes,
             std::size_t length)
      : columns_(columns),
        intercepts_(intercepts),
        added_(added),
        rows_(rows),
        target_(target),
        known_(known),
        slopes_(slopes),
        length_(length),
        panel_(kGroup * length / 8),
        sums_(std::max<std::size_t>(1, intercepts.size() * length / 8)),
        base_(length / 8),
        choice_(length) {}

  void score_rows(std::size_t begin, std::size_t n) {
    begin_ = begin, n_ = n;
    all_known_ = known_.empty();
    start_sums();
    std::size_t filled = 0, group = 0;
    for (const ScoreColumn& column : columns_) {
      if (!column.numbers || column.choices) {
        add_choices_of_column(column);
        continue;
      }
      double* line = panel_.front().values + filled * length_;
      if (copy_numbers(column.numbers + begin, n, line)) {
        replace_nonfinite(column, line);
      } else {
        all_known_ = true;
      }
      if (++filled == kGroup) {
        multiply(group++);
        filled = 0;
      }
    }
    if (filled) {
      std::fill(panel_.front().values + filled * length_, panel_.front().values + kGroup * length_, 0.0);
      multiply(group);
    }
    if (all_known_ && !known_.empty()) std::ranges::fill(known_.subspan(begin, n), true);
    finish_scores();
  }

 private:
  double* function_line(std::size_t function) { return sums_.front().values + function * length_; }

  void start_sums() {
    for (std::size_t f = 0; f < intercepts_.size(); ++f) {
      double* out = function_line(f);
      if (added_) {
        const double* from = added_ + f * rows_ + begin_;
        for (std::size_t r = 0; r < n_; ++r) out[r] = intercepts_[f] + from[r];
        std::fill(out + n_, out + length_, 0.0);
      } else {
        std::fill(out, out + length_, intercepts_[f]);
      }
    }
  }

  void multiply(std::size_t group) {
    const std::size_t functions = intercepts_.size();
    add_groups_(panel_.front().values, length_, slopes_.data() + group * functions * kGroup, functions,
                sums_.front().values);
  }

  // Missing numbers become the mean, and infinite ones 0, as they are added to functions that have a slope.
  void replace_nonfinite(const ScoreColumn& column, double* numbers) {
    for (std::size_t r = 0; r < n_; ++r) {
      const double x = numbers[r];
      const bool missing = x != x;
      if (!known_.empty() && !missing) known_[begin_ + r] = true;
      if (x - x == 0) continue;
      numbers[r] = missing ? column.mean : 0.0;
      for (std::size_t f = 0; f < intercepts_.size(); ++f) {
        if (missing && column.missing_offsets) function_line(f)[r] += column.missing_offsets[f];
        if (!missing && column.slopes[f] != 0) function_line(f)[r] += x * column.slopes[f];
      }
    }
  }

  // Adds what codes or intervals have.
  void add_choices_of_column(const ScoreColumn& column) {
    const auto missing = static_cast<std::int32_t>(column.choices);
    if (column.numbers) {
      for (std::size_t r = 0; r < n_; ++r) {
        const double x = column.numbers[begin_ + r];
        choice_[r] = x == x ? static_cast<std::int32_t>(find_interval(column.cuts, x)) : missing;
      }
    } else {
      for (std::size_t r = 0; r < n_; ++r) {
        const std::int32_t code = column.codes[begin_ + r];
        choice_[r] = code < 0 || code > missing ? missing : code;
      }
    }
    for (std::size_t f = 0; f < intercepts_.size(); ++f) {
      add_choices(choice_.data(), n_, column.contributions + f * (column.choices + 1), function_line(f));
    }
    if (all_known_) return;
    bool all = true;
    for (std::size_t r = 0; r < n_; ++r) {
      const bool one = choice_[r] != missing && (!column.known || column.known[choice_[r]]);
      known_[begin_ + r] |= one;
      all &= one;
    }
    all_known_ = all;
  }

  void finish_scores() {
    if (target_.link != ScoreLink::kNone) make_finite(function_line(0), intercepts_.size() * length_);
    if (target_.link == ScoreLink::kSoftmax) {
      apply_softmax(function_line(0), intercepts_.size(), length_, target_.base >= 0, target_.temperature,
                    base_.front().values);
    }
    double* out = target_.values + begin_ * target_.step;
    for (std::size_t f = 0; f < intercepts_.size(); ++f) write_line(function_line(f), out + target_.positions[f]);
    if (target_.base < 0) return;
    if (target_.link == ScoreLink::kSoftmax) {
      write_line(base_.front().values, out + target_.base);
    } else {
      for (std::size_t r = 0; r < n_; ++r) out[static_cast<std::size_t>(target_.base) + r * target_.step] = 0.0;
    }
  }

  void write_line(const double* from, double* out) const {
    for (std::size_t r = 0; r < n_; ++r) out[r * target_.step] = from[r];
  }

  std::span<const ScoreColumn> columns_;
  std::span<const double> intercepts_;
  const double* added_;
  std::size_t rows_;
  const ScoreTarget& target_;
  std::span<bool> known_;
  std::span<const double> slopes_;
  std::size_t length_;
  std::vector<EightScores> panel_, sums_, base_;
  std::vector<std::int32_t> choice_;
  std::size_t begin_ = 0, n_ = 0;
  bool all_known_ = false;
  AddGroups add_groups_ = choose_add();
};

// The slopes of columns of numbers: by groups of four columns, of each the slopes of all functions, four each.
std::vector<double> group_slopes(std::span<const ScoreColumn> columns, std::size_t functions) {
  std::vector<double> out;
  std::size_t position = 0;
  for (const ScoreColumn& column : columns) {
    if (!column.numbers || column.choices) continue;
    if (position % kGroup == 0) out.resize(out.size() + functions * kGroup);
    double* group = out.data() + position / kGroup * functions * kGroup;
    for (std::size_t f = 0; f < functions; ++f) group[f * kGroup + position % kGroup] = column.slopes[f];
    ++position;
  }
  return out;
}

}  // namespace

void compute_linear_scores(std::span<const ScoreColumn> columns, std::span<const double> intercepts,
                           const double* added, std::size_t rows, const ScoreTarget& target, std::span<bool> known,
                           ThreadPool& pool) {
  const std::size_t functions = intercepts.size();
  const std::vector<double> slopes = group_slopes(columns, functions);
  const std::size_t length =
      std::clamp(kBlockNumbers / std::max<std::size_t>(functions, 1) / 8 * 8, kMinRows, kMaxRows);
  const std::size_t jobs = (rows + kJobRows - 1) / kJobRows;
  pool.parallel_for(jobs, [&](std::size_t job, std::size_t thread) {
    const std::size_t end = std::min(rows, (job + 1) * kJobRows);
    const std::size_t minimum =
        (std::min(length, end - job * kJobRows) + 7) / 8 * 8;  // of a single row no more than eight
    ScoreBlock block(columns, intercepts, added, rows, target, known, slopes, minimum);
    for (std::size_t begin = job * kJobRows; begin < end; begin += minimum) {
      if (pool.has_failed()) return;
      if (thread == 0) pool.check_interrupt();
      block.score_rows(begin, std::min(minimum, end - begin));
    }
  });
}

}  // namespace hedgerow

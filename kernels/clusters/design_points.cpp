#include "clusters/design_points.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace hedgerow {

namespace {

constexpr std::size_t kCells = 4096;  // of a block, which stay in the cache

// The block of some rows, whose features are `width` numbers.
class DesignPointBlock {
 public:
  DesignPointBlock(const FeatureFrame& frame, std::size_t begin, std::size_t end, double* out)
      : frame_(frame), begin_(begin), end_(end), width_(frame.centers.size()), out_(out) {}

  void fill_numbers(const DesignColumn& column, std::size_t at) {
    const double center = frame_.centers[at], factor = frame_.factors[at], missing_value = frame_.missing_values[at];
    const double* from = column.numbers;
    for (std::size_t i = begin_; i < end_; ++i) {
      const double x = from[i];
      row(i)[at] = x == x ? (x - center) * factor : missing_value;
    }
    if (column.width < 2) return;
    const double there = -frame_.centers[at + 1] * frame_.factors[at + 1];
    const double missing = (1 - frame_.centers[at + 1]) * frame_.factors[at + 1];
    for (std::size_t i = begin_; i < end_; ++i) row(i)[at + 1] = from[i] == from[i] ? there : missing;
  }

  void fill_levels(const DesignColumn& column, std::size_t at) {
    const auto missing = static_cast<std::int32_t>(column.table.size()) - 1;
    for (std::size_t i = begin_; i < end_; ++i) {
      const std::int32_t code = column.codes[i] < 0 ? missing : column.codes[i];
      const std::int32_t feature = column.table[static_cast<std::size_t>(code)];
      for (std::size_t p = at; p < at + column.width; ++p) {
        const double value = p - at == static_cast<std::size_t>(feature) ? 1.0 : 0.0;
        row(i)[p] = feature < 0 ? frame_.missing_values[p] : (value - frame_.centers[p]) * frame_.factors[p];
      }
    }
  }

  bool is_within() const {
    bool within = true;
    for (const double* x = row(begin_); x < row(end_); ++x)
      within &= std::fabs(*x) <= frame_.max_absolute;  // NaN is not
    return within;
  }

 private:
  double* row(std::size_t i) const { return out_ + i * width_; }

  const FeatureFrame& frame_;
  std::size_t begin_, end_, width_;
  double* out_;
};

}  // namespace

bool fill_design_points(std::span<const DesignColumn> columns, const FeatureFrame& frame, std::size_t rows,
                        std::span<double> out, ThreadPool& pool) {
  const std::size_t width = frame.centers.size(),
                    step = std::max<std::size_t>(16, kCells / std::max<std::size_t>(width, 1));
  const std::size_t jobs = std::min<std::size_t>(64, (rows + step - 1) / step);
  std::atomic<bool> within = true;
  pool.parallel_for(jobs, [&](std::size_t job, std::size_t thread) {
    const std::size_t stop = rows * (job + 1) / jobs;
    for (std::size_t begin = rows * job / jobs; begin < stop; begin += step) {
      if (pool.has_failed()) return;
      if (thread == 0) pool.check_interrupt();
      DesignPointBlock block(frame, begin, std::min(begin + step, stop), out.data());
      std::size_t at = 0;
      for (const DesignColumn& column : columns) {
        if (column.numbers)
          block.fill_numbers(column, at);
        else
          block.fill_levels(column, at);
        at += column.width;
      }
      if (!block.is_within()) within = false;
    }
  });
  return within;
}

}  // namespace hedgerow

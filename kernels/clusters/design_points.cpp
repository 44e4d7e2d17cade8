#include "clusters/design_points.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace hedgerow {

namespace {

constexpr std::size_t kCells = 4096;  // of a block, which stay in the cache

// The block of some rows, whose places are `width` numbers.
class Block {
 public:
  Block(const PlaceFrame& frame, std::size_t begin, std::size_t end, double* out)
      : frame_(frame), begin_(begin), end_(end), width_(frame.centers.size()), out_(out) {}

  void numbers(const DesignColumn& column, std::size_t at) {
    const double center = frame_.centers[at], factor = frame_.factors[at], gap = frame_.gaps[at];
    const double* from = column.numbers;
    for (std::size_t i = begin_; i < end_; ++i) {
      const double x = from[i];
      row(i)[at] = x == x ? (x - center) * factor : gap;
    }
    if (column.width < 2) return;
    const double there = -frame_.centers[at + 1] * frame_.factors[at + 1];
    const double missing = (1 - frame_.centers[at + 1]) * frame_.factors[at + 1];
    for (std::size_t i = begin_; i < end_; ++i) row(i)[at + 1] = from[i] == from[i] ? there : missing;
  }

  void levels(const DesignColumn& column, std::size_t at) {
    const auto missing = static_cast<std::int32_t>(column.table.size()) - 1;
    for (std::size_t i = begin_; i < end_; ++i) {
      const std::int32_t code = column.codes[i] < 0 ? missing : column.codes[i];
      const std::int32_t place = column.table[static_cast<std::size_t>(code)];
      for (std::size_t p = at; p < at + column.width; ++p) {
        const double value = p - at == static_cast<std::size_t>(place) ? 1.0 : 0.0;
        row(i)[p] = place < 0 ? frame_.gaps[p] : (value - frame_.centers[p]) * frame_.factors[p];
      }
    }
  }

  bool is_within() const {
    bool within = true;
    for (const double* x = row(begin_); x < row(end_); ++x) within &= std::fabs(*x) <= frame_.most;  // NaN is not
    return within;
  }

 private:
  double* row(std::size_t i) const { return out_ + i * width_; }

  const PlaceFrame& frame_;
  std::size_t begin_, end_, width_;
  double* out_;
};

}  // namespace

bool lay_points(std::span<const DesignColumn> columns, const PlaceFrame& frame, std::size_t rows, std::span<double> out,
                ThreadPool& crew) {
  const std::size_t width = frame.centers.size(),
                    step = std::max<std::size_t>(16, kCells / std::max<std::size_t>(width, 1));
  const std::size_t jobs = std::min<std::size_t>(64, (rows + step - 1) / step);
  std::atomic<bool> within = true;
  crew.parallel_for(jobs, [&](std::size_t job, std::size_t member) {
    const std::size_t stop = rows * (job + 1) / jobs;
    for (std::size_t begin = rows * job / jobs; begin < stop; begin += step) {
      if (crew.has_failed()) return;
      if (member == 0) crew.check_interrupt();
      Block block(frame, begin, std::min(begin + step, stop), out.data());
      std::size_t at = 0;
      for (const DesignColumn& column : columns) {
        if (column.numbers)
          block.numbers(column, at);
        else
          block.levels(column, at);
        at += column.width;
      }
      if (!block.is_within()) within = false;
    }
  });
  return within;
}

}  // namespace hedgerow

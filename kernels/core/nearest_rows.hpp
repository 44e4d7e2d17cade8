// The nearest rows of one query: kept while rows are offered one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hedgerow {

struct Scored {
  double score;  // the larger the nearer
  std::int32_t row;
};

// The nearest first; of equally near rows the first.
inline bool nearer(const Scored& one, const Scored& other) {
  return one.score != other.score ? one.score > other.score : one.row < other.row;
}

// Keeps the nearest rows whose weights make up `k`, and all that are as near as the last of them. Without weights every
// row has weight 1. Of a row that is left out a weight of 1 does not count. Rows may be offered in any order, each
// once. Amortised O(log n) an offer that is near enough.
class Nearest {
 public:
  Nearest(double k, std::span<const double> weights) : k_(k), weights_(weights) {}

  void clear(std::int32_t left_out = -1) {
    left_out_ = left_out;
    found_.clear();
    least_ = -std::numeric_limits<double>::infinity();
    next_ = first_cut();
  }

  // Rows of a lower score are not among the nearest.
  double least() const { return least_; }

  void offer(double score, std::int32_t row) {
    if (score < least_ || (row == left_out_ && !(weight(row) > 0))) return;
    found_.push_back({score, row});
    if (found_.size() >= next_) cut();
  }

  // Leaves out what is not among the nearest; what stays is in order.
  void cut() {
    if (!std::is_sorted(found_.begin(), found_.end(), nearer)) std::sort(found_.begin(), found_.end(), nearer);
    double sum = 0;
    std::size_t size = 0;
    for (; size < found_.size(); ++size) {
      if (sum >= k_ && found_[size].score != found_[size - 1].score) break;
      sum += weight(found_[size].row);
    }
    found_.resize(size);
    if (sum >= k_) least_ = found_.back().score;
    next_ = std::max(first_cut(), size + size / 2 + 4);
  }

  // In order, if it was cut.
  std::span<const Scored> found() const { return found_; }

  double weight(std::int32_t row) const {
    return (weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(row)]) - (row == left_out_ ? 1.0 : 0.0);
  }
  double k() const { return k_; }

 private:
  std::size_t first_cut() const { return static_cast<std::size_t>(std::min(k_, 1e6)) + 1; }

  double k_;
  std::span<const double> weights_;
  std::int32_t left_out_ = -1;
  std::vector<Scored> found_;
  double least_ = -std::numeric_limits<double>::infinity();
  std::size_t next_ = 1;
};

}  // namespace hedgerow

// The nearest rows of one query: kept while rows are offered one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hedgerow {

struct ScoredRow {
  double score;  // the larger the nearer
  std::int32_t row;
};

// The nearest first; of equally near rows the first.
inline bool is_nearer(const ScoredRow& one, const ScoredRow& other) {
  return one.score != other.score ? one.score > other.score : one.row < other.row;
}

// Keeps the nearest rows whose weights make up `k`, and all that are as near as the last of them. Without weights every
// row has weight 1. Of a row that is left out a weight of 1 does not count. Rows may be offered in any order, each
// once. Amortised O(log n) an offer that is near enough.
class NearestRows {
 public:
  NearestRows(double k, std::span<const double> weights) : k_(k), weights_(weights) {}

  void clear(std::int32_t excluded_row = -1) {
    excluded_row_ = excluded_row;
    rows_.clear();
    min_score_ = -std::numeric_limits<double>::infinity();
    next_trim_size_ = first_trim_size();
  }

  // Rows of a lower score are not among the nearest.
  double min_score() const { return min_score_; }

  void offer(double score, std::int32_t row) {
    if (score < min_score_ || (row == excluded_row_ && !(weight(row) > 0))) return;
    rows_.push_back({score, row});
    if (rows_.size() >= next_trim_size_) trim();
  }

  // Leaves out what is not among the nearest; what stays is in order.
  void trim() {
    if (!std::is_sorted(rows_.begin(), rows_.end(), is_nearer)) std::sort(rows_.begin(), rows_.end(), is_nearer);
    double sum = 0;
    std::size_t size = 0;
    for (; size < rows_.size(); ++size) {
      if (sum >= k_ && rows_[size].score != rows_[size - 1].score) break;
      sum += weight(rows_[size].row);
    }
    rows_.resize(size);
    if (sum >= k_) min_score_ = rows_.back().score;
    next_trim_size_ = std::max(first_trim_size(), size + size / 2 + 4);
  }

  // In order, if it was cut.
  std::span<const ScoredRow> rows() const { return rows_; }

  double weight(std::int32_t row) const {
    return (weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(row)]) - (row == excluded_row_ ? 1.0 : 0.0);
  }
  double k() const { return k_; }

 private:
  std::size_t first_trim_size() const { return static_cast<std::size_t>(std::min(k_, 1e6)) + 1; }

  double k_;
  std::span<const double> weights_;
  std::int32_t excluded_row_ = -1;
  std::vector<ScoredRow> rows_;
  double min_score_ = -std::numeric_limits<double>::infinity();
  std::size_t next_trim_size_ = 1;
};

}  // namespace hedgerow

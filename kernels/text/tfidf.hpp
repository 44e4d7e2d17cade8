// Weights of terms in rows: from counts, scaled by term, and every row brought to length 1.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "core/uninitialized_vector.hpp"

namespace hedgerow {

enum class Norm { NONE, L1, L2 };

// What a term that a row has `count` times weighs: the count; 1; the count divided by that of all terms of the row, or
// by that of its most frequent one; 1 + ln(count).
enum class Tf { COUNT, BINARY, RELATIVE_TO_SUM, RELATIVE_TO_MAX, LOG };

class TermFrequency {
 public:
  explicit TermFrequency(Tf tf);
  double weight(std::int32_t count, double divisor) const {
    switch (tf_) {
      case Tf::COUNT:
        return count;
      case Tf::BINARY:
        return 1;
      case Tf::LOG:
        return static_cast<std::size_t>(count) < logs_.size() ? logs_[static_cast<std::size_t>(count)]
                                                              : log_frequency(count);
      default:
        return count / divisor;
    }
  }
  // What the counts of a row are divided by.
  double row_divisor(std::span<const std::int32_t> counts) const;

 private:
  static double log_frequency(std::int32_t count);
  Tf tf_;
  std::array<double, 64> logs_{};
};

// How counts become weights: their frequency, times the scale of their term, unless there are no scales, every row then
// brought to length 1.
struct TermWeighting {
  Tf tf;
  std::span<const double> scale;
  Norm norm;
};

class TermWeigher {
 public:
  explicit TermWeigher(const TermWeighting& options) : options_(options), frequency_(options.tf) {}

  // The weights of one row.
  void weigh_row(std::span<const std::int32_t> ids, std::span<const std::int32_t> counts,
                 std::span<double> values) const;

 private:
  TermWeighting options_;
  TermFrequency frequency_;
};

// The weights of counted terms, row by row; then scaled and brought to length 1 as `weigh_rows` does. O(entries).
UninitializedVector<double> weigh_counts(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                                         std::span<const std::int32_t> counts, const TermWeighting& options,
                                         ThreadPool& pool);

// Brings the values of a row to length 1, as weigh_rows does.
void normalize_row(Norm norm, std::span<double> values);

// Multiplies the values of rows (row i has the entries [starts[i], starts[i + 1])) by the scale of their term, unless
// there are no scales, and divides those of a row by the sum of their sizes (L1), or by the root of the sum of their
// squares (L2), added up in their order; a row of zeros stays. The same for any number of threads. O(entries).
void weigh_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids, std::span<const double> scale,
                Norm norm, std::span<double> values, ThreadPool& pool);

// Adds up by term: in how many rows it is, and its counts. O(entries).
void sum_rows(std::span<const std::int32_t> ids, std::span<const std::int32_t> counts, std::span<std::int64_t> rows,
              std::span<std::int64_t> totals);

// The same where row i, with the entries [starts[i], starts[i + 1]), counts as much as weights[i]; added in the order
// of the rows. O(entries).
void sum_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
              std::span<const std::int32_t> counts, std::span<const double> weights, std::span<double> rows,
              std::span<double> totals);

// Weights of columns, row by row.
struct WeightedRows {
  std::vector<std::int64_t> starts;
  UninitializedVector<std::int32_t> ids;
  UninitializedVector<double> values;
};

}  // namespace hedgerow

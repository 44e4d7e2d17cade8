// Sums of the rows of every cluster, from which rows may also be taken away.
//
// Every sum carries what rounding lost of it (Neumaier 1974), so that it is that of exact arithmetic to nearly twice
// the digits of a double: a mean comes out the same whether its rows were added one by one, block by block, or long
// ago.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

[[gnu::always_inline]] inline void add_compensated(double& sum, double& compensation, double x) {
  const double now = sum + x, part = now - sum;
  compensation += (sum - (now - part)) + (x - part);
  sum = now;
}

// Adds a multiple of a row.
void add_row_compensated(double* sum, double* compensation, const double* row, double factor, std::size_t n);

class ClusterSums {
 public:
  ClusterSums(std::size_t clusters, std::size_t width)
      : width_(width), sums_(clusters * (width + 1)), compensations_(sums_.size()), touched_(clusters) {}

  // Adds a row of a weight, or takes it away where `sign` is -1.
  void add(std::size_t cluster, const double* row, double weight, double sign) {
    touched_[cluster] = 1;
    double *sum = sums_.data() + cluster * (width_ + 1), *compensation = compensations_.data() + cluster * (width_ + 1);
    add_row_compensated(sum, compensation, row, sign * weight, width_);
    add_compensated(sum[width_], compensation[width_], sign * weight);
  }

  // Adds a sum of rows with what rounding lost of it.
  void add_sum(std::size_t cluster, const double* from, const double* from_compensation, double sign) {
    touched_[cluster] = 1;
    double *sum = sums_.data() + cluster * (width_ + 1), *compensation = compensations_.data() + cluster * (width_ + 1);
    for (std::size_t d = 0; d <= width_; ++d) {
      add_compensated(sum[d], compensation[d], sign * from[d]);
      compensation[d] += sign * from_compensation[d];
    }
  }

  // Takes over what another has gathered, which has nothing then.
  void move_from(ClusterSums& other) {
    for (std::size_t c = 0; c < touched_.size(); ++c) {
      if (!other.touched_[c]) continue;
      const std::size_t at = c * (width_ + 1);
      add_sum(c, other.sums_.data() + at, other.compensations_.data() + at, 1.0);
      for (std::size_t d = 0; d <= width_; ++d) other.sums_[at + d] = other.compensations_[at + d] = 0;
      other.touched_[c] = 0;
    }
  }

  double weight(std::size_t cluster) const {
    const std::size_t at = cluster * (width_ + 1) + width_;
    return sums_[at] + compensations_[at];
  }

  // The mean of a cluster that has weight.
  void mean(std::size_t cluster, double* out) const {
    const double all = weight(cluster);
    const std::size_t at = cluster * (width_ + 1);
    for (std::size_t d = 0; d < width_; ++d) out[d] = (sums_[at + d] + compensations_[at + d]) / all;
  }

  const double* sums(std::size_t cluster) const { return sums_.data() + cluster * (width_ + 1); }
  const double* compensations(std::size_t cluster) const { return compensations_.data() + cluster * (width_ + 1); }

 private:
  std::size_t width_;
  std::vector<double> sums_, compensations_;
  std::vector<std::uint8_t> touched_;
};

}  // namespace hedgerow

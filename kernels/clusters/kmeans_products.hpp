// The two nearest centers of eight points by products, |x - c|^2 = |x|^2 + 2 (|c|^2 / 2 - x c): a third of the work of
// squared differences, but for rounding, which is relative to |x|^2 + |c|^2. Where the two are too near to each other
// for that, squared differences must decide (kmeans_distances.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clusters/kmeans_distances.hpp"

namespace hedgerow {

struct ProductScanFunctions {
  // `list` may be null: all centers. `maximum` is the largest |c|^2. Returns whether all are certain.
  bool (*find_two_nearest)(const double* panel, std::size_t width, const double* centers, const double* halves,
                           double maximum, double slack, const std::int32_t* list, std::size_t n,
                           TwoNearestOfPanel& out);
};

const ProductScanFunctions& get_product_scans();

// Centers, and half of their squared lengths.
class CenterProducts {
 public:
  void prepare(std::span<const double> centers, std::size_t width) {
    centers_ = centers, width_ = width, max_squared_norm_ = 0;
    halves_.resize(width ? centers.size() / width : 0);
    for (std::size_t c = 0; c < halves_.size(); ++c) {
      double sum = 0;
      for (std::size_t d = 0; d < width; ++d) sum += centers[c * width + d] * centers[c * width + d];
      max_squared_norm_ = sum > max_squared_norm_ ? sum : max_squared_norm_;
      halves_[c] = 0.5 * sum;
    }
  }

  // Squared distances of the two nearest centers listed, or of all: `first` no less, `second` no more than they are,
  // both within rounding; `which` is the one that squared differences give.
  void scan(const double* panel, const std::int32_t* list, std::size_t n, double slack, TwoNearestOfPanel& out) const {
    if (get_product_scans().find_two_nearest(panel, width_, centers_.data(), halves_.data(), max_squared_norm_, slack,
                                             list, n, out))
      return;
    if (list)
      get_center_scans().listed(panel, width_, centers_.data(), list, n, out);
    else
      get_center_scans().all(panel, width_, centers_.data(), n, out);
  }

 private:
  std::span<const double> centers_;
  std::size_t width_ = 0;
  double max_squared_norm_ = 0;
  std::vector<double> halves_;
};

}  // namespace hedgerow

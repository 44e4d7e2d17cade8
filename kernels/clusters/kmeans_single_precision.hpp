// The two nearest centers of sixteen points in single precision, for which half as much is moved and multiplied.
//
// Points and centers are seen from about the middle of the rows, and in about the largest unit of their places, a power
// of 2
// (`SingleFrame`). The squared distance |x|^2 + 2 (|c|^2 / 2 - x c) then is within e (|x|^2 + |c|^2) of the true one,
// where e = (6 features + 32) units of rounding; and as |c|^2 <= 2 |x|^2 + 2 |x - c|^2, within e (3 |x|^2 + 2 |x -
// c|^2).
// What is told of a point keeps that margin. Where the margins of the two nearest centers meet, the point is not
// certain, and doubles must decide (kmeans_products.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clusters/kmeans_rows.hpp"

namespace hedgerow {

constexpr std::size_t kSinglePoints = 16;        // of a panel
constexpr std::size_t kMaxSingleFeatures = 256;  // features, beyond which too few points would be certain

struct alignas(64) SixteenFloats {
  float values[kSinglePoints];
};

struct SingleTwoNearest {
  SixteenFloats first, second;  // distances in the frame's unit: no less, and no more, than they are
  alignas(64) std::int32_t which[kSinglePoints];
};

// Where points are seen from, and by how much their places are multiplied.
struct SingleFrame {
  std::vector<double> middle;
  double factor = 1;

  explicit SingleFrame(const PointRows& rows);
  float to_single(double x, std::size_t feature) const { return static_cast<float>((x - middle[feature]) * factor); }
};

// Brings rows to a panel, one line per feature; of fewer than 16 the last one is repeated.
template <class Row>
inline void fill_single_panel(std::size_t rows, const SingleFrame& frame, SixteenFloats* panel, const Row& row) {
  const double factor = frame.factor;
  for (std::size_t p = 0; p < kSinglePoints; ++p) {
    const double *from = row(p < rows ? p : rows - 1), *middle = frame.middle.data();
    for (std::size_t d = 0; d < frame.middle.size(); ++d)
      panel[d].values[p] = static_cast<float>((from[d] - middle[d]) * factor);
  }
}

class SingleCenters {
 public:
  // Returns whether they can be used: none may lie too far out.
  bool prepare(std::span<const double> centers, const SingleFrame& frame);
  // Among the `n` centers listed, or all if `list` is null. Bits tell the points that are not certain.
  std::uint32_t scan(const SixteenFloats* panel, const std::int32_t* list, std::size_t n, SingleTwoNearest& out) const;

 private:
  std::size_t width_ = 0;
  float margin_ = 0;
  std::vector<float> centers_, halves_;
};

}  // namespace hedgerow

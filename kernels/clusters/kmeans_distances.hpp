// Squared distances of eight points at a time to centers, and the two least of each.
//
// A panel holds eight points side by side: of each feature the values of all. A squared distance is the sum of the
// squared differences in the order of the features, never fused; so it is the same number on every machine and whatever
// way the point was brought here, and within (features + 2) units of rounding, relative to itself.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hedgerow {

constexpr std::size_t kPointsPerPanel = 8;  // of a panel

struct alignas(64) TwoNearestOfPanel {
  double first[kPointsPerPanel], second[kPointsPerPanel];
  std::int64_t which[kPointsPerPanel];  // the center of the first; the lowest of equally near ones
};

struct CenterScanFunctions {
  // Among all centers, which are `width` numbers each.
  void (*all)(const double* panel, std::size_t width, const double* centers, std::size_t n, TwoNearestOfPanel& out);
  // Among the `n` centers listed, in any order.
  void (*listed)(const double* panel, std::size_t width, const double* centers, const std::int32_t* list, std::size_t n,
                 TwoNearestOfPanel& out);
  // Of each point to the one of another panel.
  void (*paired)(const double* panel, const double* others, std::size_t width, double* squares);
};

// What is best for this machine.
const CenterScanFunctions& get_center_scans();

// Brings rows to a panel, of which there are 1 to 8; the last one is repeated.
template <class Row>
inline void fill_panel(std::size_t rows, std::size_t width, double* panel, const Row& row) {
  for (std::size_t p = 0; p < kPointsPerPanel; ++p) {
    const double* from = row(p < rows ? p : rows - 1);
    for (std::size_t d = 0; d < width; ++d) panel[d * kPointsPerPanel + p] = from[d];
  }
}

inline double squared_distance(const double* a, const double* b, std::size_t width) {
  double sum = 0;
  for (std::size_t d = 0; d < width; ++d) {
    const double by = a[d] - b[d];
    sum += by * by;
  }
  return sum;
}

}  // namespace hedgerow

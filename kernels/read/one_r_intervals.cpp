#include "read/one_r_intervals.hpp"

#include <algorithm>
#include <cstddef>

namespace hedgerow {

std::vector<std::int64_t> bucket_ends(std::span<const double> weight, std::size_t classes, double least) {
  std::vector<std::int64_t> ends;
  std::vector<double> held(classes);
  const std::size_t values = weight.size() / classes;
  for (std::size_t value = 0; value < values; ++value) {
    const auto here = weight.subspan(value * classes, classes);
    for (std::size_t klass = 0; klass < classes; ++klass) held[klass] += here[klass];
    if (value + 1 == values) {
      ends.push_back(static_cast<std::int64_t>(values));
      break;
    }
    const auto majority = std::max_element(held.begin(), held.end()) - held.begin();
    const auto coming = weight.subspan((value + 1) * classes, classes);
    if (held[majority] >= least && coming[majority] < *std::max_element(coming.begin(), coming.end())) {
      ends.push_back(static_cast<std::int64_t>(value + 1));
      std::fill(held.begin(), held.end(), 0.0);
    }
  }
  return ends;
}

}  // namespace hedgerow

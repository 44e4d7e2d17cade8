#include "discretize/one_r_intervals.hpp"

#include <algorithm>
#include <cstddef>

namespace hedgerow {

std::vector<std::int64_t> find_interval_ends(std::span<const double> weight, std::size_t classes, double minimum) {
  std::vector<std::int64_t> ends;
  std::vector<double> interval_weights(classes);
  const std::size_t values = weight.size() / classes;
  for (std::size_t value = 0; value < values; ++value) {
    const auto current_weights = weight.subspan(value * classes, classes);
    for (std::size_t klass = 0; klass < classes; ++klass) interval_weights[klass] += current_weights[klass];
    if (value + 1 == values) {
      ends.push_back(static_cast<std::int64_t>(values));
      break;
    }
    const auto majority = std::max_element(interval_weights.begin(), interval_weights.end()) - interval_weights.begin();
    const auto next_weights = weight.subspan((value + 1) * classes, classes);
    if (interval_weights[majority] >= minimum &&
        next_weights[majority] < *std::max_element(next_weights.begin(), next_weights.end())) {
      ends.push_back(static_cast<std::int64_t>(value + 1));
      std::fill(interval_weights.begin(), interval_weights.end(), 0.0);
    }
  }
  return ends;
}

}  // namespace hedgerow

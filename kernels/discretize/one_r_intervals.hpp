// 1R's intervals of a numeric column (Holte 1993).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

// Cut ascending values where the majority class changes; returns one past the last value of each interval.
//   weight   [(value, class)], row-major: the weight of each different value by class
// An interval is closed once its majority class (the first of equals) weighs at least `minimum` and the next value's
// heaviest class outweighs that class there. The last interval may fall short. O(values * classes).
std::vector<std::int64_t> find_interval_ends(std::span<const double> weight, std::size_t classes, double minimum);

}  // namespace hedgerow

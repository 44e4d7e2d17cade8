// Cuts of a numeric column by minimum description length (Fayyad and Irani 1993).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

// Cut ascending values recursively where the class entropy decreases most, while the description gets shorter; returns
// one past the last value of each interval but the last, ascending.
//   weight   [(value, class)], row-major: the weight of each different value by class
// Of cuts whose gains differ by at most 1e-12 bits the first is taken. O(values * classes) for each level of cuts.
std::vector<std::int64_t> find_mdl_cuts(std::span<const double> weight, std::size_t classes);

}  // namespace hedgerow

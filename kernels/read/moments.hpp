// Exact sums of numbers and of their squares by class, so that mean and deviation come out the same to the
// last bit for any order of the rows, any batches and any number of threads.
//
// A sum is kept as one very long fixed-point number: limb i counts multiples of 2^(32 i - 1074), so the limbs
// cover every double, and adding a double touches two of them (the idea of R. Neal, "Fast exact summation using
// small and large superaccumulators", 2015). Limbs are 64 bits wide but carry 32, so that a thousand numbers may
// be added before carries must be passed on. Sums of disjoint rows add limb by limb.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgerow {

constexpr std::size_t kLimbs = 68;
constexpr std::size_t kSumsPerClass = 3;

// Add the rows to `sums`, laid out [class][kSumsPerClass][kLimbs]: the sums of the weights w, of w x and of w x x.
//   value   numbers, NaN is missing and passed over      label   class in [-1, classes), -1 is passed over
//   weight  of each row, or empty when every row weighs 1
// Returns false, with `sums` in an undefined state, if a number is infinite or beyond 1e150, or its weighted square
// beyond 1e305. Throws std::out_of_range for a label outside. O(rows).
bool add_moments(std::span<const double> value, std::span<const std::int32_t> label, std::span<const double> weight,
                 std::span<std::int64_t> sums);

// Pass carries on, so that every limb but the last lies in [0, 2^32). `sums` holds whole sums of kLimbs limbs.
void propagate_carries(std::span<std::int64_t> sums);

// Weight, mean, and sum of squared deviations from the mean, of each class and, at the end, of all rows; the last two
// NaN where the weight is 0. So the outputs are one longer than there are classes. The sums must have been carried.
// Computed with twice the digits of a double, so that sum w (x - mean)^2 = sum w x^2 - (sum w x)^2 / sum w is right
// to 1e-31 of sum w x^2.
void compute_mean_and_squares(std::span<const std::int64_t> sums, std::span<double> weight, std::span<double> mean,
                              std::span<double> squares);

}  // namespace hedgerow

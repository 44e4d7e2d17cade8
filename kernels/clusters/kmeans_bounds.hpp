// Gaps: how much farther from a row all other centers are than its own, in single precision and never more than it is.
// When centers move, the gaps of a cluster fall by the way of its center and the longest way of another; where a gap
// has closed, another center may be nearer (G. Hamerly, Making k-means even faster, SDM 2010, with both bounds as one).
#pragma once

#include <cstddef>
#include <cstdint>

namespace hedgerow {

constexpr float kGapUnit = 0x1p-24f;

// A difference of distances, rounded toward 0.
inline float gap_of(float apart) { return apart * (1 - 16 * kGapUnit); }
inline float gap_of(double apart) { return gap_of(static_cast<float>(apart)); }
// What gaps fall by, rounded up.
inline float fall_of(double way) { return static_cast<float>(way) * (1 + 16 * kGapUnit) + 1e-37f; }

// Lets the gaps of the rows from `begin` to `end` fall by what their labels tell. Writes the rows whose gap has closed,
// as many as it returns.
std::size_t closed_gaps(float* gaps, const std::int32_t* labels, const float* falls, std::size_t begin, std::size_t end,
                        std::int32_t* open);

}  // namespace hedgerow

// Bounds: how much farther from a row all other centers are than its own, in single precision and never more than it
// is.
// When centers move, the bounds of a cluster decrease by the distance that its center moved and the longest that
// another did; where a bound is no longer above 0, another center may be nearer (G. Hamerly, Making k-means even
// faster, SDM 2010, with both bounds as one).
#pragma once

#include <cstddef>
#include <cstdint>

namespace hedgerow {

constexpr float kBoundUnit = 0x1p-24f;

// A difference of distances, rounded toward 0.
inline float round_bound_down(float difference) { return difference * (1 - 16 * kBoundUnit); }
inline float round_bound_down(double difference) { return round_bound_down(static_cast<float>(difference)); }
// What bounds decrease by, rounded up.
inline float round_decrease_up(double distance) {
  return static_cast<float>(distance) * (1 + 16 * kBoundUnit) + 1e-37f;
}

// Decreases the bounds of the rows from `begin` to `end` by what their labels say. Writes the rows whose bound is no
// longer above 0, as many as it returns.
std::size_t decrease_bounds(float* bounds, const std::int32_t* labels, const float* decreases, std::size_t begin,
                            std::size_t end, std::int32_t* open);

}  // namespace hedgerow

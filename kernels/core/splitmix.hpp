// Bits well mixed: the finalizer of SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014). Different numbers stay
// different.
#pragma once

#include <cstdint>

namespace hedgerow {

inline std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
  return bits ^ (bits >> 31);
}

}  // namespace hedgerow

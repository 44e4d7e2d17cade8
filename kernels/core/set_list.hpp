// Sets of item codes, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgerow {

// Set i holds codes[offsets[i] .. offsets[i + 1]), each item once.
struct ItemSetList {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> codes;

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const std::int32_t> operator[](std::size_t set) const {
    return codes.subspan(static_cast<std::size_t>(offsets[set]),
                         static_cast<std::size_t>(offsets[set + 1] - offsets[set]));
  }
};

}  // namespace hedgerow

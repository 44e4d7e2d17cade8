// Rows of bytes of different lengths, kept in one buffer: row i is data[offsets[i], offsets[i + 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

struct ByteRows {
  std::vector<std::uint8_t> data;
  std::vector<std::int64_t> offsets;
};

// Words that somebody else holds, packed in the same way.
struct ByteRowsView {
  std::span<const std::uint8_t> data;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const std::uint8_t> operator[](std::size_t i) const {
    const auto start = static_cast<std::size_t>(offsets[i]);
    return data.subspan(start, static_cast<std::size_t>(offsets[i + 1]) - start);
  }
};

// Copy some rows, in the given order. Row numbers must lie in [0, offsets.size() - 1). O(bytes copied).
ByteRows gather_bytes(std::span<const std::uint8_t> data, std::span<const std::int64_t> offsets,
                      std::span<const std::int64_t> rows);

}  // namespace hedgerow

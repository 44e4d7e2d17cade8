#include "core/bytes.hpp"

#include <algorithm>
#include <cstddef>

namespace hedgerow {

ByteRows gather_bytes(std::span<const std::uint8_t> data, std::span<const std::int64_t> offsets,
                      std::span<const std::int64_t> rows) {
  ByteRows out;
  out.offsets.reserve(rows.size() + 1);
  out.offsets.push_back(0);
  std::int64_t total = 0;
  for (auto row : rows) out.offsets.push_back(total += offsets[row + 1] - offsets[row]);
  out.data.resize(static_cast<std::size_t>(total));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(data.begin() + offsets[rows[i]], data.begin() + offsets[rows[i] + 1], out.data.begin() + out.offsets[i]);
  return out;
}

}  // namespace hedgerow

// Rows of nominal columns with classes and weights, as PRISM and class association rules take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgerow {

// A code a row, -1 for missing.
struct NominalColumn {
  const std::int32_t* codes = nullptr;
  std::int32_t levels = 0;
};

struct NominalRows {
  std::span<const NominalColumn> columns;
  std::span<const std::int32_t> label;
  std::int32_t classes = 0;
  std::span<const std::int64_t> weight;  // in ticks, positive; empty if every row counts once

  std::int64_t ticks(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
};

}  // namespace hedgerow

// Weights of terms in rows: scaled by term, every row brought to length 1, and terms put together in columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crew.hpp"

namespace hedgerow {

enum class Norm { NONE, L1, L2 };

// Multiplies the values of rows (row i has the entries [starts[i], starts[i + 1])) by the scale of their term, unless
// there are no scales, and divides those of a row by the sum of their sizes (L1), or by the root of the sum of their
// squares (L2), added up in their order; a row of zeros stays. The same for any crew. O(entries).
void weigh_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids, std::span<const double> scale,
                Norm norm, std::span<double> values, Crew& crew);

// Rows of columns in place of rows of terms: columns[id], below `n_columns`, is the column of a term. The values of one
// column in a row are added, in the order of their terms; columns ascend. The same for any crew. O(entries).
struct FoldedRows {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> ids;
  std::vector<double> values;
};
FoldedRows fold_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids,
                     std::span<const double> values, std::span<const std::int32_t> columns, std::size_t n_columns,
                     Crew& crew);

}  // namespace hedgerow

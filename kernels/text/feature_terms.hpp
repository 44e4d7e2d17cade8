// Features with values, `red price:0.23`, hashed to columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/thread_pool.hpp"
#include "core/uninitialized_vector.hpp"

namespace hedgerow {

// Sparse rows; the columns of a row stand in the order in which they come.
struct FeatureRows {
  UninitializedVector<std::int64_t> starts;
  UninitializedVector<std::int32_t> ids;
  UninitializedVector<double> values;
  std::vector<std::int64_t> n_rows;  // by column: rows that have it
  ByteRows names;                    // of the columns that occur, one each, ascending by bytes
  std::vector<std::int64_t> rows;    // by name: rows that have its column
};

// Hash the features of texts, which stand between blanks, tabs and line ends, to 2^bits columns. At the first colon of
// a feature: if a number follows, that is its value; if nothing does, the colon is dropped; else it belongs to the
// name. A feature without a value counts 1, those of one column add up, and what comes to 0 is left out. The column is
// that of the name in `hash_words`; where `is_signed`, names of a negative hash count negatively. A column's name is
// the first that is met in it. O(bytes + 2^bits).
FeatureRows hash_features(const ByteRowsView& texts, int bits, bool is_signed, ThreadPool& pool);

}  // namespace hedgerow

// Delimited text to columns: CSV, TSV, the data of ARFF and C4.5 files, baskets.
#pragma once

#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/delimited_layout.hpp"

namespace hedgerow {

enum class ColumnMode : Byte { SKIP, NUMERIC, NOMINAL, TEXT };
enum class ParseProblem : Byte { NONE, UNCLOSED, TEXT_AFTER_QUOTE, WRONG_FIELD_COUNT, BAD_WEIGHT };

struct TextColumn {
  ByteRows text;
  std::vector<bool> missing;
};

// The words of a numeric column that are no finite numbers.
struct InvalidNumbers {
  std::int64_t count = 0;
  std::int64_t infinite = 0;
  std::vector<std::int64_t> rows;  // of the first three
};

struct ParsedTable {
  std::int64_t n_rows = 0;
  ByteRows levels;                              // new ones of all nominal columns, one column after the other
  std::vector<std::int64_t> level_counts;       // how many of them are of each nominal column
  std::vector<TextColumn> texts;                // of every text column
  std::vector<InvalidNumbers> invalid_numbers;  // of every numeric column
  ByteRows invalid_words;                       // those that invalid_numbers[...].rows tell of, column after column
  std::vector<double> weights;                  // empty when no row has one
  ParseProblem problem = ParseProblem::NONE;    // parsing stops at the first problem
  std::int64_t problem_row = -1;
  std::int64_t problem_size = 0;  // number of fields of a ragged row; byte position of others
};

// Where the values of one mode's columns go: column k's row i at data[k * stride + i], i < stride.
template <typename T>
struct ColumnBlock {
  T* data;
  std::size_t stride;
};

// Parse all rows, each of which must have modes.size() fields. Numeric columns go to `numbers` (missing and
// others are NaN), nominal ones to `codes` as codes into the column's levels, which are numbered as they
// appear (missing -1), after the levels that are `known` beforehand: known_counts[k] of them for the k-th
// nominal column. A block's stride must be no less than the number of lines, see count_lines.
// O(bytes); no allocation a field.
ParsedTable parse_delimited(std::span<const Byte> data, const Dialect& dialect, std::span<const Byte> modes,
                            const ByteRowsView& missing, const ByteRowsView& known,
                            std::span<const std::int64_t> known_counts, ColumnBlock<double> numbers,
                            ColumnBlock<std::int32_t> codes);

// Rows of any number of fields: row i holds codes[offsets[i], offsets[i + 1]) into `words`.
struct SplitRows {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> codes;
  ByteRows words;
  ParseProblem problem = ParseProblem::NONE;
  std::int64_t problem_row = -1;
  std::int64_t problem_size = 0;
};
SplitRows split_delimited(std::span<const Byte> data, const Dialect& dialect);

// Number words in the order of their first appearance; word i is data[offsets[i], offsets[i + 1]), and
// where missing[i] is not 0 its code is -1. `words` holds the different ones.
struct EncodedWords {
  std::vector<std::int32_t> codes;
  ByteRows words;
};
EncodedWords encode_words(std::span<const Byte> data, std::span<const std::int64_t> offsets,
                          std::span<const bool> missing);

}  // namespace hedgerow

// Where rows begin and end in a delimited text, for cutting it into blocks and for telling line numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/delimited_layout.hpp"

namespace hedgerow {

// For every position of `targets` (ascending), the first row end at or behind it: a position just behind a
// newline outside quotes, or the end of the data. One pass, ended as soon as all are found.
std::vector<std::int64_t> find_row_cuts(std::span<const Byte> data, const Dialect& dialect,
                                        std::span<const std::int64_t> targets);

// The position behind the last newline outside quotes; 0 if there is none.
std::int64_t find_complete_rows_end(std::span<const Byte> data, const Dialect& dialect);

// The position of the first byte of every row.
std::vector<std::int64_t> find_row_starts(std::span<const Byte> data, const Dialect& dialect);

// An upper bound of the number of rows: newlines, and one for a last line without.
std::int64_t count_lines(std::span<const Byte> data);

// The position of the first byte that is not part of valid UTF-8; -1 if there is none.
std::int64_t find_bad_utf8(std::span<const Byte> data);

}  // namespace hedgerow

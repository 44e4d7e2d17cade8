// Rows of a class as columns of bits: a column an item, a bit a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "items/item_rows.hpp"

namespace hedgerow::items {

struct BitColumns {
  std::size_t rows = 0, words = 0;
  std::vector<std::uint64_t> bits;   // column by column
  std::vector<std::uint32_t> names;  // of columns
  std::vector<Count> weights;        // by row; empty: all are 1

  const std::uint64_t* column(std::size_t number) const { return bits.data() + number * words; }
  void clear(std::size_t columns);  // words are known; all bits become 0
};

// A column to go on with, and the count it would have.
struct ColumnCandidate {
  std::uint32_t column = 0;
  Count count = 0;
};

// The rows of `item` as columns, as project_rows (item_rows) does. Names of columns are left to the caller.
void fill_bit_columns(const ItemRowList& rows, std::uint32_t item, std::uint32_t from,
                      std::span<const std::uint32_t> new_names, std::uint32_t n_items, std::size_t minimum,
                      BitColumns& out);

// Counts the rows of `rows` in each candidate's column.
void count_candidate_rows(const BitColumns& columns, const std::uint64_t* rows, std::span<ColumnCandidate> candidates);

void intersect(const std::uint64_t* a, const std::uint64_t* b, std::size_t words, std::uint64_t* out);
bool is_subset(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);  // whether b has all bits of a

// How many rows there are, whatever their weight.
std::size_t count_rows(const std::uint64_t* rows, std::size_t words);

// The candidates' columns with only the given rows. Column numbers in `candidates` become those of `out`.
void pack_rows(const BitColumns& columns, const std::uint64_t* rows, std::size_t n_rows,
               std::span<ColumnCandidate> candidates, BitColumns& out);

}  // namespace hedgerow::items

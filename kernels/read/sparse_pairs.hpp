// Rows of index-value pairs: the sparse rows of ARFF, {0 1.5, 3 'b c'}, {2}, and those of svmlight, +1 qid:3 7:0.5 #
// note.
#pragma once

#include <span>
#include <vector>

#include "core/delimited_layout.hpp"

namespace hedgerow {

enum class PairValueKind : Byte { NUMBER, MISSING, WORD, QUOTED, ESCAPED, INFINITE };

enum class PairFault : Byte {
  NONE,
  NO_BRACE,
  UNCLOSED_BRACE,
  UNCLOSED_QUOTE,
  BAD_INDEX,
  NO_VALUE,
  BAD_WEIGHT,
  TRAILING
};

struct IndexValuePairs {
  std::vector<std::int64_t> rows{0};           // the pairs of row i are [rows[i], rows[i + 1])
  std::vector<std::int64_t> index;             // -1: svmlight's qid
  std::vector<double> number;                  // the value, if state says NUMBER
  std::vector<Byte> state;                     // Value of each pair
  std::vector<std::int64_t> begin, end;        // where the value's text stands, quotes not included
  std::vector<std::int64_t> label, label_end;  // where each row starts; for svmlight, the text of its label
  std::vector<double> weight;                  // 1 unless the row says otherwise
  PairFault fault = PairFault::NONE;           // what ended the walk before the end of the data
  std::int64_t fault_at = 0;
};

// Read all rows of the data section of a sparse ARFF file; % starts a comment, blank lines are passed over.
// The order and range of the indices are the caller's to check. O(bytes).
IndexValuePairs read_arff_pairs(std::span<const Byte> data);

// Read all rows of an svmlight file; # starts a comment, blank lines are passed over. O(bytes).
IndexValuePairs read_svmlight_pairs(std::span<const Byte> data);

}  // namespace hedgerow

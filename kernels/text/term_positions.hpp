// Where the terms of a text stand in it: their bytes in the text as it was written, whatever case and blanks they are
// read in.
//
// The terms are those of terms.hpp, in the order of length and then of place (inside words: word by word). A letter
// that becomes two in lower case (U+0130) is the place of both; blanks in a row are the place of the one space that
// they are read as; the space that a word has at an end of the text has an empty place. O(bytes x sizes of runs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/terms.hpp"

namespace hedgerow {

// Occurrence i is of the term terms[i], -1 if it is not known, and stands at [begins[i], ends[i]).
struct TermPositions {
  std::vector<std::int32_t> terms;
  std::vector<std::int64_t> begins, ends;
};

// The places of the known terms, all of them different; with `include_unknown`, those of the others too.
TermPositions find_term_positions(std::span<const std::uint8_t> text, const ByteRowsView& known,
                                  const TokenOptions& tokens, bool include_unknown);

}  // namespace hedgerow

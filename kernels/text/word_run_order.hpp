// The runs of words that the members of a crew have met, together and in the order of their bytes.
#pragma once

#include <utility>
#include <vector>

#include "text/term_rows.hpp"
#include "text/word_runs.hpp"

namespace hedgerow {

struct RunBook {
  Dictionary words;
  Runs runs;
};

// The written runs of `low` to `high` words, ascending, and the place of every member's runs among them (-1: too
// short). Words below `n_stop` are in no run. Changes the books. O(runs x high), the members' runs sorted at the same
// time.
std::pair<ByteRows, Ranks> ordered(std::vector<RunBook>& books, std::size_t n_stop, std::size_t low, std::size_t high,
                                   ThreadPool& crew);

}  // namespace hedgerow

// The runs of words that the threads have met, together and in the order of their bytes.
#pragma once

#include <utility>
#include <vector>

#include "text/term_rows.hpp"
#include "text/word_runs.hpp"

namespace hedgerow {

struct RunDictionary {
  Dictionary words;
  WordRuns runs;
};

// The written runs of `low` to `high` words, ascending, and the rank of every thread's runs among them (-1: too
// short). Words below `n_stop` are in no run. Changes the dictionaries. O(runs x high), the threads' runs sorted at the
// same time.
std::pair<ByteRows, TermRanks> order_runs(std::vector<RunDictionary>& run_dictionaries, std::size_t n_stop,
                                          std::size_t low, std::size_t high, ThreadPool& pool);

}  // namespace hedgerow

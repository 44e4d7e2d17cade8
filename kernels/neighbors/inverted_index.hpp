// Vectors of terms by row and by term (an inverted index), and the rows nearest to a vector by exact search.
//
// The score of a row is the sum over the terms it shares with the query of the products of their weights, added up in
// the order of the terms: the same to the last bit however it is found. For vectors of length 1 it is the cosine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/nearest_rows.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

// Row i has the entries [starts[i], starts[i + 1]); its ids ascend.
struct SparseVectors {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> ids;
  std::span<const double> values;

  std::size_t size() const { return starts.size() - 1; }
  SparseVectors row(std::size_t i) const {  // its ids and values
    const auto first = static_cast<std::size_t>(starts[i]), n = static_cast<std::size_t>(starts[i + 1]) - first;
    return {{}, ids.subspan(first, n), values.subspan(first, n)};
  }
};

// The same by term: the rows that have it, ascending, and its weights in them, once more in single precision for sums
// that only say where to look; weights of 0 are left out. A term is of level l if 2^l rows or more have it, but fewer
// than 2^(l + 1): rare terms, which mostly weigh most, come first. norms[l * rows + row] is the length of what a row
// has of terms of level l and above, not rounded down.
struct Postings {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> rows;
  std::span<const double> values;
  std::span<const float> rough;
  std::span<const float> norms;
  std::size_t levels;

  std::size_t count(std::size_t term) const { return static_cast<std::size_t>(starts[term + 1] - starts[term]); }
};

struct OwnedPostings {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> rows;
  std::vector<double> values;
  std::vector<float> rough;
  std::vector<float> norms;
  std::size_t levels;
};

// O(entries + terms + rows * levels).
OwnedPostings build_postings(const SparseVectors& rows, std::size_t n_terms);

// Searches for one query after the other; one for each thread.
//
// Rows are scored term by term, rare terms first. What common terms can still add to a row is at most the length of
// what the query has of them times the length of what the row has of them (Cauchy and Schwarz). Once it costs less to
// score the rows that may still be among the nearest one by one than to go through the next terms, that is done. Sums
// on the way are of single precision and are only used with a margin for all their rounding.
class InvertedIndexSearch {
 public:
  InvertedIndexSearch(const SparseVectors& rows, const Postings& postings, std::size_t n_terms);

  // Offers all rows that are among the nearest, and perhaps others; `nearest` must be empty.
  void search(const SparseVectors& query, NearestRows& nearest);

  // The scores of all rows.
  void score_all(const SparseVectors& query, std::span<double> scores) const;

 private:
  struct QueryTerm {
    std::size_t id, level;
    double value;
  };

  void prepare_query(const SparseVectors& query);
  void search_block(std::size_t first, std::size_t last, NearestRows& nearest);
  std::size_t add_terms(std::size_t next, std::size_t first, std::size_t last, std::size_t maximum);
  void rescore_best(std::size_t first, std::size_t last, NearestRows& nearest);
  void rescore_rest(std::size_t first, std::size_t last, const float* norms, double length, NearestRows& nearest);
  void offer_all(const SparseVectors& query, NearestRows& nearest);
  double compute_exact_score(std::size_t row) const;
  void rescore(std::size_t row, NearestRows& nearest);
  bool is_new(std::size_t row);
  const float* get_norms_from(std::size_t next) const;

  const SparseVectors& rows_;
  const Postings& postings_;
  double row_cost_;  // of scoring a row on its own, where adding one posting costs 1
  double longest_ = 0;
  std::vector<QueryTerm> terms_;
  std::vector<double> lengths_;                 // of what the query has of the terms from each on
  std::vector<double> dense_;                   // the query by term
  std::vector<float> sums_;                     // by row of the block
  std::vector<std::int32_t> scored_for_query_;  // the number of the query that a row was last scored for
  std::vector<float> best_;
  std::vector<ScoredRow> chosen_;
  std::vector<double> scores_;
  std::int32_t query_number_ = 0;
  double margin_ = 0;
};

}  // namespace hedgerow

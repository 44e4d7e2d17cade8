// Nearest neighbors of rows of texts, numbers and levels, and what they say: votes for classes, or means of numbers.
//
// The score of a row says how near it is: the larger the nearer. Of texts alone it is the sum of their weighed cosines;
// with other columns it is minus the distance of core/mixed_rows.hpp, to which all texts together add what they weigh
// less that sum, at least 0, before the other columns. Of equally near rows the first comes first.
//
// Texts alone are found by an inverted index; rows without texts by a search tree, by products, or one by one, whatever
// is given; rows with both one by one. Neighbors and scores are the same, to the last bit, however they are found, and
// for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/mixed_rows.hpp"
#include "core/thread_pool.hpp"
#include "neighbors/all_pairs.hpp"
#include "neighbors/inverted_index.hpp"
#include "neighbors/search_tree.hpp"

namespace hedgerow {

struct NeighborRows {
  SparseVectors texts;
  MixedRows others;

  std::size_t size() const { return texts.size(); }
};

// The rows that neighbors are searched among. The vectors of a row in all text columns are put together to one.
struct NeighborCorpus {
  NeighborRows rows;
  Postings postings;
  std::size_t n_terms;
  double texts;  // what all text columns weigh
  MixedDistance distance;
  const SearchTree* tree = nullptr;  // of rows without texts
  RowMajorRows row_major;            // of rows without texts that are compared by products; else none

  bool has_others() const { return rows.others.n_numbers || rows.others.n_codes; }
  bool texts_only() const { return texts > 0 && !has_others(); }
  bool has_texts() const { return texts > 0; }
};

// The `k` nearest rows of every query, nearest first: k = found.size() / queries, which is no more than there are rows.
void find_nearest_rows(const NeighborCorpus& corpus, const NeighborRows& queries, std::span<std::int32_t> found,
                       std::span<double> scores, ThreadPool& pool);

// What a vote counts: 1; 1 / distance, where only rows at distance 0 count if there are any; or 1 - distance / widest.
enum class VoteWeighting { PLAIN, DISTANCE, SIMILARITY };

// How a score becomes a distance: of texts alone 1 - score / texts, not below 0; otherwise minus the score, over
// `parts`, or its root. Texts that are equal but for rounding are at distance 0.
struct DistanceTransform {
  bool texts_only, root;
  double texts, parts, widest;

  double to_distance(double score) const;
  double similarity(double distance) const;
};

// Who votes, and for how many neighbors: the nearest rows whose weights make up k; rows as near as the last of them
// share what is left of k by their weights, so that the order of rows does not matter. If all rows together have less,
// all vote.
struct VoteOptions {
  std::span<const double> weights;  // none: every row has weight 1
  std::span<const double> ks;       // ascending
  std::span<const std::int32_t>
      left_out;  // by query, a row of which a weight of 1 has no vote; -1 is none; may be empty
  VoteWeighting weighting;
  DistanceTransform transform;
};

// votes[(query, k, class)] are the sums of weight * closeness; far[(query, k, class)] are those of weight * distance.
void sum_votes(const NeighborCorpus& corpus, const VoteOptions& options, std::span<const std::int32_t> classes,
               std::size_t n_classes, const NeighborRows& queries, std::span<double> votes,
               std::span<double> distance_sums, ThreadPool& pool);

// means[(query, k)] are the means of the targets of the rows that vote, by weight * closeness; NaN where all are 0.
void average_targets(const NeighborCorpus& corpus, const VoteOptions& options, std::span<const double> targets,
                     const NeighborRows& queries, std::span<double> means, ThreadPool& pool);

}  // namespace hedgerow

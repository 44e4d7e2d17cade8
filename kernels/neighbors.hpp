// Nearest neighbors of rows of texts, numbers and levels, and their votes for classes.
//
// The score of a row says how near it is: the larger the nearer. Of texts alone it is the sum of their cosines; with
// other columns it is minus the squared distance, to which every text adds 1 - cosine, all together at least 0, every
// number its squared difference and every other level 1; whatever is missing adds 1. Sums are in the order of the
// terms, then of the numeric, then of the nominal columns. Of equally near rows the first comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crew.hpp"
#include "postings.hpp"

namespace hedgerow {

// Columns of some rows. Numbers (NaN is missing) and codes (negative is missing) are column by column.
struct Measured {
  SparseRows texts;
  std::span<const double> numbers;
  std::span<const std::int32_t> codes;

  std::size_t size() const { return texts.size(); }
};

// The rows that neighbors are sought among. The vectors of a row in `n_texts` text columns are put together to one.
struct Corpus {
  Measured rows;
  Postings postings;
  std::size_t n_terms, n_texts, n_numbers, n_codes;

  bool texts_only() const { return n_texts && !n_numbers && !n_codes; }
};

// The `k` nearest rows of every query, nearest first: k = found.size() / queries, which is no more than there are rows.
// The same for any crew. Time mostly far below O(queries * entries) for texts alone, O(queries * rows * columns) else.
void nearest_rows(const Corpus& corpus, const Measured& queries, std::span<std::int32_t> found,
                  std::span<double> scores, Crew& crew);

// What a vote counts: 1; 1 / distance, where only rows at distance 0 count if there are any; or 1 - distance / widest.
enum class Closeness { PLAIN, DISTANCE, SIMILARITY };

struct Voters {
  std::span<const double> weights;  // none: every row has weight 1
  std::span<const std::int32_t> classes;
  std::size_t n_classes;
  double k;
  Closeness closeness;
};

// The votes of the nearest rows whose weights make up k; rows as near as the last of them share what is left of k by
// their weights, so that the order of rows does not matter. If all rows together have less, all vote.
//
// votes[(query, class)] are the sums of weight * closeness; far[(query, class)] are those of weight * distance. The
// distance of texts alone is 1 - score / n_texts, not below 0, and widest is 1; otherwise it is the root of the squared
// distance, and widest the root of the number of columns. Texts that are equal but for rounding are at distance 0.
void vote(const Corpus& corpus, const Voters& voters, const Measured& queries, std::span<double> votes,
          std::span<double> far, Crew& crew);

}  // namespace hedgerow

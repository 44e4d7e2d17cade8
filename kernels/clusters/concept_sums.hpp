// What concepts know of their rows: sums by column, from which category utility follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hedgerow {

// How columns are measured. Numbers come scaled; a deviation is never taken to be below `acuity`.
struct ConceptMeasures {
  std::size_t numbers = 0;
  std::vector<std::int32_t> levels;  // of each nominal column
  double acuity = 1;
  double ddof = 0;  // what the divisor of a variance is below the weight: 0 or 1
};

// A row: NaN and -1 are missing.
struct ConceptRow {
  const double* numbers;
  const std::int32_t* codes;
  double weight;
};

// Sums of many concepts, each under its number. The score of a concept C is
//   Q(C) = sum over columns of (weight of the known values) * (sum of squared probabilities of the values)
// where the second factor is sum_v (n_v / n)^2 of levels, and 1 / (2 sqrt(pi) max(deviation, acuity)) of numbers. The
// utility of parts C_1..C_k of a whole P of weight W is (Q(C_1) + .. + Q(C_k) - Q(P)) / (k W).
class ConceptSums {
 public:
  explicit ConceptSums(ConceptMeasures measure);

  const ConceptMeasures& measure() const { return measure_; }
  double weight(std::size_t concept_) const { return weights_[concept_]; }
  double score(std::size_t concept_) const { return scores_[concept_]; }

  std::size_t make_concept();  // a concept without rows; numbers of those given back are used again
  void release(std::size_t concept_);
  std::size_t copy(std::size_t concept_);
  std::size_t merge(std::size_t one, std::size_t other);

  // The row that the next two are about.
  void select_row(const ConceptRow& row);
  double score_with_row(std::size_t concept_) const;  // with the row added
  double score_of_row() const { return row_score_; }  // of the row as a concept of its own
  void add_row(std::size_t concept_);

  // Sums as files hold them: known weights, means and squares by column, and levels in ascending order.
  struct ConceptArrays {
    std::vector<double> weights, known, means, squares, counts;
    std::vector<std::int64_t> starts;  // of the levels of each concept's columns
    std::vector<std::int32_t> levels;
  };
  void append_to(ConceptArrays& arrays, std::size_t concept_) const;
  std::size_t load(const ConceptArrays& arrays, std::size_t at);

 private:
  using SparseLevels = std::vector<std::pair<std::int32_t, double>>;  // levels that occur, ascending, and their weights

  double* numbers(std::size_t concept_) { return sums_.data() + concept_ * stride_; }
  const double* numbers(std::size_t concept_) const { return sums_.data() + concept_ * stride_; }
  // Known weight and sum of squared counts of each nominal column, then the counts of columns with few levels.
  double* levels(std::size_t concept_) { return numbers(concept_) + 3 * measure_.numbers; }
  const double* levels(std::size_t concept_) const { return numbers(concept_) + 3 * measure_.numbers; }
  double count(std::size_t concept_, std::size_t column, std::int32_t code) const;
  void add_count(std::size_t concept_, std::size_t column, std::int32_t code, double added);
  double compute_score(const double* sums) const;

  ConceptMeasures measure_;
  std::size_t stride_ = 0;
  std::size_t n_sparse_ = 0;
  std::vector<std::int64_t>
      count_positions_;  // of the counts of each column; below 0: -1 - its number among the wide ones
  std::vector<double> sums_, weights_, scores_;
  std::vector<SparseLevels> sparse_levels_;
  std::vector<std::size_t> free_;
  ConceptRow row_{};
  std::vector<double> value_, part_;  // of the row: numbers with 0 for missing, and their weights
  mutable std::vector<double> terms_;
  double row_score_ = 0;
};

}  // namespace hedgerow

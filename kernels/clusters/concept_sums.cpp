#include "clusters/concept_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hedgerow {

namespace {

constexpr double kDensity = 0.28209479177387814;  // 1 / (2 sqrt(pi))
constexpr std::int32_t kMaxDenseLevels = 64;      // columns with more keep only the levels that occur
constexpr double kInfinite = std::numeric_limits<double>::infinity();

double mean_square(double squares, double known) { return known > 0 ? squares / known : 0; }

// Weight over deviation of n rows whose squared differences from their mean add up to m2.
inline double score_number(double n, double m2, double acuity, double ddof) {
  const double free = n - ddof;
  const double deviation = std::sqrt(m2 / (free > 0 ? free : kInfinite));
  return n * kDensity / (deviation > acuity ? deviation : acuity);
}

}  // namespace

ConceptSums::ConceptSums(ConceptMeasures measure) : measure_(std::move(measure)) {
  const std::size_t nominal = measure_.levels.size();
  std::int64_t position = static_cast<std::int64_t>(2 * nominal);
  for (const std::int32_t n : measure_.levels) {
    if (n > kMaxDenseLevels) {
      count_positions_.push_back(-1 - static_cast<std::int64_t>(n_sparse_++));
    } else {
      count_positions_.push_back(position);
      position += n;
    }
  }
  stride_ = 3 * measure_.numbers + static_cast<std::size_t>(position);
  value_.resize(measure_.numbers);
  part_.resize(measure_.numbers);
  terms_.resize(measure_.numbers);
}

std::size_t ConceptSums::make_concept() {
  if (!free_.empty()) {
    const std::size_t own = free_.back();
    free_.pop_back();
    std::fill_n(numbers(own), stride_, 0.0);
    weights_[own] = scores_[own] = 0;
    return own;
  }
  const std::size_t own = weights_.size();
  sums_.resize(sums_.size() + stride_);
  weights_.push_back(0);
  scores_.push_back(0);
  sparse_levels_.resize(sparse_levels_.size() + n_sparse_);
  return own;
}

void ConceptSums::release(std::size_t concept_) {
  for (std::size_t j = 0; j < n_sparse_; ++j) SparseLevels().swap(sparse_levels_[concept_ * n_sparse_ + j]);
  free_.push_back(concept_);
}

std::size_t ConceptSums::copy(std::size_t concept_) {
  const std::size_t own = make_concept();
  std::copy_n(numbers(concept_), stride_, numbers(own));
  weights_[own] = weights_[concept_];
  scores_[own] = scores_[concept_];
  for (std::size_t j = 0; j < n_sparse_; ++j)
    sparse_levels_[own * n_sparse_ + j] = sparse_levels_[concept_ * n_sparse_ + j];
  return own;
}

// T. F. Chan, G. H. Golub, R. J. LeVeque: Updating formulae and a pairwise algorithm for computing sample variances
// (1979).
std::size_t ConceptSums::merge(std::size_t one, std::size_t other) {
  const std::size_t own = copy(one), m = measure_.numbers;
  double* const a = numbers(own);
  const double* const b = numbers(other);
  for (std::size_t i = 0; i < m; ++i) {
    const double n = a[i] + b[i];
    if (b[i] > 0) {
      const double difference = b[m + i] - a[m + i], part = b[i] / n;
      a[2 * m + i] += b[2 * m + i] + difference * (a[i] * part) * difference;
      a[m + i] += difference * part;
    }
    a[i] = n;
  }
  double* const own_levels = levels(own);
  const double* const other_levels = levels(other);
  for (std::size_t j = 0; j < count_positions_.size(); ++j) {
    own_levels[2 * j] += other_levels[2 * j];
    if (count_positions_[j] < 0) {
      for (const auto& [code, added] :
           sparse_levels_[other * n_sparse_ + static_cast<std::size_t>(-1 - count_positions_[j])])
        add_count(own, j, code, added);
    } else {
      for (std::int32_t code = 0; code < measure_.levels[j]; ++code)
        if (const double added = other_levels[count_positions_[j] + code]) add_count(own, j, code, added);
    }
  }
  weights_[own] += weights_[other];
  scores_[own] = compute_score(a);
  return own;
}

double ConceptSums::count(std::size_t concept_, std::size_t column, std::int32_t code) const {
  if (count_positions_[column] >= 0) return levels(concept_)[count_positions_[column] + code];
  const SparseLevels& sparse =
      sparse_levels_[concept_ * n_sparse_ + static_cast<std::size_t>(-1 - count_positions_[column])];
  const auto at =
      std::lower_bound(sparse.begin(), sparse.end(), code, [](const auto& one, auto c) { return one.first < c; });
  return at != sparse.end() && at->first == code ? at->second : 0;
}

// Adds to the count of a level and to the squares; the known weight is left as it is.
void ConceptSums::add_count(std::size_t concept_, std::size_t column, std::int32_t code, double added) {
  double& squares = levels(concept_)[2 * column + 1];
  if (count_positions_[column] >= 0) {
    double& own = levels(concept_)[count_positions_[column] + code];
    squares += added * (2 * own + added);
    own += added;
    return;
  }
  SparseLevels& sparse = sparse_levels_[concept_ * n_sparse_ + static_cast<std::size_t>(-1 - count_positions_[column])];
  auto at = std::lower_bound(sparse.begin(), sparse.end(), code, [](const auto& one, auto c) { return one.first < c; });
  if (at == sparse.end() || at->first != code) at = sparse.insert(at, {code, 0.0});
  squares += added * (2 * at->second + added);
  at->second += added;
}

double ConceptSums::compute_score(const double* sums) const {
  const std::size_t m = measure_.numbers;
  double total = 0;
  for (std::size_t i = 0; i < m; ++i) total += score_number(sums[i], sums[2 * m + i], measure_.acuity, measure_.ddof);
  const double* const own = sums + 3 * m;
  for (std::size_t j = 0; j < count_positions_.size(); ++j) total += mean_square(own[2 * j + 1], own[2 * j]);
  return total;
}

void ConceptSums::select_row(const ConceptRow& row) {
  row_ = row;
  row_score_ = 0;
  for (std::size_t i = 0; i < measure_.numbers; ++i) {
    const bool known = !std::isnan(row.numbers[i]);
    value_[i] = known ? row.numbers[i] : 0;
    part_[i] = known ? row.weight : 0;
    row_score_ += score_number(part_[i], 0, measure_.acuity, measure_.ddof);
  }
  for (std::size_t j = 0; j < count_positions_.size(); ++j)
    if (row.codes[j] >= 0) row_score_ += row.weight * row.weight / row.weight;
}

double ConceptSums::score_with_row(std::size_t concept_) const {
  const std::size_t m = measure_.numbers;
  const double acuity = measure_.acuity, ddof = measure_.ddof;
  const double* const known = numbers(concept_);
  const double *const mean = known + m, *const squares = known + 2 * m;
  const double *const value = value_.data(), *const part = part_.data();
  double* const terms = terms_.data();
  for (std::size_t i = 0; i < m; ++i) {
    const double n = known[i] + part[i];
    const double difference = value[i] - mean[i];
    const double m2 = squares[i] + difference * (known[i] * part[i] / (n > 0 ? n : 1.0)) * difference;
    terms[i] = score_number(n, m2, acuity, ddof);
  }
  double total = 0;
  for (std::size_t i = 0; i < m; ++i) total += terms[i];
  const double* const own = levels(concept_);
  for (std::size_t j = 0; j < count_positions_.size(); ++j) {
    const std::int32_t code = row_.codes[j];
    if (code < 0) {
      total += mean_square(own[2 * j + 1], own[2 * j]);
    } else {
      const double w = row_.weight;
      total += (own[2 * j + 1] + w * (2 * count(concept_, j, code) + w)) / (own[2 * j] + w);
    }
  }
  return total;
}

// B. P. Welford: Note on a method for calculating corrected sums of squares and products (1962), with weights.
void ConceptSums::add_row(std::size_t concept_) {
  const std::size_t m = measure_.numbers;
  scores_[concept_] = score_with_row(concept_);
  double* const known = numbers(concept_);
  for (std::size_t i = 0; i < m; ++i) {
    if (!(part_[i] > 0)) continue;
    const double n = known[i] + part_[i];
    const double difference = value_[i] - known[m + i];
    known[2 * m + i] += difference * (known[i] * part_[i] / n) * difference;
    known[m + i] += difference * (part_[i] / n);
    known[i] = n;
  }
  for (std::size_t j = 0; j < count_positions_.size(); ++j) {
    if (row_.codes[j] < 0) continue;
    add_count(concept_, j, row_.codes[j], row_.weight);
    levels(concept_)[2 * j] += row_.weight;
  }
  weights_[concept_] += row_.weight;
}

void ConceptSums::append_to(ConceptArrays& arrays, std::size_t concept_) const {
  const std::size_t m = measure_.numbers;
  const double* const own = numbers(concept_);
  arrays.weights.push_back(weights_[concept_]);
  arrays.known.insert(arrays.known.end(), own, own + m);
  arrays.means.insert(arrays.means.end(), own + m, own + 2 * m);
  arrays.squares.insert(arrays.squares.end(), own + 2 * m, own + 3 * m);
  if (arrays.starts.empty()) arrays.starts.push_back(0);
  for (std::size_t j = 0; j < count_positions_.size(); ++j) {
    if (count_positions_[j] < 0) {
      for (const auto& [code, n] :
           sparse_levels_[concept_ * n_sparse_ + static_cast<std::size_t>(-1 - count_positions_[j])]) {
        arrays.levels.push_back(code);
        arrays.counts.push_back(n);
      }
    } else {
      for (std::int32_t code = 0; code < measure_.levels[j]; ++code) {
        const double n = levels(concept_)[count_positions_[j] + code];
        if (!(n > 0)) continue;
        arrays.levels.push_back(code);
        arrays.counts.push_back(n);
      }
    }
    arrays.starts.push_back(static_cast<std::int64_t>(arrays.levels.size()));
  }
}

std::size_t ConceptSums::load(const ConceptArrays& arrays, std::size_t at) {
  const std::size_t own = make_concept(), m = measure_.numbers, nominal = count_positions_.size();
  std::copy_n(arrays.known.data() + at * m, m, numbers(own));
  std::copy_n(arrays.means.data() + at * m, m, numbers(own) + m);
  std::copy_n(arrays.squares.data() + at * m, m, numbers(own) + 2 * m);
  for (std::size_t j = 0; j < nominal; ++j) {
    const auto first = static_cast<std::size_t>(arrays.starts[at * nominal + j]);
    const auto last = static_cast<std::size_t>(arrays.starts[at * nominal + j + 1]);
    for (std::size_t i = first; i < last; ++i) {
      add_count(own, j, arrays.levels[i], arrays.counts[i]);
      levels(own)[2 * j] += arrays.counts[i];
    }
  }
  weights_[own] = arrays.weights[at];
  scores_[own] = compute_score(numbers(own));
  return own;
}

}  // namespace hedgerow

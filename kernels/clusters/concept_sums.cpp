#include "clusters/concept_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hedgerow {

namespace {

constexpr double kDensity = 0.28209479177387814;  // 1 / (2 sqrt(pi))
constexpr std::int32_t kFewLevels = 64;           // columns with more keep only the levels that occur
constexpr double kInfinite = std::numeric_limits<double>::infinity();

double share(double squares, double known) { return known > 0 ? squares / known : 0; }

// Weight over deviation of n rows whose squared differences from their mean add up to m2.
inline double number_score(double n, double m2, double acuity, double lacking) {
  const double free = n - lacking;
  const double deviation = std::sqrt(m2 / (free > 0 ? free : kInfinite));
  return n * kDensity / (deviation > acuity ? deviation : acuity);
}

}  // namespace

ConceptSums::ConceptSums(ConceptMeasure measure) : measure_(std::move(measure)) {
  const std::size_t nominal = measure_.levels.size();
  std::int64_t place = static_cast<std::int64_t>(2 * nominal);
  for (const std::int32_t n : measure_.levels) {
    if (n > kFewLevels) {
      places_.push_back(-1 - static_cast<std::int64_t>(n_wide_++));
    } else {
      places_.push_back(place);
      place += n;
    }
  }
  stride_ = 3 * measure_.numbers + static_cast<std::size_t>(place);
  value_.resize(measure_.numbers);
  part_.resize(measure_.numbers);
  terms_.resize(measure_.numbers);
}

std::size_t ConceptSums::make() {
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
  wide_.resize(wide_.size() + n_wide_);
  return own;
}

void ConceptSums::give_back(std::size_t concept_) {
  for (std::size_t j = 0; j < n_wide_; ++j) Wide().swap(wide_[concept_ * n_wide_ + j]);
  free_.push_back(concept_);
}

std::size_t ConceptSums::copy(std::size_t concept_) {
  const std::size_t own = make();
  std::copy_n(numbers(concept_), stride_, numbers(own));
  weights_[own] = weights_[concept_];
  scores_[own] = scores_[concept_];
  for (std::size_t j = 0; j < n_wide_; ++j) wide_[own * n_wide_ + j] = wide_[concept_ * n_wide_ + j];
  return own;
}

// T. F. Chan, G. H. Golub, R. J. LeVeque: Updating formulae and a pairwise algorithm for computing sample variances
// (1979).
std::size_t ConceptSums::merged(std::size_t one, std::size_t other) {
  const std::size_t own = copy(one), m = measure_.numbers;
  double* const a = numbers(own);
  const double* const b = numbers(other);
  for (std::size_t i = 0; i < m; ++i) {
    const double n = a[i] + b[i];
    if (b[i] > 0) {
      const double apart = b[m + i] - a[m + i], part = b[i] / n;
      a[2 * m + i] += b[2 * m + i] + apart * (a[i] * part) * apart;
      a[m + i] += apart * part;
    }
    a[i] = n;
  }
  double* const own_levels = levels(own);
  const double* const other_levels = levels(other);
  for (std::size_t j = 0; j < places_.size(); ++j) {
    own_levels[2 * j] += other_levels[2 * j];
    if (places_[j] < 0) {
      for (const auto& [code, more] : wide_[other * n_wide_ + static_cast<std::size_t>(-1 - places_[j])])
        put_count(own, j, code, more);
    } else {
      for (std::int32_t code = 0; code < measure_.levels[j]; ++code)
        if (const double more = other_levels[places_[j] + code]) put_count(own, j, code, more);
    }
  }
  weights_[own] += weights_[other];
  scores_[own] = scored(a);
  return own;
}

double ConceptSums::count(std::size_t concept_, std::size_t column, std::int32_t code) const {
  if (places_[column] >= 0) return levels(concept_)[places_[column] + code];
  const Wide& wide = wide_[concept_ * n_wide_ + static_cast<std::size_t>(-1 - places_[column])];
  const auto at =
      std::lower_bound(wide.begin(), wide.end(), code, [](const auto& one, auto c) { return one.first < c; });
  return at != wide.end() && at->first == code ? at->second : 0;
}

// Adds to the count of a level and to the squares; the known weight is left as it is.
void ConceptSums::put_count(std::size_t concept_, std::size_t column, std::int32_t code, double more) {
  double& squares = levels(concept_)[2 * column + 1];
  if (places_[column] >= 0) {
    double& own = levels(concept_)[places_[column] + code];
    squares += more * (2 * own + more);
    own += more;
    return;
  }
  Wide& wide = wide_[concept_ * n_wide_ + static_cast<std::size_t>(-1 - places_[column])];
  auto at = std::lower_bound(wide.begin(), wide.end(), code, [](const auto& one, auto c) { return one.first < c; });
  if (at == wide.end() || at->first != code) at = wide.insert(at, {code, 0.0});
  squares += more * (2 * at->second + more);
  at->second += more;
}

double ConceptSums::scored(const double* sums) const {
  const std::size_t m = measure_.numbers;
  double total = 0;
  for (std::size_t i = 0; i < m; ++i)
    total += number_score(sums[i], sums[2 * m + i], measure_.acuity, measure_.lacking);
  const double* const own = sums + 3 * m;
  for (std::size_t j = 0; j < places_.size(); ++j) total += share(own[2 * j + 1], own[2 * j]);
  return total;
}

void ConceptSums::take(const ConceptRow& row) {
  row_ = row;
  alone_ = 0;
  for (std::size_t i = 0; i < measure_.numbers; ++i) {
    const bool known = !std::isnan(row.numbers[i]);
    value_[i] = known ? row.numbers[i] : 0;
    part_[i] = known ? row.weight : 0;
    alone_ += number_score(part_[i], 0, measure_.acuity, measure_.lacking);
  }
  for (std::size_t j = 0; j < places_.size(); ++j)
    if (row.codes[j] >= 0) alone_ += row.weight * row.weight / row.weight;
}

double ConceptSums::score_with(std::size_t concept_) const {
  const std::size_t m = measure_.numbers;
  const double acuity = measure_.acuity, lacking = measure_.lacking;
  const double* const known = numbers(concept_);
  const double *const mean = known + m, *const squares = known + 2 * m;
  const double *const value = value_.data(), *const part = part_.data();
  double* const terms = terms_.data();
  for (std::size_t i = 0; i < m; ++i) {
    const double n = known[i] + part[i];
    const double apart = value[i] - mean[i];
    const double m2 = squares[i] + apart * (known[i] * part[i] / (n > 0 ? n : 1.0)) * apart;
    terms[i] = number_score(n, m2, acuity, lacking);
  }
  double total = 0;
  for (std::size_t i = 0; i < m; ++i) total += terms[i];
  const double* const own = levels(concept_);
  for (std::size_t j = 0; j < places_.size(); ++j) {
    const std::int32_t code = row_.codes[j];
    if (code < 0) {
      total += share(own[2 * j + 1], own[2 * j]);
    } else {
      const double w = row_.weight;
      total += (own[2 * j + 1] + w * (2 * count(concept_, j, code) + w)) / (own[2 * j] + w);
    }
  }
  return total;
}

// B. P. Welford: Note on a method for calculating corrected sums of squares and products (1962), with weights.
void ConceptSums::add(std::size_t concept_) {
  const std::size_t m = measure_.numbers;
  scores_[concept_] = score_with(concept_);
  double* const known = numbers(concept_);
  for (std::size_t i = 0; i < m; ++i) {
    if (!(part_[i] > 0)) continue;
    const double n = known[i] + part_[i];
    const double apart = value_[i] - known[m + i];
    known[2 * m + i] += apart * (known[i] * part_[i] / n) * apart;
    known[m + i] += apart * (part_[i] / n);
    known[i] = n;
  }
  for (std::size_t j = 0; j < places_.size(); ++j) {
    if (row_.codes[j] < 0) continue;
    put_count(concept_, j, row_.codes[j], row_.weight);
    levels(concept_)[2 * j] += row_.weight;
  }
  weights_[concept_] += row_.weight;
}

void ConceptSums::append_to(Held& held, std::size_t concept_) const {
  const std::size_t m = measure_.numbers;
  const double* const own = numbers(concept_);
  held.weights.push_back(weights_[concept_]);
  held.known.insert(held.known.end(), own, own + m);
  held.means.insert(held.means.end(), own + m, own + 2 * m);
  held.squares.insert(held.squares.end(), own + 2 * m, own + 3 * m);
  if (held.starts.empty()) held.starts.push_back(0);
  for (std::size_t j = 0; j < places_.size(); ++j) {
    if (places_[j] < 0) {
      for (const auto& [code, n] : wide_[concept_ * n_wide_ + static_cast<std::size_t>(-1 - places_[j])]) {
        held.levels.push_back(code);
        held.counts.push_back(n);
      }
    } else {
      for (std::int32_t code = 0; code < measure_.levels[j]; ++code) {
        const double n = levels(concept_)[places_[j] + code];
        if (!(n > 0)) continue;
        held.levels.push_back(code);
        held.counts.push_back(n);
      }
    }
    held.starts.push_back(static_cast<std::int64_t>(held.levels.size()));
  }
}

std::size_t ConceptSums::take_back(const Held& held, std::size_t at) {
  const std::size_t own = make(), m = measure_.numbers, nominal = places_.size();
  std::copy_n(held.known.data() + at * m, m, numbers(own));
  std::copy_n(held.means.data() + at * m, m, numbers(own) + m);
  std::copy_n(held.squares.data() + at * m, m, numbers(own) + 2 * m);
  for (std::size_t j = 0; j < nominal; ++j) {
    const auto first = static_cast<std::size_t>(held.starts[at * nominal + j]);
    const auto last = static_cast<std::size_t>(held.starts[at * nominal + j + 1]);
    for (std::size_t i = first; i < last; ++i) {
      put_count(own, j, held.levels[i], held.counts[i]);
      levels(own)[2 * j] += held.counts[i];
    }
  }
  weights_[own] = held.weights[at];
  scores_[own] = scored(numbers(own));
  return own;
}

}  // namespace hedgerow

// Surrogates (Breiman et al. 1984): tests of other columns that send most cases the same way as a split of two branches
// does. They stand in for it where its own value is missing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/decimals.hpp"
#include "trees/growing_tree.hpp"
#include "trees/level_maps.hpp"

namespace hedgerow::trees {

constexpr std::size_t most_surrogates = 5;

// The weight that a split sends to its two children, by the values of another column.
class Agreement {
 public:
  void clear() {
    for (auto& side : sides_) side.clear();
    values_.clear();
  }

  // Begins with the next value or code, in ascending order.
  void next(double value) {
    values_.push_back(value);
    for (auto& side : sides_) side.push_back(0);
    at_ = values_.size() - 1;
  }

  // Or: makes room for codes, whose values are those of a numeric column.
  void room(std::size_t codes, const std::vector<double>& values) {
    for (auto& side : sides_) side.assign(codes, 0);
    values_ = values;
  }
  void at(std::size_t code) { at_ = code; }
  void drop_last() {
    for (auto& side : sides_) side.pop_back();
  }

  void add(std::uint32_t child, double weight) { sides_[child][at_] += weight; }

  // Makes the best test of the column; tells whether it agrees with more than the heavier child alone would.
  bool stand_in(bool nominal, Surrogate& one) const {
    const double both[2] = {std::accumulate(sides_[0].begin(), sides_[0].end(), 0.0),
                            std::accumulate(sides_[1].begin(), sides_[1].end(), 0.0)};
    if (nominal) {
      by_level(one);
    } else {
      by_threshold(both, one);
    }
    return one.agreement > std::max(both[0], both[1]) + tie;
  }

 private:
  void by_level(Surrogate& one) const {
    for (std::size_t i = 0; i < sides_[0].size(); ++i) {
      if (weight(i) <= 0) continue;
      const auto code = values_.empty() ? static_cast<std::int32_t>(i) : static_cast<std::int32_t>(values_[i]);
      one.listed.push_back({code, sides_[1][i] > sides_[0][i] + tie});
      one.agreement += std::max(sides_[0][i], sides_[1][i]);
    }
  }

  void by_threshold(const double (&both)[2], Surrogate& one) const {
    double below[2] = {0, 0};
    std::size_t last = values_.size();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (weight(i) <= 0) continue;
      for (std::int32_t first = 0; first < 2 && last < values_.size(); ++first) {
        const double agreement = first == 0 ? below[0] + both[1] - below[1] : below[1] + both[0] - below[0];
        if (agreement > one.agreement + tie) {
          one.agreement = agreement;
          one.first = first;
          one.threshold = choose_threshold(values_[last], values_[i]);
        }
      }
      below[0] += sides_[0][i];
      below[1] += sides_[1][i];
      last = i;
    }
  }

  double weight(std::size_t i) const { return sides_[0][i] + sides_[1][i]; }

  std::vector<double> sides_[2];  // by value or code
  std::vector<double> values_;
  std::size_t at_ = 0;
};

// Those that agree best, the first of equals first.
inline std::vector<Surrogate> best_stand_ins(std::vector<Surrogate> found) {
  std::vector<Surrogate> kept;
  while (!found.empty() && kept.size() < most_surrogates) {
    auto best = found.begin();
    for (auto one = found.begin() + 1; one != found.end(); ++one) {
      if (one->agreement > best->agreement + tie) best = one;
    }
    kept.push_back(std::move(*best));
    found.erase(best);
  }
  return kept;
}

// The child that the first surrogate to know sends a row to.
inline std::int32_t route(const TreeColumns& columns, std::size_t row, std::span<const Surrogate> surrogates,
                          std::int32_t otherwise) {
  for (const Surrogate& one : surrogates) {
    const TreeColumn& column = columns.columns[static_cast<std::size_t>(one.column)];
    if (column.nominal) {
      const std::int32_t code = columns.code(column, row);
      const auto found =
          std::lower_bound(one.listed.begin(), one.listed.end(), code,
                           [](const LevelChild& listed, std::int32_t level) { return listed.code < level; });
      if (found != one.listed.end() && found->code == code) return found->child;  // missing values are never listed
    } else if (const double value = column.raw.numbers[row]; !std::isnan(value)) {
      return value <= one.threshold ? one.first : 1 - one.first;
    }
  }
  return otherwise;
}

}  // namespace hedgerow::trees

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

constexpr std::size_t kMaxSurrogates = 5;

// The weight that a split sends to its two children, by the values of another column.
class SurrogateAgreement {
 public:
  void clear() {
    for (auto& side : sides_) side.clear();
    values_.clear();
  }

  // Begins with the next value or code, in ascending order.
  void start_value(double value) {
    values_.push_back(value);
    for (auto& side : sides_) side.push_back(0);
    at_ = values_.size() - 1;
  }

  // Or: makes room for codes, whose values are those of a numeric column.
  void reserve_codes(std::size_t codes, const std::vector<double>& values) {
    for (auto& side : sides_) side.assign(codes, 0);
    values_ = values;
  }
  void select_code(std::size_t code) { at_ = code; }
  void drop_last() {
    for (auto& side : sides_) side.pop_back();
  }

  void add(std::uint32_t child, double weight) { sides_[child][at_] += weight; }

  // Makes the best test of the column; tells whether it agrees with more than the heavier child alone would.
  bool make_surrogate(bool nominal, Surrogate& surrogate) const {
    const double both[2] = {std::accumulate(sides_[0].begin(), sides_[0].end(), 0.0),
                            std::accumulate(sides_[1].begin(), sides_[1].end(), 0.0)};
    if (nominal) {
      make_level_test(surrogate);
    } else {
      make_threshold_test(both, surrogate);
    }
    return surrogate.agreement > std::max(both[0], both[1]) + kTie;
  }

 private:
  void make_level_test(Surrogate& surrogate) const {
    for (std::size_t i = 0; i < sides_[0].size(); ++i) {
      if (weight(i) <= 0) continue;
      const auto code = values_.empty() ? static_cast<std::int32_t>(i) : static_cast<std::int32_t>(values_[i]);
      surrogate.listed.push_back({code, sides_[1][i] > sides_[0][i] + kTie});
      surrogate.agreement += std::max(sides_[0][i], sides_[1][i]);
    }
  }

  void make_threshold_test(const double (&both)[2], Surrogate& surrogate) const {
    double below[2] = {0, 0};
    std::size_t last = values_.size();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (weight(i) <= 0) continue;
      for (std::int32_t first = 0; first < 2 && last < values_.size(); ++first) {
        const double agreement = first == 0 ? below[0] + both[1] - below[1] : below[1] + both[0] - below[0];
        if (agreement > surrogate.agreement + kTie) {
          surrogate.agreement = agreement;
          surrogate.first = first;
          surrogate.threshold = choose_threshold(values_[last], values_[i]);
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
inline std::vector<Surrogate> choose_surrogates(std::vector<Surrogate> candidates) {
  std::vector<Surrogate> kept;
  while (!candidates.empty() && kept.size() < kMaxSurrogates) {
    auto best = candidates.begin();
    for (auto surrogate = candidates.begin() + 1; surrogate != candidates.end(); ++surrogate) {
      if (surrogate->agreement > best->agreement + kTie) best = surrogate;
    }
    kept.push_back(std::move(*best));
    candidates.erase(best);
  }
  return kept;
}

// The child that the first surrogate to know sends a row to.
inline std::int32_t route_missing(const TreeColumns& columns, std::size_t row, std::span<const Surrogate> surrogates,
                                  std::int32_t otherwise) {
  for (const Surrogate& surrogate : surrogates) {
    const TreeColumn& column = columns.columns[static_cast<std::size_t>(surrogate.column)];
    if (column.nominal) {
      const std::int32_t code = columns.code(column, row);
      const auto level_child =
          std::lower_bound(surrogate.listed.begin(), surrogate.listed.end(), code,
                           [](const LevelChild& listed, std::int32_t level) { return listed.code < level; });
      if (level_child != surrogate.listed.end() && level_child->code == code)
        return level_child->child;  // missing values are never listed
    } else if (const double value = column.raw.numbers[row]; !std::isnan(value)) {
      return value <= surrogate.threshold ? surrogate.first : 1 - surrogate.first;
    }
  }
  return otherwise;
}

}  // namespace hedgerow::trees

#include "trees/grow.hpp"

#include <algorithm>
#include <utility>

#include "trees/absolute_error.hpp"
#include "trees/grower.hpp"
#include "trees/impurity.hpp"

namespace hedgerow::trees {
namespace {

// Rows of positive weight, ascending.
std::vector<std::uint32_t> list_weighted_rows(std::span<const double> weights) {
  std::vector<std::uint32_t> rows(weights.size());
  std::size_t n = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    rows[n] = static_cast<std::uint32_t>(row);
    n += weights[row] > 0;
  }
  rows.resize(n);
  return rows;
}

template <class Target>
FlatTree grow_with_target(const TreeColumns& columns, std::span<const std::int32_t> labels, std::int32_t classes,
                          std::span<const double> weights, const GrowOptions& options, ThreadPool& pool, double total) {
  Target target(static_cast<std::size_t>(classes), static_cast<std::uint64_t>(total));
  target.has_light_weights = weights.empty() || *std::max_element(weights.begin(), weights.end()) <= 7;
  std::vector<std::uint32_t> rows = list_weighted_rows(weights);
  std::vector<typename Target::Case> cases(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i].weight = static_cast<decltype(cases[i].weight)>(weights[rows[i]]);
    cases[i].label = static_cast<decltype(cases[i].label)>(labels[rows[i]]);
  }
  TreeGrower<Target> grower(columns, target, options, static_cast<std::size_t>(classes), rows.size());
  return grower.grow(std::move(rows), std::move(cases), pool);
}

FlatTree grow_absolute(const TreeColumns& columns, std::span<const double> target, std::span<const double> weights,
                       const GrowOptions& options, ThreadPool& pool, std::vector<std::uint32_t> rows) {
  std::vector<AbsoluteCase> cases(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) cases[i] = {weights[rows[i]], target[rows[i]], 0};
  AbsoluteTarget absolute;
  std::vector<std::uint32_t> order;
  double tally[3] = {0, 0, 0};
  absolute.sort_cases(cases.data(), cases.size(), order);
  absolute.compute_median_tally(cases.data(), order, [&](std::size_t i) { return cases[i].weight; }, tally);
  GrowOptions scaled = options;
  scaled.scale = tally[2];
  absolute.center = tally[1];
  TreeGrower<AbsoluteTarget> grower(columns, absolute, scaled, 1, rows.size());
  return grower.grow(std::move(rows), std::move(cases), pool);
}

}  // namespace

FlatTree grow_classes(const TreeColumns& columns, std::span<const std::int32_t> labels, std::int32_t classes,
                      std::span<const double> weights, const GrowOptions& options, ThreadPool& pool) {
  double total = 0, rows = 0;
  bool integer_weights = classes <= 65535;
  for (const double weight : weights) {
    total += weight;
    rows += weight > 0;
    integer_weights =
        integer_weights && weight <= 65535 && weight == static_cast<double>(static_cast<std::int32_t>(weight));
  }
  total = std::max(total, options.table_weight);
  integer_weights =
      integer_weights && !options.real_weights && fits_integer_sums(total, std::max(rows, options.table_rows));
  const bool has_missing =
      std::any_of(columns.columns.begin(), columns.columns.end(), [](const auto& c) { return c.has_missing; });
  integer_weights = integer_weights && !(has_missing && options.missing_policy == MissingPolicy::fractions);
  const bool entropy = options.impurity == Impurity::entropy;
  const auto as = [&]<class Target>() {
    return grow_with_target<Target>(columns, labels, classes, weights, options, pool, total);
  };
  if (integer_weights)
    return entropy ? as.template operator()<ClassTarget<IntegerEntropy>>()
                   : as.template operator()<ClassTarget<IntegerGini>>();
  return entropy ? as.template operator()<ClassTarget<RealEntropy>>() : as.template operator()<ClassTarget<RealGini>>();
}

FlatTree grow_numbers(const TreeColumns& columns, std::span<const double> target, std::span<const double> weights,
                      const GrowOptions& options, ThreadPool& pool) {
  std::vector<std::uint32_t> rows = list_weighted_rows(weights);
  if (options.impurity == Impurity::absolute)
    return grow_absolute(columns, target, weights, options, pool, std::move(rows));
  std::vector<NumberCase> cases(rows.size());
  const double first = rows.empty() ? 0 : target[rows[0]];  // equal numbers have exactly their value as mean
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cases[i] = {weights[rows[i]], target[rows[i]]};
    total += cases[i].weight;
    sum += cases[i].weight * (cases[i].value - first);
  }
  const bool branch = options.table_weight > 0;
  const SquaredTarget squared(branch ? options.center : total > 0 ? first + sum / total : 0);
  double tally[3] = {0, 0, 0};
  for (const NumberCase& one : cases) squared.add(tally, one);
  GrowOptions scaled = options;
  if (!branch) scaled.scale = total > 0 ? -squared.purity(tally, 3) / total : 1;
  TreeGrower<SquaredTarget> grower(columns, squared, scaled, 1, rows.size());
  return grower.grow(std::move(rows), std::move(cases), pool);
}

}  // namespace hedgerow::trees

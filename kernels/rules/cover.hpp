// Which rows rules cover, and the division of rows into those to grow and those to prune on.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rules/columns.hpp"
#include "rules/foil_gain.hpp"

namespace hedgerow::rules {

// Those of `rows` that pass all conditions, in their order.
std::vector<std::uint32_t> find_covered(const RuleColumns& columns, std::span<const Condition> rule,
                                        std::span<const std::uint32_t> rows);

// For every row how many conditions it passes before the first that it fails.
std::vector<std::uint32_t> count_passed_conditions(const RuleColumns& columns, std::span<const Condition> rule,
                                                   std::span<const std::uint32_t> rows);

// Those of `rows` that are not among `removed`; both ascend.
std::vector<std::uint32_t> subtract_rows(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> removed);

// What the first 0, 1, 2, ... conditions cover: the weight of rows of the class and of others.
std::vector<ClassWeights> weigh_prefixes(const RuleColumns& columns, std::span<const Condition> rule,
                                         std::span<const std::uint32_t> rows, std::span<const std::uint8_t> positive,
                                         std::span<const double> weight);

// Divides rows in two: of every stratum the share 1/folds whose keys, mixed with the seed, are lowest, and the
// others. Keys and strata are looked up by row; both parts keep their order. Cost: a pass.
struct GrowPruneSplit {
  std::vector<std::uint32_t> grow, prune;
};

GrowPruneSplit split_by_strata(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> keys,
                               std::span<const std::int32_t> strata, std::size_t n_strata, std::size_t folds,
                               std::uint64_t seed);

}  // namespace hedgerow::rules

// Which rows rules cover, and rows dealt out to grow and to prune on.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rule_columns.hpp"

namespace hedgerow::rules {

// Those of `rows` that pass all conditions, in their order.
std::vector<std::uint32_t> covered(const RuleColumns& columns, std::span<const Condition> rule,
                                   std::span<const std::uint32_t> rows);

// For every row how many conditions it passes before the first that it fails.
std::vector<std::uint32_t> passed(const RuleColumns& columns, std::span<const Condition> rule,
                                  std::span<const std::uint32_t> rows);

// Deals cards out in two: of every stratum the share 1/folds whose keys, mixed with the seed, are lowest. Returns for each
// card whether it is among them.
std::vector<std::uint8_t> dealt(std::span<const std::uint64_t> keys, std::span<const std::int32_t> strata,
                                std::size_t n_strata, std::size_t folds, std::uint64_t seed);

}  // namespace hedgerow::rules

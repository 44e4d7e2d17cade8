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

// Those of `rows` that are not among `gone`; both ascend.
std::vector<std::uint32_t> without(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> gone);

// Weight of rows of the class and of others.
struct Sides {
  double p = 0;
  double n = 0;
};

// What rules cover together, and what each of them covers alone. `rules` are the rows that each covers; `positive` and
// `weight` go by row of the table, no weights if all are 1.
struct Shares {
  Sides together;
  std::vector<Sides> alone;
};

Shares shares(std::span<const std::span<const std::uint32_t>> rules, std::span<const std::uint8_t> positive,
              std::span<const double> weight);

// Deals cards out in two: of every stratum the share 1/folds whose keys, mixed with the seed, are lowest, and the others.
// Cards are numbers that keys and strata are looked up by; both parts keep their order. Cost: a pass.
struct Dealt {
  std::vector<std::uint32_t> others, lowest;
};

Dealt dealt(std::span<const std::uint32_t> cards, std::span<const std::uint64_t> keys,
            std::span<const std::int32_t> strata, std::size_t n_strata, std::size_t folds, std::uint64_t seed);

}  // namespace hedgerow::rules

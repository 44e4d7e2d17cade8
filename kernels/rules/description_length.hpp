// How many bits rules of a class and their exceptions take, and which rules to do without.
//
// Exceptions: log2(all + 1) for their number; then which rows they are. Among the covered rows, if they are more than
// the others, a share of errors is expected that follows from the number of errors and the share of false positives
// among them; the false negatives are then known by number. If the others are more, the other way round. Source: J. R.
// Quinlan, MDL and categorical theories (continued), 1995; W. W. Cohen, Fast effective rule induction, 1995.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rules/foil_gain.hpp"

namespace hedgerow::rules {

// The bits that tell which k of n rows are chosen, when a share of them is expected to be.
double compute_subset_bits(double n, double k, double share);

// `false_positives` is the share of them that is expected among all errors.
double compute_exception_bits(ClassWeights covered, ClassWeights left, double false_positives);

// Rules of a class: the rows that each covers, and the bits of each.
struct RuleSetRows {
  std::span<const std::span<const std::uint32_t>> rows;
  std::span<const double> bits;
  std::span<const std::uint8_t> positive;  // by row of the table
  std::span<const double> weight;          // by row of the table; empty if all weigh 1
  ClassWeights all;                        // the weight of all rows that the class learns from
  double false_positives = 0.5;
};

struct RuleSetDescription {
  double bits = 0;
  std::vector<std::uint8_t> is_kept;  // for each rule whether it is part of the description
};

// At most 65535 rules. Cost: a pass over the rows that all rules cover, and the rows of the table.
// The bits of all rules, or with `shorten` of those that stay when each rule, the last first, goes if that saves bits.
RuleSetDescription describe_rules(const RuleSetRows& rules, bool shorten);

}  // namespace hedgerow::rules

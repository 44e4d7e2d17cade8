// All class association rules of enough support and confidence.
//
// A set of tests is looked at further while one class still has its least weight among the covered rows. The search
// goes depth first, over columns in their order. For each first test its rows are packed anew, in the order of their
// classes, and those classes that are too light already are put together; then one AND and a count of bits a set tells
// the weight of every class. Weighted rows are added up instead.
//
// Rules come in the order of generation: fewer tests first, then by columns and codes, then by class. A test that every
// row passes tells nothing and is left out. Cost: what is packed and a pass over its words for every set looked at.
#pragma once

#include "core/thread_pool.hpp"
#include "rules/class_rules.hpp"

namespace hedgerow::cars {

struct MiningOptions {
  std::span<const std::int64_t> min_class_weights;                    // by class: least ticks of the hits of a rule
  std::int64_t confidence_numerator = 1, confidence_denominator = 2;  // hits / covered must be at least above / below
  std::size_t max_tests = SIZE_MAX;
  std::size_t max_sets = SIZE_MAX;   // to look at; of several rules of a set each but the first counts as one more
  std::size_t max_bytes = SIZE_MAX;  // of the rules found
  // Leave out rules that a more general rule of the same class stands before, as far as that costs nothing: those that
  // extend the first tests of themselves, and all that extend a rule without errors.
  bool skip_specialized = false;
};

struct MinedRules {
  std::vector<std::int32_t> starts{0}, columns, codes, decisions;
  std::vector<std::int64_t> hits, covered;  // by rule, in ticks
  std::int64_t sets = 0;                    // looked at
  bool exceeded = false;                    // there were more sets or rules than asked for; then there are no rules
  bool out_of_memory = false;               // it ended because the rules took too many bytes
};

// First tests are shared out among the threads; the rules are the same for any number of them.
MinedRules mine_rules(const Rows& rows, const MiningOptions& options, ThreadPool& pool);

}  // namespace hedgerow::cars

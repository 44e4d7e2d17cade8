// Sequential covering by beam search: CN2's way to rules on nominal and numeric columns.
//
// One rule (learn-one-rule-1): candidates start as the empty one. In each round every candidate is specialized by every
// test: column = level, column <= threshold, column > threshold, with a threshold between any two neighboring values of
// the candidate's rows. A candidate has one test of a kind a column, so that two of a number make an interval. A test
// that leaves all rows, none, or less than the least weight makes no candidate; of candidates that cover the same rows
// the first stays. The best of the round, if its distribution is significant, becomes the best rule if its value is
// strictly larger (and a wanted class has a larger share than in all rows); the `width` best go on. The search ends
// when no candidate is left, or none can lead to a better rule. The rule counts if its value exceeds that of the empty
// one by more than the threshold. Rows that it covers are removed (of a wanted class only those of the class), and the
// next rule is looked for.
//
// Values (larger is better; equal if they agree to 1e-12): minus the entropy in bits; Laplace's (n_c + 1) / (n + k);
// the m-estimate (n_c + m P_c) / (n + m), P_c being the share of class c in the remaining rows. c is the heaviest
// class, of equals the first. With a wanted class, c is that class, and entropy that of two classes, counted as 2 -
// entropy where the class has less than half. Ties: heavier coverage, then the first column, the first level or smaller
// threshold (<= before >), the earlier candidate. A distribution is significant if its likelihood ratio 2 sum n_c
// ln(n_c / (n P_c)) reaches `critical`.
//
// Weights are whole ticks, so sums are exact and the rules the same for any order of rows and number of threads. Cost
// of a round: all values of the candidates' rows, in sorted lists that candidates inherit.
//
// P. Clark and T. Niblett, The CN2 induction algorithm. Machine Learning 3 (1989); P. Clark and R. Boswell, Rule
// induction with CN2: some recent improvements. EWSL (1991).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.hpp"
#include "trees/columns.hpp"

namespace hedgerow::beam {

enum class RuleQuality { entropy, laplace, m_estimate };
enum class TestKind : std::uint8_t { is, at_most, above };

struct BeamRows {
  std::span<const trees::RawColumn> columns;
  std::span<const std::uint8_t> allowed_tests;  // by column: 1 allows <=, 2 allows >; 0 forbids the column
  std::span<const std::int32_t> label;
  std::int32_t classes = 0;
  std::span<const std::int64_t> weight;  // in ticks, positive; empty if every row counts once
};

struct BeamOptions {
  RuleQuality quality = RuleQuality::entropy;
  std::size_t width = 5;
  double m = 2;
  double k = 2;  // classes, for Laplace
  double threshold = 0;
  double critical = 0;          // 0: no test of significance
  std::int64_t min_weight = 1;  // weight of a rule, in ticks
  double tick = 1;              // weight of a tick
  std::size_t max_rules = SIZE_MAX;
  std::size_t max_tests = SIZE_MAX;
  std::int32_t wanted_class = -1;  // a class to learn rules of, or -1 for any
  bool traced = false;
};

struct BeamTest {
  std::int32_t column = 0;
  TestKind kind = TestKind::is;
  std::int32_t level = 0;
  double threshold = 0;

  bool operator==(const BeamTest&) const = default;
};

// Conjunctions of tests in flat arrays, with their counts by class (in ticks), value and likelihood ratio.
struct RuleListing {
  std::vector<std::int32_t> starts{0}, columns, levels;
  std::vector<std::uint8_t> kinds;
  std::vector<double> thresholds, values, ratios;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> rules, rounds;  // of a trace: which rule was looked for, in which round
};

struct BeamResult {
  RuleListing rules;                           // in order
  RuleListing trace;                           // the empty rule (round 0) and the beam of every round, if asked for
  std::vector<std::int64_t> remaining_counts;  // counts of the rows that remain
};

BeamResult learn_rules(const BeamRows& rows, const BeamOptions& options, ThreadPool& pool);

}  // namespace hedgerow::beam

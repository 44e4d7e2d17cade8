// Adding the evidence of texts' terms to the log score of every row and class: scores[(row, class)], row-major.
#pragma once

#include <cstdint>
#include <span>

#include "core/thread_pool.hpp"
#include "text/class_sums.hpp"

namespace hedgerow {

// What a term adds to the score of a class: level[class] + slope[class] * height[term], and for the classes that have
// the term (as ClassSums has them) a number more. Without heights the slopes do not count. Where strict[class], a term
// that the class does not have makes it impossible: minus infinity.
struct TermEvidence {
  ClassSumsView class_evidence;
  std::span<const double> height;
  std::span<const double> slope, level;
  std::span<const bool> strict;
};

// Adds the values of every row's terms times their evidence. A value of 0 adds nothing. known[i] becomes whether row i
// has a term whose value is not 0. The same for any number of threads. O(entries x classes that have their terms + rows
// x classes).
template <typename Value>
void add_term_scores(const TermValueRows<Value>& rows, const TermEvidence& evidence, std::span<double> scores,
                     std::span<bool> known, ThreadPool& pool);

// The same for some rows, the scores beginning with those of the first.
template <typename Value>
void score_rows(const TermValueRows<Value>& rows, const TermEvidence& evidence, std::span<double> scores,
                std::span<bool> known);

}  // namespace hedgerow

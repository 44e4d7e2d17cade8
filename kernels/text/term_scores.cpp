#include "text/term_scores.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace hedgerow {
namespace {

// Adds the terms of a row; `hits` counts those that each class has, unless it is empty. Returns how many terms count.
template <typename Value>
std::int64_t add_row_scores(const TermValueRows<Value>& rows, std::size_t row, const TermEvidence& evidence, double* to,
                            std::span<std::int64_t> hits) {
  constexpr std::int64_t AHEAD = 8;  // terms whose evidence is on its way
  const auto& [starts, classes, sums] = evidence.class_evidence;
  const auto n_classes = evidence.level.size();
  double total = 0, heights = 0;
  std::int64_t terms = 0;
  for (auto at = rows.starts[row]; at < rows.starts[row + 1]; ++at) {
    if (at + AHEAD < rows.starts[row + 1]) {
      __builtin_prefetch(&starts[rows.ids[at + AHEAD]]);
      if (2 * AHEAD <= rows.starts[row + 1] - at) __builtin_prefetch(&starts[rows.ids[at + 2 * AHEAD - 1]]);
      const auto coming = starts[rows.ids[at + AHEAD]];
      __builtin_prefetch(sums.data() + coming);
      __builtin_prefetch(classes.data() + coming);
    }
    const auto value = static_cast<double>(rows.values[at]);
    if (value == 0) continue;
    const auto term = rows.ids[at];
    ++terms;
    total += value;
    if (!evidence.height.empty()) heights += value * evidence.height[term];
    const auto first = starts[term], last = starts[term + 1];
    const double* from = sums.data() + first;
    if (static_cast<std::size_t>(last - first) == n_classes) {  // all classes have it, in their order
      for (std::size_t klass = 0; klass < n_classes; ++klass) to[klass] += value * from[klass];
    } else {
      for (auto i = first; i < last; ++i) to[classes[i]] += value * sums[i];
    }
    if (!hits.empty())
      for (auto i = first; i < last; ++i) ++hits[classes[i]];
  }
  for (std::size_t klass = 0; klass < n_classes; ++klass) to[klass] += total * evidence.level[klass];
  if (!evidence.height.empty())
    for (std::size_t klass = 0; klass < n_classes; ++klass) to[klass] += heights * evidence.slope[klass];
  return terms;
}

bool has_strict_class(const TermEvidence& evidence) {
  return std::any_of(evidence.strict.begin(), evidence.strict.end(), [](bool one) { return one; });
}

// Adds the terms of the rows [first, last); `hits` has room for the classes if one of them is strict.
template <typename Value>
void add_row_range_scores(const TermValueRows<Value>& rows, std::size_t first, std::size_t last,
                          const TermEvidence& evidence, std::span<double> scores, std::span<bool> known,
                          std::span<std::int64_t> hits) {
  const auto n_classes = evidence.level.size();
  for (auto row = first; row < last; ++row) {
    double* to = scores.data() + row * n_classes;
    std::fill(hits.begin(), hits.end(), 0);
    const auto terms = add_row_scores(rows, row, evidence, to, hits);
    known[row] = terms > 0;
    for (std::size_t klass = 0; klass < hits.size(); ++klass)
      if (evidence.strict[klass] && hits[klass] < terms) to[klass] = -std::numeric_limits<double>::infinity();
  }
}

}  // namespace

template <typename Value>
void score_rows(const TermValueRows<Value>& rows, const TermEvidence& evidence, std::span<double> scores,
                std::span<bool> known) {
  std::vector<std::int64_t> hits(has_strict_class(evidence) ? evidence.level.size() : 0);
  add_row_range_scores(rows, 0, rows.starts.size() - 1, evidence, scores, known, hits);
}

template <typename Value>
void add_term_scores(const TermValueRows<Value>& rows, const TermEvidence& evidence, std::span<double> scores,
                     std::span<bool> known, ThreadPool& pool) {
  constexpr std::size_t BLOCK = 256;  // rows
  const auto n_rows = rows.starts.size() - 1;
  const bool strict = has_strict_class(evidence);
  pool.parallel_for((n_rows + BLOCK - 1) / BLOCK, [&](std::size_t number, std::size_t) {
    std::vector<std::int64_t> hits(strict ? evidence.level.size() : 0);
    add_row_range_scores(rows, number * BLOCK, std::min(n_rows, (number + 1) * BLOCK), evidence, scores, known, hits);
  });
}

template void score_rows(const TermValueRows<double>&, const TermEvidence&, std::span<double>, std::span<bool>);
template void add_term_scores(const TermValueRows<double>&, const TermEvidence&, std::span<double>, std::span<bool>,
                              ThreadPool&);
template void add_term_scores(const TermValueRows<std::int32_t>&, const TermEvidence&, std::span<double>,
                              std::span<bool>, ThreadPool&);

}  // namespace hedgerow

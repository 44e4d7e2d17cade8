// Adding one column's evidence to the log score of every row and class: scores[(row, class)], row-major.
#pragma once

#include <cstdint>
#include <span>

namespace hedgerow {

// Nominal: add evidence[(level, class)]. A missing (-1) code adds nothing. Throws std::out_of_range for others.
void add_level_scores(std::span<const std::int32_t> code, std::span<const double> evidence, std::size_t classes,
                      std::span<double> scores);

// Normal: add log N(x; mean[class], deviation[class]). NaN adds nothing. The deviations are above 0. Values farther
// than 1e150 deviations from the mean count as that far, here and below, so that all scores are finite.
void add_normal_scores(std::span<const double> value, std::span<const double> mean, std::span<const double> deviation,
                       std::span<double> scores);

// Kernel density: add log sum_j share[(j, class)] N(x; point[j], width[class]). Far from all points the sum would
// underflow; it is then taken relative to its largest term, so that even there the nearer class has the larger score.
// NaN adds nothing. O(rows * points * classes).
void add_kernel_scores(std::span<const double> value, std::span<const double> point, std::span<const double> share,
                       std::span<const double> width, std::span<double> scores);

// From log scores to shares: subtract the best score of each row, or divide each row by its sum.
// A row whose best score is minus infinity stays as it is; returns whether there is one.
bool subtract_best(std::size_t classes, std::span<double> scores);
void divide_by_sum(std::size_t classes, std::span<double> scores);

}  // namespace hedgerow

// What a column of numbers is like.
//
// Problem: the weight of the numbers that are there and of the missing ones (NaN), their weighted mean, the sum of
// their squared deviations from it, the least and the largest. Answer: blocks of 512 rows, each by its own mean, are
// merged one after the other (Chan, Golub, LeVeque 1979), so that large means take no digits away. Where nothing is
// there, mean and squares are 0, the least is above the largest. Cost: one pass.
#pragma once

#include <limits>
#include <span>

namespace hedgerow {

struct NumberStatistics {
  double weight = 0, missing = 0, mean = 0, squares = 0;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

// `weight` is empty where every row counts 1.
NumberStatistics compute_number_statistics(std::span<const double> values, std::span<const double> weight);

// The figures of both.
NumberStatistics merge_statistics(const NumberStatistics& one, const NumberStatistics& other);

}  // namespace hedgerow

// What a column of numbers is like in each cluster.
//
// Problem: the weight of the numbers that are there (not NaN), their weighted mean and the sum of their squared
// deviations from it, of the rows of every cluster. Answer: sums carry what rounding lost of them, so that the order of
// the rows matters in no digit that is kept. Where nothing is there, all are 0. Cost: two passes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

struct ClusterStatistics {
  std::vector<double> known, means, squares;
};

// `weight` is empty where every row counts 1; codes are below `clusters`.
ClusterStatistics compute_cluster_statistics(std::span<const double> values, std::span<const std::int32_t> codes,
                                             std::span<const double> weight, std::size_t clusters);

}  // namespace hedgerow

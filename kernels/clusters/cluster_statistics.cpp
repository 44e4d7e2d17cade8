#include "clusters/cluster_statistics.hpp"

#include "clusters/kmeans_sums.hpp"

namespace hedgerow {

namespace {

struct CompensatedSums {
  double weight = 0, weight_compensation = 0, sum = 0, compensation = 0;
};

// Adds weight and weight times `of(value, code)` of the numbers that are there, by cluster.
template <bool Weighed, class Of>
std::vector<CompensatedSums> sum_by_cluster(std::span<const double> values, std::span<const std::int32_t> codes,
                                            std::span<const double> weight, std::size_t clusters, const Of& of) {
  std::vector<CompensatedSums> sums(clusters);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    if (x != x) continue;
    const auto code = static_cast<std::size_t>(codes[i]);
    const double w = Weighed ? weight[i] : 1.0;
    CompensatedSums& own = sums[code];
    if constexpr (Weighed)
      add_compensated(own.weight, own.weight_compensation, w);
    else
      own.weight += 1.0;
    add_compensated(own.sum, own.compensation, w * of(x, code));
  }
  for (CompensatedSums& own : sums) own.weight += own.weight_compensation, own.sum += own.compensation;
  return sums;
}

template <bool Weighed>
ClusterStatistics compute_statistics(std::span<const double> values, std::span<const std::int32_t> codes,
                                     std::span<const double> weight, std::size_t clusters) {
  ClusterStatistics out{std::vector<double>(clusters), std::vector<double>(clusters), std::vector<double>(clusters)};
  const auto first = sum_by_cluster<Weighed>(values, codes, weight, clusters, [](double x, std::size_t) { return x; });
  for (std::size_t c = 0; c < clusters; ++c) {
    out.known[c] = first[c].weight;
    out.means[c] = first[c].weight > 0 ? first[c].sum / first[c].weight : 0.0;
  }
  const auto second = sum_by_cluster<Weighed>(values, codes, weight, clusters, [&](double x, std::size_t code) {
    const double by = x - out.means[code];
    return by * by;
  });
  for (std::size_t c = 0; c < clusters; ++c) out.squares[c] = second[c].sum;
  return out;
}

}  // namespace

ClusterStatistics compute_cluster_statistics(std::span<const double> values, std::span<const std::int32_t> codes,
                                             std::span<const double> weight, std::size_t clusters) {
  return weight.empty() ? compute_statistics<false>(values, codes, weight, clusters)
                        : compute_statistics<true>(values, codes, weight, clusters);
}

}  // namespace hedgerow

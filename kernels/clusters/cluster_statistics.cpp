#include "clusters/cluster_statistics.hpp"

#include "clusters/kmeans_sums.hpp"

namespace hedgerow {

namespace {

struct Sum {
  double weight = 0, lost_weight = 0, sum = 0, lost = 0;
};

// Adds weight and weight times `of(value, code)` of the numbers that are there, by cluster.
template <bool Weighed, class Of>
std::vector<Sum> summed(std::span<const double> values, std::span<const std::int32_t> codes,
                        std::span<const double> weight, std::size_t clusters, const Of& of) {
  std::vector<Sum> sums(clusters);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    if (x != x) continue;
    const auto code = static_cast<std::size_t>(codes[i]);
    const double w = Weighed ? weight[i] : 1.0;
    Sum& own = sums[code];
    if constexpr (Weighed)
      add_kept(own.weight, own.lost_weight, w);
    else
      own.weight += 1.0;
    add_kept(own.sum, own.lost, w * of(x, code));
  }
  for (Sum& own : sums) own.weight += own.lost_weight, own.sum += own.lost;
  return sums;
}

template <bool Weighed>
ClusterFigures figures(std::span<const double> values, std::span<const std::int32_t> codes,
                       std::span<const double> weight, std::size_t clusters) {
  ClusterFigures out{std::vector<double>(clusters), std::vector<double>(clusters), std::vector<double>(clusters)};
  const auto first = summed<Weighed>(values, codes, weight, clusters, [](double x, std::size_t) { return x; });
  for (std::size_t c = 0; c < clusters; ++c) {
    out.known[c] = first[c].weight;
    out.means[c] = first[c].weight > 0 ? first[c].sum / first[c].weight : 0.0;
  }
  const auto second = summed<Weighed>(values, codes, weight, clusters, [&](double x, std::size_t code) {
    const double by = x - out.means[code];
    return by * by;
  });
  for (std::size_t c = 0; c < clusters; ++c) out.squares[c] = second[c].sum;
  return out;
}

}  // namespace

ClusterFigures cluster_figures(std::span<const double> values, std::span<const std::int32_t> codes,
                               std::span<const double> weight, std::size_t clusters) {
  return weight.empty() ? figures<false>(values, codes, weight, clusters)
                        : figures<true>(values, codes, weight, clusters);
}

}  // namespace hedgerow

#include "trees/value_groups.hpp"

#include <cmath>
#include <cstddef>

#include "core/target_avx2.hpp"

namespace hedgerow::trees {

namespace {

constexpr double kRounding = 1e-12;

// One comparison a pair and no branch, so that several are made at once.
HEDGEROW_AVX2_CLONES bool has_any_above(const double* purity, const double* info, std::size_t n, double ratio,
                                        double level) {
  long long above = 0;
  for (std::size_t i = 0; i < n; ++i) above |= purity[i] - ratio * info[i] >= level;
  return above != 0;
}

}  // namespace

bool has_pair_reaching_ratio(std::span<const double> purity, std::span<const double> info, double gained, double bits,
                             double ratio) {
  const double level = ratio * bits - gained;
  const double slack = kRounding * (std::fabs(gained) + std::fabs(ratio * bits));
  return has_any_above(purity.data(), info.data(), purity.size(), ratio, level - slack);
}

}  // namespace hedgerow::trees

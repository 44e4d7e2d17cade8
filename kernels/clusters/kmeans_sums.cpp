#include "clusters/kmeans_sums.hpp"

#include "core/target_avx2.hpp"

namespace hedgerow {

HEDGEROW_AVX2_CLONES void add_row_compensated(double* __restrict sum, double* __restrict compensation,
                                              const double* __restrict row, double factor, std::size_t n) {
  for (std::size_t d = 0; d < n; ++d) add_compensated(sum[d], compensation[d], factor * row[d]);
}

}  // namespace hedgerow

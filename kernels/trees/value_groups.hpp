// Which pairs of groups may be worth merging: the scan that C4.5's value groups spend their time in.
#pragma once

#include <span>

namespace hedgerow::trees {

// Whether (gained + purity[i]) / (bits + info[i]) of any i reaches `ratio`, or misses it by rounding only.
//   purity, info   of equal length; no -info[i] exceeds `bits`
bool has_pair_reaching_ratio(std::span<const double> purity, std::span<const double> info, double gained, double bits,
                             double ratio);

}  // namespace hedgerow::trees

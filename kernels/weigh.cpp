#include "weigh.hpp"

#include <algorithm>
#include <cmath>

namespace hedgerow {
namespace {

double length_of(std::span<const double> values, Norm norm) {
  double sum = 0;
  for (const auto value : values) sum += norm == Norm::L1 ? std::abs(value) : value * value;
  return norm == Norm::L1 ? sum : std::sqrt(sum);
}

}  // namespace

void weigh_rows(std::span<const std::int64_t> starts, std::span<const std::int32_t> ids, std::span<const double> scale,
                Norm norm, std::span<double> values, Crew& crew) {
  constexpr std::size_t BLOCK = 1024;  // rows
  const auto n_rows = starts.size() - 1;
  crew.share((n_rows + BLOCK - 1) / BLOCK, [&](std::size_t number, std::size_t) {
    for (auto row = number * BLOCK; row < std::min(n_rows, (number + 1) * BLOCK); ++row) {
      const auto first = static_cast<std::size_t>(starts[row]), last = static_cast<std::size_t>(starts[row + 1]);
      if (!scale.empty())
        for (auto i = first; i < last; ++i) values[i] *= scale[static_cast<std::size_t>(ids[i])];
      if (norm == Norm::NONE) continue;
      const auto own = values.subspan(first, last - first);
      if (const auto length = length_of(own, norm); length > 0)
        for (auto& value : own) value /= length;
    }
  });
}

}  // namespace hedgerow

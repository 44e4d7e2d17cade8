#include "items/pair_counts.hpp"

#include <algorithm>
#include <functional>

namespace hedgerow::items {
namespace {

constexpr std::uint32_t most_items = 1500;
constexpr std::size_t block = 1 << 16;  // codes that one job counts

}  // namespace

PairCounts::PairCounts(const RowList& rows, ThreadPool& crew) : n_items_(rows.n_items) {
  if (rows.n_items > most_items || rows.n_items < 2 || !rows.weights.empty()) return;
  const std::size_t size = std::size_t{n_items_} * (n_items_ + 1) / 2, jobs = (rows.codes.size() + block - 1) / block;
  if (size > 4 * rows.codes.size()) return;  // the table would cost more than the rows
  std::vector<std::vector<std::uint32_t>> own(crew.size());
  crew.parallel_for(jobs, [&](std::size_t job, std::size_t member) {
    auto& counts = own[member];
    if (counts.empty()) counts.assign(size, 0);
    const std::uint32_t* codes = rows.codes.data();
    const std::uint32_t mark = rows.n_items;
    const std::size_t end = std::min(rows.codes.size(), (job + 1) * block);
    for (std::size_t at = job * block; at < end; ++at) {
      if (codes[at] >= mark) continue;
      std::uint32_t* of_item = counts.data() + begin(codes[at]);
      for (std::size_t other = at + 1; codes[other] < mark; ++other) ++of_item[codes[other]];
    }
  });
  for (auto& counts : own) {
    if (counts.empty()) continue;
    if (counts_.empty())
      counts_.swap(counts);
    else
      std::transform(counts.begin(), counts.end(), counts_.begin(), counts_.begin(), std::plus<>());
  }
}

}  // namespace hedgerow::items

#include "items/pair_counts.hpp"

#include <algorithm>
#include <functional>

namespace hedgerow::items {
namespace {

constexpr std::uint32_t kMaxItems = 1500;
constexpr std::size_t kBlockCodes = 1 << 16;  // codes that one job counts

}  // namespace

PairCounts::PairCounts(const ItemRowList& rows, ThreadPool& pool) : n_items_(rows.n_items) {
  if (rows.n_items > kMaxItems || rows.n_items < 2 || !rows.weights.empty()) return;
  const std::size_t size = std::size_t{n_items_} * (n_items_ + 1) / 2,
                    jobs = (rows.codes.size() + kBlockCodes - 1) / kBlockCodes;
  if (size > 4 * rows.codes.size()) return;  // the table would cost more than the rows
  std::vector<std::vector<std::uint32_t>> thread_counts(pool.size());
  pool.parallel_for(jobs, [&](std::size_t job, std::size_t thread) {
    auto& counts = thread_counts[thread];
    if (counts.empty()) counts.assign(size, 0);
    const std::uint32_t* codes = rows.codes.data();
    const std::uint32_t mark = rows.n_items;
    const std::size_t end = std::min(rows.codes.size(), (job + 1) * kBlockCodes);
    for (std::size_t at = job * kBlockCodes; at < end; ++at) {
      if (codes[at] >= mark) continue;
      std::uint32_t* of_item = counts.data() + begin(codes[at]);
      for (std::size_t other = at + 1; codes[other] < mark; ++other) ++of_item[codes[other]];
    }
  });
  for (auto& counts : thread_counts) {
    if (counts.empty()) continue;
    if (counts_.empty())
      counts_.swap(counts);
    else
      std::transform(counts.begin(), counts.end(), counts_.begin(), counts_.begin(), std::plus<>());
  }
}

}  // namespace hedgerow::items

#include "items/set_counts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/bits.hpp"
#include "core/target_avx2.hpp"
#include "items/whole_weights.hpp"

namespace hedgerow::items {
namespace {

constexpr std::size_t block_rows = 4096, words = block_rows / kWordBits;

// a & b in out; whether there is any bit.
HEDGEROW_AVX2_CLONES bool intersect_block(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out) {
  std::uint64_t any = 0;
  for (std::size_t word = 0; word < words; ++word) any |= out[word] = a[word] & b[word];
  return any != 0;
}

// Sets in lexical order, each with sorted codes renamed to columns, and how many of them it shares with the one before.
struct CountingPlan {
  CountingPlan(std::size_t n_items, std::span<const std::int64_t> offsets, std::span<const std::int32_t> codes)
      : column(n_items, UINT32_MAX), sets(offsets.size() - 1), order(offsets.size() - 1) {
    for (std::size_t set = 0; set < sets.size(); ++set) {
      auto& items = sets[set];
      for (auto at = offsets[set]; at < offsets[set + 1]; ++at) {
        auto& number = column[static_cast<std::size_t>(codes[static_cast<std::size_t>(at)])];
        if (number == UINT32_MAX) number = columns++;
        items.push_back(number);
      }
      std::sort(items.begin(), items.end());
      items.erase(std::unique(items.begin(), items.end()), items.end());
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sets[a] < sets[b]; });
    const std::vector<std::uint32_t>* before = nullptr;
    for (const std::size_t set : order) {
      std::size_t same = 0;
      if (before)
        same = static_cast<std::size_t>(
            std::mismatch(before->begin(), before->end(), sets[set].begin(), sets[set].end()).first - before->begin());
      shared.push_back(same);
      before = &sets[set];
      longest = std::max(longest, sets[set].size());
    }
  }

  std::vector<std::uint32_t> column;  // by item; UINT32_MAX: in no set
  std::uint32_t columns = 0;
  std::vector<std::vector<std::uint32_t>> sets;
  std::vector<std::size_t> order, shared;
  std::size_t longest = 0;
};

class SetCounter {
 public:
  SetCounter(const ItemTable& table, const CountingPlan& plan, const TickWeights& ticks)
      : table_(table),
        plan_(plan),
        ticks_(ticks),
        bits_(plan.columns * words),
        rows_((plan.longest + 1) * words),
        counts_(plan.sets.size(), 0) {}

  const std::vector<Count>& counts() const { return counts_; }

  void add(std::size_t begin, std::size_t end) {
    std::fill(bits_.begin(), bits_.end(), 0);
    std::fill_n(rows_.begin(), words, 0);
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t word = (row - begin) / kWordBits;
      const std::uint64_t bit = std::uint64_t{1} << (row - begin) % kWordBits;
      rows_[word] |= bit;
      for (auto at = table_.offsets[row]; at < table_.offsets[row + 1]; ++at) {
        const std::uint32_t column = plan_.column[static_cast<std::size_t>(table_.codes[static_cast<std::size_t>(at)])];
        if (column != UINT32_MAX) bits_[column * words + word] |= bit;
      }
    }
    count(begin);
  }

 private:
  void count(std::size_t begin) {
    std::size_t filled = 0;        // items whose rows are known
    std::size_t empty = SIZE_MAX;  // with so many items there is no row
    for (std::size_t i = 0; i < plan_.order.size(); ++i) {
      const auto& items = plan_.sets[plan_.order[i]];
      filled = std::min(filled, plan_.shared[i]);
      if (empty > plan_.shared[i]) empty = SIZE_MAX;
      for (; empty == SIZE_MAX && filled < items.size(); ++filled) {
        const std::uint64_t* column = bits_.data() + items[filled] * words;
        if (!intersect_block(rows_.data() + filled * words, column, rows_.data() + (filled + 1) * words))
          empty = filled + 1;
      }
      if (empty == SIZE_MAX) counts_[plan_.order[i]] += weight(rows_.data() + items.size() * words, begin);
    }
  }

  Count weight(const std::uint64_t* rows, std::size_t begin) const {
    Count sum = 0;
    for (std::size_t word = 0; word < words; ++word) {
      if (ticks_.row_ticks().empty()) {
        sum += std::popcount(rows[word]);
        continue;
      }
      sum += sum_weights(rows[word], ticks_.row_ticks().data() + begin + word * kWordBits);
    }
    return sum;
  }

  const ItemTable& table_;
  const CountingPlan& plan_;
  const TickWeights& ticks_;
  std::vector<std::uint64_t> bits_, rows_;
  std::vector<Count> counts_;
};

}  // namespace

std::vector<double> count_sets(const ItemTable& table, std::span<const std::int64_t> set_offsets,
                               std::span<const std::int32_t> set_codes, ThreadPool& pool) {
  const CountingPlan plan(table.n_items, set_offsets, set_codes);
  const TickWeights ticks(table.weights);
  std::vector<SetCounter> counters;
  for (std::size_t thread = 0; thread < pool.size(); ++thread) counters.emplace_back(table, plan, ticks);
  const std::size_t rows = table.offsets.size() - 1, blocks = (rows + block_rows - 1) / block_rows;
  pool.parallel_for(blocks, [&](std::size_t block, std::size_t thread) {
    counters[thread].add(block * block_rows, std::min(rows, (block + 1) * block_rows));
  });
  std::vector<double> out(plan.sets.size());
  for (std::size_t set = 0; set < out.size(); ++set) {
    Count sum = 0;
    for (const SetCounter& counter : counters) sum += counter.counts()[set];
    out[set] = ticks.to_weight(sum);
  }
  return out;
}

}  // namespace hedgerow::items

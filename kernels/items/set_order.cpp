#include "items/set_order.hpp"

#include <algorithm>
#include <numeric>

#include "items/packed_keys.hpp"
#include "items/set_paths.hpp"

namespace hedgerow::items {
namespace {

class SetOrdering {
 public:
  SetOrdering(std::vector<SetPath>&& paths, std::span<const std::int32_t> codes, ThreadPool& pool)
      : paths_(std::move(paths)), codes_(codes), packing_(codes.size()), pool_(pool) {
    std::vector<std::uint32_t> by_code(codes.size());
    std::iota(by_code.begin(), by_code.end(), 0u);
    std::sort(by_code.begin(), by_code.end(), [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });
    ranks_.resize(codes.size());
    codes_by_rank_.resize(codes.size());
    for (std::uint32_t at = 0; at < by_code.size(); ++at) {
      ranks_[by_code[at]] = at;
      codes_by_rank_[at] = codes[by_code[at]];
    }
  }

  OrderedSets order_sets() {
    lay_out();
    if (packing_.is_mask()) {
      if (codes_.size() <= 64)
        order_by_mask<1>();
      else
        order_by_mask<2>();
    } else {
      order_by_rank();
    }
    return std::move(out_);
  }

 private:
  // Where the sets of each length of each walk begin among all of that length, and the room of the result.
  void lay_out() {
    std::size_t longest = 0;
    for (const SetPath& path : paths_)
      for (const SetStep& step : path.steps) longest = std::max<std::size_t>(longest, step.depth);
    set_counts_.assign(longest + 1, 0);
    begins_.resize(paths_.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      begins_[i] = set_counts_;
      for (const SetStep& step : paths_[i].steps) set_counts_[step.depth] += step.is_reported();
    }
    std::size_t n = 0, n_codes = 0;
    for (std::size_t length = 0; length < set_counts_.size(); ++length) {
      first_sets_.push_back(n);
      first_codes_.push_back(n_codes);
      n += set_counts_[length];
      n_codes += set_counts_[length] * length;
    }
    out_.offsets = UninitializedArray<std::int64_t>(n + 1);
    out_.codes = UninitializedArray<std::int32_t>(n_codes);
    out_.counts = UninitializedArray<std::int64_t>(n);
    out_.offsets[n] = static_cast<std::int64_t>(n_codes);
  }

  void release(SetPath& path) { path = {}; }

  template <std::size_t Words>
  void order_by_mask() {
    std::vector<UninitializedArray<PackedSet<Words>>> keys(set_counts_.size());
    for (std::size_t length = 0; length < keys.size(); ++length)
      keys[length] = UninitializedArray<PackedSet<Words>>(set_counts_[length]);
    pool_.parallel_for(paths_.size(), [&](std::size_t number, std::size_t) {
      MaskFollower masks(ranks_);
      masks.begin(paths_[number]);
      auto& next = begins_[number];
      for (const SetStep& step : paths_[number].steps) {
        masks.follow(step.item, step.depth);
        if (!step.is_reported()) continue;
        auto& to = keys[step.depth][next[step.depth]++];
        std::copy_n(masks.mask(step.depth).begin(), Words, to.key.begin());
        to.count = step.count;
      }
      release(paths_[number]);
    });
    sort_and_write(keys, [&](const PackedSet<Words>& one, std::size_t, std::int32_t* to) {
      for (std::size_t word = 0; word < Words; ++word) {
        for (std::uint64_t left = ~one.key[word]; left;) {
          const int at = std::countl_zero(left);
          *to++ = codes_by_rank_[word * 64 + static_cast<std::size_t>(at)];
          left &= ~(std::uint64_t{1} << (63 - at));
        }
      }
    });
  }

  // Room to sort in, of each thread.
  template <typename Keys>
  using SortBuffers = std::vector<Keys>;

  // Jobs are lengths.
  template <typename Keys, typename Unpack>
  void sort_and_write(std::vector<Keys>& keys, Unpack&& unpack) {
    SortBuffers<Keys> sort_buffers(pool_.size());
    pool_.parallel_for(keys.size(), [&](std::size_t length, std::size_t thread) {
      write_sorted(keys[length], length, sort_buffers[thread], unpack);
    });
  }

  template <std::size_t Words, typename Unpack>
  void write_sorted(UninitializedArray<PackedSet<Words>>& keys, std::size_t length,
                    UninitializedArray<PackedSet<Words>>& sort_buffer, Unpack&& unpack) {
    if (sort_buffer.size() < keys.size()) {
      sort_buffer = {};
      sort_buffer = UninitializedArray<PackedSet<Words>>(
          std::min(2 * keys.size(), *std::max_element(set_counts_.begin(), set_counts_.end())));
    }
    KeySort<Words>::sort({keys.begin(), keys.size()}, {sort_buffer.begin(), keys.size()});
    write(std::span(keys.begin(), keys.size()), length, unpack);
    keys = {};
  }

  template <typename Keys, typename Unpack>
  void write(const Keys& keys, std::size_t length, Unpack&& unpack) {
    std::size_t set = first_sets_[length], code = first_codes_[length];
    for (const auto& one : keys) {
      out_.offsets[set] = static_cast<std::int64_t>(code);
      out_.counts[set++] = one.count;
      unpack(one, length, out_.codes.begin() + code);
      code += length;
    }
  }

  // Lengths whose codes fit into one word, into two, and longer ones.
  void order_by_rank() {
    std::vector<UninitializedArray<PackedSet<1>>> short_keys(set_counts_.size());
    std::vector<UninitializedArray<PackedSet<2>>> keys(set_counts_.size());
    struct Long {
      std::vector<std::uint32_t> ranks;
      std::vector<Count> counts;
    };
    std::vector<Long> long_sets(set_counts_.size());
    for (std::size_t length = 0; length < set_counts_.size(); ++length) {
      const std::size_t words = packing_.words(length);
      if (words <= 1)
        short_keys[length] = UninitializedArray<PackedSet<1>>(set_counts_[length]);
      else if (words == 2)
        keys[length] = UninitializedArray<PackedSet<2>>(set_counts_[length]);
      else {
        long_sets[length].ranks.resize(set_counts_[length] * length);
        long_sets[length].counts.resize(set_counts_[length]);
      }
    }
    pool_.parallel_for(paths_.size(), [&](std::size_t number, std::size_t) {
      RankFollower follower(ranks_);
      follower.begin(paths_[number]);
      auto& next = begins_[number];
      for (const SetStep& step : paths_[number].steps) {
        follower.follow(step.item, step.depth);
        if (!step.is_reported()) continue;
        const std::size_t length = step.depth, at = next[length]++;
        const auto ranks = follower.ranks(step.depth);
        if (short_keys[length].size())
          short_keys[length][at] = {packed<1>(ranks), step.count};
        else if (keys[length].size())
          keys[length][at] = {packed<2>(ranks), step.count};
        else {
          std::copy(ranks.begin(), ranks.end(),
                    long_sets[length].ranks.begin() + static_cast<std::ptrdiff_t>(at * length));
          long_sets[length].counts[at] = step.count;
        }
      }
      release(paths_[number]);
    });
    const auto unpack = [&](const auto& one, std::size_t length, std::int32_t* to) {
      const std::size_t per_word = packing_.per_word();
      for (std::size_t i = 0; i < length; ++i) {
        const auto shift = static_cast<unsigned>(packing_.width) * (per_word - 1 - i % per_word);
        to[i] = codes_by_rank_[one.key[i / per_word] >> shift & ((std::uint64_t{1} << packing_.width) - 1)];
      }
    };
    SortBuffers<UninitializedArray<PackedSet<1>>> short_sort_buffers(pool_.size());
    SortBuffers<UninitializedArray<PackedSet<2>>> sort_buffers(pool_.size());
    pool_.parallel_for(set_counts_.size(), [&](std::size_t length, std::size_t thread) {
      write_sorted(short_keys[length], length, short_sort_buffers[thread], unpack);
      write_sorted(keys[length], length, sort_buffers[thread], unpack);
      write_long(long_sets[length].ranks, long_sets[length].counts, length);
      long_sets[length] = {};
    });
  }

  template <std::size_t Words>
  std::array<std::uint64_t, Words> packed(std::span<const std::uint32_t> ranks) const {
    std::array<std::uint64_t, Words> out{};
    const std::size_t per_word = packing_.per_word();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto shift = static_cast<unsigned>(packing_.width) * (per_word - 1 - i % per_word);
      out[i / per_word] |= static_cast<std::uint64_t>(ranks[i]) << shift;
    }
    return out;
  }

  void write_long(const std::vector<std::uint32_t>& ranks, const std::vector<Count>& counts, std::size_t length) {
    std::vector<std::uint32_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto set = [&](std::uint32_t number) { return std::span(ranks).subspan(number * length, length); };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(set(a).begin(), set(a).end(), set(b).begin(), set(b).end());
    });
    std::size_t at = first_sets_[length], code = first_codes_[length];
    for (const std::uint32_t number : order) {
      out_.offsets[at] = static_cast<std::int64_t>(code);
      out_.counts[at++] = counts[number];
      for (const std::uint32_t rank : set(number)) out_.codes[code++] = codes_by_rank_[rank];
    }
  }

  std::vector<SetPath> paths_;
  std::span<const std::int32_t> codes_;
  KeyPacking packing_;
  ThreadPool& pool_;
  std::vector<std::uint32_t> ranks_;         // by item of a step: its place in the order of codes
  std::vector<std::int32_t> codes_by_rank_;  // by rank
  std::vector<std::size_t> set_counts_, first_sets_, first_codes_;  // by length
  std::vector<std::vector<std::size_t>> begins_;                    // by walk and length
  OrderedSets out_;
};

}  // namespace

OrderedSets order_sets(std::vector<SetPath>&& paths, std::span<const std::int32_t> codes, ThreadPool& pool) {
  return SetOrdering(std::move(paths), codes, pool).order_sets();
}

}  // namespace hedgerow::items

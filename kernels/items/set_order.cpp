#include "items/set_order.hpp"

#include <algorithm>
#include <numeric>

#include "items/packed_keys.hpp"
#include "items/set_paths.hpp"

namespace hedgerow::items {
namespace {

class Ordering {
 public:
  Ordering(std::vector<Walk>&& walks, std::span<const std::int32_t> codes, ThreadPool& crew)
      : walks_(std::move(walks)), codes_(codes), packing_(codes.size()), crew_(crew) {
    std::vector<std::uint32_t> by_code(codes.size());
    std::iota(by_code.begin(), by_code.end(), 0u);
    std::sort(by_code.begin(), by_code.end(), [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });
    rank_.resize(codes.size());
    code_.resize(codes.size());
    for (std::uint32_t at = 0; at < by_code.size(); ++at) {
      rank_[by_code[at]] = at;
      code_[at] = codes[by_code[at]];
    }
  }

  Sets result() {
    measure();
    if (packing_.is_mask()) {
      if (codes_.size() <= 64)
        by_mask<1>();
      else
        by_mask<2>();
    } else {
      by_rank();
    }
    return std::move(out_);
  }

 private:
  // Where the sets of each length of each walk begin among all of that length, and the room of the result.
  void measure() {
    std::size_t longest = 0;
    for (const Walk& walk : walks_)
      for (const Step& step : walk.steps) longest = std::max<std::size_t>(longest, step.depth);
    number_.assign(longest + 1, 0);
    begins_.resize(walks_.size());
    for (std::size_t i = 0; i < walks_.size(); ++i) {
      begins_[i] = number_;
      for (const Step& step : walks_[i].steps) number_[step.depth] += step.is_told();
    }
    std::size_t n = 0, n_codes = 0;
    for (std::size_t length = 0; length < number_.size(); ++length) {
      first_.push_back(n);
      first_code_.push_back(n_codes);
      n += number_[length];
      n_codes += number_[length] * length;
    }
    out_.offsets = Room<std::int64_t>(n + 1);
    out_.codes = Room<std::int32_t>(n_codes);
    out_.counts = Room<std::int64_t>(n);
    out_.offsets[n] = static_cast<std::int64_t>(n_codes);
  }

  void release(Walk& walk) { walk = {}; }

  template <std::size_t Words>
  void by_mask() {
    std::vector<Room<Keyed<Words>>> keys(number_.size());
    for (std::size_t length = 0; length < keys.size(); ++length) keys[length] = Room<Keyed<Words>>(number_[length]);
    crew_.parallel_for(walks_.size(), [&](std::size_t number, std::size_t) {
      Masks masks(rank_);
      masks.begin(walks_[number]);
      auto& next = begins_[number];
      for (const Step& step : walks_[number].steps) {
        masks.follow(step.item, step.depth);
        if (!step.is_told()) continue;
        auto& to = keys[step.depth][next[step.depth]++];
        std::copy_n(masks.mask(step.depth).begin(), Words, to.key.begin());
        to.count = step.count;
      }
      release(walks_[number]);
    });
    finish(keys, [&](const Keyed<Words>& one, std::size_t, std::int32_t* to) {
      for (std::size_t word = 0; word < Words; ++word) {
        for (std::uint64_t left = ~one.key[word]; left;) {
          const int at = std::countl_zero(left);
          *to++ = code_[word * 64 + static_cast<std::size_t>(at)];
          left &= ~(std::uint64_t{1} << (63 - at));
        }
      }
    });
  }

  // Room to sort in, of each member of the crew.
  template <typename Keys>
  using Spares = std::vector<Keys>;

  // Jobs are lengths.
  template <typename Keys, typename Unpack>
  void finish(std::vector<Keys>& keys, Unpack&& unpack) {
    Spares<Keys> spares(crew_.size());
    crew_.parallel_for(keys.size(), [&](std::size_t length, std::size_t member) {
      write_sorted(keys[length], length, spares[member], unpack);
    });
  }

  template <std::size_t Words, typename Unpack>
  void write_sorted(Room<Keyed<Words>>& keys, std::size_t length, Room<Keyed<Words>>& spare, Unpack&& unpack) {
    if (spare.size() < keys.size()) {
      spare = {};
      spare = Room<Keyed<Words>>(std::min(2 * keys.size(), *std::max_element(number_.begin(), number_.end())));
    }
    KeySort<Words>::sort({keys.begin(), keys.size()}, {spare.begin(), keys.size()});
    write(std::span(keys.begin(), keys.size()), length, unpack);
    keys = {};
  }

  template <typename Keys, typename Unpack>
  void write(const Keys& keys, std::size_t length, Unpack&& unpack) {
    std::size_t set = first_[length], code = first_code_[length];
    for (const auto& one : keys) {
      out_.offsets[set] = static_cast<std::int64_t>(code);
      out_.counts[set++] = one.count;
      unpack(one, length, out_.codes.begin() + code);
      code += length;
    }
  }

  // Lengths whose codes fit into one word, into two, and longer ones.
  void by_rank() {
    std::vector<Room<Keyed<1>>> short_keys(number_.size());
    std::vector<Room<Keyed<2>>> keys(number_.size());
    struct Long {
      std::vector<std::uint32_t> ranks;
      std::vector<Count> counts;
    };
    std::vector<Long> long_sets(number_.size());
    for (std::size_t length = 0; length < number_.size(); ++length) {
      const std::size_t words = packing_.words(length);
      if (words <= 1)
        short_keys[length] = Room<Keyed<1>>(number_[length]);
      else if (words == 2)
        keys[length] = Room<Keyed<2>>(number_[length]);
      else {
        long_sets[length].ranks.resize(number_[length] * length);
        long_sets[length].counts.resize(number_[length]);
      }
    }
    crew_.parallel_for(walks_.size(), [&](std::size_t number, std::size_t) {
      Follower follower(rank_);
      follower.begin(walks_[number]);
      auto& next = begins_[number];
      for (const Step& step : walks_[number].steps) {
        follower.follow(step.item, step.depth);
        if (!step.is_told()) continue;
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
      release(walks_[number]);
    });
    const auto unpack = [&](const auto& one, std::size_t length, std::int32_t* to) {
      const std::size_t per_word = packing_.per_word();
      for (std::size_t i = 0; i < length; ++i) {
        const auto shift = static_cast<unsigned>(packing_.width) * (per_word - 1 - i % per_word);
        to[i] = code_[one.key[i / per_word] >> shift & ((std::uint64_t{1} << packing_.width) - 1)];
      }
    };
    Spares<Room<Keyed<1>>> short_spares(crew_.size());
    Spares<Room<Keyed<2>>> spares(crew_.size());
    crew_.parallel_for(number_.size(), [&](std::size_t length, std::size_t member) {
      write_sorted(short_keys[length], length, short_spares[member], unpack);
      write_sorted(keys[length], length, spares[member], unpack);
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
    std::size_t at = first_[length], code = first_code_[length];
    for (const std::uint32_t number : order) {
      out_.offsets[at] = static_cast<std::int64_t>(code);
      out_.counts[at++] = counts[number];
      for (const std::uint32_t rank : set(number)) out_.codes[code++] = code_[rank];
    }
  }

  std::vector<Walk> walks_;
  std::span<const std::int32_t> codes_;
  Packing packing_;
  ThreadPool& crew_;
  std::vector<std::uint32_t> rank_;                       // by item of a step: its place in the order of codes
  std::vector<std::int32_t> code_;                        // by rank
  std::vector<std::size_t> number_, first_, first_code_;  // by length
  std::vector<std::vector<std::size_t>> begins_;          // by walk and length
  Sets out_;
};

}  // namespace

Sets in_order(std::vector<Walk>&& walks, std::span<const std::int32_t> codes, ThreadPool& crew) {
  return Ordering(std::move(walks), codes, crew).result();
}

}  // namespace hedgerow::items

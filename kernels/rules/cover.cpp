#include "rules/cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/splitmix.hpp"

namespace hedgerow::rules {
namespace {

// The rows of a stratum. The keys are spread evenly, so that the one at which to part is to be found in a narrow
// window; only what falls into it is sorted.
struct StratumSplit {
  std::size_t size = 0, n_lowest = 0;
  std::uint64_t low = 0, high = 0;
  std::vector<std::uint64_t> window;
  std::uint64_t end = 0;  // keys below are the lowest

  void expect_window(std::size_t folds) {
    n_lowest = (2 * size + folds) / (2 * folds);  // rounded
    const double span = 18446744073709551616.0, n = std::max<double>(1, static_cast<double>(size));
    const double middle = static_cast<double>(n_lowest) / n, width = 6 * std::sqrt(middle * (1 - middle) / n) + 2 / n;
    low = middle - width <= 0 ? 0 : static_cast<std::uint64_t>((middle - width) * span);
    high = middle + width >= 1 ? ~0ull : static_cast<std::uint64_t>((middle + width) * span);
  }

  void use_all_keys() {
    low = 0, high = ~0ull;
    window.clear();
  }

  void add_key(std::uint64_t key) {
    if (key - low <= high - low) window.push_back(key);  // one comparison: lower keys wrap around
  }

  // Whether the place to part was in the window; `below` keys are lower.
  bool find_end(std::size_t below) {
    if (n_lowest >= size) {
      end = ~0ull;
      return true;
    }
    if (below > n_lowest || n_lowest - below >= window.size()) return false;
    const auto index = window.begin() + static_cast<std::ptrdiff_t>(n_lowest - below);
    std::nth_element(window.begin(), index, window.end());
    end = *index;
    return true;
  }
};

// Counts by stratum, in turns of four: an addition need not wait for the one before.
class StratumCounts {
 public:
  explicit StratumCounts(std::size_t n_strata) : counts_(n_strata) {}

  void add(std::int32_t stratum, std::size_t turn, bool more) {
    counts_[static_cast<std::size_t>(stratum)][turn % 4] += more;
  }

  std::size_t count_of(std::size_t stratum) const {
    return std::accumulate(counts_[stratum].begin(), counts_[stratum].end(), std::size_t{0});
  }

 private:
  std::vector<std::array<std::size_t, 4>> counts_;
};

// Calls use(length, rows) with the rows that pass the first 0, 1, 2, ... conditions, a few thousand rows at a time, so
// that they stay at hand.
template <typename Use>
void for_each_prefix(const RuleColumns& columns, std::span<const Condition> rule, std::span<const std::uint32_t> rows,
                     Use&& use) {
  std::array<std::uint32_t, 4096> passing;
  for (std::size_t begin = 0; begin < rows.size(); begin += passing.size()) {
    std::span<const std::uint32_t> remaining = rows.subspan(begin, std::min(passing.size(), rows.size() - begin));
    use(std::size_t{0}, remaining);
    for (std::size_t length = 0; length < rule.size() && !remaining.empty(); ++length) {
      std::size_t kept = 0;
      with_test(columns, rule[length], [&](auto&& passes) {
        for (const std::uint32_t row : remaining) {
          passing[kept] = row;
          kept += passes(row);
        }
      });
      remaining = std::span(passing).first(kept);
      use(length + 1, remaining);
    }
  }
}

}  // namespace

std::vector<std::uint32_t> find_covered(const RuleColumns& columns, std::span<const Condition> rule,
                                        std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> out;
  for_each_prefix(columns, rule, rows, [&](std::size_t length, std::span<const std::uint32_t> remaining) {
    if (length == rule.size()) out.insert(out.end(), remaining.begin(), remaining.end());
  });
  return out;
}

std::vector<std::uint32_t> count_passed_conditions(const RuleColumns& columns, std::span<const Condition> rule,
                                                   std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> out(rows.size(), 0);
  std::uint32_t number = 0;
  for (const Condition& condition : rule) {
    with_test(columns, condition, [&](auto&& passes) {
      for (std::size_t at = 0; at < rows.size(); ++at) out[at] += out[at] == number && passes(rows[at]);
    });
    ++number;
  }
  return out;
}

std::vector<std::uint32_t> subtract_rows(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> removed) {
  std::vector<std::uint32_t> remaining(rows.size() + 1);
  std::size_t kept = 0;
  auto next = removed.begin();
  for (const std::uint32_t row : rows) {
    while (next != removed.end() && *next < row) ++next;
    remaining[kept] = row;
    kept += next == removed.end() || *next != row;
  }
  remaining.resize(kept);
  return remaining;
}

std::vector<ClassWeights> weigh_prefixes(const RuleColumns& columns, std::span<const Condition> rule,
                                         std::span<const std::uint32_t> rows, std::span<const std::uint8_t> positive,
                                         std::span<const double> weight) {
  std::vector<ClassWeights> out(rule.size() + 1);
  for_each_prefix(columns, rule, rows, [&](std::size_t length, std::span<const std::uint32_t> remaining) {
    add_class_weights(out[length], remaining, positive, weight, [](std::uint32_t) { return true; });
  });
  return out;
}

GrowPruneSplit split_by_strata(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> keys,
                               std::span<const std::int32_t> strata, std::size_t n_strata, std::size_t folds,
                               std::uint64_t seed) {
  std::vector<StratumSplit> strata_splits(n_strata);
  StratumCounts sizes(n_strata), below(n_strata);
  for (std::size_t at = 0; at < rows.size(); ++at) sizes.add(strata[rows[at]], at, true);
  for (std::size_t number = 0; number < n_strata; ++number) {
    strata_splits[number].size = sizes.count_of(number);
    strata_splits[number].expect_window(folds);
  }
  std::vector<std::uint64_t> mixed_keys(rows.size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::int32_t stratum = strata[rows[at]];
    StratumSplit& stratum_split = strata_splits[static_cast<std::size_t>(stratum)];
    mixed_keys[at] = mix_bits(keys[rows[at]] ^ seed);
    below.add(stratum, at, mixed_keys[at] < stratum_split.low);
    stratum_split.add_key(mixed_keys[at]);
  }
  for (std::size_t number = 0; number < n_strata; ++number) {
    if (strata_splits[number].find_end(below.count_of(number))) continue;
    strata_splits[number].use_all_keys();
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (strata[rows[at]] == static_cast<std::int32_t>(number)) strata_splits[number].add_key(mixed_keys[at]);
    }
    strata_splits[number].find_end(0);
  }
  std::vector<std::uint64_t> ends(n_strata);
  for (std::size_t number = 0; number < n_strata; ++number) ends[number] = strata_splits[number].end;
  GrowPruneSplit out{std::vector<std::uint32_t>(rows.size() + 1), std::vector<std::uint32_t>(rows.size() + 1)};
  std::size_t others = 0, lowest = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const bool low = mixed_keys[at] < ends[static_cast<std::size_t>(strata[rows[at]])];
    out.prune[lowest] = rows[at];
    out.grow[others] = rows[at];
    lowest += low;
    others += !low;
  }
  out.prune.resize(lowest);
  out.grow.resize(others);
  return out;
}

}  // namespace hedgerow::rules

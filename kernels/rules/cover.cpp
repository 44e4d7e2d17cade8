#include "rules/cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/splitmix.hpp"

namespace hedgerow::rules {
namespace {

// The cards of a stratum. The keys are spread evenly, so that the one at which to part is to be found in a narrow
// window; only what falls into it is sorted.
struct Deck {
  std::size_t size = 0, wanted = 0;
  std::uint64_t low = 0, high = 0;
  std::vector<std::uint64_t> window;
  std::uint64_t end = 0;  // keys below are the lowest

  void expect(std::size_t folds) {
    wanted = (2 * size + folds) / (2 * folds);  // rounded
    const double span = 18446744073709551616.0, n = std::max<double>(1, static_cast<double>(size));
    const double middle = static_cast<double>(wanted) / n, width = 6 * std::sqrt(middle * (1 - middle) / n) + 2 / n;
    low = middle - width <= 0 ? 0 : static_cast<std::uint64_t>((middle - width) * span);
    high = middle + width >= 1 ? ~0ull : static_cast<std::uint64_t>((middle + width) * span);
  }

  void expect_all() {
    low = 0, high = ~0ull;
    window.clear();
  }

  void see(std::uint64_t key) {
    if (key - low <= high - low) window.push_back(key);  // one comparison: lower keys wrap around
  }

  // Whether the place to part was in the window; `below` keys are lower.
  bool settle(std::size_t below) {
    if (wanted >= size) {
      end = ~0ull;
      return true;
    }
    if (below > wanted || wanted - below >= window.size()) return false;
    const auto place = window.begin() + static_cast<std::ptrdiff_t>(wanted - below);
    std::nth_element(window.begin(), place, window.end());
    end = *place;
    return true;
  }
};

// Counts by stratum, in turns of four: an addition need not wait for the one before.
class Tally {
 public:
  explicit Tally(std::size_t n_strata) : counts_(n_strata) {}

  void add(std::int32_t stratum, std::size_t turn, bool more) {
    counts_[static_cast<std::size_t>(stratum)][turn % 4] += more;
  }

  std::size_t of(std::size_t stratum) const {
    return std::accumulate(counts_[stratum].begin(), counts_[stratum].end(), std::size_t{0});
  }

 private:
  std::vector<std::array<std::size_t, 4>> counts_;
};

// Calls use(length, rows) with the rows that pass the first 0, 1, 2, ... conditions, a few thousand rows at a time, so
// that they stay at hand.
template <typename Use>
void narrow(const RuleColumns& columns, std::span<const Condition> rule, std::span<const std::uint32_t> rows,
            Use&& use) {
  std::array<std::uint32_t, 4096> passing;
  for (std::size_t begin = 0; begin < rows.size(); begin += passing.size()) {
    std::span<const std::uint32_t> left = rows.subspan(begin, std::min(passing.size(), rows.size() - begin));
    use(std::size_t{0}, left);
    for (std::size_t length = 0; length < rule.size() && !left.empty(); ++length) {
      std::size_t kept = 0;
      with_test(columns, rule[length], [&](auto&& passes) {
        for (const std::uint32_t row : left) {
          passing[kept] = row;
          kept += passes(row);
        }
      });
      left = std::span(passing).first(kept);
      use(length + 1, left);
    }
  }
}

}  // namespace

std::vector<std::uint32_t> covered(const RuleColumns& columns, std::span<const Condition> rule,
                                   std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> out;
  narrow(columns, rule, rows, [&](std::size_t length, std::span<const std::uint32_t> left) {
    if (length == rule.size()) out.insert(out.end(), left.begin(), left.end());
  });
  return out;
}

std::vector<std::uint32_t> passed(const RuleColumns& columns, std::span<const Condition> rule,
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

std::vector<std::uint32_t> without(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> gone) {
  std::vector<std::uint32_t> left(rows.size() + 1);
  std::size_t kept = 0;
  auto next = gone.begin();
  for (const std::uint32_t row : rows) {
    while (next != gone.end() && *next < row) ++next;
    left[kept] = row;
    kept += next == gone.end() || *next != row;
  }
  left.resize(kept);
  return left;
}

std::vector<Weight> weights_by_length(const RuleColumns& columns, std::span<const Condition> rule,
                                      std::span<const std::uint32_t> rows, std::span<const std::uint8_t> positive,
                                      std::span<const double> weight) {
  std::vector<Weight> out(rule.size() + 1);
  narrow(columns, rule, rows, [&](std::size_t length, std::span<const std::uint32_t> left) {
    weigh(out[length], left, positive, weight, [](std::uint32_t) { return true; });
  });
  return out;
}

Dealt dealt(std::span<const std::uint32_t> cards, std::span<const std::uint64_t> keys,
            std::span<const std::int32_t> strata, std::size_t n_strata, std::size_t folds, std::uint64_t seed) {
  std::vector<Deck> decks(n_strata);
  Tally sizes(n_strata), below(n_strata);
  for (std::size_t at = 0; at < cards.size(); ++at) sizes.add(strata[cards[at]], at, true);
  for (std::size_t number = 0; number < n_strata; ++number) {
    decks[number].size = sizes.of(number);
    decks[number].expect(folds);
  }
  std::vector<std::uint64_t> mixes(cards.size());
  for (std::size_t at = 0; at < cards.size(); ++at) {
    const std::int32_t stratum = strata[cards[at]];
    Deck& deck = decks[static_cast<std::size_t>(stratum)];
    mixes[at] = mix_bits(keys[cards[at]] ^ seed);
    below.add(stratum, at, mixes[at] < deck.low);
    deck.see(mixes[at]);
  }
  for (std::size_t number = 0; number < n_strata; ++number) {
    if (decks[number].settle(below.of(number))) continue;
    decks[number].expect_all();
    for (std::size_t at = 0; at < cards.size(); ++at) {
      if (strata[cards[at]] == static_cast<std::int32_t>(number)) decks[number].see(mixes[at]);
    }
    decks[number].settle(0);
  }
  std::vector<std::uint64_t> ends(n_strata);
  for (std::size_t number = 0; number < n_strata; ++number) ends[number] = decks[number].end;
  Dealt out{std::vector<std::uint32_t>(cards.size() + 1), std::vector<std::uint32_t>(cards.size() + 1)};
  std::size_t others = 0, lowest = 0;
  for (std::size_t at = 0; at < cards.size(); ++at) {
    const bool low = mixes[at] < ends[static_cast<std::size_t>(strata[cards[at]])];
    out.lowest[lowest] = cards[at];
    out.others[others] = cards[at];
    lowest += low;
    others += !low;
  }
  out.lowest.resize(lowest);
  out.others.resize(others);
  return out;
}

}  // namespace hedgerow::rules

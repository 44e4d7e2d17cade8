#include "trees/cost_complexity.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/decimals.hpp"

namespace hedgerow::trees {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDigits = 12;

// A node made a leaf: at which price, and how that changed the risk and the number of leaves.
struct Cut {
  double price;
  std::int32_t node;
  double risk;
  std::int64_t leaves;
};

// The dearest cut is on top of a heap, of equal ones the first node's.
bool below(const Cut& a, const Cut& b) { return a.price != b.price ? a.price < b.price : a.node > b.node; }

using Heap = std::vector<Cut>;

void push(Heap& heap, const Cut& cut) {
  heap.push_back(cut);
  std::push_heap(heap.begin(), heap.end(), below);
}

// All cuts of some heaps in the largest of them, which are left empty: so each cut moves O(log) times.
Heap merged(std::span<Heap> heaps) {
  auto& largest = *std::max_element(heaps.begin(), heaps.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
  Heap out = std::exchange(largest, {});
  for (auto& heap : heaps)
    for (const auto& cut : std::exchange(heap, {})) push(out, cut);
  return out;
}

double price_of(double saved, std::int64_t leaves, double nothing) {
  const double each = saved / static_cast<double>(leaves - 1);
  return each > nothing ? round_significant(each, kDigits) : 0.0;
}

}  // namespace

std::vector<double> leaf_prices(std::span<const std::int32_t> first, std::span<const std::int32_t> counts,
                                std::span<const double> risk, double nothing) {
  std::vector<double> prices(risk.size(), -kInfinity);
  std::vector<Heap> cuts(risk.size());
  for (std::size_t node = risk.size(); node-- > 0;) {
    if (!counts[node]) continue;
    const auto start = static_cast<std::size_t>(first[node]), n = static_cast<std::size_t>(counts[node]);
    Heap made = merged(std::span(cuts).subspan(start, n));
    double held = 0;
    for (const double child : risk.subspan(start, n)) held += child;
    double saved = risk[node] - held, price;
    auto leaves = static_cast<std::int64_t>(n);
    while (price = price_of(saved, leaves, nothing), !made.empty() && made.front().price > price) {
      const Cut undone = made.front();
      std::pop_heap(made.begin(), made.end(), below);
      made.pop_back();
      prices[static_cast<std::size_t>(undone.node)] = kInfinity;
      saved += undone.risk;
      leaves += undone.leaves;
    }
    prices[node] = price;
    push(made, {price, static_cast<std::int32_t>(node), saved, leaves - 1});
    cuts[node] = std::move(made);
  }
  return prices;
}

std::vector<double> least_above(std::span<const std::int32_t> parent, std::span<const double> value) {
  std::vector<double> least(value.size(), kInfinity);
  for (std::size_t node = 1; node < value.size(); ++node) {
    const auto above = static_cast<std::size_t>(parent[node]);
    least[node] = std::min(least[above], value[above]);
  }
  return least;
}

}  // namespace hedgerow::trees

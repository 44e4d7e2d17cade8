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
struct LeafCut {
  double alpha;
  std::int32_t node;
  double risk;
  std::int64_t leaves;
};

// The dearest cut is on top of a heap, of equal ones the first node's.
bool is_cheaper(const LeafCut& a, const LeafCut& b) { return a.alpha != b.alpha ? a.alpha < b.alpha : a.node > b.node; }

using Heap = std::vector<LeafCut>;

void push_cut(Heap& heap, const LeafCut& cut) {
  heap.push_back(cut);
  std::push_heap(heap.begin(), heap.end(), is_cheaper);
}

// All cuts of some heaps in the largest of them, which are left empty: so each cut moves O(log) times.
Heap merge_heaps(std::span<Heap> heaps) {
  auto& largest = *std::max_element(heaps.begin(), heaps.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
  Heap out = std::exchange(largest, {});
  for (auto& heap : heaps)
    for (const auto& cut : std::exchange(heap, {})) push_cut(out, cut);
  return out;
}

double compute_alpha(double saved, std::int64_t leaves, double rounding) {
  const double each = saved / static_cast<double>(leaves - 1);
  return each > rounding ? round_significant(each, kDigits) : 0.0;
}

}  // namespace

std::vector<double> compute_effective_alphas(std::span<const std::int32_t> first, std::span<const std::int32_t> counts,
                                             std::span<const double> risk, double rounding) {
  std::vector<double> alphas(risk.size(), -kInfinity);
  std::vector<Heap> cuts(risk.size());
  for (std::size_t node = risk.size(); node-- > 0;) {
    if (!counts[node]) continue;
    const auto start = static_cast<std::size_t>(first[node]), n = static_cast<std::size_t>(counts[node]);
    Heap made = merge_heaps(std::span(cuts).subspan(start, n));
    double held = 0;
    for (const double child : risk.subspan(start, n)) held += child;
    double saved = risk[node] - held, alpha;
    auto leaves = static_cast<std::int64_t>(n);
    while (alpha = compute_alpha(saved, leaves, rounding), !made.empty() && made.front().alpha > alpha) {
      const LeafCut undone_cut = made.front();
      std::pop_heap(made.begin(), made.end(), is_cheaper);
      made.pop_back();
      alphas[static_cast<std::size_t>(undone_cut.node)] = kInfinity;
      saved += undone_cut.risk;
      leaves += undone_cut.leaves;
    }
    alphas[node] = alpha;
    push_cut(made, {alpha, static_cast<std::int32_t>(node), saved, leaves - 1});
    cuts[node] = std::move(made);
  }
  return alphas;
}

std::vector<double> min_over_ancestors(std::span<const std::int32_t> parent, std::span<const double> value) {
  std::vector<double> minima(value.size(), kInfinity);
  for (std::size_t node = 1; node < value.size(); ++node) {
    const auto above = static_cast<std::size_t>(parent[node]);
    minima[node] = std::min(minima[above], value[above]);
  }
  return minima;
}

}  // namespace hedgerow::trees

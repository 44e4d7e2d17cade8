#include "neighbors/search_tree.hpp"

#include <cmath>
#include <memory>
#include <numeric>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

using Lanes = double __attribute__((vector_size(32)));
using Loose = double __attribute__((vector_size(32), aligned(8), may_alias));
using Ints = std::int32_t __attribute__((vector_size(16), aligned(4), may_alias));
using Longs = std::int64_t __attribute__((vector_size(32)));

// Vectors are handed on by reference: how they are returned would depend on the machine.
[[gnu::always_inline]] inline const Loose& lanes(const double* from) { return *reinterpret_cast<const Loose*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Lanes& from) { *reinterpret_cast<Loose*>(to) = from; }

template <bool Squares>
[[gnu::always_inline]] inline void measure(Lanes& apart) {
  if constexpr (Squares)
    apart *= apart;
  else
    apart = apart < 0.0 ? -apart : apart;
}

// Adds the distance of four numbers, or the gap where one is missing.
template <bool Squares>
[[gnu::always_inline]] inline void add_numbers(Lanes& sum, double own, double gap, bool has_gaps, const double* at) {
  const Lanes apart = own - lanes(at);
  Lanes far = apart;
  measure<Squares>(far);
  if (has_gaps)
    sum += apart == apart ? far : Lanes{} + gap;
  else
    sum += far;
}

// Adds the step where four codes differ.
[[gnu::always_inline]] inline void add_codes(Lanes& sum, std::int32_t own, double step, const std::int32_t* at) {
  const Longs codes = __builtin_convertvector(*reinterpret_cast<const Ints*>(at), Longs);
  sum += codes == std::int64_t{own} ? Lanes{} : Lanes{} + step;
}

// Adds the distance to four sides, no more than the caps if there are any.
template <bool Squares>
[[gnu::always_inline]] inline void add_sides(Lanes& sum, double own, const double* low, const double* high,
                                             const double* caps) {
  const Lanes under = lanes(low) - own, over = own - lanes(high);
  Lanes apart = under > over ? under : over;
  apart = apart > 0.0 ? apart : Lanes{};
  measure<Squares>(apart);
  if (caps) apart = apart < lanes(caps) ? apart : lanes(caps);
  sum += apart;
}

// Adds the distance to four centers, no more than the caps if there are any; the gap where a center has no number.
template <bool Squares>
[[gnu::always_inline]] inline void add_centers(Lanes& sum, double own, double gap, const double* centers,
                                               const double* caps) {
  const Lanes apart = own - lanes(centers);
  Lanes far = apart;
  measure<Squares>(far);
  if (caps) far = far < lanes(caps) ? far : lanes(caps);
  sum += apart == apart ? far : Lanes{} + gap;
}

// Adds the step where a code is outside of four ranges.
[[gnu::always_inline]] inline void add_ranges(Lanes& sum, std::int32_t own, double step, const std::int32_t* least,
                                              const std::int32_t* most) {
  const Longs from = __builtin_convertvector(*reinterpret_cast<const Ints*>(least), Longs);
  const Longs to = __builtin_convertvector(*reinterpret_cast<const Ints*>(most), Longs);
  sum += (from <= std::int64_t{own}) & (to >= std::int64_t{own}) ? Lanes{} : Lanes{} + step;
}

template <bool Squares>
[[gnu::always_inline]] inline void distances_in(const SearchTree& tree, std::size_t block, const MixedRow& query,
                                                double* distances) {
  const auto& shape = tree.shape;
  const auto& distance = tree.distance;
  const std::size_t room = shape.room, count = static_cast<std::size_t>(tree.counts[block]);
  const double* own = tree.numbers.data() + block * shape.numbers * room;
  const std::int32_t* own_codes = tree.codes.data() + block * shape.codes * room;
  const bool has_gaps = !tree.caps.empty();
  for (std::size_t i = 0; i < count; i += 8) {
    Lanes one{}, other{};
    for (std::size_t d = 0; d < shape.numbers; ++d) {
      const double q = query.numbers[d], gap = distance.missing_distances[d];
      const double* at = own + d * room + i;
      if (q == q) {
        add_numbers<Squares>(one, q, gap, has_gaps, at);
        add_numbers<Squares>(other, q, gap, has_gaps, at + 4);
      } else {
        one += gap, other += gap;
      }
    }
    for (std::size_t c = 0; c < shape.codes; ++c) {
      const double step = distance.mismatch_distances[c];
      const std::int32_t* at = own_codes + c * room + i;
      if (query.codes[c] >= 0) {
        add_codes(one, query.codes[c], step, at);
        add_codes(other, query.codes[c], step, at + 4);
      } else {
        one += step, other += step;
      }
    }
    store(distances + i, one);
    store(distances + i + 4, other);
  }
}

template <bool Squares, bool Balls>
[[gnu::always_inline]] inline void bounds_of(const SearchTree& tree, std::size_t node, const MixedRow& query,
                                             double* bounds) {
  const auto& shape = tree.shape;
  const auto& distance = tree.distance;
  const double* low = tree.low.data() + node * shape.numbers * tree_fan;
  const double* high = Balls ? nullptr : tree.high.data() + node * shape.numbers * tree_fan;
  const double* caps = tree.caps.empty() ? nullptr : tree.caps.data() + node * shape.numbers * tree_fan;
  const std::int32_t* least = tree.least.data() + node * shape.codes * tree_fan;
  const std::int32_t* most = Balls ? least : tree.most.data() + node * shape.codes * tree_fan;
  for (std::size_t half = 0; half < tree_fan; half += 4) {
    Lanes sum{};
    for (std::size_t d = 0; d < shape.numbers; ++d) {
      const double q = query.numbers[d];
      const std::size_t at = d * tree_fan + half;
      if (!(q == q))
        sum += distance.missing_distances[d];
      else if constexpr (Balls)
        add_centers<Squares>(sum, q, distance.missing_distances[d], low + at, caps ? caps + at : nullptr);
      else
        add_sides<Squares>(sum, q, low + at, high + at, caps ? caps + at : nullptr);
    }
    for (std::size_t c = 0; c < shape.codes; ++c) {
      const std::size_t at = c * tree_fan + half;
      if (query.codes[c] >= 0)
        add_ranges(sum, query.codes[c], distance.mismatch_distances[c], least + at, most + at);
      else
        sum += distance.mismatch_distances[c];
    }
    store(bounds + half, sum);
  }
  if constexpr (Balls) {
    // Sums of n parts err by n units of the last place at most, roots and differences by some more.
    const double margin = static_cast<double>(shape.numbers + shape.codes + 16) * 0x1p-52;
    for (std::size_t child = 0; child < tree_fan; ++child) {
      const double radius = tree.radii[node * tree_fan + child];
      const double center = Squares ? std::sqrt(bounds[child]) : bounds[child];
      const double nearest = center * (1 - margin) - radius * (1 + margin);
      bounds[child] = nearest > 0 ? (Squares ? nearest * nearest : nearest) * (1 - margin) : 0.0;
    }
  }
}

// Where the way to the nearest child ends.
std::size_t home_of(const SearchTree& tree, const MixedRow& query) {
  alignas(64) double bounds[tree_fan];
  for (std::size_t node = 0;;) {
    tree_bounds(tree, node, query, bounds);
    const auto* children = tree.children.data() + node * tree_fan;
    std::size_t best = 0;
    for (std::size_t child = 1; child < tree_fan; ++child)
      if (children[child] != no_child && bounds[child] < bounds[best]) best = child;
    if (children[best] < no_child) return static_cast<std::size_t>(-2 - children[best]);
    if (children[best] == no_child) return 0;
    node = static_cast<std::size_t>(children[best]);
  }
}

}  // namespace

HEDGEROW_AVX2_CLONES void block_distances(const SearchTree& tree, std::size_t block, const MixedRow& query,
                                          double* distances) {
  if (tree.distance.squared)
    distances_in<true>(tree, block, query, distances);
  else
    distances_in<false>(tree, block, query, distances);
}

HEDGEROW_AVX2_CLONES void tree_bounds(const SearchTree& tree, std::size_t node, const MixedRow& query, double* bounds) {
  if (tree.shape.balls) {
    if (tree.distance.squared)
      bounds_of<true, true>(tree, node, query, bounds);
    else
      bounds_of<false, true>(tree, node, query, bounds);
  } else if (tree.distance.squared) {
    bounds_of<true, false>(tree, node, query, bounds);
  } else {
    bounds_of<false, false>(tree, node, query, bounds);
  }
}

std::vector<std::int32_t> order_by_block(const SearchTree& tree, const MixedRows& queries, ThreadPool& crew) {
  std::vector<std::int32_t> order(queries.size), home(queries.size);
  std::iota(order.begin(), order.end(), 0);
  if (queries.size < 128 || tree.blocks() < 2) return order;
  std::vector<std::unique_ptr<MixedRowReader>> readers(crew.size());
  constexpr std::size_t many = 1024;
  crew.parallel_for((queries.size + many - 1) / many, [&](std::size_t job, std::size_t member) {
    if (!readers[member]) readers[member] = std::make_unique<MixedRowReader>(queries);
    for (auto query = job * many; query < std::min(queries.size, (job + 1) * many); ++query)
      home[query] = static_cast<std::int32_t>(home_of(tree, (*readers[member])(query)));
  });
  std::vector<std::int32_t> starts(tree.blocks() + 1);
  for (const auto block : home) ++starts[static_cast<std::size_t>(block) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::size_t query = 0; query < queries.size; ++query)
    order[static_cast<std::size_t>(starts[static_cast<std::size_t>(home[query])]++)] = static_cast<std::int32_t>(query);
  return order;
}

double share_compared(const SearchTree& tree, std::size_t k, std::size_t queries) {
  if (!tree.shape.rows) return 0;
  FewNearest nearest(std::min(k, tree.shape.rows));
  std::vector<double> numbers(tree.shape.numbers);
  std::vector<std::int32_t> codes(tree.shape.codes);
  std::size_t compared = 0;
  for (std::size_t query = 0; query < queries; ++query) {
    const std::size_t block = query * tree.blocks() / queries;
    for (std::size_t d = 0; d < numbers.size(); ++d)
      numbers[d] = tree.numbers[(block * numbers.size() + d) * tree.shape.room];
    for (std::size_t c = 0; c < codes.size(); ++c) codes[c] = tree.codes[(block * codes.size() + c) * tree.shape.room];
    nearest.clear();
    TreeSearch search(tree, nearest);
    search.search({numbers.data(), codes.data()});
    compared += search.compared();
  }
  return static_cast<double>(compared) / static_cast<double>(queries) / static_cast<double>(tree.shape.rows);
}

}  // namespace hedgerow

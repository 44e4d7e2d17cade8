#include "neighbors/search_tree.hpp"

#include <cmath>
#include <memory>
#include <numeric>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

using Lanes = double __attribute__((vector_size(32)));
using UnalignedLanes = double __attribute__((vector_size(32), aligned(8), may_alias));
using Int32Lanes = std::int32_t __attribute__((vector_size(16), aligned(4), may_alias));
using Int64Lanes = std::int64_t __attribute__((vector_size(32)));

// Vectors are handed on by reference: how they are returned would depend on the machine.
[[gnu::always_inline]] inline const UnalignedLanes& load_lanes(const double* from) {
  return *reinterpret_cast<const UnalignedLanes*>(from);
}
[[gnu::always_inline]] inline void store(double* to, const Lanes& from) {
  *reinterpret_cast<UnalignedLanes*>(to) = from;
}

template <bool Squares>
[[gnu::always_inline]] inline void apply_metric(Lanes& difference) {
  if constexpr (Squares)
    difference *= difference;
  else
    difference = difference < 0.0 ? -difference : difference;
}

// Adds the distance of four numbers, or the gap where one is missing.
template <bool Squares>
[[gnu::always_inline]] inline void add_numbers(Lanes& sum, double own, double missing_distance, bool has_gaps,
                                               const double* at) {
  const Lanes difference = own - load_lanes(at);
  Lanes far = difference;
  apply_metric<Squares>(far);
  if (has_gaps)
    sum += difference == difference ? far : Lanes{} + missing_distance;
  else
    sum += far;
}

// Adds the step where four codes differ.
[[gnu::always_inline]] inline void add_codes(Lanes& sum, std::int32_t own, double mismatch_distance,
                                             const std::int32_t* at) {
  const Int64Lanes codes = __builtin_convertvector(*reinterpret_cast<const Int32Lanes*>(at), Int64Lanes);
  sum += codes == std::int64_t{own} ? Lanes{} : Lanes{} + mismatch_distance;
}

// Adds the distance to four sides, no more than the caps if there are any.
template <bool Squares>
[[gnu::always_inline]] inline void add_sides(Lanes& sum, double own, const double* low, const double* high,
                                             const double* caps) {
  const Lanes under = load_lanes(low) - own, over = own - load_lanes(high);
  Lanes difference = under > over ? under : over;
  difference = difference > 0.0 ? difference : Lanes{};
  apply_metric<Squares>(difference);
  if (caps) difference = difference < load_lanes(caps) ? difference : load_lanes(caps);
  sum += difference;
}

// Adds the distance to four centers, no more than the caps if there are any; the gap where a center has no number.
template <bool Squares>
[[gnu::always_inline]] inline void add_centers(Lanes& sum, double own, double missing_distance, const double* centers,
                                               const double* caps) {
  const Lanes difference = own - load_lanes(centers);
  Lanes far = difference;
  apply_metric<Squares>(far);
  if (caps) far = far < load_lanes(caps) ? far : load_lanes(caps);
  sum += difference == difference ? far : Lanes{} + missing_distance;
}

// Adds the step where a code is outside of four ranges.
[[gnu::always_inline]] inline void add_ranges(Lanes& sum, std::int32_t own, double mismatch_distance,
                                              const std::int32_t* minimum, const std::int32_t* maximum) {
  const Int64Lanes from = __builtin_convertvector(*reinterpret_cast<const Int32Lanes*>(minimum), Int64Lanes);
  const Int64Lanes to = __builtin_convertvector(*reinterpret_cast<const Int32Lanes*>(maximum), Int64Lanes);
  sum += (from <= std::int64_t{own}) & (to >= std::int64_t{own}) ? Lanes{} : Lanes{} + mismatch_distance;
}

template <bool Squares>
[[gnu::always_inline]] inline void compute_block_distances(const SearchTree& tree, std::size_t block,
                                                           const MixedRow& query, double* distances) {
  const auto& shape = tree.shape;
  const auto& distance = tree.distance;
  const std::size_t capacity = shape.block_capacity, count = static_cast<std::size_t>(tree.counts[block]);
  const double* own = tree.numbers.data() + block * shape.numbers * capacity;
  const std::int32_t* own_codes = tree.codes.data() + block * shape.codes * capacity;
  const bool has_gaps = !tree.caps.empty();
  for (std::size_t i = 0; i < count; i += 8) {
    Lanes one{}, other{};
    for (std::size_t d = 0; d < shape.numbers; ++d) {
      const double q = query.numbers[d], missing_distance = distance.missing_distances[d];
      const double* at = own + d * capacity + i;
      if (q == q) {
        add_numbers<Squares>(one, q, missing_distance, has_gaps, at);
        add_numbers<Squares>(other, q, missing_distance, has_gaps, at + 4);
      } else {
        one += missing_distance, other += missing_distance;
      }
    }
    for (std::size_t c = 0; c < shape.codes; ++c) {
      const double mismatch_distance = distance.mismatch_distances[c];
      const std::int32_t* at = own_codes + c * capacity + i;
      if (query.codes[c] >= 0) {
        add_codes(one, query.codes[c], mismatch_distance, at);
        add_codes(other, query.codes[c], mismatch_distance, at + 4);
      } else {
        one += mismatch_distance, other += mismatch_distance;
      }
    }
    store(distances + i, one);
    store(distances + i + 4, other);
  }
}

template <bool Squares, bool Balls>
[[gnu::always_inline]] inline void compute_child_bounds(const SearchTree& tree, std::size_t node, const MixedRow& query,
                                                        double* bounds) {
  const auto& shape = tree.shape;
  const auto& distance = tree.distance;
  const double* low = tree.low.data() + node * shape.numbers * kTreeFan;
  const double* high = Balls ? nullptr : tree.high.data() + node * shape.numbers * kTreeFan;
  const double* caps = tree.caps.empty() ? nullptr : tree.caps.data() + node * shape.numbers * kTreeFan;
  const std::int32_t* minimum = tree.min_codes.data() + node * shape.codes * kTreeFan;
  const std::int32_t* maximum = Balls ? minimum : tree.max_codes.data() + node * shape.codes * kTreeFan;
  for (std::size_t half = 0; half < kTreeFan; half += 4) {
    Lanes sum{};
    for (std::size_t d = 0; d < shape.numbers; ++d) {
      const double q = query.numbers[d];
      const std::size_t at = d * kTreeFan + half;
      if (!(q == q))
        sum += distance.missing_distances[d];
      else if constexpr (Balls)
        add_centers<Squares>(sum, q, distance.missing_distances[d], low + at, caps ? caps + at : nullptr);
      else
        add_sides<Squares>(sum, q, low + at, high + at, caps ? caps + at : nullptr);
    }
    for (std::size_t c = 0; c < shape.codes; ++c) {
      const std::size_t at = c * kTreeFan + half;
      if (query.codes[c] >= 0)
        add_ranges(sum, query.codes[c], distance.mismatch_distances[c], minimum + at, maximum + at);
      else
        sum += distance.mismatch_distances[c];
    }
    store(bounds + half, sum);
  }
  if constexpr (Balls) {
    // Sums of n parts err by n units of the last place at most, roots and differences by some more.
    const double margin = static_cast<double>(shape.numbers + shape.codes + 16) * 0x1p-52;
    for (std::size_t child = 0; child < kTreeFan; ++child) {
      const double radius = tree.radii[node * kTreeFan + child];
      const double center = Squares ? std::sqrt(bounds[child]) : bounds[child];
      const double nearest = center * (1 - margin) - radius * (1 + margin);
      bounds[child] = nearest > 0 ? (Squares ? nearest * nearest : nearest) * (1 - margin) : 0.0;
    }
  }
}

// Where the way to the nearest child ends.
std::size_t find_home_block(const SearchTree& tree, const MixedRow& query) {
  alignas(64) double bounds[kTreeFan];
  for (std::size_t node = 0;;) {
    fill_child_bounds(tree, node, query, bounds);
    const auto* children = tree.children.data() + node * kTreeFan;
    std::size_t best = 0;
    for (std::size_t child = 1; child < kTreeFan; ++child)
      if (children[child] != kNoTreeChild && bounds[child] < bounds[best]) best = child;
    if (children[best] < kNoTreeChild) return static_cast<std::size_t>(-2 - children[best]);
    if (children[best] == kNoTreeChild) return 0;
    node = static_cast<std::size_t>(children[best]);
  }
}

}  // namespace

HEDGEROW_AVX2_CLONES void fill_block_distances(const SearchTree& tree, std::size_t block, const MixedRow& query,
                                               double* distances) {
  if (tree.distance.squared)
    compute_block_distances<true>(tree, block, query, distances);
  else
    compute_block_distances<false>(tree, block, query, distances);
}

HEDGEROW_AVX2_CLONES void fill_child_bounds(const SearchTree& tree, std::size_t node, const MixedRow& query,
                                            double* bounds) {
  if (tree.shape.balls) {
    if (tree.distance.squared)
      compute_child_bounds<true, true>(tree, node, query, bounds);
    else
      compute_child_bounds<false, true>(tree, node, query, bounds);
  } else if (tree.distance.squared) {
    compute_child_bounds<true, false>(tree, node, query, bounds);
  } else {
    compute_child_bounds<false, false>(tree, node, query, bounds);
  }
}

std::vector<std::int32_t> order_queries_by_block(const SearchTree& tree, const MixedRows& queries, ThreadPool& pool) {
  std::vector<std::int32_t> order(queries.size), home_blocks(queries.size);
  std::iota(order.begin(), order.end(), 0);
  if (queries.size < 128 || tree.blocks() < 2) return order;
  std::vector<std::unique_ptr<MixedRowReader>> readers(pool.size());
  constexpr std::size_t many = 1024;
  pool.parallel_for((queries.size + many - 1) / many, [&](std::size_t job, std::size_t thread) {
    if (!readers[thread]) readers[thread] = std::make_unique<MixedRowReader>(queries);
    for (auto query = job * many; query < std::min(queries.size, (job + 1) * many); ++query)
      home_blocks[query] = static_cast<std::int32_t>(find_home_block(tree, (*readers[thread])(query)));
  });
  std::vector<std::int32_t> starts(tree.blocks() + 1);
  for (const auto block : home_blocks) ++starts[static_cast<std::size_t>(block) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::size_t query = 0; query < queries.size; ++query)
    order[static_cast<std::size_t>(starts[static_cast<std::size_t>(home_blocks[query])]++)] =
        static_cast<std::int32_t>(query);
  return order;
}

double compute_compared_share(const SearchTree& tree, std::size_t k, std::size_t queries) {
  if (!tree.shape.rows) return 0;
  NearestHeap nearest(std::min(k, tree.shape.rows));
  std::vector<double> numbers(tree.shape.numbers);
  std::vector<std::int32_t> codes(tree.shape.codes);
  std::size_t compared = 0;
  for (std::size_t query = 0; query < queries; ++query) {
    const std::size_t block = query * tree.blocks() / queries;
    for (std::size_t d = 0; d < numbers.size(); ++d)
      numbers[d] = tree.numbers[(block * numbers.size() + d) * tree.shape.block_capacity];
    for (std::size_t c = 0; c < codes.size(); ++c)
      codes[c] = tree.codes[(block * codes.size() + c) * tree.shape.block_capacity];
    nearest.clear();
    TreeSearch search(tree, nearest);
    search.search({numbers.data(), codes.data()});
    compared += search.compared();
  }
  return static_cast<double>(compared) / static_cast<double>(queries) / static_cast<double>(tree.shape.rows);
}

}  // namespace hedgerow

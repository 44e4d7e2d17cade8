// A search tree and mixed rows as Python holds them: arrays, checked whenever they come back.
#pragma once

#include <algorithm>
#include <cmath>

#include "bind/bind.hpp"
#include "neighbors/search_tree.hpp"

namespace bind {

// Column by column: numbers and codes.
using MixedArrays = std::tuple<In2<double>, In2<std::int32_t>>;
// Whether differences are squared, what a missing number adds by column, and what another code adds.
using DistanceArrays = std::tuple<bool, In<double>, In<double>>;
// Whether regions are balls, rows, rows of a leaf, the distance, then what SearchTree has.
using TreeArrays = std::tuple<bool, std::size_t, std::size_t, DistanceArrays, In<std::int32_t>, In<std::int32_t>,
                              In<std::int32_t>, In<double>, In<std::int32_t>, In<std::int32_t>, In<std::int32_t>,
                              In<double>, In<double>, In<double>, In<std::int32_t>, In<std::int32_t>, In<double>>;

inline hedgerow::MixedRows make_mixed_rows(const MixedArrays& given) {
  const auto& [numbers, codes] = given;
  check_same_length(codes.shape(1), numbers.shape(1), "numbers and codes differ in rows");
  if (numbers.shape(1) > 0x7fffffff) throw nb::value_error("there are too many rows");
  for (const double value : as_span(numbers))
    if (std::isinf(value)) throw nb::value_error("a number is infinite");
  return {as_span(numbers), as_span(codes), numbers.shape(1), numbers.shape(0), codes.shape(0)};
}

inline hedgerow::MixedDistance make_mixed_distance(const DistanceArrays& given, std::size_t numbers,
                                                   std::size_t codes) {
  const auto& [squares, missing_distances, mismatch_distances] = given;
  check_same_length(missing_distances.size(), numbers, "gaps and numeric columns differ in length");
  check_same_length(mismatch_distances.size(), codes, "steps and nominal columns differ in length");
  for (const auto& some : {missing_distances, mismatch_distances})
    for (const double value : as_span(some))
      if (!(value >= 0 && std::isfinite(value))) throw nb::value_error("a gap or step is negative or not finite");
  return {squares, as_span(missing_distances), as_span(mismatch_distances)};
}

inline void check_same_columns(const hedgerow::MixedRows& rows, std::size_t numbers, std::size_t codes) {
  check_same_length(rows.n_numbers, numbers, "queries and rows differ in numeric columns");
  check_same_length(rows.n_codes, codes, "queries and rows differ in nominal columns");
}

inline void check_leaf(std::size_t leaf) {
  if (leaf < 1 || leaf > hedgerow::kMaxLeafRows) throw nb::value_error("a leaf must hold 1 to 256 rows");
}

inline hedgerow::SearchTree make_search_tree(const TreeArrays& arrays) {
  const auto& [balls, rows, leaf, distance_arrays, order, counts, depths, numbers, codes, children, first, low, high,
               caps, minimum, maximum, radii] = arrays;
  const auto& [squares, missing_distances, mismatch_distances] = distance_arrays;
  if (rows > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_leaf(leaf);
  const hedgerow::SearchTreeShape shape{
      balls, rows, missing_distances.size(), mismatch_distances.size(), leaf, (leaf + 7) / 8 * 8};
  const auto blocks = counts.size(), nodes = children.size() / hedgerow::kTreeFan, fan = hedgerow::kTreeFan;
  check_same_length(nodes * fan, children.size(), "the nodes of a tree are of another size");
  if (!nodes) throw nb::value_error("a tree has no nodes");
  check_same_length(first.size(), nodes * fan, "the nodes of a tree are of another size");
  check_same_length(depths.size(), blocks, "the blocks of a tree differ in length");
  check_same_length(order.size(), blocks * shape.block_capacity, "order and blocks differ in length");
  check_same_length(numbers.size(), blocks * shape.block_capacity * shape.numbers,
                    "the numbers of a tree are of another size");
  check_same_length(codes.size(), blocks * shape.block_capacity * shape.codes,
                    "the codes of a tree are of another size");
  check_same_length(low.size(), nodes * fan * shape.numbers, "the boxes of a tree are of another size");
  check_same_length(high.size(), balls ? 0 : low.size(), "the boxes of a tree are of another size");
  if (caps.size())
    check_same_length(caps.size(), std::max<std::size_t>(1, low.size()), "the caps of a tree are of another size");
  check_same_length(minimum.size(), nodes * fan * shape.codes, "the levels of a tree are of another size");
  check_same_length(maximum.size(), balls ? 0 : minimum.size(), "the levels of a tree are of another size");
  check_same_length(radii.size(), balls ? nodes * fan : 0, "the radii of a tree are of another size");
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto count = as_span(counts)[block];
    if (count < 0 || static_cast<std::size_t>(count) > leaf) throw nb::value_error("a block of a tree is too full");
    check_below(as_span(order).subspan(block * shape.block_capacity, static_cast<std::size_t>(count)), rows,
                "a row of a tree is not below their number");
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::int64_t child = as_span(children)[i], block = -2 - child;
    if (child >= 0 ? child <= static_cast<std::int64_t>(i / fan) || child >= static_cast<std::int64_t>(nodes)
                   : block >= static_cast<std::int64_t>(blocks))
      throw nb::value_error("a child of a tree is not there");
  }
  return {shape,
          make_mixed_distance(distance_arrays, shape.numbers, shape.codes),
          as_span(order),
          as_span(counts),
          as_span(depths),
          as_span(numbers),
          as_span(codes),
          as_span(children),
          as_span(first),
          as_span(low),
          as_span(high),
          as_span(caps),
          as_span(minimum),
          as_span(maximum),
          as_span(radii)};
}

}  // namespace bind

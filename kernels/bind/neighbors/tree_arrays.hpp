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

inline hedgerow::MixedRows mixed_rows_of(const MixedArrays& given) {
  const auto& [numbers, codes] = given;
  same_length(codes.shape(1), numbers.shape(1), "numbers and codes differ in rows");
  if (numbers.shape(1) > 0x7fffffff) throw nb::value_error("there are too many rows");
  for (const double value : span(numbers))
    if (std::isinf(value)) throw nb::value_error("a number is infinite");
  return {span(numbers), span(codes), numbers.shape(1), numbers.shape(0), codes.shape(0)};
}

inline hedgerow::MixedDistance mixed_distance_of(const DistanceArrays& given, std::size_t numbers, std::size_t codes) {
  const auto& [squares, gaps, steps] = given;
  same_length(gaps.size(), numbers, "gaps and numeric columns differ in length");
  same_length(steps.size(), codes, "steps and nominal columns differ in length");
  for (const auto& some : {gaps, steps})
    for (const double value : span(some))
      if (!(value >= 0 && std::isfinite(value))) throw nb::value_error("a gap or step is negative or not finite");
  return {squares, span(gaps), span(steps)};
}

inline void check_same_columns(const hedgerow::MixedRows& rows, std::size_t numbers, std::size_t codes) {
  same_length(rows.n_numbers, numbers, "queries and rows differ in numeric columns");
  same_length(rows.n_codes, codes, "queries and rows differ in nominal columns");
}

inline void check_leaf(std::size_t leaf) {
  if (leaf < 1 || leaf > hedgerow::kMaxLeafRows) throw nb::value_error("a leaf must hold 1 to 256 rows");
}

inline hedgerow::SearchTree tree_of(const TreeArrays& arrays) {
  const auto& [balls, rows, leaf, apart, order, counts, depths, numbers, codes, children, first, low, high, caps, least,
               most, radii] = arrays;
  const auto& [squares, gaps, steps] = apart;
  if (rows > 0x7fffffff) throw nb::value_error("there are too many rows");
  check_leaf(leaf);
  const hedgerow::SearchTreeShape shape{balls, rows, gaps.size(), steps.size(), leaf, (leaf + 7) / 8 * 8};
  const auto blocks = counts.size(), nodes = children.size() / hedgerow::kTreeFan, fan = hedgerow::kTreeFan;
  same_length(nodes * fan, children.size(), "the nodes of a tree are of another size");
  if (!nodes) throw nb::value_error("a tree has no nodes");
  same_length(first.size(), nodes * fan, "the nodes of a tree are of another size");
  same_length(depths.size(), blocks, "the blocks of a tree differ in length");
  same_length(order.size(), blocks * shape.block_capacity, "order and blocks differ in length");
  same_length(numbers.size(), blocks * shape.block_capacity * shape.numbers,
              "the numbers of a tree are of another size");
  same_length(codes.size(), blocks * shape.block_capacity * shape.codes, "the codes of a tree are of another size");
  same_length(low.size(), nodes * fan * shape.numbers, "the boxes of a tree are of another size");
  same_length(high.size(), balls ? 0 : low.size(), "the boxes of a tree are of another size");
  if (caps.size())
    same_length(caps.size(), std::max<std::size_t>(1, low.size()), "the caps of a tree are of another size");
  same_length(least.size(), nodes * fan * shape.codes, "the levels of a tree are of another size");
  same_length(most.size(), balls ? 0 : least.size(), "the levels of a tree are of another size");
  same_length(radii.size(), balls ? nodes * fan : 0, "the radii of a tree are of another size");
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto count = span(counts)[block];
    if (count < 0 || static_cast<std::size_t>(count) > leaf) throw nb::value_error("a block of a tree is too full");
    check_below(span(order).subspan(block * shape.block_capacity, static_cast<std::size_t>(count)), rows,
                "a row of a tree is not below their number");
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::int64_t child = span(children)[i], block = -2 - child;
    if (child >= 0 ? child <= static_cast<std::int64_t>(i / fan) || child >= static_cast<std::int64_t>(nodes)
                   : block >= static_cast<std::int64_t>(blocks))
      throw nb::value_error("a child of a tree is not there");
  }
  return {shape,        mixed_distance_of(apart, shape.numbers, shape.codes),
          span(order),  span(counts),
          span(depths), span(numbers),
          span(codes),  span(children),
          span(first),  span(low),
          span(high),   span(caps),
          span(least),  span(most),
          span(radii)};
}

}  // namespace bind

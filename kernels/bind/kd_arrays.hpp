// A kD-tree as Python holds it: the arrays that kd_build made, checked whenever they come back.
#pragma once

#include <algorithm>
#include <cmath>

#include "bind.hpp"
#include "kd_tree.hpp"

namespace bind {

// Rows and nominal columns, then what KdTree has.
using KdArrays = std::tuple<std::size_t, std::size_t, In<double>, In<std::int32_t>, In<double>, In<std::int32_t>,
                            In<double>, In<double>, In<double>, In<std::int32_t>, In<std::int32_t>, In<std::int32_t>>;

inline hedgerow::KdTree kd_tree_of(const KdArrays& arrays) {
  const auto& [rows, n_codes, gaps, order, numbers, codes, low, high, caps, least, most, first] = arrays;
  if (rows > 0x7fffffff || n_codes > 0x7fffffff) throw nb::value_error("there are too many rows");
  const auto shape = hedgerow::KdShape::of(rows, gaps.size(), n_codes);
  const auto cells = shape.blocks() * shape.room, sides = shape.nodes * hedgerow::kd_fan;
  same_length(order.size(), rows, "order and rows differ in length");
  same_length(numbers.size(), cells * shape.numbers, "the numbers of a tree are of another size");
  same_length(codes.size(), cells * shape.codes, "the codes of a tree are of another size");
  same_length(low.size(), sides * shape.numbers, "the boxes of a tree are of another size");
  same_length(high.size(), sides * shape.numbers, "the boxes of a tree are of another size");
  if (caps.size()) same_length(caps.size(), std::max<std::size_t>(1, low.size()), "the caps of a tree are of another size");
  same_length(least.size(), sides * shape.codes, "the levels of a tree are of another size");
  same_length(most.size(), sides * shape.codes, "the levels of a tree are of another size");
  same_length(first.size(), sides, "the nodes of a tree are of another size");
  check_below(span(order), rows, "a row of a tree is not below their number");
  return {shape,     span(gaps), span(order), span(numbers), span(codes), span(low),
          span(high), span(caps), span(least), span(most),    span(first)};
}

inline hedgerow::KdQueries kd_queries_of(const hedgerow::KdTree& tree, const In2<double>& numbers,
                                         const In2<std::int32_t>& codes) {
  same_length(numbers.shape(0), tree.shape.numbers, "queries and rows differ in numeric columns");
  same_length(codes.shape(0), tree.shape.codes, "queries and rows differ in nominal columns");
  same_length(codes.shape(1), numbers.shape(1), "numbers and codes differ in queries");
  if (numbers.shape(1) > 0x7fffffff) throw nb::value_error("there are too many queries");
  for (const double value : span(numbers))
    if (std::isinf(value)) throw nb::value_error("a number is infinite");
  return {span(numbers), span(codes), numbers.shape(1)};
}

// No more threads than there is work for.
inline std::size_t crew_of(std::size_t threads, std::size_t jobs, std::size_t worth) {
  return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, jobs / worth));
}

}  // namespace bind

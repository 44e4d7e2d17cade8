// The rows of k-means in the order of a kD-tree that halves them down to blocks, and every node's box, weight and sum.
//
// The node `number` of a level is at (1 << level) + number; its halves are at twice that and the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "crew.hpp"
#include "kd_tree.hpp"
#include "kmeans_rows.hpp"
#include "kmeans_sums.hpp"

namespace hedgerow {

class Boxes {
 public:
  Boxes(const PointRows& rows, Crew& crew);

  bool is_leaf(std::size_t node) const { return node >= shape_.blocks(); }
  std::size_t depth() const { return shape_.halvings; }
  std::size_t begin(std::size_t node) const { return begins_[node]; }
  std::size_t end(std::size_t node) const { return ends_[node]; }
  PointRows rows() const { return {sorted_.data(), order_.size(), width_, weights_.empty() ? nullptr : weights_.data()}; }
  std::size_t row_of(std::size_t place) const { return static_cast<std::size_t>(order_[place]); }
  const double* low(std::size_t node) const { return low_.data() + node * width_; }
  const double* high(std::size_t node) const { return high_.data() + node * width_; }
  double across(std::size_t node) const { return across_[node]; }  // squared, from corner to corner
  const ClusterSums& sums() const { return *sums_; }

 private:
  void make(std::size_t node);
  void make_leaf(std::size_t node, double* low, double* high);

  std::size_t width_;
  KdShape shape_;
  std::vector<std::int32_t> order_;
  std::vector<std::size_t> begins_, ends_;
  std::vector<double> sorted_, weights_, low_, high_, across_;
  std::unique_ptr<ClusterSums> sums_;
};

}  // namespace hedgerow

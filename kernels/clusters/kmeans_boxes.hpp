// The rows of k-means in the order of a kD-tree that halves them down to leaves, and every node's box, weight and sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "clusters/kmeans_rows.hpp"
#include "clusters/kmeans_sums.hpp"
#include "core/row_partition.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

class BoxTree {
 public:
  BoxTree(const PointRows& rows, ThreadPool& pool);

  std::size_t size() const { return nodes_.size(); }  // children come behind their parents
  const PartitionNode& node(std::size_t number) const { return nodes_[number]; }
  bool is_leaf(std::size_t node) const { return nodes_[node].is_leaf(); }
  std::size_t left(std::size_t node) const { return static_cast<std::size_t>(nodes_[node].left); }
  std::size_t right(std::size_t node) const { return static_cast<std::size_t>(nodes_[node].right); }
  std::size_t begin(std::size_t node) const { return nodes_[node].begin; }
  std::size_t end(std::size_t node) const { return nodes_[node].end; }
  PointRows rows() const {
    return {sorted_.data(), order_.size(), width_, weights_.empty() ? nullptr : weights_.data()};
  }
  std::size_t row_of(std::size_t position) const { return static_cast<std::size_t>(order_[position]); }
  const double* low(std::size_t node) const { return low_.data() + node * width_; }
  const double* high(std::size_t node) const { return high_.data() + node * width_; }
  double squared_diagonal(std::size_t node) const {
    return squared_diagonals_[node];
  }  // squared, from corner to corner
  const ClusterSums& sums() const { return *sums_; }

 private:
  void make_box(std::size_t node);
  void make_leaf_box(std::size_t node, double* low, double* high);

  std::size_t width_;
  std::vector<PartitionNode> nodes_;
  std::vector<std::int32_t> order_;
  std::vector<double> sorted_, weights_, low_, high_, squared_diagonals_;
  std::unique_ptr<ClusterSums> sums_;
};

}  // namespace hedgerow

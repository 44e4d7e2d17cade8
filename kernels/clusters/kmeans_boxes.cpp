#include "clusters/kmeans_boxes.hpp"

#include <algorithm>
#include <utility>

#include "clusters/kmeans_distances.hpp"

namespace hedgerow {

BoxTree::BoxTree(const PointRows& rows, ThreadPool& pool) : width_(rows.width) {
  std::vector<double> columns(rows.n * width_), missing_distances(width_);
  for (std::size_t i = 0; i < rows.n; ++i)
    for (std::size_t d = 0; d < width_; ++d) columns[d * rows.n + i] = rows.row(i)[d];
  auto partition = partition_rows({columns, {}, rows.n, width_, 0}, {true, missing_distances, {}}, {}, pool);
  nodes_ = std::move(partition.nodes);
  order_ = std::move(partition.order);
  sorted_.resize(rows.n * width_);
  if (rows.weights) weights_.resize(rows.n);
  for (std::size_t i = 0; i < rows.n; ++i) {
    const auto row = static_cast<std::size_t>(order_[i]);
    std::copy_n(rows.row(row), width_, sorted_.data() + i * width_);
    if (rows.weights) weights_[i] = rows.weights[row];
  }
  low_.resize(size() * width_), high_.resize(size() * width_), squared_diagonals_.resize(size());
  sums_ = std::make_unique<ClusterSums>(size(), width_);
  for (std::size_t node = size(); node-- > 0;) make_box(node);
}

void BoxTree::make_box(std::size_t node) {
  double *low = low_.data() + node * width_, *high = high_.data() + node * width_;
  if (is_leaf(node)) {
    make_leaf_box(node, low, high);
  } else {
    const std::size_t left = this->left(node), right = this->right(node);
    for (std::size_t d = 0; d < width_; ++d) {
      low[d] = std::min(this->low(left)[d], this->low(right)[d]);
      high[d] = std::max(this->high(left)[d], this->high(right)[d]);
    }
    for (const std::size_t half : {left, right})
      sums_->add_sum(node, sums_->sums(half), sums_->compensations(half), 1.0);
  }
  squared_diagonals_[node] = squared_distance(low, high, width_);
}

void BoxTree::make_leaf_box(std::size_t node, double* low, double* high) {
  std::copy_n(rows().row(begin(node)), width_, low);
  std::copy_n(rows().row(begin(node)), width_, high);
  for (std::size_t i = begin(node); i < end(node); ++i) {
    const double* row = rows().row(i);
    for (std::size_t d = 0; d < width_; ++d) low[d] = std::min(low[d], row[d]), high[d] = std::max(high[d], row[d]);
    sums_->add(node, row, rows().weight(i), 1.0);
  }
}

}  // namespace hedgerow

// kD-tree: the nearest rows among many, or all within a distance, exactly as a comparison with every row gives them.
//
// The squared distance of two rows is a sum over the columns, in their order, numbers first: of numbers the squared
// difference, or the column's `gap` where one is missing (NaN); of codes 0 if they are equal, 1 if not or if one is
// missing (negative). Of equally near rows the first comes first.
//
// Rows are halved at the median of the column that is widest among them until a block holds few; the blocks are stored
// column by column, so that vectors of rows are compared at once. Three halvings make a node of eight children, whose
// boxes are compared at once too. A bound is made of the same operations in the same order as a distance; rounding is
// monotone, so that it is never above the distance of a row inside, and nothing is lost by rounding.
//
// After J. H. Friedman, J. L. Bentley, R. A. Finkel, An algorithm for finding best matches in logarithmic expected
// time. ACM Transactions on Mathematical Software 3 (1977).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "crew.hpp"

namespace hedgerow {

constexpr std::size_t kd_fan = 8;     // children of a node
constexpr std::size_t kd_block = 32;  // rows of a block at most

// Where everything lies: it follows from the number of rows and columns alone.
struct KdShape {
  std::size_t rows = 0, numbers = 0, codes = 0;
  std::size_t halvings = 0;  // on the way to every block
  std::size_t room = 0;      // rows that a block has space for
  std::size_t depth = 0;     // levels of nodes
  std::size_t nodes = 0;
  std::array<std::size_t, 24> starts{};  // the first node of every level
  std::size_t first_bits = 0;            // halvings of the root; all others have three

  static KdShape of(std::size_t rows, std::size_t numbers, std::size_t codes);

  std::size_t blocks() const { return std::size_t{1} << halvings; }
  std::size_t begin(std::size_t block) const { return (block * rows) >> halvings; }  // in the order of the blocks
  std::size_t bits(std::size_t level) const { return level ? 3 : first_bits; }
};

// Spans of a tree's arrays, which somebody else holds.
struct KdTree {
  KdShape shape;
  std::span<const double> gaps;          // of each numeric column
  std::span<const std::int32_t> order;   // rows, block after block
  std::span<const double> numbers;       // (block, column, room)
  std::span<const std::int32_t> codes;   // (block, column, room)
  std::span<const double> low, high;     // (node, numeric column, child): of the known numbers
  std::span<const double> caps;          // the same: gap if a number is missing there, else infinite; none if none is
  std::span<const std::int32_t> least, most;  // (node, nominal column, child): of the known codes
  std::span<const std::int32_t> first;   // (node, child): lowest row
};

struct OwnedKdTree {
  KdShape shape;
  std::vector<double> gaps, numbers, low, high, caps;
  std::vector<std::int32_t> order, codes, least, most, first;

  KdTree view() const {
    return {shape, gaps, order, numbers, codes, low, high, caps, least, most, first};
  }
};

// Builds the tree of rows whose numbers and codes are given column by column. O(rows * log(rows) * columns) time.
OwnedKdTree kd_build(std::span<const double> numbers, std::span<const std::int32_t> codes, std::span<const double> gaps,
                     std::size_t rows, Crew& crew);

// One row that neighbors are sought of.
struct KdQuery {
  const double* numbers;
  const std::int32_t* codes;
};

// Lower bounds of the squared distances to the children of a node.
void kd_bounds(const KdTree& tree, std::size_t node, const KdQuery& query, double* bounds);
// Squared distances to the rows of a block.
void kd_squares(const KdTree& tree, std::size_t block, const KdQuery& query, double* squares);

// Goes through the blocks that may hold rows wanted. The collector says what is: `wants(square, row)` whether a row at
// this squared distance would be, `limit()` the largest squared distance wanted, and takes what it gets by `offer`.
template <typename Collector>
class KdSearch {
 public:
  KdSearch(const KdTree& tree, Collector& collector) : tree_(tree), collector_(collector) {}

  void search(const KdQuery& query) {
    query_ = query;
    if (tree_.shape.halvings)
      enter(0, 0);
    else
      scan(0);
  }

 private:
  struct Child {
    double bound;
    std::size_t number;
    std::int32_t first;
  };

  void enter(std::size_t level, std::size_t number) {
    const auto& shape = tree_.shape;
    const std::size_t node = shape.starts[level] + number, fan = std::size_t{1} << shape.bits(level);
    alignas(64) double bounds[kd_fan];
    kd_bounds(tree_, node, query_, bounds);
    Child wanted[kd_fan];
    std::size_t n = 0;
    for (std::size_t child = 0; child < fan; ++child) {
      const Child one{bounds[child], (number << shape.bits(level)) + child, tree_.first[node * kd_fan + child]};
      if (!(one.bound <= collector_.limit()) || !collector_.wants(one.bound, one.first)) continue;
      std::size_t at = n++;
      for (; at > 0 && wanted[at - 1].bound > one.bound; --at) wanted[at] = wanted[at - 1];
      wanted[at] = one;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!collector_.wants(wanted[i].bound, wanted[i].first)) continue;
      if (level + 1 == shape.depth)
        scan(wanted[i].number);
      else
        enter(level + 1, wanted[i].number);
    }
  }

  void scan(std::size_t block) {
    const auto begin = tree_.shape.begin(block), n = tree_.shape.begin(block + 1) - begin;
    alignas(64) double squares[kd_block + 8];
    kd_squares(tree_, block, query_, squares);
    double limit = collector_.limit();
    for (std::size_t i = 0; i < n; ++i) {
      if (!(squares[i] <= limit)) continue;
      collector_.offer(squares[i], tree_.order[begin + i], begin + i);
      limit = collector_.limit();
    }
  }

  const KdTree& tree_;
  Collector& collector_;
  KdQuery query_{};
};

struct KdFound {
  double square;
  std::int32_t row;
  std::uint32_t at;  // its place in the order of the blocks
};

inline bool kd_nearer(const KdFound& one, const KdFound& other) {
  return one.square != other.square ? one.square < other.square : one.row < other.row;
}

// Collects the k nearest rows; k is at least 1. They are a heap whose first is the farthest, in the end in order.
class KdNearest {
 public:
  explicit KdNearest(std::size_t k) : k_(k) { found_.reserve(k); }

  void clear() { found_.clear(), limit_ = std::numeric_limits<double>::infinity(); }
  double limit() const { return limit_; }
  bool wants(double square, std::int32_t row) const {
    return found_.size() < k_ || square < limit_ || (square == limit_ && row < found_.front().row);
  }

  void offer(double square, std::int32_t row, std::size_t at) {
    const KdFound one{square, row, static_cast<std::uint32_t>(at)};
    if (found_.size() < k_) {
      found_.push_back(one);
      if (found_.size() < k_) return;
      std::make_heap(found_.begin(), found_.end(), kd_nearer);
    } else {
      if (!kd_nearer(one, found_.front())) return;
      sink(one);
    }
    limit_ = found_.front().square;
  }

  std::span<const KdFound> in_order() {
    std::sort(found_.begin(), found_.end(), kd_nearer);
    return found_;
  }

 private:
  // Puts a row in the place of the farthest.
  void sink(const KdFound& one) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < k_; child = 2 * at + 1) {
      if (child + 1 < k_ && kd_nearer(found_[child], found_[child + 1])) ++child;
      if (!kd_nearer(one, found_[child])) break;
      found_[at] = found_[child];
      at = child;
    }
    found_[at] = one;
  }

  std::size_t k_;
  std::vector<KdFound> found_;
  double limit_ = std::numeric_limits<double>::infinity();
};

// Collects all rows whose squared distance is at most a limit.
class KdWithin {
 public:
  void clear(double limit) { found_.clear(), limit_ = limit; }
  double limit() const { return limit_; }
  bool wants(double square, std::int32_t) const { return square <= limit_; }
  void offer(double square, std::int32_t row, std::size_t at) {
    found_.push_back({square, row, static_cast<std::uint32_t>(at)});
  }
  std::vector<KdFound>& found() { return found_; }

 private:
  std::vector<KdFound> found_;
  double limit_ = 0;
};

// Queries, column by column.
struct KdQueries {
  std::span<const double> numbers;
  std::span<const std::int32_t> codes;
  std::size_t size;
};

// Queries in an order in which those that lie in the same block follow each other, so that they find it in the cache.
std::vector<std::int32_t> kd_order(const KdTree& tree, const KdQueries& queries, Crew& crew);

// Copies one query after the other to where its columns are together.
class KdRow {
 public:
  explicit KdRow(const KdQueries& queries, const KdShape& shape)
      : queries_(queries), numbers_(shape.numbers), codes_(shape.codes) {}

  KdQuery operator()(std::size_t query) {
    for (std::size_t d = 0; d < numbers_.size(); ++d) numbers_[d] = queries_.numbers[d * queries_.size + query];
    for (std::size_t c = 0; c < codes_.size(); ++c) codes_[c] = queries_.codes[c * queries_.size + query];
    return {numbers_.data(), codes_.data()};
  }

 private:
  const KdQueries& queries_;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
};

// The k nearest rows of every query, nearest first: k = found.size() / queries, no more than there are rows.
void kd_nearest(const KdTree& tree, const KdQueries& queries, std::span<std::int32_t> found, std::span<double> squares,
                Crew& crew);

struct KdAll {
  std::vector<std::int64_t> starts;  // of every query, and the end
  std::vector<std::int32_t> rows;
  std::vector<double> squares;
};

// All rows whose squared distance is at most limits[query], nearest first.
KdAll kd_within(const KdTree& tree, const KdQueries& queries, std::span<const double> limits, Crew& crew);

}  // namespace hedgerow

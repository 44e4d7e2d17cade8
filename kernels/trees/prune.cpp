#include "trees/prune.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "trees/fractional_cases.hpp"
#include "trees/pruning_walk.hpp"

namespace hedgerow::trees {
namespace {

constexpr double kErrorSlack = 0.1;  // errors more that a smaller tree may be expected to make
constexpr double collapse_slack = 1e-3;
constexpr std::size_t kBatchCases = 32;  // cases sent down a branch before its errors are looked at

// The errors to expect of leaves.
struct ErrorEstimator {
  std::size_t classes;
  double confidence, z;

  double operator()(const double* weights) const {
    const double n = std::accumulate(weights, weights + classes, 0.0);
    return estimate_errors(n, n - *std::max_element(weights, weights + classes), confidence, z);
  }
};

// The leaves of a branch that more cases come to, and the errors to expect of all its leaves.
class BranchArrivals {
 public:
  // `leaf_index` has room for a number a node; what it holds does not matter.
  BranchArrivals(const PrunableTree& prunable, const TrainingRows& rows, const ErrorEstimator& estimator,
                 std::vector<std::size_t>& leaf_index, std::size_t branch, double errors, double limit)
      : tree_(prunable),
        rows_(rows),
        estimator_(estimator),
        leaf_index_(leaf_index),
        branch_(branch),
        errors_(errors),
        limit_(limit) {}

  // Sends a case down the branch, where no value is missing; tells whether the errors exceed the limit by now.
  bool send_case(std::uint32_t row, double weight) {
    pending_.push_back({row, branch_, weight});
    return pending_.size() == kBatchCases && errors() > limit_;
  }

  double errors() {
    flush();
    return errors_;
  }

 private:
  struct PendingCase {
    std::uint32_t row;
    std::size_t at;
    double weight;
  };

  // Cases go down side by side, so that they wait for memory together.
  void flush() {
    for (bool any = true; any;) {
      any = false;
      for (PendingCase& one : pending_) {
        if (tree_.is_leaf(one.at)) continue;
        one.at = tree_.child(one.at, static_cast<std::size_t>(tree_.find_child(one.at, one.row)));
        any = true;
      }
    }
    for (const PendingCase& one : pending_)
      add_to_leaf(one.at, static_cast<std::size_t>(rows_.labels[one.row]), one.weight);
    pending_.clear();
  }

  void add_to_leaf(std::size_t leaf, std::size_t label, double weight) {
    const std::size_t k = tree_.width();
    std::size_t leaf_index = leaf_index_[leaf];
    if (leaf_index >= leaves_.size() || leaves_[leaf_index] != leaf) {
      leaf_index = leaf_index_[leaf] = leaves_.size();
      leaves_.push_back(leaf);
      weights_.insert(weights_.end(), tree_.weights(leaf), tree_.weights(leaf) + k);
      expected_.push_back(estimator_(tree_.weights(leaf)));
    }
    weights_[leaf_index * k + label] += weight;
    const double now = estimator_(&weights_[leaf_index * k]);
    errors_ += now - expected_[leaf_index];
    expected_[leaf_index] = now;
  }

  const PrunableTree& tree_;
  const TrainingRows& rows_;
  const ErrorEstimator& estimator_;
  std::vector<std::size_t>& leaf_index_;  // of a leaf among those reached
  std::size_t branch_;
  double errors_, limit_;
  std::vector<PendingCase> pending_;
  std::vector<std::size_t> leaves_;
  std::vector<double> weights_, expected_;  // by leaf
};

// What pruning with and without missing values share.
class Pruner {
 protected:
  enum class PruneOutcome { kept, leaf, raised };

  Pruner(PrunableTree& prunable, const TrainingRows& rows, const ErrorEstimator& estimator, bool raising)
      : tree_(prunable), rows_(rows), estimator_(estimator), raising_(raising), leaf_index_(prunable.size()) {}

  double estimate_node_errors(std::size_t node) const { return estimator_(tree_.weights(node)); }

  // What becomes of a node whose children are done; as_branch(branch, limit) tells the errors to expect if all its
  // cases went down one branch, or any number above the limit if they exceed that.
  template <class AsBranch>
  PruneOutcome decide(std::size_t node, double tree_errors, const AsBranch& as_branch) {
    const double leaf_errors = estimate_node_errors(node);
    const bool leaf_will_do = leaf_errors <= tree_errors + kErrorSlack;
    if (!raising_) return leaf_will_do ? make_leaf(node) : PruneOutcome::kept;
    const std::size_t heaviest = heaviest_child(node);
    // What the branch would make matters only up to this: beyond, the answer is the same.
    const double limit = leaf_will_do ? leaf_errors - kErrorSlack : tree_errors + kErrorSlack;
    const double raised = as_branch(heaviest, limit);
    if (leaf_will_do && leaf_errors <= raised + kErrorSlack) return make_leaf(node);
    if (raised > tree_errors + kErrorSlack) return PruneOutcome::kept;
    tree_.raise_branch(node, tree_.child(node, heaviest));
    return PruneOutcome::raised;
  }

  // Cases that are down a branch already stay where they are. More cases never lower what a leaf is expected to err, so
  // that the sum can be cut short.
  BranchArrivals start_arrivals(std::size_t branch, double errors, double limit) {
    return {tree_, rows_, estimator_, leaf_index_, branch, errors, limit};
  }

  PrunableTree& tree_;
  const TrainingRows& rows_;
  const ErrorEstimator& estimator_;

 private:
  PruneOutcome make_leaf(std::size_t node) {
    tree_.turn_into_leaf(node);
    return PruneOutcome::leaf;
  }

  // The last of equals, as C4.5's descendants have it.
  std::size_t heaviest_child(std::size_t node) const {
    std::size_t best = tree_.n_children(node) - 1;
    double maximum = tree_.weight(tree_.child(node, best));
    for (std::size_t c = best; c-- > 0;) {
      if (const double weight = tree_.weight(tree_.child(node, c)); weight > maximum + 1e-9) maximum = weight, best = c;
    }
    return best;
  }

  bool raising_;
  std::vector<std::size_t> leaf_index_;
};

// With no missing values: the rows of a node are a segment of the rows in some order.
class SegmentPruner : Pruner {
 public:
  SegmentPruner(PrunableTree& prunable, const TrainingRows& rows, const ErrorEstimator& estimator, bool raising,
                const FlatTree& tree)
      : Pruner(prunable, rows, estimator, raising), order_(tree.order), subtree_errors_(prunable.size(), 0) {
    for (std::size_t i = 0; i < prunable.size(); ++i) segments_.push_back({tree.begins[i], tree.counts[i]});
  }

  // Branches do not depend on each other: those of few rows are shared out, and what is above them comes last.
  void prune(ThreadPool& pool) {
    const std::size_t few = order_.size() / 16;
    std::vector<std::size_t> above{0}, branches;
    for (std::size_t i = 0; i < above.size(); ++i) {
      for (std::size_t c = 0; c < tree_.n_children(above[i]); ++c) {
        const std::size_t child = tree_.child(above[i], c);
        (segments_[child].count > few ? above : branches).push_back(child);
      }
    }
    pool.parallel_for(branches.size(), [&](std::size_t number, std::size_t) {
      std::vector<std::size_t> nodes{branches[number]};
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t c = 0; c < tree_.n_children(nodes[i]); ++c) nodes.push_back(tree_.child(nodes[i], c));
      }
      for (std::size_t i = nodes.size(); i-- > 0;) prune(nodes[i]);
    });
    for (std::size_t i = above.size(); i-- > 0;) {
      pool.check_interrupt();
      prune(above[i]);
    }
  }

  // Tells which rows are at the nodes that are left.
  void set_node_rows(std::span<const std::size_t> kept, FlatTree& tree) {
    for (const std::size_t node : kept) {
      tree.begins.push_back(static_cast<std::uint32_t>(segments_[node].begin));
      tree.counts.push_back(static_cast<std::uint32_t>(segments_[node].count));
    }
    tree.order = std::move(order_);
  }

 private:
  struct Segment {
    std::size_t begin, count;
  };

  void prune(std::size_t node) {
    while (!tree_.is_leaf(node)) {
      subtree_errors_[node] = 0;
      for (std::size_t c = 0; c < tree_.n_children(node); ++c)
        subtree_errors_[node] += subtree_errors_[tree_.child(node, c)];
      const PruneOutcome outcome = decide(node, subtree_errors_[node], [&](std::size_t heaviest, double limit) {
        return estimate_branch_errors(node, heaviest, limit);
      });
      if (outcome == PruneOutcome::kept) return;
      if (outcome == PruneOutcome::leaf) break;
      const std::vector<std::size_t> moved = resegment(node);
      for (std::size_t i = moved.size(); i-- > 1;) prune(moved[i]);  // the first is the node itself
    }
    subtree_errors_[node] = estimate_node_errors(node);
  }

  std::span<const std::uint32_t> rows_of(std::size_t node) const {
    return std::span(order_).subspan(segments_[node].begin, segments_[node].count);
  }

  double estimate_branch_errors(std::size_t node, std::size_t heaviest, double limit) {
    const std::size_t branch = tree_.child(node, heaviest);
    if (tree_.is_leaf(branch)) return estimate_node_errors(node);
    BranchArrivals more = start_arrivals(branch, subtree_errors_[branch], limit);
    // Heavy rows first: where weights differ much, as in boosting, few of them exceed the limit.
    const std::size_t others = segments_[node].count - segments_[branch].count;
    const double mean =
        (tree_.weight(node) - tree_.weight(branch)) / static_cast<double>(std::max<std::size_t>(others, 1));
    for (const bool first : {true, false}) {
      for (std::size_t c = 0; c < tree_.n_children(node); ++c) {
        if (c == heaviest) continue;
        for (const std::uint32_t row : rows_of(tree_.child(node, c))) {
          if ((rows_.weights[row] > 2 * mean) == first && more.send_case(row, rows_.weights[row])) return more.errors();
        }
      }
    }
    return more.errors();
  }

  // Sends the rows of a node down what is below it now; returns the nodes there, breadth first.
  std::vector<std::size_t> resegment(std::size_t top) {
    std::vector<std::size_t> found{top};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t node = found[i];
      double* weights = tree_.weights(node);
      std::fill_n(weights, tree_.width(), 0.0);
      for (const std::uint32_t row : rows_of(node)) weights[rows_.labels[row]] += rows_.weights[row];
      if (tree_.is_leaf(node)) continue;
      divide_rows(node);
      for (std::size_t c = 0; c < tree_.n_children(node); ++c) found.push_back(tree_.child(node, c));
    }
    return found;
  }

  // Puts the rows of a node in order by child, each child's own in their old order.
  void divide_rows(std::size_t node) {
    const auto [begin, count] = segments_[node];
    const std::vector<std::uint32_t> rows(rows_of(node).begin(), rows_of(node).end());
    std::vector<std::int32_t> sides(count);
    std::vector<std::size_t> ends(tree_.n_children(node) + 1, 0);
    for (std::size_t j = 0; j < count; ++j) {
      sides[j] = tree_.find_child(node, rows[j]);
      ++ends[static_cast<std::size_t>(sides[j]) + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (std::size_t c = 0; c < tree_.n_children(node); ++c) {
      segments_[tree_.child(node, c)] = {begin + ends[c], ends[c + 1] - ends[c]};
    }
    for (std::size_t j = 0; j < count; ++j) order_[begin + ends[static_cast<std::size_t>(sides[j])]++] = rows[j];
  }

  std::vector<Segment> segments_;  // of rows in `order_`, by node
  std::vector<std::uint32_t> order_;
  std::vector<double> subtree_errors_;  // the errors to expect of each subtree as it is
};

// With missing values: cases are lists of rows and weights, made on the way down and used on the way up.
class FractionPruner : Pruner {
 public:
  FractionPruner(PrunableTree& prunable, const TrainingRows& rows, const ErrorEstimator& estimator, bool raising)
      : Pruner(prunable, rows, estimator, raising), descent_(prunable, rows) {
    for (const RawColumn& column : rows.columns) {
      bool has_missing = false;
      for (std::size_t row = 0; row < rows.labels.size() && !has_missing; ++row) {
        has_missing = column.codes ? column.codes[row] < 0 : std::isnan(column.numbers[row]);
      }
      has_missing_.push_back(has_missing);
    }
  }

  void prune(const InterruptCheck& pause) {
    std::vector<PendingVisit> stack;
    stack.push_back({0, descent_.make_root_cases(), false});
    while (!stack.empty()) {
      PendingVisit& visit = stack.back();
      const std::size_t node = visit.node;
      if (tree_.is_leaf(node)) {
        stack.pop_back();
        continue;
      }
      pause();
      if (!visit.done_below) {
        visit.done_below = true;
        std::vector<WeightedCases> below = descent_.divide(node, visit.cases);
        for (std::size_t c = below.size(); c-- > 0;)
          stack.push_back({tree_.child(node, c), std::move(below[c]), false});
        continue;
      }
      const auto as_branch = [&](std::size_t heaviest, double limit) {
        return estimate_branch_errors(node, heaviest, visit.cases, limit);
      };
      if (decide(node, estimate_subtree_errors(node), as_branch) == PruneOutcome::raised) {
        descent_.send_down(node, visit.cases, [&](std::size_t at, const WeightedCases& of) {
          descent_.count_classes(of, tree_.weights(at));
        });
        visit.done_below = false;
      } else {
        stack.pop_back();
      }
    }
  }

 private:
  struct PendingVisit {
    std::size_t node;
    WeightedCases cases;
    bool done_below;
  };

  double estimate_subtree_errors(std::size_t node) const {
    double sum = 0;
    tree_.for_all_below(node, [&](std::size_t at) {
      if (tree_.is_leaf(at)) sum += estimate_node_errors(at);
      return true;
    });
    return sum;
  }

  bool tests_missing_values(std::size_t node) const {
    return !tree_.for_all_below(node, [&](std::size_t at) {
      return tree_.is_leaf(at) || !has_missing_[static_cast<std::size_t>(tree_.column(at))];
    });
  }

  double estimate_branch_errors(std::size_t node, std::size_t heaviest, const WeightedCases& cases, double limit) {
    const std::size_t branch = tree_.child(node, heaviest);
    if (tests_missing_values(branch)) return estimate_errors_anew(branch, cases);
    BranchArrivals more = start_arrivals(branch, estimate_subtree_errors(branch), limit);
    const double rest = 1 - tree_.weight(branch) / tree_.weight(node);
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      const std::int32_t to = tree_.find_child(node, cases.rows[i]);
      if (to == static_cast<std::int32_t>(heaviest)) continue;
      if (more.send_case(cases.rows[i], (to < 0 ? rest : 1) * descent_.weight(cases, i))) break;
    }
    return more.errors();
  }

  double estimate_errors_anew(std::size_t branch, const WeightedCases& cases) const {
    double sum = 0;
    std::vector<double> weights(tree_.width());
    descent_.send_down(branch, cases, [&](std::size_t at, const WeightedCases& of) {
      if (!tree_.is_leaf(at)) return;
      descent_.count_classes(of, weights.data());
      sum += estimator_(weights.data());
    });
    return sum;
  }

  FractionalDescent descent_;
  std::vector<bool> has_missing_;  // by column: whether a value is missing
};

}  // namespace

double estimate_errors(double n, double errors, double confidence, double z) {
  if (!(n > 0)) return 0;
  const auto more = [&](double e, const auto& own_variance) -> double {
    if (e < 1) {
      const double none = n * (1 - std::pow(confidence, 1 / n));
      return e > 0 ? none + e * (own_variance(1.0, own_variance) - none) : none;
    }
    if (e + 0.5 >= n) return std::max(n - e, 0.0);
    const double f = (e + 0.5) / n;
    const double r = (f + z * z / (2 * n) + z * std::sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n);
    return r * n - e;
  };
  return errors + more(errors, more);
}

FlatTree collapse_tree(const FlatTree& tree, std::size_t classes) {
  PrunableTree prunable(tree, {}, classes);
  std::vector<double> below(prunable.size());
  for (std::size_t i = prunable.size(); i-- > 0;) {
    below[i] = prunable.is_leaf(i) ? prunable.errors(i) : 0;
    for (std::size_t c = 0; c < prunable.n_children(i); ++c) below[i] += below[prunable.child(i, c)];
  }
  for (std::size_t i = 0; i < prunable.size(); ++i) {
    if (!prunable.is_leaf(i) && below[i] >= prunable.errors(i) - collapse_slack) prunable.turn_into_leaf(i);
  }
  std::vector<std::size_t> kept;
  FlatTree out = prunable.to_flat_tree(kept);
  if (tree.begins.empty()) return out;
  for (const std::size_t node : kept) {
    out.begins.push_back(tree.begins[node]);
    out.counts.push_back(tree.counts[node]);
  }
  out.order = tree.order;
  return out;
}

FlatTree prune_tree(const FlatTree& tree, const TrainingRows& rows, double confidence, double z, bool raising,
                    ThreadPool& pool) {
  PrunableTree prunable(tree, rows.columns, rows.classes);
  const ErrorEstimator estimator{rows.classes, confidence, z};
  std::vector<std::size_t> kept;
  if (tree.begins.empty()) {
    FractionPruner(prunable, rows, estimator, raising).prune([&] { pool.check_interrupt(); });
    return prunable.to_flat_tree(kept);
  }
  SegmentPruner pruner(prunable, rows, estimator, raising, tree);
  pruner.prune(pool);
  FlatTree out = prunable.to_flat_tree(kept);
  pruner.set_node_rows(kept, out);
  return out;
}

}  // namespace hedgerow::trees

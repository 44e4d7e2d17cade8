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

constexpr double no_worse = 0.1;  // errors more that a smaller tree may be expected to make
constexpr double collapse_slack = 1e-3;
constexpr std::size_t batch = 32;  // cases sent down a branch before its errors are looked at

// The errors to expect of leaves.
struct Expectation {
  std::size_t classes;
  double confidence, z;

  double operator()(const double* weights) const {
    const double n = std::accumulate(weights, weights + classes, 0.0);
    return expected_errors(n, n - *std::max_element(weights, weights + classes), confidence, z);
  }
};

// The leaves of a branch that more cases come to, and the errors to expect of all its leaves.
class Arrivals {
 public:
  // `place` has room for a number a node; what it holds does not matter.
  Arrivals(const Walk& walk, const TreeRows& rows, const Expectation& expect, std::vector<std::size_t>& place,
           std::size_t branch, double errors, double limit)
      : walk_(walk), rows_(rows), expect_(expect), place_(place), branch_(branch), errors_(errors), limit_(limit) {}

  // Sends a case down the branch, where no value is missing; tells whether the errors exceed the limit by now.
  bool send(std::uint32_t row, double weight) {
    waiting_.push_back({row, branch_, weight});
    return waiting_.size() == batch && errors() > limit_;
  }

  double errors() {
    arrive();
    return errors_;
  }

 private:
  struct Case {
    std::uint32_t row;
    std::size_t at;
    double weight;
  };

  // Cases go down side by side, so that they wait for memory together.
  void arrive() {
    for (bool any = true; any;) {
      any = false;
      for (Case& one : waiting_) {
        if (walk_.leaf(one.at)) continue;
        one.at = walk_.child(one.at, static_cast<std::size_t>(walk_.side(one.at, one.row)));
        any = true;
      }
    }
    for (const Case& one : waiting_) add(one.at, static_cast<std::size_t>(rows_.labels[one.row]), one.weight);
    waiting_.clear();
  }

  void add(std::size_t leaf, std::size_t label, double weight) {
    const std::size_t k = walk_.width();
    std::size_t place = place_[leaf];
    if (place >= leaves_.size() || leaves_[place] != leaf) {
      place = place_[leaf] = leaves_.size();
      leaves_.push_back(leaf);
      weights_.insert(weights_.end(), walk_.weights(leaf), walk_.weights(leaf) + k);
      expected_.push_back(expect_(walk_.weights(leaf)));
    }
    weights_[place * k + label] += weight;
    const double now = expect_(&weights_[place * k]);
    errors_ += now - expected_[place];
    expected_[place] = now;
  }

  const Walk& walk_;
  const TreeRows& rows_;
  const Expectation& expect_;
  std::vector<std::size_t>& place_;  // of a leaf among those reached
  std::size_t branch_;
  double errors_, limit_;
  std::vector<Case> waiting_;
  std::vector<std::size_t> leaves_;
  std::vector<double> weights_, expected_;  // by leaf
};

// What pruning with and without missing values share.
class Pruner {
 protected:
  enum class Outcome { kept, leaf, raised };

  Pruner(Walk& walk, const TreeRows& rows, const Expectation& expect, bool raising)
      : walk_(walk), rows_(rows), expect_(expect), raising_(raising), place_(walk.size()) {}

  double expected(std::size_t node) const { return expect_(walk_.weights(node)); }

  // What becomes of a node whose children are done; as_branch(branch, limit) tells the errors to expect if all its
  // cases went down one branch, or any number above the limit if they exceed that.
  template <class AsBranch>
  Outcome decide(std::size_t node, double as_tree, const AsBranch& as_branch) {
    const double as_leaf = expected(node);
    const bool leaf_will_do = as_leaf <= as_tree + no_worse;
    if (!raising_) return leaf_will_do ? make_leaf(node) : Outcome::kept;
    const std::size_t heaviest = heaviest_child(node);
    // What the branch would make matters only up to this: beyond, the answer is the same.
    const double limit = leaf_will_do ? as_leaf - no_worse : as_tree + no_worse;
    const double raised = as_branch(heaviest, limit);
    if (leaf_will_do && as_leaf <= raised + no_worse) return make_leaf(node);
    if (raised > as_tree + no_worse) return Outcome::kept;
    walk_.raise(node, walk_.child(node, heaviest));
    return Outcome::raised;
  }

  // Cases that are down a branch already stay where they are. More cases never lower what a leaf is expected to err, so
  // that the sum can be cut short.
  Arrivals arrivals(std::size_t branch, double errors, double limit) {
    return {walk_, rows_, expect_, place_, branch, errors, limit};
  }

  Walk& walk_;
  const TreeRows& rows_;
  const Expectation& expect_;

 private:
  Outcome make_leaf(std::size_t node) {
    walk_.make_leaf(node);
    return Outcome::leaf;
  }

  // The last of equals, as C4.5's descendants have it.
  std::size_t heaviest_child(std::size_t node) const {
    std::size_t best = walk_.n_children(node) - 1;
    double most = walk_.weight(walk_.child(node, best));
    for (std::size_t c = best; c-- > 0;) {
      if (const double weight = walk_.weight(walk_.child(node, c)); weight > most + 1e-9) most = weight, best = c;
    }
    return best;
  }

  bool raising_;
  std::vector<std::size_t> place_;
};

// With no missing values: the rows of a node are a segment of the rows in some order.
class SegmentPruner : Pruner {
 public:
  SegmentPruner(Walk& walk, const TreeRows& rows, const Expectation& expect, bool raising, const PlainTree& tree)
      : Pruner(walk, rows, expect, raising), order_(tree.order), below_(walk.size(), 0) {
    for (std::size_t i = 0; i < walk.size(); ++i) segments_.push_back({tree.begins[i], tree.counts[i]});
  }

  // Branches do not depend on each other: those of few rows are shared out, and what is above them comes last.
  void prune(ThreadPool& crew) {
    const std::size_t few = order_.size() / 16;
    std::vector<std::size_t> above{0}, branches;
    for (std::size_t i = 0; i < above.size(); ++i) {
      for (std::size_t c = 0; c < walk_.n_children(above[i]); ++c) {
        const std::size_t child = walk_.child(above[i], c);
        (segments_[child].count > few ? above : branches).push_back(child);
      }
    }
    crew.parallel_for(branches.size(), [&](std::size_t number, std::size_t) {
      std::vector<std::size_t> nodes{branches[number]};
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t c = 0; c < walk_.n_children(nodes[i]); ++c) nodes.push_back(walk_.child(nodes[i], c));
      }
      for (std::size_t i = nodes.size(); i-- > 0;) prune(nodes[i]);
    });
    for (std::size_t i = above.size(); i-- > 0;) {
      crew.check_interrupt();
      prune(above[i]);
    }
  }

  // Tells which rows are at the nodes that are left.
  void tell_rows(std::span<const std::size_t> kept, PlainTree& tree) {
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
    while (!walk_.leaf(node)) {
      below_[node] = 0;
      for (std::size_t c = 0; c < walk_.n_children(node); ++c) below_[node] += below_[walk_.child(node, c)];
      const Outcome outcome = decide(node, below_[node], [&](std::size_t heaviest, double limit) {
        return expected_branch(node, heaviest, limit);
      });
      if (outcome == Outcome::kept) return;
      if (outcome == Outcome::leaf) break;
      const std::vector<std::size_t> moved = resegment(node);
      for (std::size_t i = moved.size(); i-- > 1;) prune(moved[i]);  // the first is the node itself
    }
    below_[node] = expected(node);
  }

  std::span<const std::uint32_t> rows_of(std::size_t node) const {
    return std::span(order_).subspan(segments_[node].begin, segments_[node].count);
  }

  double expected_branch(std::size_t node, std::size_t heaviest, double limit) {
    const std::size_t branch = walk_.child(node, heaviest);
    if (walk_.leaf(branch)) return expected(node);
    Arrivals more = arrivals(branch, below_[branch], limit);
    // Heavy rows first: where weights differ much, as in boosting, few of them exceed the limit.
    const std::size_t others = segments_[node].count - segments_[branch].count;
    const double mean =
        (walk_.weight(node) - walk_.weight(branch)) / static_cast<double>(std::max<std::size_t>(others, 1));
    for (const bool first : {true, false}) {
      for (std::size_t c = 0; c < walk_.n_children(node); ++c) {
        if (c == heaviest) continue;
        for (const std::uint32_t row : rows_of(walk_.child(node, c))) {
          if ((rows_.weights[row] > 2 * mean) == first && more.send(row, rows_.weights[row])) return more.errors();
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
      double* weights = walk_.weights(node);
      std::fill_n(weights, walk_.width(), 0.0);
      for (const std::uint32_t row : rows_of(node)) weights[rows_.labels[row]] += rows_.weights[row];
      if (walk_.leaf(node)) continue;
      divide(node);
      for (std::size_t c = 0; c < walk_.n_children(node); ++c) found.push_back(walk_.child(node, c));
    }
    return found;
  }

  // Puts the rows of a node in order by child, each child's own in their old order.
  void divide(std::size_t node) {
    const auto [begin, count] = segments_[node];
    const std::vector<std::uint32_t> rows(rows_of(node).begin(), rows_of(node).end());
    std::vector<std::int32_t> sides(count);
    std::vector<std::size_t> ends(walk_.n_children(node) + 1, 0);
    for (std::size_t j = 0; j < count; ++j) {
      sides[j] = walk_.side(node, rows[j]);
      ++ends[static_cast<std::size_t>(sides[j]) + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (std::size_t c = 0; c < walk_.n_children(node); ++c) {
      segments_[walk_.child(node, c)] = {begin + ends[c], ends[c + 1] - ends[c]};
    }
    for (std::size_t j = 0; j < count; ++j) order_[begin + ends[static_cast<std::size_t>(sides[j])]++] = rows[j];
  }

  std::vector<Segment> segments_;  // of rows in `order_`, by node
  std::vector<std::uint32_t> order_;
  std::vector<double> below_;  // the errors to expect of each subtree as it is
};

// With missing values: cases are lists of rows and weights, made on the way down and used on the way up.
class FractionPruner : Pruner {
 public:
  FractionPruner(Walk& walk, const TreeRows& rows, const Expectation& expect, bool raising)
      : Pruner(walk, rows, expect, raising), fractions_(walk, rows) {
    for (const RawColumn& column : rows.columns) {
      bool lacking = false;
      for (std::size_t row = 0; row < rows.labels.size() && !lacking; ++row) {
        lacking = column.codes ? column.codes[row] < 0 : std::isnan(column.numbers[row]);
      }
      lacking_.push_back(lacking);
    }
  }

  void prune(const InterruptCheck& pause) {
    std::vector<Visit> stack;
    stack.push_back({0, fractions_.all(), false});
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const std::size_t node = visit.node;
      if (walk_.leaf(node)) {
        stack.pop_back();
        continue;
      }
      pause();
      if (!visit.done_below) {
        visit.done_below = true;
        std::vector<Cases> below = fractions_.divided(node, visit.cases);
        for (std::size_t c = below.size(); c-- > 0;)
          stack.push_back({walk_.child(node, c), std::move(below[c]), false});
        continue;
      }
      const auto as_branch = [&](std::size_t heaviest, double limit) {
        return expected_branch(node, heaviest, visit.cases, limit);
      };
      if (decide(node, expected_below(node), as_branch) == Outcome::raised) {
        fractions_.send(node, visit.cases,
                        [&](std::size_t at, const Cases& of) { fractions_.count(of, walk_.weights(at)); });
        visit.done_below = false;
      } else {
        stack.pop_back();
      }
    }
  }

 private:
  struct Visit {
    std::size_t node;
    Cases cases;
    bool done_below;
  };

  double expected_below(std::size_t node) const {
    double sum = 0;
    walk_.all_below(node, [&](std::size_t at) {
      if (walk_.leaf(at)) sum += expected(at);
      return true;
    });
    return sum;
  }

  bool tests_lacking(std::size_t node) const {
    return !walk_.all_below(
        node, [&](std::size_t at) { return walk_.leaf(at) || !lacking_[static_cast<std::size_t>(walk_.column(at))]; });
  }

  double expected_branch(std::size_t node, std::size_t heaviest, const Cases& cases, double limit) {
    const std::size_t branch = walk_.child(node, heaviest);
    if (tests_lacking(branch)) return expected_anew(branch, cases);
    Arrivals more = arrivals(branch, expected_below(branch), limit);
    const double rest = 1 - walk_.weight(branch) / walk_.weight(node);
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      const std::int32_t to = walk_.side(node, cases.rows[i]);
      if (to == static_cast<std::int32_t>(heaviest)) continue;
      if (more.send(cases.rows[i], (to < 0 ? rest : 1) * fractions_.weight(cases, i))) break;
    }
    return more.errors();
  }

  double expected_anew(std::size_t branch, const Cases& cases) const {
    double sum = 0;
    std::vector<double> weights(walk_.width());
    fractions_.send(branch, cases, [&](std::size_t at, const Cases& of) {
      if (!walk_.leaf(at)) return;
      fractions_.count(of, weights.data());
      sum += expect_(weights.data());
    });
    return sum;
  }

  Fractions fractions_;
  std::vector<bool> lacking_;  // by column: whether a value is missing
};

}  // namespace

double expected_errors(double n, double errors, double confidence, double z) {
  if (!(n > 0)) return 0;
  const auto more = [&](double e, const auto& self) -> double {
    if (e < 1) {
      const double none = n * (1 - std::pow(confidence, 1 / n));
      return e > 0 ? none + e * (self(1.0, self) - none) : none;
    }
    if (e + 0.5 >= n) return std::max(n - e, 0.0);
    const double f = (e + 0.5) / n;
    const double r = (f + z * z / (2 * n) + z * std::sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n);
    return r * n - e;
  };
  return errors + more(errors, more);
}

PlainTree collapsed(const PlainTree& tree, std::size_t classes) {
  Walk walk(tree, {}, classes);
  std::vector<double> below(walk.size());
  for (std::size_t i = walk.size(); i-- > 0;) {
    below[i] = walk.leaf(i) ? walk.errors(i) : 0;
    for (std::size_t c = 0; c < walk.n_children(i); ++c) below[i] += below[walk.child(i, c)];
  }
  for (std::size_t i = 0; i < walk.size(); ++i) {
    if (!walk.leaf(i) && below[i] >= walk.errors(i) - collapse_slack) walk.make_leaf(i);
  }
  std::vector<std::size_t> kept;
  PlainTree out = walk.result(kept);
  if (tree.begins.empty()) return out;
  for (const std::size_t node : kept) {
    out.begins.push_back(tree.begins[node]);
    out.counts.push_back(tree.counts[node]);
  }
  out.order = tree.order;
  return out;
}

PlainTree pruned(const PlainTree& tree, const TreeRows& rows, double confidence, double z, bool raising,
                 ThreadPool& crew) {
  Walk walk(tree, rows.columns, rows.classes);
  const Expectation expect{rows.classes, confidence, z};
  std::vector<std::size_t> kept;
  if (tree.begins.empty()) {
    FractionPruner(walk, rows, expect, raising).prune([&] { crew.check_interrupt(); });
    return walk.result(kept);
  }
  SegmentPruner pruner(walk, rows, expect, raising, tree);
  pruner.prune(crew);
  PlainTree out = walk.result(kept);
  pruner.tell_rows(kept, out);
  return out;
}

}  // namespace hedgerow::trees

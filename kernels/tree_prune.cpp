#include "tree_prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hedgerow::trees {
namespace {

constexpr double no_worse = 0.1;        // errors more that a smaller tree may be expected to make
constexpr double collapse_slack = 1e-3;
constexpr std::size_t batch = 32;        // cases sent down a branch before its errors are looked at

// Cases of a node; without weights each row has its own.
struct Cases {
  std::vector<std::uint32_t> rows;
  std::vector<double> weights;
};

class Pruner {
 public:
  struct Node {
    std::int32_t column = -1, first = 0, children = 0, missing = -1;
    std::int32_t levels = 0, n_levels = 0;  // of a nominal test: where its children by level begin, and how many
    std::int32_t surrogates = 0, surrogates_end = 0;
    double threshold = 0;
  };

  Pruner(const PlainTree& tree, const TreeRows& rows, double confidence, double z)
      : tree_(tree), rows_(rows), k_(rows.classes), weights_(tree.weights), confidence_(confidence), z_(z) {
    for (std::size_t i = 0; i < tree.columns.size(); ++i) {
      Node node;
      node.column = tree.columns[i];
      if (node.column >= 0) {
        node.first = tree.first[i];
        node.missing = tree.missing[i];
        node.threshold = tree.thresholds[i];
        node.levels = tree.level_starts[i];
        node.n_levels = tree.level_starts[i + 1] - node.levels;
        if (!tree.surrogate_starts.empty()) {
          node.surrogates = tree.surrogate_starts[i];
          node.surrogates_end = tree.surrogate_starts[i + 1];
        }
        const auto begin = tree.level_children.begin() + tree.level_starts[i];
        const auto end = tree.level_children.begin() + tree.level_starts[i + 1];
        node.children = begin == end ? 2 : *std::max_element(begin, end) + 1;
      }
      nodes_.push_back(node);
    }
    order_ = tree.order;
    for (std::size_t i = 0; i < tree.begins.size(); ++i) segments_.emplace_back(tree.begins[i], tree.counts[i]);
    for (const RawColumn& column : rows.columns) {
      bool lacking = !segments_.empty();
      if (lacking) break;  // segments tell that no value is missing
      for (std::size_t row = 0; row < rows.labels.size() && !lacking; ++row) {
        lacking = column.codes ? column.codes[row] < 0 : std::isnan(column.numbers[row]);
      }
      lacking_.push_back(lacking);
    }
  }

  void prune(bool raising) {
    raising_ = raising;
    place_.resize(nodes_.size());
    if (segments_.empty()) {
      prune_fractions();
    } else {
      prune_segments();
    }
  }

  void collapse() {
    std::vector<double> below(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      below[i] = leaf(i) ? errors(i) : 0;
      for (std::int32_t c = 0; !leaf(i) && c < nodes_[i].children; ++c) below[i] += below[child(i, static_cast<std::size_t>(c))];
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!leaf(i) && below[i] >= errors(i) - collapse_slack) nodes_[i].column = -1;
    }
  }

  // Sends rows down; missing values take the shares that the tree's own weights give.
  std::vector<double> sums_below(std::span<const double> payload, std::size_t width) const {
    std::vector<double> out(nodes_.size() * width, 0);
    std::vector<std::pair<std::size_t, double>> open;
    for (std::size_t row = 0; row * width < payload.size(); ++row) {
      open.assign(1, {0, 1.0});
      while (!open.empty()) {
        const auto [node, weight] = open.back();
        open.pop_back();
        for (std::size_t c = 0; c < width; ++c) out[node * width + c] += weight * payload[row * width + c];
        if (leaf(node)) continue;
        const std::int32_t to = side(nodes_[node], row);
        if (to >= 0) {
          open.emplace_back(child(node, static_cast<std::size_t>(to)), weight);
          continue;
        }
        const double all = weight_of(node);
        for (std::size_t c = 0; c < n_children(node); ++c) {
          if (const double part = weight_of(child(node, c)); part > 0) open.emplace_back(child(node, c), weight * part / all);
        }
      }
    }
    return out;
  }

  // What is left of the tree, breadth first.
  PlainTree result() const {
    std::vector<std::size_t> order{0};
    PlainTree out;
    out.level_starts.push_back(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Node& node = nodes_[order[i]];
      out.columns.push_back(node.column);
      out.missing.push_back(node.column < 0 ? -1 : node.missing);
      out.thresholds.push_back(node.column < 0 ? 0 : node.threshold);
      out.first.push_back(node.column < 0 ? 0 : static_cast<std::int32_t>(order.size()));
      if (node.column >= 0) {
        for (std::int32_t c = 0; c < node.children; ++c) order.push_back(static_cast<std::size_t>(node.first + c));
        const auto begin = tree_.level_children.begin() + node.levels;
        out.level_children.insert(out.level_children.end(), begin, begin + node.n_levels);
      }
      out.level_starts.push_back(static_cast<std::int32_t>(out.level_children.size()));
      if (!segments_.empty()) {
        out.begins.push_back(static_cast<std::uint32_t>(segments_[order[i]].first));
        out.counts.push_back(static_cast<std::uint32_t>(segments_[order[i]].second));
      }
      const auto weights = weights_.begin() + static_cast<std::ptrdiff_t>(order[i] * k_);
      out.weights.insert(out.weights.end(), weights, weights + static_cast<std::ptrdiff_t>(k_));
    }
    out.order = order_;
    return out;
  }

 private:
  enum class Outcome { kept, leaf, raised };

  // What becomes of a node whose children are done. Cases are its rows and their weights, if they have others than usual.
  Outcome decide(std::size_t node, double as_tree, std::span<const std::uint32_t> rows, std::span<const double> weights) {
    const double as_leaf = expected(node);
    const bool leaf_will_do = as_leaf <= as_tree + no_worse;
    if (!raising_) return leaf_will_do ? make_leaf(node) : Outcome::kept;
    const std::size_t heaviest = heaviest_child(node);
    // What the branch would make matters only up to this: beyond, the answer is the same.
    const double limit = leaf_will_do ? as_leaf - no_worse : as_tree + no_worse;
    const double as_branch = expected_branch(node, heaviest, rows, weights, limit);
    if (leaf_will_do && as_leaf <= as_branch + no_worse) return make_leaf(node);
    if (as_branch > as_tree + no_worse) return Outcome::kept;
    nodes_[node] = nodes_[child(node, heaviest)];
    return Outcome::raised;
  }

  Outcome make_leaf(std::size_t node) {
    nodes_[node].column = -1;
    return Outcome::leaf;
  }

  // With no missing values: the rows of a node are a segment of `order_`.
  void prune_segments() {
    below_.assign(nodes_.size(), 0);
    for (std::size_t node = nodes_.size(); node-- > 0;) prune_segment(node);
  }

  void prune_segment(std::size_t node) {
    for (;;) {
      if (leaf(node)) break;
      below_[node] = 0;
      for (std::size_t c = 0; c < n_children(node); ++c) below_[node] += below_[child(node, c)];
      const auto [begin, count] = segments_[node];
      const Outcome outcome = decide(node, below_[node], std::span(order_).subspan(begin, count), {});
      if (outcome == Outcome::kept) return;
      if (outcome == Outcome::leaf) break;
      const std::vector<std::size_t> moved = resegment(node);
      for (std::size_t i = moved.size(); i-- > 1;) prune_segment(moved[i]);  // the first is the node itself
    }
    below_[node] = expected(node);
  }

  // Sends the rows of a node down what is below it now; returns the nodes there, breadth first.
  std::vector<std::size_t> resegment(std::size_t top) {
    std::vector<std::size_t> found{top};
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> sides;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t node = found[i];
      const auto [begin, count] = segments_[node];
      double* weights = &weights_[node * k_];
      std::fill(weights, weights + k_, 0.0);
      for (std::size_t j = begin; j < begin + count; ++j) weights[rows_.labels[order_[j]]] += rows_.weights[order_[j]];
      if (leaf(node)) continue;
      rows.assign(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.begin() + static_cast<std::ptrdiff_t>(begin + count));
      sides.resize(count);
      std::vector<std::size_t> ends(n_children(node) + 1, 0);
      for (std::size_t j = 0; j < count; ++j) {
        sides[j] = side(nodes_[node], rows[j]);
        ++ends[static_cast<std::size_t>(sides[j]) + 1];
      }
      std::partial_sum(ends.begin(), ends.end(), ends.begin());
      for (std::size_t c = 0; c < n_children(node); ++c) {
        segments_[child(node, c)] = {begin + ends[c], ends[c + 1] - ends[c]};
        found.push_back(child(node, c));
      }
      for (std::size_t j = 0; j < count; ++j) order_[begin + ends[static_cast<std::size_t>(sides[j])]++] = rows[j];
    }
    return found;
  }

  // With missing values: cases are lists of rows and weights, made on the way down and used on the way up.
  void prune_fractions() {
    struct Visit {
      std::size_t node;
      Cases cases;
      bool done_below;
    };
    Cases all;
    for (std::size_t row = 0; row < rows_.labels.size(); ++row) {
      if (rows_.weights[row] > 0) all.rows.push_back(static_cast<std::uint32_t>(row));
    }
    std::vector<Visit> stack;
    stack.push_back({0, std::move(all), false});
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const std::size_t node = visit.node;
      if (leaf(node)) {
        stack.pop_back();
      } else if (!visit.done_below) {
        visit.done_below = true;
        std::vector<Cases> below = divided(node, visit.cases);
        for (std::size_t c = below.size(); c-- > 0;) stack.push_back({child(node, c), std::move(below[c]), false});
      } else if (decide(node, expected_below(node), visit.cases.rows, visit.cases.weights) == Outcome::raised) {
        recount(node, visit.cases);
        visit.done_below = false;
      } else {
        stack.pop_back();
      }
    }
  }

  bool leaf(std::size_t node) const { return nodes_[node].column < 0; }
  std::size_t child(std::size_t node, std::size_t c) const { return static_cast<std::size_t>(nodes_[node].first) + c; }
  std::size_t n_children(std::size_t node) const { return static_cast<std::size_t>(nodes_[node].children); }

  double weight_of(std::size_t node) const {
    const auto begin = weights_.begin() + static_cast<std::ptrdiff_t>(node * k_);
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(k_), 0.0);
  }
  double errors(std::size_t node) const {
    const double* of = &weights_[node * k_];
    return std::accumulate(of, of + k_, 0.0) - *std::max_element(of, of + k_);
  }
  double expected(const double* of) const {
    const double n = std::accumulate(of, of + k_, 0.0);
    return expected_errors(n, n - *std::max_element(of, of + k_), confidence_, z_);
  }
  double expected(std::size_t node) const { return expected(&weights_[node * k_]); }

  template <class Visit>
  void for_leaves(std::size_t node, const Visit& visit) const {
    std::vector<std::size_t> open{node};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (leaf(at)) {
        visit(at);
      } else {
        for (std::size_t c = n_children(at); c-- > 0;) open.push_back(child(at, c));
      }
    }
  }

  double expected_below(std::size_t node) const {
    double sum = 0;
    for_leaves(node, [&](std::size_t at) { sum += expected(at); });
    return sum;
  }

  // The last of equals, as C4.5's descendants have it.
  std::size_t heaviest_child(std::size_t node) const {
    std::size_t best = n_children(node) - 1;
    double most = weight_of(child(node, best));
    for (std::size_t c = best; c-- > 0;) {
      if (const double weight = weight_of(child(node, c)); weight > most + 1e-9) most = weight, best = c;
    }
    return best;
  }

  // The child that a row takes; -1 if its value is missing and goes to all.
  std::int32_t side(const Node& node, std::size_t row) const {
    const RawColumn& column = rows_.columns[static_cast<std::size_t>(node.column)];
    if (column.codes) {
      const std::int32_t code = column.codes[row];
      return code < 0 ? otherwise(node, row) : tree_.level_children[static_cast<std::size_t>(node.levels + code)];
    }
    const double value = column.numbers[row];
    return std::isnan(value) ? otherwise(node, row) : value > node.threshold;
  }

  // The child of a missing value: by the first surrogate that knows, or the node's own.
  std::int32_t otherwise(const Node& node, std::size_t row) const {
    for (std::int32_t i = node.surrogates; i < node.surrogates_end; ++i) {
      const auto one = static_cast<std::size_t>(i);
      const RawColumn& column = rows_.columns[static_cast<std::size_t>(tree_.surrogate_columns[one])];
      if (!column.codes) {
        const double value = column.numbers[row];
        if (std::isnan(value)) continue;
        return value > tree_.surrogate_thresholds[one] ? 1 - tree_.surrogate_first[one] : tree_.surrogate_first[one];
      }
      const std::int32_t code = column.codes[row];
      if (code < 0) continue;
      const std::int32_t to = tree_.surrogate_level_children[static_cast<std::size_t>(tree_.surrogate_level_starts[one] + code)];
      if (to >= 0) return to;
    }
    return node.missing;
  }

  double weight(const Cases& cases, std::size_t i) const {
    return cases.weights.empty() ? rows_.weights[cases.rows[i]] : cases.weights[i];
  }

  // The cases of every child; a missing value goes to all, in proportion to the known weight of these cases.
  std::vector<Cases> divided(std::size_t node, const Cases& cases) const {
    std::vector<Cases> out(n_children(node));
    std::vector<double> known(out.size(), 0);
    std::vector<std::size_t> lost;
    std::vector<std::int32_t> sides(cases.rows.size());
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      sides[i] = side(nodes_[node], cases.rows[i]);
      if (sides[i] < 0) {
        lost.push_back(i);
      } else {
        known[static_cast<std::size_t>(sides[i])] += weight(cases, i);
      }
    }
    double all = std::accumulate(known.begin(), known.end(), 0.0);
    if (!(all > 0)) {  // no value is known, as can be after rows were sent down another branch
      std::fill(known.begin(), known.end(), 1.0);
      all = static_cast<double>(known.size());
    }
    const bool weighed = !cases.weights.empty() || !lost.empty();
    for (std::size_t i = 0; i < cases.rows.size(); ++i) {
      for (std::size_t c = 0; c < out.size(); ++c) {
        if (sides[i] >= 0 ? static_cast<std::size_t>(sides[i]) != c : !(known[c] > 0)) continue;
        out[c].rows.push_back(cases.rows[i]);
        if (weighed) out[c].weights.push_back(weight(cases, i) * (sides[i] < 0 ? known[c] / all : 1.0));
      }
    }
    return out;
  }

  void count(const Cases& cases, double* into) const {
    std::fill(into, into + k_, 0.0);
    for (std::size_t i = 0; i < cases.rows.size(); ++i) into[rows_.labels[cases.rows[i]]] += weight(cases, i);
  }

  // Counts cases anew at a node and all below it.
  void recount(std::size_t node, const Cases& cases) {
    std::vector<std::pair<std::size_t, Cases>> open;
    open.emplace_back(node, cases);
    while (!open.empty()) {
      const auto [at, of] = std::move(open.back());
      open.pop_back();
      count(of, &weights_[at * k_]);
      if (leaf(at)) continue;
      std::vector<Cases> below = divided(at, of);
      for (std::size_t c = 0; c < below.size(); ++c) open.emplace_back(child(at, c), std::move(below[c]));
    }
  }

  bool tests_lacking(std::size_t node) const {
    std::vector<std::size_t> open{node};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (leaf(at)) continue;
      if (lacking_[static_cast<std::size_t>(nodes_[at].column)]) return true;
      for (std::size_t c = 0; c < n_children(at); ++c) open.push_back(child(at, c));
    }
    return false;
  }

  // The errors to expect if all cases of a node went down one of its branches; any number above `limit` if they exceed it.
  double expected_branch(std::size_t node, std::size_t heaviest, std::span<const std::uint32_t> rows,
                         std::span<const double> own, double limit) {
    const std::size_t branch = child(node, heaviest);
    if (!segments_.empty() && leaf(branch)) return expected(node);
    if (segments_.empty() && tests_lacking(branch)) {
      return expected_anew(branch, {{rows.begin(), rows.end()}, {own.begin(), own.end()}});
    }
    // Cases that are down the branch already stay where they are. More cases never lower what a leaf is expected to
    // err, so that the sum can be cut short.
    Reached reached(*this, branch, segments_.empty() ? expected_below(branch) : below_[branch], limit);
    if (!segments_.empty()) {
      for (std::size_t c = 0; c < n_children(node); ++c) {
        if (c == heaviest) continue;
        const auto [begin, count] = segments_[child(node, c)];
        for (const std::uint32_t row : std::span(order_).subspan(begin, count)) {
          if (reached.send(row, rows_.weights[row])) return reached.errors();
        }
      }
      return reached.errors();
    }
    const double share = weight_of(branch) / weight_of(node);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int32_t to = side(nodes_[node], rows[i]);
      if (to == static_cast<std::int32_t>(heaviest)) continue;
      if (reached.send(rows[i], (to < 0 ? 1 - share : 1) * (own.empty() ? rows_.weights[rows[i]] : own[i]))) break;
    }
    return reached.errors();
  }

  // The leaves of a branch that more cases come to, and the errors to expect of all its leaves.
  class Reached {
   public:
    Reached(Pruner& pruner, std::size_t branch, double errors, double limit)
        : of_(pruner), branch_(branch), errors_(errors), limit_(limit) {}

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
          if (of_.leaf(one.at)) continue;
          one.at = of_.child(one.at, static_cast<std::size_t>(of_.side(of_.nodes_[one.at], one.row)));
          any = true;
        }
      }
      for (const Case& one : waiting_) add(one.at, static_cast<std::size_t>(of_.rows_.labels[one.row]), one.weight);
      waiting_.clear();
    }

    void add(std::size_t leaf, std::size_t label, double weight) {
      std::size_t place = of_.place_[leaf];
      if (place >= leaves_.size() || leaves_[place] != leaf) {
        place = of_.place_[leaf] = leaves_.size();
        leaves_.push_back(leaf);
        const double* weights = &of_.weights_[leaf * of_.k_];
        weights_.insert(weights_.end(), weights, weights + of_.k_);
        expected_.push_back(of_.expected(weights));
      }
      weights_[place * of_.k_ + label] += weight;
      const double now = of_.expected(&weights_[place * of_.k_]);
      errors_ += now - expected_[place];
      expected_[place] = now;
    }

    Pruner& of_;
    std::size_t branch_;
    double errors_, limit_;
    std::vector<Case> waiting_;
    std::vector<std::size_t> leaves_;
    std::vector<double> weights_, expected_;  // by leaf
  };

  double expected_anew(std::size_t branch, const Cases& cases) const {
    double sum = 0;
    std::vector<double> weights(k_);
    std::vector<std::pair<std::size_t, Cases>> open;
    open.emplace_back(branch, cases);
    while (!open.empty()) {
      const auto [at, of] = std::move(open.back());
      open.pop_back();
      if (leaf(at)) {
        count(of, weights.data());
        sum += expected(weights.data());
        continue;
      }
      std::vector<Cases> below = divided(at, of);
      for (std::size_t c = 0; c < below.size(); ++c) open.emplace_back(child(at, c), std::move(below[c]));
    }
    return sum;
  }

  const PlainTree& tree_;
  const TreeRows& rows_;
  std::size_t k_;
  std::vector<Node> nodes_;
  std::vector<double> weights_;
  std::vector<bool> lacking_;
  std::vector<std::pair<std::size_t, std::size_t>> segments_;  // of rows in `order_`: where a node's begin, how many
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> place_;  // of a leaf among those reached
  std::vector<double> below_;  // the errors to expect of each subtree as it is
  bool raising_ = true;
  double confidence_, z_;
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
  TreeRows rows;
  rows.classes = classes;
  Pruner pruner(tree, rows, 0.25, 0);
  pruner.collapse();
  return pruner.result();
}

PlainTree pruned(const PlainTree& tree, const TreeRows& rows, double confidence, double z, bool raising) {
  Pruner pruner(tree, rows, confidence, z);
  pruner.prune(raising);
  return pruner.result();
}

std::vector<double> sums_below(const PlainTree& tree, std::span<const RawColumn> columns, std::span<const double> payload,
                               std::size_t width) {
  TreeRows rows;
  rows.columns = columns;
  rows.classes = tree.columns.empty() ? 0 : tree.weights.size() / tree.columns.size();
  return Pruner(tree, rows, 0.25, 0).sums_below(payload, width);
}

std::vector<double> values_at_most(const PlainTree& tree, const TreeColumns& columns) {
  std::vector<double> out = tree.thresholds;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (tree.columns[i] < 0) continue;
    const TreeColumn& column = columns.columns[static_cast<std::size_t>(tree.columns[i])];
    if (column.nominal) continue;
    if (column.listed) {
      const double* numbers = column.raw.numbers;
      const auto above = std::partition_point(column.items.begin(), column.items.end(),
                                              [&](Item item) { return numbers[item.at] <= out[i]; });
      if (above != column.items.begin()) out[i] = numbers[std::prev(above)->at];
    } else {
      const auto above = std::upper_bound(column.values.begin(), column.values.end(), out[i]);
      if (above != column.values.begin()) out[i] = *std::prev(above);
    }
  }
  return out;
}

}  // namespace hedgerow::trees

#include "trees/flat_tree.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "trees/pruning_walk.hpp"

namespace hedgerow::trees {

std::vector<double> sum_payloads(const FlatTree& tree, std::span<const RawColumn> columns,
                                 std::span<const double> payload, std::size_t width, const InterruptCheck& pause) {
  constexpr std::size_t many = 1 << 16;  // rows between pauses
  const PrunableTree descent(tree, columns, tree.columns.empty() ? 0 : tree.tallies.size() / tree.columns.size());
  std::vector<double> out(descent.size() * width, 0);
  std::vector<std::pair<std::size_t, double>> open;
  for (std::size_t row = 0; row * width < payload.size(); ++row) {
    if (row % many == 0) pause();
    open.assign(1, {0, 1.0});
    while (!open.empty()) {
      const auto [node, weight] = open.back();
      open.pop_back();
      for (std::size_t c = 0; c < width; ++c) out[node * width + c] += weight * payload[row * width + c];
      if (descent.is_leaf(node)) continue;
      if (const std::int32_t to = descent.find_child(node, row); to >= 0) {
        open.emplace_back(descent.child(node, static_cast<std::size_t>(to)), weight);
        continue;
      }
      const double all = descent.weight(node);
      for (std::size_t c = 0; c < descent.n_children(node); ++c) {
        const std::size_t child = descent.child(node, c);
        if (const double part = descent.weight(child); part > 0) open.emplace_back(child, weight * part / all);
      }
    }
  }
  return out;
}

namespace {

// The largest number at or below each of some ascending limits; the limit itself where there is none.
std::vector<double> find_largest_up_to(const double* numbers, std::size_t rows, const std::vector<double>& limits) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> found(limits.size() + 1, none);  // one for numbers above all
  for (std::size_t row = 0; row < rows; ++row) {
    const auto position =
        static_cast<std::size_t>(std::lower_bound(limits.begin(), limits.end(), numbers[row]) - limits.begin());
    found[position] = std::max(found[position], numbers[row]);  // not NaN, which comes second and compares with nothing
  }
  for (std::size_t i = 1; i < limits.size(); ++i) found[i] = std::max(found[i], found[i - 1]);
  for (std::size_t i = 0; i < limits.size(); ++i) found[i] = found[i] == none ? limits[i] : found[i];
  return found;
}

// Lowers the thresholds of a column whose lists a tree has used up.
void lower_unlisted_thresholds(const FlatTree& tree, std::size_t number, const double* numbers, std::size_t rows,
                               std::vector<double>& out) {
  std::vector<double> limits;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (tree.columns[i] == static_cast<std::int32_t>(number)) limits.push_back(out[i]);
  }
  if (limits.empty()) return;
  std::sort(limits.begin(), limits.end());
  const std::vector<double> found = find_largest_up_to(numbers, rows, limits);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (tree.columns[i] != static_cast<std::int32_t>(number)) continue;
    out[i] = found[static_cast<std::size_t>(std::lower_bound(limits.begin(), limits.end(), out[i]) - limits.begin())];
  }
}

}  // namespace

std::vector<double> find_values_below_thresholds(const FlatTree& tree, const TreeColumns& columns) {
  std::vector<double> out = tree.thresholds;
  for (std::size_t number = 0; number < columns.columns.size(); ++number) {
    const TreeColumn& column = columns.columns[number];
    if (column.listed && column.items.empty())
      lower_unlisted_thresholds(tree, number, column.raw.numbers, columns.rows, out);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (tree.columns[i] < 0) continue;
    const TreeColumn& column = columns.columns[static_cast<std::size_t>(tree.columns[i])];
    if (column.nominal || (column.listed && column.items.empty())) continue;
    if (column.listed) {
      const double* numbers = column.raw.numbers;
      const auto above = std::partition_point(column.items.begin(), column.items.end(),
                                              [&](RankedCase item) { return numbers[item.case_index] <= out[i]; });
      if (above != column.items.begin()) out[i] = numbers[std::prev(above)->case_index];
    } else {
      const auto above = std::upper_bound(column.values.begin(), column.values.end(), out[i]);
      if (above != column.values.begin()) out[i] = *std::prev(above);
    }
  }
  return out;
}

ClassShares compute_class_shares(std::span<const double> tallies, std::size_t classes) {
  constexpr double maximum = 1e15;
  const std::size_t n = classes == 0 ? 0 : tallies.size() / classes;
  ClassShares out{std::vector<double>(n), std::vector<double>(tallies.size()), std::vector<std::int32_t>(n)};
  for (std::size_t node = 0; node < n; ++node) {
    const double* tally = tallies.data() + node * classes;
    double* shares = out.shares.data() + node * classes;
    double total = 0, largest = 0;
    bool whole = true;
    for (std::size_t c = 0; c < classes; ++c) {
      total += tally[c];
      whole = whole && tally[c] >= 0 && tally[c] < maximum &&
              tally[c] == static_cast<double>(static_cast<std::int64_t>(tally[c]));
    }
    if (!whole || !(total > 0) || !(total < maximum)) return {};
    for (std::size_t c = 0; c < classes; ++c) {
      shares[c] = tally[c] / total;
      largest = std::max(largest, shares[c]);
    }
    const double minimum = largest * (1 - 1e-12);
    std::size_t best = 0;
    while (shares[best] < minimum) ++best;
    out.totals[node] = total;
    out.best[node] = static_cast<std::int32_t>(best);
  }
  return out;
}

}  // namespace hedgerow::trees

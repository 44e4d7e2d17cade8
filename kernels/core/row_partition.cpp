#include "core/row_partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hedgerow {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMinPartDivisor =
    8;  // equal levels stay together if neither side is smaller than this part of the rows

struct RowKey {
  double key;
  std::int32_t row;
};

inline bool precedes(const RowKey& one, const RowKey& other) {
  return one.key != other.key ? one.key < other.key : one.row < other.row;
}

// Calls visit(code, count) for every known code among some rows, in ascending order.
template <typename Visit>
void for_each_code(const std::int32_t* codes, std::span<const std::int32_t> rows_of_node, Visit&& visit) {
  std::vector<std::int32_t> own;
  for (const auto row : rows_of_node)
    if (codes[row] >= 0) own.push_back(codes[row]);
  std::sort(own.begin(), own.end());
  for (std::size_t first = 0, last = 0; first < own.size(); first = last) {
    while (last < own.size() && own[last] == own[first]) ++last;
    visit(own[first], last - first);
  }
}

// Divides the rows of one node after the other.
class NodeDivider {
 public:
  NodeDivider(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& options)
      : rows_(rows), distance_(distance), options_(options) {}

  // Brings the rows of the first half to the front, and returns how many these are.
  std::size_t divide(std::span<std::int32_t> rows_of_node, bool in_halves) {
    if (options_.rule == PartitionRule::FARTHEST) return split_by_farthest(rows_of_node, in_halves);
    const auto column = options_.rule == PartitionRule::VARIANCE ? find_most_varied_column(rows_of_node)
                                                                 : find_widest_column(rows_of_node);
    row_keys_.resize(rows_of_node.size());
    for (std::size_t i = 0; i < rows_of_node.size(); ++i)
      row_keys_[i] = {key(column, rows_of_node[i]), rows_of_node[i]};
    std::size_t first = 0;
    if (options_.at_mean && !in_halves && column < rows_.n_numbers) first = split_at_mean();
    if (column >= rows_.n_numbers && !in_halves) first = split_at_level();
    if (first == 0 || first == rows_of_node.size()) first = split_at_median();
    for (std::size_t i = 0; i < rows_of_node.size(); ++i) rows_of_node[i] = row_keys_[i].row;
    return first;
  }

 private:
  double key(std::size_t column, std::int32_t row) const {
    if (column < rows_.n_numbers) {
      const double value = rows_.number(column)[row];
      return value == value ? value : kInfinity;
    }
    if (!rows_.n_codes) return 0;
    const auto code = rows_.code(column - rows_.n_numbers)[row];
    return code < 0 ? kInfinity : static_cast<double>(code);
  }

  std::size_t split_at_median() {
    const auto middle = row_keys_.size() / 2;
    std::nth_element(row_keys_.begin(), row_keys_.begin() + static_cast<std::ptrdiff_t>(middle), row_keys_.end(),
                     precedes);
    return middle;
  }

  // Behind the value closest to the mean of those known; 0 or all if these are all alike.
  std::size_t split_at_mean() {
    double sum = 0, known = 0;
    for (const auto& one : row_keys_)
      if (one.key < kInfinity) sum += one.key, ++known;
    if (known == 0) return 0;
    double closest = kInfinity, value = 0;
    for (const auto& one : row_keys_) {
      const double far = std::abs(one.key - sum / known);
      if (far < closest || (far == closest && one.key < value)) closest = far, value = one.key;
    }
    return move_to_front([value](const RowKey& one) { return one.key <= value; });
  }

  // Between two levels, as near to the middle as may be; 0 if one of them has too many rows.
  std::size_t split_at_level() {
    std::sort(row_keys_.begin(), row_keys_.end(), precedes);
    const auto n = row_keys_.size(), middle = n / 2;
    std::size_t low = middle, high = middle;
    while (low > 0 && row_keys_[low - 1].key == row_keys_[middle].key) --low;
    while (high < n && row_keys_[high].key == row_keys_[middle].key) ++high;
    const auto cut = low == 0 || (high < n && high - middle < middle - low) ? high : low;
    return std::min(cut, n - cut) * kMinPartDivisor >= n ? cut : 0;
  }

  template <typename Test>
  std::size_t move_to_front(Test&& test) {
    return static_cast<std::size_t>(std::stable_partition(row_keys_.begin(), row_keys_.end(), test) -
                                    row_keys_.begin());
  }

  // -- columns ------------------------------------------------------------------------------------------------------

  // The column of the largest figure, numbers first; the first of several.
  template <typename OfNumbers, typename OfCodes>
  std::size_t find_largest_column(OfNumbers&& of_numbers, OfCodes&& of_codes) const {
    std::size_t best = 0;
    double maximum = 0;
    for (std::size_t column = 0; column < rows_.n_numbers + rows_.n_codes; ++column) {
      const double own = column < rows_.n_numbers ? of_numbers(column) : of_codes(column - rows_.n_numbers);
      if (own > maximum) maximum = own, best = column;
    }
    return best;
  }

  std::size_t find_widest_column(std::span<const std::int32_t> rows_of_node) const {
    return find_largest_column([&](std::size_t d) { return number_extent(d, rows_of_node); },
                               [&](std::size_t c) { return level_extent(c, rows_of_node); });
  }

  double root(double distance) const { return distance_.squared ? std::sqrt(distance) : distance; }

  double number_extent(std::size_t column, std::span<const std::int32_t> rows_of_node) const {
    const double* values = rows_.number(column);
    double low = kInfinity, high = -kInfinity;
    bool missing = false;
    for (const auto row : rows_of_node) {
      const double value = values[row];
      if (value < low) low = value;
      if (value > high) high = value;
      if (!(value == value)) missing = true;
    }
    if (high > low) return high - low;
    return missing && low <= high ? root(distance_.missing_distances[column]) : 0.0;
  }

  double level_extent(std::size_t column, std::span<const std::int32_t> rows_of_node) const {
    const auto* codes = rows_.code(column);
    for (const auto row : rows_of_node)
      if (codes[row] != codes[rows_of_node.front()]) return root(distance_.mismatch_distances[column]);
    return 0;
  }

  std::size_t find_most_varied_column(std::span<const std::int32_t> rows_of_node) const {
    return find_largest_column([&](std::size_t d) { return variance(d, rows_of_node); },
                               [&](std::size_t c) { return level_variance(c, rows_of_node); });
  }

  double variance(std::size_t column, std::span<const std::int32_t> rows_of_node) const {
    const double* values = rows_.number(column);
    double sum = 0, known = 0, squares = 0;
    for (const auto row : rows_of_node)
      if (values[row] == values[row]) sum += values[row], ++known;
    if (known == 0) return 0;
    for (const auto row : rows_of_node) {
      const double difference = values[row] - sum / known;
      if (difference == difference) squares += difference * difference;
    }
    const double share = known / static_cast<double>(rows_of_node.size()),
                 missing_distance = square(distance_.missing_distances[column]);
    return share * share * squares / known + (1 - share * share) * missing_distance / 2;
  }

  double square(double distance) const { return distance_.squared ? distance : distance * distance; }

  // Half of the probability that two rows differ, times the square of the step.
  double level_variance(std::size_t column, std::span<const std::int32_t> rows_of_node) const {
    double alike = 0;
    for_each_code(rows_.code(column), rows_of_node, [&](std::int32_t, std::size_t count) {
      const double share = static_cast<double>(count) / static_cast<double>(rows_of_node.size());
      alike += share * share;
    });
    return alike > 0 ? (1 - alike) / 2 * square(distance_.mismatch_distances[column]) : 0.0;
  }

  // -- two rows far apart -------------------------------------------------------------------------------------------

  std::size_t split_by_farthest(std::span<std::int32_t> rows_of_node, bool in_halves) {
    MixedRowReader reader(rows_);
    compute_distances(rows_, distance_, rows_of_node, compute_center(rows_, rows_of_node).row(), true, to_one_);
    const auto one = find_farthest(rows_of_node, to_one_);
    compute_distances(rows_, distance_, rows_of_node, reader(one), false, to_one_);
    const auto other = find_farthest(rows_of_node, to_one_);
    compute_distances(rows_, distance_, rows_of_node, reader(other), false, to_other_);
    row_keys_.resize(rows_of_node.size());
    for (std::size_t i = 0; i < rows_of_node.size(); ++i)
      row_keys_[i] = {root(to_one_[i]) - root(to_other_[i]), rows_of_node[i]};
    std::size_t first = 0;
    if (!in_halves) first = move_to_front([](const RowKey& row) { return row.key <= 0; });
    if (first == 0 || first == rows_of_node.size()) first = split_at_median();
    for (std::size_t i = 0; i < rows_of_node.size(); ++i) rows_of_node[i] = row_keys_[i].row;
    return first;
  }

  static std::size_t find_farthest(std::span<const std::int32_t> rows_of_node, const std::vector<double>& distances) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rows_of_node.size(); ++i)
      if (distances[i] > distances[best] || (distances[i] == distances[best] && rows_of_node[i] < rows_of_node[best]))
        best = i;
    return static_cast<std::size_t>(rows_of_node[best]);
  }

  const MixedRows& rows_;
  const MixedDistance& distance_;
  const PartitionOptions& options_;
  std::vector<RowKey> row_keys_;
  std::vector<double> to_one_, to_other_;
};

}  // namespace

std::size_t compute_halving_depth(std::size_t rows, std::size_t leaf) {
  std::size_t depth = 0;
  while ((rows + (std::size_t{1} << depth) - 1) >> depth > leaf) ++depth;
  return depth;
}

Partition partition_rows(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& options,
                         ThreadPool& pool) {
  Partition out;
  out.order.resize(rows.size);
  std::iota(out.order.begin(), out.order.end(), 0);
  out.nodes.push_back({0, rows.size});
  const auto deepest = static_cast<std::int32_t>(2 * compute_halving_depth(rows.size, options.leaf));
  for (std::size_t level = 0, end = 1; level < end; level = end, end = out.nodes.size()) {
    std::vector<std::size_t> firsts(end - level);
    pool.parallel_for(end - level, [&](std::size_t job, std::size_t) {
      const auto& node = out.nodes[level + job];
      const std::span rows_of_node(out.order.data() + node.begin, node.end - node.begin);
      if (rows_of_node.size() <= options.leaf)
        std::sort(rows_of_node.begin(), rows_of_node.end());
      else
        firsts[job] = NodeDivider(rows, distance, options).divide(rows_of_node, node.depth >= deepest);
    });
    for (std::size_t job = 0; job < firsts.size(); ++job) {
      if (!firsts[job]) continue;
      const auto node = out.nodes[level + job];
      const auto child = static_cast<std::int32_t>(out.nodes.size()), depth = node.depth + 1;
      out.nodes[level + job].left = child, out.nodes[level + job].right = child + 1;
      out.nodes.push_back({node.begin, node.begin + firsts[job], -1, -1, depth});
      out.nodes.push_back({node.begin + firsts[job], node.end, -1, -1, depth});
    }
  }
  for (std::size_t i = out.nodes.size(); i-- > 0;) {
    auto& node = out.nodes[i];
    if (!node.is_leaf())
      node.height = 1 + std::max(out.nodes[static_cast<std::size_t>(node.left)].height,
                                 out.nodes[static_cast<std::size_t>(node.right)].height);
  }
  return out;
}

MixedCenter compute_center(const MixedRows& rows, std::span<const std::int32_t> rows_of_node) {
  MixedCenter out;
  for (std::size_t d = 0; d < rows.n_numbers; ++d) {
    double sum = 0, known = 0;
    for (const auto row : rows_of_node) {
      const double value = rows.number(d)[row];
      if (value == value) sum += value, ++known;
    }
    out.numbers.push_back(known ? sum / known : std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t c = 0; c < rows.n_codes; ++c) {
    std::int32_t mode = -1;
    std::size_t maximum = 0;
    for_each_code(rows.code(c), rows_of_node, [&](std::int32_t code, std::size_t count) {
      if (count > maximum) maximum = count, mode = code;
    });
    out.codes.push_back(mode);
  }
  return out;
}

void compute_distances(const MixedRows& rows, const MixedDistance& distance, std::span<const std::int32_t> rows_of_node,
                       const MixedRow& from, bool is_center, std::vector<double>& out) {
  out.assign(rows_of_node.size(), 0.0);
  for (std::size_t d = 0; d < rows.n_numbers; ++d) {
    const double own = from.numbers[d], missing_distance = distance.missing_distances[d];
    const double* values = rows.number(d);
    const bool nowhere = is_center && !(own == own);
    for (std::size_t i = 0; i < rows_of_node.size(); ++i) {
      const double value = values[rows_of_node[i]], difference = own - value;
      if (nowhere)
        out[i] += value == value ? missing_distance : 0.0;
      else
        out[i] += difference == difference ? distance.number_distance(difference) : missing_distance;
    }
  }
  for (std::size_t c = 0; c < rows.n_codes; ++c) {
    const auto own = from.codes[c];
    const double mismatch_distance = distance.mismatch_distances[c];
    const bool nowhere = is_center && own < 0;
    for (std::size_t i = 0; i < rows_of_node.size(); ++i) {
      const auto code = rows.code(c)[rows_of_node[i]];
      out[i] += nowhere ? (code < 0 ? 0.0 : mismatch_distance) : code == own && own >= 0 ? 0.0 : mismatch_distance;
    }
  }
}

}  // namespace hedgerow

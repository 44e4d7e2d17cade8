#include "core/row_partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hedgerow {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t least_part =
    8;  // equal levels stay together if neither side is smaller than this part of the rows

struct Keyed {
  double key;
  std::int32_t row;
};

inline bool before(const Keyed& one, const Keyed& other) {
  return one.key != other.key ? one.key < other.key : one.row < other.row;
}

// Calls visit(code, count) for every known code among some rows, in ascending order.
template <typename Visit>
void for_each_code(const std::int32_t* codes, std::span<const std::int32_t> some, Visit&& visit) {
  std::vector<std::int32_t> own;
  for (const auto row : some)
    if (codes[row] >= 0) own.push_back(codes[row]);
  std::sort(own.begin(), own.end());
  for (std::size_t first = 0, last = 0; first < own.size(); first = last) {
    while (last < own.size() && own[last] == own[first]) ++last;
    visit(own[first], last - first);
  }
}

// Divides the rows of one node after the other.
class Divider {
 public:
  Divider(const MixedRows& rows, const MixedDistance& distance, const PartitionHow& how)
      : rows_(rows), distance_(distance), how_(how) {}

  // Brings the rows of the first half to the front, and returns how many these are.
  std::size_t divide(std::span<std::int32_t> some, bool in_halves) {
    if (how_.division == Division::FARTHEST) return apart(some, in_halves);
    const auto column = how_.division == Division::VARIANCE ? most_varied(some) : widest(some);
    keyed_.resize(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) keyed_[i] = {key(column, some[i]), some[i]};
    std::size_t first = 0;
    if (how_.at_mean && !in_halves && column < rows_.n_numbers) first = at_mean();
    if (column >= rows_.n_numbers && !in_halves) first = at_level();
    if (first == 0 || first == some.size()) first = at_median();
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = keyed_[i].row;
    return first;
  }

 private:
  double key(std::size_t column, std::int32_t row) const {
    if (column < rows_.n_numbers) {
      const double value = rows_.number(column)[row];
      return value == value ? value : infinite;
    }
    if (!rows_.n_codes) return 0;
    const auto code = rows_.code(column - rows_.n_numbers)[row];
    return code < 0 ? infinite : static_cast<double>(code);
  }

  std::size_t at_median() {
    const auto middle = keyed_.size() / 2;
    std::nth_element(keyed_.begin(), keyed_.begin() + static_cast<std::ptrdiff_t>(middle), keyed_.end(), before);
    return middle;
  }

  // Behind the value closest to the mean of those known; 0 or all if these are all alike.
  std::size_t at_mean() {
    double sum = 0, known = 0;
    for (const auto& one : keyed_)
      if (one.key < infinite) sum += one.key, ++known;
    if (known == 0) return 0;
    double closest = infinite, value = 0;
    for (const auto& one : keyed_) {
      const double far = std::abs(one.key - sum / known);
      if (far < closest || (far == closest && one.key < value)) closest = far, value = one.key;
    }
    return front([value](const Keyed& one) { return one.key <= value; });
  }

  // Between two levels, as near to the middle as may be; 0 if one of them has too many rows.
  std::size_t at_level() {
    std::sort(keyed_.begin(), keyed_.end(), before);
    const auto n = keyed_.size(), middle = n / 2;
    std::size_t low = middle, high = middle;
    while (low > 0 && keyed_[low - 1].key == keyed_[middle].key) --low;
    while (high < n && keyed_[high].key == keyed_[middle].key) ++high;
    const auto cut = low == 0 || (high < n && high - middle < middle - low) ? high : low;
    return std::min(cut, n - cut) * least_part >= n ? cut : 0;
  }

  template <typename Test>
  std::size_t front(Test&& test) {
    return static_cast<std::size_t>(std::stable_partition(keyed_.begin(), keyed_.end(), test) - keyed_.begin());
  }

  // -- columns ------------------------------------------------------------------------------------------------------

  // The column of the largest figure, numbers first; the first of several.
  template <typename OfNumbers, typename OfCodes>
  std::size_t largest(OfNumbers&& of_numbers, OfCodes&& of_codes) const {
    std::size_t best = 0;
    double most = 0;
    for (std::size_t column = 0; column < rows_.n_numbers + rows_.n_codes; ++column) {
      const double own = column < rows_.n_numbers ? of_numbers(column) : of_codes(column - rows_.n_numbers);
      if (own > most) most = own, best = column;
    }
    return best;
  }

  std::size_t widest(std::span<const std::int32_t> some) const {
    return largest([&](std::size_t d) { return side(d, some); }, [&](std::size_t c) { return level_side(c, some); });
  }

  double root(double distance) const { return distance_.squares ? std::sqrt(distance) : distance; }

  double side(std::size_t column, std::span<const std::int32_t> some) const {
    const double* values = rows_.number(column);
    double low = infinite, high = -infinite;
    bool missing = false;
    for (const auto row : some) {
      const double value = values[row];
      if (value < low) low = value;
      if (value > high) high = value;
      if (!(value == value)) missing = true;
    }
    if (high > low) return high - low;
    return missing && low <= high ? root(distance_.gaps[column]) : 0.0;
  }

  double level_side(std::size_t column, std::span<const std::int32_t> some) const {
    const auto* codes = rows_.code(column);
    for (const auto row : some)
      if (codes[row] != codes[some.front()]) return root(distance_.steps[column]);
    return 0;
  }

  std::size_t most_varied(std::span<const std::int32_t> some) const {
    return largest([&](std::size_t d) { return variance(d, some); }, [&](std::size_t c) { return disorder(c, some); });
  }

  double variance(std::size_t column, std::span<const std::int32_t> some) const {
    const double* values = rows_.number(column);
    double sum = 0, known = 0, squares = 0;
    for (const auto row : some)
      if (values[row] == values[row]) sum += values[row], ++known;
    if (known == 0) return 0;
    for (const auto row : some) {
      const double apart = values[row] - sum / known;
      if (apart == apart) squares += apart * apart;
    }
    const double share = known / static_cast<double>(some.size()), gap = square(distance_.gaps[column]);
    return share * share * squares / known + (1 - share * share) * gap / 2;
  }

  double square(double distance) const { return distance_.squares ? distance : distance * distance; }

  // Half of the chance that two rows differ, times the square of the step.
  double disorder(std::size_t column, std::span<const std::int32_t> some) const {
    double alike = 0;
    for_each_code(rows_.code(column), some, [&](std::int32_t, std::size_t count) {
      const double share = static_cast<double>(count) / static_cast<double>(some.size());
      alike += share * share;
    });
    return alike > 0 ? (1 - alike) / 2 * square(distance_.steps[column]) : 0.0;
  }

  // -- two rows far apart -------------------------------------------------------------------------------------------

  std::size_t apart(std::span<std::int32_t> some, bool in_halves) {
    RowReader reader(rows_);
    distances_to(rows_, distance_, some, center_of(rows_, some).row(), true, to_one_);
    const auto one = farthest(some, to_one_);
    distances_to(rows_, distance_, some, reader(one), false, to_one_);
    const auto other = farthest(some, to_one_);
    distances_to(rows_, distance_, some, reader(other), false, to_other_);
    keyed_.resize(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) keyed_[i] = {root(to_one_[i]) - root(to_other_[i]), some[i]};
    std::size_t first = 0;
    if (!in_halves) first = front([](const Keyed& row) { return row.key <= 0; });
    if (first == 0 || first == some.size()) first = at_median();
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = keyed_[i].row;
    return first;
  }

  static std::size_t farthest(std::span<const std::int32_t> some, const std::vector<double>& distances) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < some.size(); ++i)
      if (distances[i] > distances[best] || (distances[i] == distances[best] && some[i] < some[best])) best = i;
    return static_cast<std::size_t>(some[best]);
  }

  const MixedRows& rows_;
  const MixedDistance& distance_;
  const PartitionHow& how_;
  std::vector<Keyed> keyed_;
  std::vector<double> to_one_, to_other_;
};

}  // namespace

std::size_t halving_depth(std::size_t rows, std::size_t leaf) {
  std::size_t depth = 0;
  while ((rows + (std::size_t{1} << depth) - 1) >> depth > leaf) ++depth;
  return depth;
}

Partition partition_rows(const MixedRows& rows, const MixedDistance& distance, const PartitionHow& how, Crew& crew) {
  Partition out;
  out.order.resize(rows.size);
  std::iota(out.order.begin(), out.order.end(), 0);
  out.nodes.push_back({0, rows.size});
  const auto deepest = static_cast<std::int32_t>(2 * halving_depth(rows.size, how.leaf));
  for (std::size_t level = 0, end = 1; level < end; level = end, end = out.nodes.size()) {
    std::vector<std::size_t> firsts(end - level);
    crew.share(end - level, [&](std::size_t job, std::size_t) {
      const auto& node = out.nodes[level + job];
      const std::span some(out.order.data() + node.begin, node.end - node.begin);
      if (some.size() <= how.leaf)
        std::sort(some.begin(), some.end());
      else
        firsts[job] = Divider(rows, distance, how).divide(some, node.depth >= deepest);
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

Center center_of(const MixedRows& rows, std::span<const std::int32_t> some) {
  Center out;
  for (std::size_t d = 0; d < rows.n_numbers; ++d) {
    double sum = 0, known = 0;
    for (const auto row : some) {
      const double value = rows.number(d)[row];
      if (value == value) sum += value, ++known;
    }
    out.numbers.push_back(known ? sum / known : std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t c = 0; c < rows.n_codes; ++c) {
    std::int32_t mode = -1;
    std::size_t most = 0;
    for_each_code(rows.code(c), some, [&](std::int32_t code, std::size_t count) {
      if (count > most) most = count, mode = code;
    });
    out.codes.push_back(mode);
  }
  return out;
}

void distances_to(const MixedRows& rows, const MixedDistance& distance, std::span<const std::int32_t> some,
                  const MixedRow& from, bool is_center, std::vector<double>& out) {
  out.assign(some.size(), 0.0);
  for (std::size_t d = 0; d < rows.n_numbers; ++d) {
    const double own = from.numbers[d], gap = distance.gaps[d];
    const double* values = rows.number(d);
    const bool nowhere = is_center && !(own == own);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double value = values[some[i]], apart = own - value;
      if (nowhere)
        out[i] += value == value ? gap : 0.0;
      else
        out[i] += apart == apart ? distance.of(apart) : gap;
    }
  }
  for (std::size_t c = 0; c < rows.n_codes; ++c) {
    const auto own = from.codes[c];
    const double step = distance.steps[c];
    const bool nowhere = is_center && own < 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto code = rows.code(c)[some[i]];
      out[i] += nowhere ? (code < 0 ? 0.0 : step) : code == own && own >= 0 ? 0.0 : step;
    }
  }
}

}  // namespace hedgerow

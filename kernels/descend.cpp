#include "descend.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace hedgerow {

namespace {

constexpr std::uint32_t kNominal = 3;  // the other three: missing values take child 0, child 1, or need a closer look
constexpr std::int32_t kLook = -1;
constexpr std::uint32_t kLeaf = 0xffffffff;
// Bytes of the block of rows that is gathered at a time: for one tree it should be near, for many trees it should be worth
// fetching each of them.
constexpr std::size_t kNear = std::size_t{1} << 15, kWorth = std::size_t{1} << 18;
constexpr double kTie = 1e-12;

struct Step {
  double threshold;     // numeric; of a nominal test the place in `turn` of the missing value, its levels following
  std::int32_t first;   // first child
  std::uint32_t where;  // slot << 4 | which of two children are leaves << 2 | what kind of test; or kLeaf
};
static_assert(sizeof(Step) == 16);

inline bool is_leaf(const std::uint8_t* steps, std::int32_t node) {
  std::uint32_t where;
  std::memcpy(&where, steps + sizeof(Step) * static_cast<std::size_t>(node) + offsetof(Step, where), sizeof(where));
  return where == kLeaf;
}

// Numeric tests turn by 0 missing, 1 at most, 2 above.
constexpr std::array<std::int32_t, 9> kTurns = {0, 0, 1, 1, 0, 1, kLook, 0, 1};

void require(bool holds, const char* what) {
  if (!holds) throw std::out_of_range(what);
}

std::span<const std::int32_t> run(std::span<const std::int32_t> start, std::span<const std::int32_t> all,
                                  std::size_t i) {
  return all.subspan(static_cast<std::size_t>(start[i]), static_cast<std::size_t>(start[i + 1] - start[i]));
}

void check_starts(std::span<const std::int32_t> start, std::size_t total) {
  require(start.front() == 0 && static_cast<std::size_t>(start.back()) == total, "starts do not fit what they start");
  require(std::is_sorted(start.begin(), start.end()), "starts are falling");
}

// A test must have the levels of its slot, and lead to children 0 (or -1, if it may be silent) to most.
void check_test(std::int32_t slot, std::span<const std::int32_t> child, std::size_t numeric,
                std::span<const std::int32_t> levels, std::int32_t least, std::int32_t most) {
  const auto at = static_cast<std::size_t>(slot);
  require(slot >= 0 && at < numeric + levels.size(), "a slot is out of range");
  const std::size_t wanted = at < numeric ? 0 : static_cast<std::size_t>(levels[at - numeric]);
  require(child.size() == wanted, "a test does not have the levels of its column");
  for (const auto one : child) require(one >= least && one <= most, "a level leads out of range");
}

void check_surrogates(const Tests& tests, std::size_t numeric, std::span<const std::int32_t> levels) {
  for (std::size_t one = 0; one < tests.surrogate_slot.size(); ++one) {
    const auto child = run(tests.surrogate_level_start, tests.surrogate_level_child, one);
    check_test(tests.surrogate_slot[one], child, numeric, levels, -1, 1);
    require(tests.surrogate_first[one] == 0 || tests.surrogate_first[one] == 1, "a surrogate leads out of range");
  }
}

// Returns the number of children. A child has a larger number than its parent, so that every way down ends.
std::int32_t check_node(const Tests& tests, std::size_t node, std::size_t numeric,
                        std::span<const std::int32_t> levels) {
  const auto child = run(tests.level_start, tests.level_child, node);
  const std::int32_t last = child.empty() ? 1 : *std::max_element(child.begin(), child.end());
  check_test(tests.slot[node], child, numeric, levels, 0, last);
  require(tests.missing[node] >= -1 && tests.missing[node] <= last, "a missing value leads out of range");
  require(tests.surrogate_start[node] == tests.surrogate_start[node + 1] || last == 1, "a surrogate lacks two children");
  const auto first = static_cast<std::int64_t>(tests.first[node]);
  require(first > static_cast<std::int64_t>(node) && first + last < std::ssize(tests.slot), "a child is out of range");
  return last + 1;
}

Step packed_step(const Tests& tests, std::size_t node, std::vector<std::int32_t>& turns) {
  const auto child = run(tests.level_start, tests.level_child, node);
  const auto slot = static_cast<std::uint32_t>(tests.slot[node]);
  const bool surrogates = tests.surrogate_start[node] < tests.surrogate_start[node + 1];
  const std::int32_t missing = surrogates ? kLook : tests.missing[node];
  if (child.empty()) {
    const std::uint32_t what = missing < 0 ? 2 : static_cast<std::uint32_t>(missing);
    const auto first = static_cast<std::size_t>(tests.first[node]);
    const std::uint32_t leaves = (tests.slot[first] < 0 ? 4u : 0u) | (tests.slot[first + 1] < 0 ? 8u : 0u);
    return {tests.threshold[node], tests.first[node], slot << 4 | leaves | what};
  }
  const auto place = static_cast<std::uint64_t>(turns.size());
  turns.push_back(missing);
  turns.insert(turns.end(), child.begin(), child.end());
  return {std::bit_cast<double>(place), tests.first[node], slot << 4 | kNominal};
}

// Some rows, each with the bits of its slots: a number, or 1 + a code.
class Block {
 public:
  Block(const Columns& columns, std::size_t bytes)
      : columns_(columns), width_(columns.number.size() + columns.code.size()),
        rows_(std::clamp<std::size_t>(bytes / (8 * width_ + 1), 64, 8192)),
        bits_(rows_ * width_) {}

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  const std::uint64_t* row(std::size_t i) const { return bits_.data() + i * width_; }

  // Returns whether a value is missing.
  bool gather(std::size_t begin, std::size_t n) {
    std::size_t slot = 0;
    bool gaps = false;
    for (const double* number : columns_.number) {
      for (std::size_t i = 0; i < n; ++i) {
        gaps |= std::isnan(number[begin + i]);
        bits_[i * width_ + slot] = std::bit_cast<std::uint64_t>(number[begin + i]);
      }
      ++slot;
    }
    for (std::size_t c = 0; c < columns_.code.size(); ++c, ++slot) {
      std::uint32_t most = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t place = static_cast<std::uint32_t>(columns_.code[c][begin + i]) + 1;
        most = std::max(most, place);
        gaps |= place == 0;
        bits_[i * width_ + slot] = place;
      }
      require(most <= static_cast<std::uint32_t>(columns_.levels[c]), "a level code is out of range");
    }
    return gaps;
  }

 private:
  const Columns& columns_;
  std::size_t width_, rows_;
  std::vector<std::uint64_t> bits_;
};

std::int32_t last_step(const Forest& forest) { return static_cast<std::int32_t>(forest.children.size()); }

struct Walker {
  std::uint32_t row;
  std::int32_t at;
};

// Which child a row takes, or kLook. No branches, since tests are as good as random. Only a block `with_gaps` has missing
// values, only one `with_nominal` tests has columns of levels.
template <bool with_nominal, bool with_gaps>
inline std::int32_t turn_of(const Step& step, std::uint64_t bits, const std::int32_t* turns) {
  const double value = std::bit_cast<double>(bits);
  if constexpr (!with_nominal && !with_gaps) return value > step.threshold;
  const std::uint32_t what = step.where & 3;
  const std::uint64_t nominal = std::uint64_t{0} - (what == kNominal);  // all bits or none
  const std::uint64_t level = (bits + std::bit_cast<std::uint64_t>(step.threshold)) & nominal;
  std::uint64_t place = 1 + (value > step.threshold);
  if constexpr (with_gaps) place = 3 * what + (value <= step.threshold) + 2 * (value > step.threshold);
  return turns[level | (place & ~nominal)];
}

// The nodes where the rows of a block end in one tree; the last node of the forest where a closer look is needed. All rows
// take a step before any takes the next, so that the waits for memory overlap; those that have ended drop out.
template <bool with_nominal, bool with_gaps>
void go_down(const Forest& forest, const Block& block, std::size_t n, std::int32_t root,
             std::vector<Walker>& walkers, std::int32_t* end) {
  const std::uint8_t* steps = forest.step.data();
  const std::int32_t* turns = forest.turn.data();
  const std::int32_t look = last_step(forest);
  std::fill_n(end, n, root);
  for (std::uint32_t i = 0; i < n; ++i) walkers[i] = {i, root};
  if (is_leaf(steps, root)) return;
  Walker* list = walkers.data();
  for (std::size_t left = n; left > 0;) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const Walker one = list[i];
      Step step;
      std::memcpy(&step, steps + sizeof(Step) * static_cast<std::size_t>(one.at), sizeof(Step));
      const std::uint64_t bits = block.row(one.row)[step.where >> 4];
      const std::int32_t turn = turn_of<with_nominal, with_gaps>(step, bits, turns);
      std::int32_t to = step.first + turn;
      if constexpr (with_gaps) to = (look & (turn >> 31)) | (to & ~(turn >> 31));
      end[one.row] = to;
      list[kept] = {one.row, to};
      if constexpr (with_nominal || with_gaps)
        kept += !is_leaf(steps, to);
      else  // the same, but the child need not be fetched yet
        kept += !(step.where >> (2 + turn) & 1);
    }
    left = kept;
  }
}

// The closer look: everything that a missing value can mean.
class Slow {
 public:
  Slow(const Forest& forest, const Columns& columns)
      : tests_(forest.tests), children_(forest.children), numeric_(columns.number.size()) {}

  // Calls found(leaf, share) for each leaf that a row reaches; those of a node in the order of its children.
  template <typename Found>
  void walk(const std::uint64_t* row, std::int32_t root, Found found) {
    waiting_.assign(1, {root, 1.0});
    while (!waiting_.empty()) {
      const auto [at, share] = waiting_.back();
      waiting_.pop_back();
      const auto node = static_cast<std::size_t>(at);
      if (tests_.slot[node] < 0) {
        found(at, share);
      } else if (const std::int32_t turn = turn_of(row, node); turn >= 0) {
        waiting_.push_back({tests_.first[node] + turn, share});
      } else {
        for (std::int32_t child = tests_.first[node] + children_[node]; child-- > tests_.first[node];)
          if (const double part = tests_.share[static_cast<std::size_t>(child)]; part > 0)
            waiting_.push_back({child, share * part});
      }
    }
  }

 private:
  std::int32_t turn_of(const std::uint64_t* row, std::size_t node) const {
    std::int32_t turn = tested(row, tests_.slot[node], tests_.threshold[node], 0,
                               run(tests_.level_start, tests_.level_child, node));
    for (std::int32_t s = tests_.surrogate_start[node]; turn < 0 && s < tests_.surrogate_start[node + 1]; ++s) {
      const auto one = static_cast<std::size_t>(s);
      turn = tested(row, tests_.surrogate_slot[one], tests_.surrogate_threshold[one], tests_.surrogate_first[one],
                    run(tests_.surrogate_level_start, tests_.surrogate_level_child, one));
    }
    return turn < 0 ? tests_.missing[node] : turn;
  }

  std::int32_t tested(const std::uint64_t* row, std::int32_t slot, double threshold, std::int32_t first,
                      std::span<const std::int32_t> child) const {
    const std::uint64_t bits = row[slot];
    if (static_cast<std::size_t>(slot) >= numeric_) return bits == 0 ? -1 : child[bits - 1];
    const double value = std::bit_cast<double>(bits);
    return std::isnan(value) ? -1 : value <= threshold ? first : 1 - first;
  }

  const Tests& tests_;
  std::span<const std::int32_t> children_;
  std::size_t numeric_;
  std::vector<std::pair<std::int32_t, double>> waiting_;
};

// Calls plain(row, tree, leaf) or mixed(row, tree, its values) for each row and tree; of a row in the order of the trees.
template <typename Plain, typename Mixed>
void each_row(const Forest& forest, const Columns& columns, std::span<const std::int32_t> root, Plain plain,
              Mixed mixed) {
  Block block(columns, root.size() == 1 ? kNear : kWorth);
  std::vector<std::int32_t> end(block.rows());
  std::vector<Walker> walkers(block.rows());
  const std::int32_t look = last_step(forest);
  for (std::size_t begin = 0; begin < columns.rows; begin += block.rows()) {
    const std::size_t n = std::min(block.rows(), columns.rows - begin);
    const bool gaps = block.gather(begin, n);
    const auto down = columns.code.empty() ? (gaps ? go_down<false, true> : go_down<false, false>)
                                           : (gaps ? go_down<true, true> : go_down<true, false>);
    for (std::size_t tree = 0; tree < root.size(); ++tree) {
      down(forest, block, n, root[tree], walkers, end.data());
      for (std::size_t i = 0; i < n; ++i) {
        if (end[i] == look)
          mixed(begin + i, tree, block.row(i));
        else
          plain(begin + i, tree, end[i]);
      }
    }
  }
}

std::size_t first_largest(const std::vector<double>& mixed) {
  const double best = *std::max_element(mixed.begin(), mixed.end());
  const double least = best - kTie * std::abs(best);
  return static_cast<std::size_t>(
      std::find_if(mixed.begin(), mixed.end(), [least](double x) { return x >= least; }) - mixed.begin());
}

}  // namespace

Packed pack(const Tests& tests, std::size_t numeric, std::span<const std::int32_t> levels) {
  const std::size_t n = tests.slot.size();
  check_starts(tests.level_start, tests.level_child.size());
  check_starts(tests.surrogate_start, tests.surrogate_slot.size());
  check_starts(tests.surrogate_level_start, tests.surrogate_level_child.size());
  check_surrogates(tests, numeric, levels);
  Packed packed{std::vector<std::uint8_t>(sizeof(Step) * (n + 1)), {kTurns.begin(), kTurns.end()},
                std::vector<std::int32_t>(n)};
  for (std::size_t node = 0; node <= n; ++node) {
    Step step{0, 0, kLeaf};
    if (node < n && tests.slot[node] >= 0) {
      packed.children[node] = check_node(tests, node, numeric, levels);
      step = packed_step(tests, node, packed.turn);
    }
    std::memcpy(packed.step.data() + sizeof(Step) * node, &step, sizeof(Step));
  }
  return packed;
}

void find_leaves(const Forest& forest, const Columns& columns, std::span<std::int32_t> leaf) {
  constexpr std::array<std::int32_t, 1> root = {0};
  Slow slow(forest, columns);
  each_row(
      forest, columns, root, [&](std::size_t row, std::size_t, std::int32_t end) { leaf[row] = end; },
      [&](std::size_t row, std::size_t, const std::uint64_t* values) {
        std::size_t found = 0;
        leaf[row] = -1;
        slow.walk(values, 0, [&](std::int32_t end, double) { leaf[row] = found++ == 0 ? end : -1; });
      });
}

void add_payloads(const Forest& forest, const Columns& columns, std::span<const std::int32_t> root,
                  std::span<const double> payload, std::size_t width, std::span<double> sum) {
  Slow slow(forest, columns);
  const auto add = [&](std::size_t row, std::int32_t leaf, double share) {
    const double* from = payload.data() + static_cast<std::size_t>(leaf) * width;
    double* to = sum.data() + row * width;
    for (std::size_t j = 0; j < width; ++j) to[j] += share * from[j];
  };
  each_row(
      forest, columns, root, [&](std::size_t row, std::size_t, std::int32_t leaf) { add(row, leaf, 1.0); },
      [&](std::size_t row, std::size_t tree, const std::uint64_t* values) {
        slow.walk(values, root[tree], [&](std::int32_t leaf, double share) { add(row, leaf, share); });
      });
}

void add_votes(const Forest& forest, const Columns& columns, std::span<const std::int32_t> root,
               std::span<const double> payload, std::size_t width, std::span<const std::int32_t> decision,
               std::span<const double> vote, std::span<double> sum) {
  Slow slow(forest, columns);
  std::vector<double> mixed(width);
  each_row(
      forest, columns, root,
      [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
        sum[row * width + static_cast<std::size_t>(decision[static_cast<std::size_t>(leaf)])] += vote[tree];
      },
      [&](std::size_t row, std::size_t tree, const std::uint64_t* values) {
        std::int32_t found = 0, last = 0;
        std::fill(mixed.begin(), mixed.end(), 0.0);
        slow.walk(values, root[tree], [&](std::int32_t leaf, double share) {
          const double* from = payload.data() + static_cast<std::size_t>(leaf) * width;
          for (std::size_t j = 0; j < width; ++j) mixed[j] += share * from[j];
          ++found, last = leaf;
        });
        const auto alone = static_cast<std::size_t>(decision[static_cast<std::size_t>(last)]);
        sum[row * width + (found == 1 ? alone : first_largest(mixed))] += vote[tree];
      });
}

}  // namespace hedgerow

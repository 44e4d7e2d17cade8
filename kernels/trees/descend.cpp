#include "trees/descend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "trees/packed_tree.hpp"

namespace hedgerow {

namespace {

// Bytes of the rows that go down a forest together: many, so that fetching each tree is worth it, and yet near.
constexpr std::size_t kBlockBytes = std::size_t{1} << 21;
constexpr double kTie = 1e-12;

// Some rows as words (see packed_tree.hpp), in parts of `rows_per_part` rows, each word by word.
class RowBlock {
 public:
  RowBlock(const DescentColumns& columns, bool many)
      : columns_(columns), width_(columns.numbers.size() + 2 * columns.codes.size()), part_(rows_per_part(width_)) {
    const std::size_t bytes = sizeof(TestWord) * part_ * std::max<std::size_t>(width_, 1);
    const std::size_t wanted = many ? std::max<std::size_t>(kBlockBytes / bytes, 1) : 1;
    parts_ = std::min(wanted, columns.n_rows / part_ + 1);
    words_.resize(parts_ * part_ * width_);
    has_missing_.resize(parts_);
  }

  std::size_t rows() const { return parts_ * part_; }
  std::size_t part_size() const { return part_; }
  const TestWord* part(std::size_t i) const { return words_.data() + i * part_ * width_; }
  bool part_has_missing(std::size_t i) const { return has_missing_[i]; }

  void gather(std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i * part_ < n; ++i) {
      const std::size_t first = begin + i * part_, rows = std::min(part_, n - i * part_);
      TestWord* out = words_.data() + i * part_ * width_;
      bool has_missing = false;
      for (const double* number : columns_.numbers)
        has_missing |= gather_numbers(number, first, rows, out), out += part_;
      for (std::size_t c = 0; c < columns_.codes.size(); ++c, out += 2 * part_)
        has_missing |= gather_codes(columns_.codes[c], columns_.levels[c], first, rows, out);
      has_missing_[i] = has_missing;
    }
  }

 private:
  // These return whether a value is missing.
  bool gather_numbers(const double* number, std::size_t begin, std::size_t n, TestWord* out) const {
    TestWord has_missing = 0;
    for_each_row(begin, n, [&](std::size_t i, std::size_t row) {
      const auto [word, missing] = encode_number(number[row]);
      out[i] = word;
      has_missing |= missing;
    });
    return has_missing != 0;
  }

  bool gather_codes(const std::int32_t* code, std::int32_t levels, std::size_t begin, std::size_t n,
                    TestWord* out) const {
    const TestWord bit = levels <= kMaxBits ? 1 : 0;
    std::int32_t minimum = 0, maximum = -1;
    for_each_row(begin, n, [&](std::size_t i, std::size_t row) {
      const std::int32_t one = code[row];
      minimum = std::min(minimum, one), maximum = std::max(maximum, one);
      out[i] = one < 0 ? kMissing : bit << (one & 31);
      out[part_ + i] = one < 0 ? kMissing : TestWord{one} + 1;
    });
    if (minimum < -1 || maximum >= levels) throw std::out_of_range("a level code is out of range");
    return minimum < 0;
  }

  template <typename Work>
  void for_each_row(std::size_t begin, std::size_t n, Work work) const {
    if (columns_.selected_rows.empty())
      for (std::size_t i = 0; i < n; ++i) work(i, begin + i);
    else
      for (std::size_t i = 0; i < n; ++i) work(i, static_cast<std::size_t>(columns_.selected_rows[begin + i]));
  }

  const DescentColumns& columns_;
  std::size_t width_, part_, parts_;
  std::vector<TestWord> words_;
  std::vector<std::uint8_t> has_missing_;
};

// The packed steps; a field at a time is fetched as it is needed.
class PackedSteps {
 public:
  explicit PackedSteps(const PackedForest& forest) : bytes_(forest.steps.data()) {}

  TestWord mask(std::uint32_t node) const { return load_field<TestWord>(node, offsetof(PackedStep, mask)); }
  TestWord limit(std::uint32_t node) const { return load_field<TestWord>(node, offsetof(PackedStep, limit)); }
  std::uint32_t first(std::uint32_t node) const { return load_field<std::uint32_t>(node, offsetof(PackedStep, first)); }
  std::uint32_t location(std::uint32_t node) const {
    return load_field<std::uint32_t>(node, offsetof(PackedStep, location));
  }
  bool is_leaf(std::uint32_t node) const { return first(node) == node; }

 private:
  template <typename T>
  T load_field(std::uint32_t node, std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_ + sizeof(PackedStep) * std::size_t{node} + offset, sizeof(T));
    return value;
  }

  const std::uint8_t* bytes_;
};

std::uint32_t closer_look_node(const PackedForest& forest) {
  return static_cast<std::uint32_t>(forest.children.size());
}

// at[row] = the node where each row of a part ends in one tree; the last node of the forest where a closer look is
// needed. All rows take a step before any takes the next, so that the waits for memory overlap (several steps at a time
// were slower); those that have ended drop out of the list of rows still `active`. No branches, since tests are as good
// as random. Only a part `with_missing` has missing values. `rows` lists the n rows that go down, null for the first n.
enum class ChildTables { none, tables, lists };  // which of them tests may use: lists besides tables

// The entry of a word in a list; see packed_tree.hpp.
std::uint32_t find_listed_entry(const std::int32_t* list, TestWord word) {
  if (word == kMissing) return static_cast<std::uint32_t>(list[0]);
  const std::int32_t *codes = list + 3, *end = codes + list[2];
  const auto code = static_cast<std::int32_t>(word - 1);
  const std::int32_t* found = std::lower_bound(codes, end, code);
  return static_cast<std::uint32_t>(found == end || *found != code ? list[1] : found[list[2]]);
}

template <ChildTables how, bool with_missing>
void descend_rows(const PackedForest& forest, const TestWord* words, const std::uint32_t* rows, std::size_t n,
                  std::uint32_t root, std::uint32_t* active, std::uint32_t* at) {
  const PackedSteps steps(forest);
  const std::int32_t* child_table = forest.child_table.data();
  const std::uint32_t closer_look = closer_look_node(forest);
  std::size_t left = 0;
  const auto step = [&](std::uint32_t row, std::uint32_t node) {
    const std::uint32_t node_location = steps.location(node);
    const TestWord word = words[std::size_t{node_location >> kLocationShift} + row], limit = steps.limit(node);
    std::uint32_t next_child = (word & steps.mask(node)) > limit;
    const std::uint32_t missing = with_missing && word == kMissing,
                        looks = missing & node_location / kMissingNeedsCloserLook;
    next_child |= missing & node_location / kMissingSecond;
    bool ends = node_location & (next_child + 1);  // kFirstIsLeaf is 1, kSecondIsLeaf is 2
    if (how == ChildTables::lists && (node_location & kTable) && limit < 0) {
      const std::uint32_t entry = find_listed_entry(child_table - limit, word);
      next_child = entry / 2;
      ends = entry & 1;
    } else if constexpr (how != ChildTables::none) {
      using Place = std::make_unsigned_t<TestWord>;  // of numbers the sum means nothing, and may overflow
      const Place table = Place{0} - ((node_location / kTable) & 1);  // all bits or none
      const auto location = static_cast<Place>(with_missing ? word & ~kMissing : word);
      const auto entry = static_cast<std::uint32_t>(
          child_table[(location + static_cast<Place>(limit)) & table]);  // child_table[0] is 0
      next_child |= entry / 2;
      ends |= static_cast<bool>(entry & 1);
    }
    at[row] = looks ? closer_look : steps.first(node) + next_child;
    active[left] = row;
    left += !(ends | static_cast<bool>(looks));
  };
  if (steps.is_leaf(root)) {
    for (std::uint32_t i = 0; i < n; ++i) at[rows ? rows[i] : i] = root;
    return;
  }
  if (rows)
    for (std::size_t i = 0; i < n; ++i) step(rows[i], root);
  else
    for (std::uint32_t row = 0; row < n; ++row) step(row, root);
  while (left > 0) {
    const std::size_t had = std::exchange(left, 0);
    for (std::size_t i = 0; i < had; ++i) step(active[i], at[active[i]]);
  }
}

auto choose_descent(const PackedForest& forest, bool has_missing) {
  if (forest.child_table[1])
    return has_missing ? descend_rows<ChildTables::lists, true> : descend_rows<ChildTables::lists, false>;
  if (forest.child_table.size() > 2)
    return has_missing ? descend_rows<ChildTables::tables, true> : descend_rows<ChildTables::tables, false>;
  return has_missing ? descend_rows<ChildTables::none, true> : descend_rows<ChildTables::none, false>;
}

// The closer look: everything that a missing value can mean.
class ExactDescent {
 public:
  ExactDescent(const PackedForest& forest, const DescentColumns& columns)
      : tests_(forest.tests), children_(forest.children), columns_(columns) {}

  // Calls found(leaf, share) for each leaf that a row reaches; those of a node in the order of its children.
  template <typename Visit>
  void descend(std::size_t i, std::int32_t root, Visit visit) {
    const std::size_t row = columns_.selected_rows.empty() ? i : static_cast<std::size_t>(columns_.selected_rows[i]);
    pending_.assign(1, {root, 1.0});
    while (!pending_.empty()) {
      const auto [at, share] = pending_.back();
      pending_.pop_back();
      const auto node = static_cast<std::size_t>(at);
      if (tests_.slot[node] < 0) {
        visit(at, share);
      } else if (const std::int32_t next_child = find_child(row, node); next_child >= 0) {
        pending_.push_back({tests_.first[node] + next_child, share});
      } else {
        for (std::int32_t child = tests_.first[node] + children_[node]; child-- > tests_.first[node];)
          if (const double part = tests_.share[static_cast<std::size_t>(child)]; part > 0)
            pending_.push_back({child, share * part});
      }
    }
  }

 private:
  std::int32_t find_child(std::size_t row, std::size_t node) const {
    std::int32_t next_child = test_value(row, tests_.slot[node], tests_.threshold[node], 0, tests_.level, node);
    for (std::int32_t s = tests_.surrogate_start[node]; next_child < 0 && s < tests_.surrogate_start[node + 1]; ++s) {
      const auto one = static_cast<std::size_t>(s);
      next_child = test_value(row, tests_.surrogate_slot[one], tests_.surrogate_threshold[one],
                              tests_.surrogate_first[one], tests_.surrogate_level, one);
    }
    return next_child < 0 ? tests_.missing[node] : next_child;
  }

  std::int32_t test_value(std::size_t row, std::int32_t slot, double threshold, std::int32_t first,
                          const LevelMapsView& maps, std::size_t test) const {
    const auto at = static_cast<std::size_t>(slot);
    if (at >= columns_.numbers.size()) {
      const std::int32_t code = columns_.codes[at - columns_.numbers.size()][row];
      return code < 0 ? -1 : maps.child(test, code);
    }
    const double value = columns_.numbers[at][row];
    return std::isnan(value) ? -1 : value <= threshold ? first : 1 - first;
  }

  const TreeTests& tests_;
  std::span<const std::int32_t> children_;
  const DescentColumns& columns_;
  std::vector<std::pair<std::int32_t, double>> pending_;
};

// Lists the places that are not 0; returns how many. There must be room for one more than there are bytes.
std::size_t list_nonzero(const std::uint8_t* bytes, std::size_t n, std::uint32_t* positions) {
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    positions[found] = i;
    found += bytes[i] != 0;
  }
  return found;
}

// Calls plain(row, tree, leaf) or mixed(row, tree) for each row that a tree is asked about; of a row in the order of
// the trees.
template <typename VisitLeaf, typename VisitMixed>
void for_each_row(const PackedForest& forest, const DescentColumns& columns, std::span<const std::int32_t> root,
                  RowMasks row_masks, const InterruptCheck& pause, VisitLeaf visit_leaf, VisitMixed visit_mixed) {
  RowBlock block(columns, root.size() > 1);
  std::vector<std::uint32_t> active(block.part_size() + 1), end(block.part_size());  // one more is written than kept
  std::vector<std::uint32_t> listed(row_masks.empty() ? 0 : block.part_size() + 1);
  const std::uint32_t closer_look = closer_look_node(forest);
  for (std::size_t begin = 0; begin < columns.n_rows; begin += block.rows()) {
    const std::size_t stop = std::min(begin + block.rows(), columns.n_rows);
    block.gather(begin, stop - begin);
    for (std::size_t tree = 0; tree < root.size(); ++tree) {
      pause();
      std::size_t part = 0;
      for (std::size_t first = begin; first < stop; first += block.part_size(), ++part) {
        std::size_t n = std::min(block.part_size(), stop - first);
        const std::uint32_t* rows = nullptr;
        if (!row_masks.empty()) {
          n = list_nonzero(row_masks[tree] + first, n, listed.data());
          rows = listed.data();
        }
        const auto down = choose_descent(forest, block.part_has_missing(part));
        down(forest, block.part(part), rows, n, static_cast<std::uint32_t>(root[tree]), active.data(), end.data());
        const auto take = [&](std::size_t i) {
          if (end[i] == closer_look)
            visit_mixed(first + i, tree);
          else
            visit_leaf(first + i, tree, static_cast<std::int32_t>(end[i]));
        };
        if (rows)
          for (std::size_t i = 0; i < n; ++i) take(rows[i]);
        else
          for (std::size_t i = 0; i < n; ++i) take(i);
      }
    }
  }
}

std::size_t choose_largest(const std::vector<double>& mixed) {
  const double best = *std::max_element(mixed.begin(), mixed.end());
  const double minimum = best - kTie * std::abs(best);
  return static_cast<std::size_t>(
      std::find_if(mixed.begin(), mixed.end(), [minimum](double x) { return x >= minimum; }) - mixed.begin());
}

}  // namespace

void find_leaves(const PackedForest& forest, const DescentColumns& columns, std::span<std::int32_t> leaf,
                 const InterruptCheck& pause) {
  constexpr std::array<std::int32_t, 1> root = {0};
  ExactDescent exact(forest, columns);
  for_each_row(
      forest, columns, root, {}, pause, [&](std::size_t row, std::size_t, std::int32_t end) { leaf[row] = end; },
      [&](std::size_t row, std::size_t) {
        std::size_t found = 0;
        leaf[row] = -1;
        exact.descend(row, 0, [&](std::int32_t end, double) { leaf[row] = found++ == 0 ? end : -1; });
      });
}

void add_payloads(const PackedForest& forest, const DescentColumns& columns, std::span<const std::int32_t> root,
                  RowMasks row_masks, std::span<const double> payload, std::size_t width, std::span<double> sum,
                  const InterruptCheck& pause) {
  ExactDescent exact(forest, columns);
  const auto add_all = [&](auto width_is_one) {
    const auto add = [&](std::size_t row, std::int32_t leaf, double share) {
      const double* from = payload.data() + static_cast<std::size_t>(leaf) * width_is_one;
      double* to = sum.data() + row * width_is_one;
      for (std::size_t j = 0; j < width_is_one; ++j) to[j] += share * from[j];
    };
    for_each_row(
        forest, columns, root, row_masks, pause,
        [&](std::size_t row, std::size_t, std::int32_t leaf) { add(row, leaf, 1.0); },
        [&](std::size_t row, std::size_t tree) {
          exact.descend(row, root[tree], [&](std::int32_t leaf, double share) { add(row, leaf, share); });
        });
  };
  if (width == 2)  // as often: loops of a known length cost less
    add_all(std::integral_constant<std::size_t, 2>{});
  else
    add_all(width);
}

void add_votes(const PackedForest& forest, const DescentColumns& columns, std::span<const std::int32_t> root,
               RowMasks row_masks, std::span<const double> payload, std::size_t width,
               std::span<const std::int32_t> decision, std::span<const double> vote, std::span<double> sum,
               const InterruptCheck& pause) {
  ExactDescent exact(forest, columns);
  std::vector<double> mixed(width);
  for_each_row(
      forest, columns, root, row_masks, pause,
      [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
        sum[row * width + static_cast<std::size_t>(decision[static_cast<std::size_t>(leaf)])] += vote[tree];
      },
      [&](std::size_t row, std::size_t tree) {
        std::int32_t found = 0, last = 0;
        std::fill(mixed.begin(), mixed.end(), 0.0);
        exact.descend(row, root[tree], [&](std::int32_t leaf, double share) {
          const double* from = payload.data() + static_cast<std::size_t>(leaf) * width;
          for (std::size_t j = 0; j < width; ++j) mixed[j] += share * from[j];
          ++found, last = leaf;
        });
        const auto alone = static_cast<std::size_t>(decision[static_cast<std::size_t>(last)]);
        sum[row * width + (found == 1 ? alone : choose_largest(mixed))] += vote[tree];
      });
}

}  // namespace hedgerow

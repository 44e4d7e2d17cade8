#include "trees/packed_tree.hpp"

#include <algorithm>
#include <stdexcept>

#include "trees/descend.hpp"

namespace hedgerow {

namespace {

void check(bool holds, const char* what) {
  if (!holds) throw std::out_of_range(what);
}

template <typename Start>
void check_starts(std::span<const Start> start, std::size_t total) {
  check(start.front() == 0 && static_cast<std::size_t>(start.back()) == total, "starts do not fit what they start");
  check(std::is_sorted(start.begin(), start.end()), "starts are falling");
}

// A test must have the levels of its slot, and lead to children 0 (or -1, if it may be silent) to most.
void check_test(std::int32_t slot, const LevelMapsView& maps, std::size_t test, std::size_t numeric,
                std::span<const std::int32_t> levels, std::int32_t minimum, std::int32_t maximum) {
  const auto at = static_cast<std::size_t>(slot);
  check(slot >= 0 && at < numeric + levels.size(), "a slot is out of range");
  const std::int32_t wanted = at < numeric ? 0 : levels[at - numeric];
  check(maps.counts[test] == wanted, "a test does not have the levels of its column");
  std::int32_t last = -1;
  for (const auto code : maps.codes_of(test)) {
    check(code > last && code < wanted, "a listed level is out of range");
    last = code;
  }
  check(wanted == 0 || (maps.rests[test] >= minimum && maps.rests[test] <= maximum), "a level leads out of range");
  for (const auto one : maps.children_of(test)) check(one >= minimum && one <= maximum, "a level leads out of range");
}

void check_surrogates(const TreeTests& tests, std::size_t numeric, std::span<const std::int32_t> levels) {
  for (std::size_t one = 0; one < tests.surrogate_slot.size(); ++one) {
    check_test(tests.surrogate_slot[one], tests.surrogate_level, one, numeric, levels, -1, 1);
    check(tests.surrogate_first[one] == 0 || tests.surrogate_first[one] == 1, "a surrogate leads out of range");
  }
}

// Returns the number of children. A child has a larger number than its parent, so that every way down ends.
std::int32_t check_node(const TreeTests& tests, std::size_t node, std::size_t numeric,
                        std::span<const std::int32_t> levels) {
  const std::int32_t last = tests.level.counts[node] == 0 ? 1 : tests.level.largest_child(node);
  check_test(tests.slot[node], tests.level, node, numeric, levels, 0, last);
  check(tests.missing[node] >= -1 && tests.missing[node] <= last, "a missing value leads out of range");
  check(tests.surrogate_start[node] == tests.surrogate_start[node + 1] || last == 1, "a surrogate lacks two children");
  const auto first = static_cast<std::int64_t>(tests.first[node]);
  check(first > static_cast<std::int64_t>(node) && first + last < std::ssize(tests.slot), "a child is out of range");
  return last + 1;
}

// The child of each level.
std::vector<std::int32_t> children_by_level(const LevelMapsView& maps, std::size_t test) {
  std::vector<std::int32_t> children(static_cast<std::size_t>(maps.counts[test]), maps.rests[test]);
  const auto codes = maps.codes_of(test), listed = maps.children_of(test);
  for (std::size_t i = 0; i < codes.size(); ++i) children[static_cast<std::size_t>(codes[i])] = listed[i];
  return children;
}

TestWord list_second_group(const LevelMapsView& maps, std::size_t test) {
  TestWord bits = 0;
  const auto children = children_by_level(maps, test);
  for (std::size_t level = 0; level < children.size(); ++level) bits |= TestWord{children[level]} << level;
  return bits;
}

// The step of an inner node; rows: those of a part, `numeric`: the number of numeric slots.
PackedStep pack_inner_node(const TreeTests& tests, std::size_t node, std::size_t numeric, std::size_t rows,
                           PackedTree& packed) {
  const auto slot = static_cast<std::size_t>(tests.slot[node]), first = static_cast<std::size_t>(tests.first[node]);
  const auto count = static_cast<std::size_t>(tests.level.counts[node]);
  const bool surrogates = tests.surrogate_start[node] < tests.surrogate_start[node + 1];
  const std::int32_t missing = surrogates ? -1 : tests.missing[node];
  const auto step = [&](TestWord mask, TestWord limit, std::size_t word, std::uint32_t flags) {
    if (missing < 0) flags |= kMissingNeedsCloserLook;
    return PackedStep{mask, limit, static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(word * rows) << kLocationShift | flags};
  };
  const std::uint32_t two = (tests.slot[first] < 0 ? kFirstIsLeaf : 0) |
                            (tests.slot[first + 1] < 0 ? kSecondIsLeaf : 0) | (missing == 1 ? kMissingSecond : 0);
  if (count == 0) return step(TestWord{-1}, encode_number(tests.threshold[node]).word, slot, two);
  const std::size_t word = numeric + 2 * (slot - numeric);
  if (tests.level.counts[node] <= kMaxBits && packed.children[node] == 2) {
    return step(list_second_group(tests.level, node), 0, word, two);
  }
  const auto begin = static_cast<TestWord>(packed.child_table.size());
  const auto entry = [&](std::int32_t turn) {
    return 2 * turn + (tests.slot[first + static_cast<std::size_t>(turn)] < 0);
  };
  packed.child_table.push_back(entry(std::max(missing, 0)));
  const auto codes = tests.level.codes_of(node);
  if (count <= kFewLevels || count <= 4 * codes.size()) {
    for (const auto turn : children_by_level(tests.level, node)) packed.child_table.push_back(entry(turn));
    return step(0, begin, word + 1, kTable);
  }
  packed.child_table[1] = 1;
  packed.child_table.push_back(entry(tests.level.rests[node]));
  packed.child_table.push_back(static_cast<std::int32_t>(codes.size()));
  packed.child_table.insert(packed.child_table.end(), codes.begin(), codes.end());
  for (const auto turn : tests.level.children_of(node)) packed.child_table.push_back(entry(turn));
  return step(0, -begin, word + 1, kTable);
}

}  // namespace

PackedTree pack_tree(const TreeTests& tests, std::size_t numeric, std::span<const std::int32_t> levels) {
  const std::size_t n = tests.slot.size(), words = numeric + 2 * levels.size(), rows = rows_per_part(words);
  check(words * rows < kMaxLocations, "trees test too many columns");
  check_starts(tests.level.starts, tests.level.codes.size());
  check_starts(tests.surrogate_start, tests.surrogate_slot.size());
  check_starts(tests.surrogate_level.starts, tests.surrogate_level.codes.size());
  check_surrogates(tests, numeric, levels);
  PackedTree packed{std::vector<std::uint8_t>(sizeof(PackedStep) * (n + 1)), {0, 0}, std::vector<std::int32_t>(n)};
  for (std::size_t node = 0; node <= n; ++node) {
    PackedStep step{0, 0, static_cast<std::uint32_t>(node), kFirstIsLeaf};
    if (node < n && tests.slot[node] >= 0) {
      packed.children[node] = check_node(tests, node, numeric, levels);
      step = pack_inner_node(tests, node, numeric, rows, packed);
    }
    std::memcpy(packed.steps.data() + sizeof(PackedStep) * node, &step, sizeof(PackedStep));
  }
  return packed;
}

}  // namespace hedgerow

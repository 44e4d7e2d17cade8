// The children that the levels of nominal tests lead to.
//
// A test names one child for most levels of its column and lists the other levels. Growing lists only levels that occur
// at the node, so that a test costs memory by the rows of its node, not by the levels of its column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow {

struct LevelChild {
  std::int32_t code, child;
};

// The maps of several tests, one entry per test in `counts` and `rests`.
struct LevelMapsView {
  std::span<const std::int32_t> counts;    // the number of levels; 0 if the test is not nominal
  std::span<const std::int32_t> rests;     // the child of the levels that are not listed; -1 if they lead nowhere
  std::span<const std::int64_t> starts;    // tests + 1: where the list of each test starts
  std::span<const std::int32_t> codes;     // the listed levels, ascending within a test
  std::span<const std::int32_t> children;  // their children

  std::span<const std::int32_t> codes_of(std::size_t test) const { return slice(codes, test); }
  std::span<const std::int32_t> children_of(std::size_t test) const { return slice(children, test); }

  // O(log(listed levels)).
  std::int32_t child(std::size_t test, std::int32_t code) const {
    const auto listed = codes_of(test);
    const auto found = std::lower_bound(listed.begin(), listed.end(), code);
    if (found == listed.end() || *found != code) return rests[test];
    return children_of(test)[static_cast<std::size_t>(found - listed.begin())];
  }

  std::int32_t largest_child(std::size_t test) const {
    const auto listed = children_of(test);
    return listed.empty() ? rests[test] : std::max(rests[test], *std::max_element(listed.begin(), listed.end()));
  }

 private:
  std::span<const std::int32_t> slice(std::span<const std::int32_t> all, std::size_t test) const {
    return all.subspan(static_cast<std::size_t>(starts[test]),
                       static_cast<std::size_t>(starts[test + 1] - starts[test]));
  }
};

// The same in the making: tests are added one after the other.
struct LevelMaps {
  std::vector<std::int32_t> counts, rests;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> codes, children;

  LevelMapsView view() const { return {counts, rests, starts, codes, children}; }

  // Adds a nominal test; `listed` is in ascending order.
  void add(std::int32_t count, std::int32_t rest, std::span<const LevelChild> listed) {
    for (const LevelChild one : listed) {
      codes.push_back(one.code);
      children.push_back(one.child);
    }
    end_test(count, rest);
  }

  // Adds a nominal test that has one child per level.
  void add_child_per_level(std::int32_t count) {
    for (std::int32_t code = 1; code < count; ++code) {
      codes.push_back(code);
      children.push_back(code);
    }
    end_test(count, 0);
  }

  // Adds a leaf or a numeric test.
  void add_none() { end_test(0, -1); }

  // Adds a test of another tree.
  void add(const LevelMapsView& from, std::size_t test) {
    const auto listed = from.codes_of(test), to = from.children_of(test);
    codes.insert(codes.end(), listed.begin(), listed.end());
    children.insert(children.end(), to.begin(), to.end());
    end_test(from.counts[test], from.rests[test]);
  }

 private:
  void end_test(std::int32_t count, std::int32_t rest) {
    counts.push_back(count);
    rests.push_back(rest);
    starts.push_back(static_cast<std::int64_t>(codes.size()));
  }
};

// Test i has the children from starts[i] up to starts[i + 1]; none if it is not nominal. The levels that are not listed
// are those of the most frequent child, of equals the first; children below -1 or beyond the number of levels do not
// compete. Starts must ascend within the children. O(tests + children).
LevelMaps make_level_maps(std::span<const std::int32_t> starts, std::span<const std::int32_t> children);

}  // namespace hedgerow

// Rules that others make needless: those behind a more general rule, and those less sure than with a test less.
#include <unordered_map>

#include "rules/class_rule_list.hpp"
#include "trees/prune.hpp"

namespace hedgerow::cars {
namespace {

constexpr std::size_t kRulesPerCheck = 256;  // rules between two looks at the caller

// Sets of tests in a tree, each test below the one before.
class TestSetTree {
 public:
  void add(std::span<const std::uint64_t> items, std::int32_t label) {
    std::uint32_t node = 0;
    for (const std::uint64_t item : items) {
      const auto [at, is_new] = children_.try_emplace(TestEdge{node, item}, static_cast<std::uint32_t>(labels_.size()));
      if (is_new) labels_.emplace_back();
      node = at->second;
    }
    labels_[node].push_back(label);
  }

  // Whether a set that is part of `items` was added, with this class or, if that is negative, with any.
  bool contains_subset(std::span<const std::uint64_t> items, std::int32_t label, std::uint32_t node = 0) const {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto at = children_.find(TestEdge{node, items[i]});
      if (at == children_.end()) continue;
      for (const std::int32_t one : labels_[at->second]) {
        if (label < 0 || one == label) return true;
      }
      if (contains_subset(items.subspan(i + 1), label, at->second)) return true;
    }
    return false;
  }

 private:
  struct TestEdge {
    std::uint32_t node;
    std::uint64_t item;
    bool operator==(const TestEdge&) const = default;
  };
  struct TestEdgeHash {
    std::size_t operator()(const TestEdge& step) const {
      return static_cast<std::size_t>((step.item * 0x9E3779B97F4A7C15ull) ^ (step.node * 0xC2B2AE3D27D4EB4Full));
    }
  };
  std::unordered_map<TestEdge, std::uint32_t, TestEdgeHash> children_;
  std::vector<std::vector<std::int32_t>> labels_{1};
};

// What the tests of a rule but one cover: all rows, and those of the rule's class.
struct CoveredWeight {
  std::int64_t all = 0, hits = 0;
};

CoveredWeight weigh_covered(const Rows& rows, const ClassRowLayout& layout, std::span<const BitWord* const> tests,
                            std::size_t label, std::size_t without) {
  CoveredWeight out;
  for (std::size_t one = 0; one < static_cast<std::size_t>(rows.classes); ++one) {
    std::int64_t sum = 0;
    for (std::size_t word = layout.begin(one); word < layout.end(one); ++word) {
      const BitWord bits = TestBits::find_passing_rows(tests, word, without);
      if (bits) sum += layout.weigh_bits(word, bits);
    }
    out.all += sum;
    if (one == label) out.hits = sum;
  }
  return out;
}

}  // namespace

std::vector<std::uint8_t> mark_general_rules(const RuleTests& tests, std::span<const std::int32_t> order,
                                             bool same_class) {
  std::vector<std::uint8_t> is_kept(tests.size());
  TestSetTree tree;
  std::vector<std::uint64_t> items;
  for (const std::int32_t number : order) {
    const auto rule = static_cast<std::size_t>(number);
    items.clear();
    for (auto test = static_cast<std::size_t>(tests.starts[rule]);
         test < static_cast<std::size_t>(tests.starts[rule + 1]); ++test) {
      items.push_back((static_cast<std::uint64_t>(tests.columns[test]) << 32) |
                      static_cast<std::uint32_t>(tests.codes[test]));
    }
    const std::int32_t label = tests.decisions[rule];
    if (tree.contains_subset(items, same_class ? label : -1)) continue;
    is_kept[rule] = 1;
    tree.add(items, label);
  }
  return is_kept;
}

std::vector<std::uint8_t> mark_pessimistic_rules(const Rows& rows, const RuleTests& tests, double confidence, double z,
                                                 double tick, ThreadPool& pool) {
  const ClassRowLayout layout(rows);
  const TestBits bits(rows, layout, tests);
  std::vector<std::uint8_t> is_kept(tests.size(), 1);
  const auto rate = [&](CoveredWeight one) {
    const double n = static_cast<double>(one.all) * tick, errors = static_cast<double>(one.all - one.hits) * tick;
    return trees::estimate_errors(n, errors, confidence, z) / n;
  };
  pool.parallel_for((tests.size() + kRulesPerCheck - 1) / kRulesPerCheck, [&](std::size_t job, std::size_t) {
    for (std::size_t rule = job * kRulesPerCheck; rule < std::min(tests.size(), (job + 1) * kRulesPerCheck); ++rule) {
      const auto rule_tests = bits.tests_of(rule);
      const auto label = static_cast<std::size_t>(tests.decisions[rule]);
      if (rule_tests.size() < 2) continue;
      const double error = rate(weigh_covered(rows, layout, rule_tests, label, SIZE_MAX));
      for (std::size_t test = 0; test < rule_tests.size() && is_kept[rule]; ++test) {
        is_kept[rule] = error <= rate(weigh_covered(rows, layout, rule_tests, label, test)) * (1 + 1e-12);
      }
    }
  });
  return is_kept;
}

}  // namespace hedgerow::cars

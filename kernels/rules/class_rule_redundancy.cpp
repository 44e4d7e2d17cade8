// Rules that others make needless: those behind a more general rule, and those less sure than with a test less.
#include <unordered_map>

#include "rules/class_rule_list.hpp"
#include "trees/prune.hpp"

namespace hedgerow::cars {
namespace {

constexpr std::size_t look_up = 256;  // rules between two looks at the caller

// Sets of tests in a tree, each test below the one before.
class Tree {
 public:
  void add(std::span<const std::uint64_t> items, std::int32_t label) {
    std::uint32_t node = 0;
    for (const std::uint64_t item : items) {
      const auto [at, is_new] = next_.try_emplace(Step{node, item}, static_cast<std::uint32_t>(labels_.size()));
      if (is_new) labels_.emplace_back();
      node = at->second;
    }
    labels_[node].push_back(label);
  }

  // Whether a set that is part of `items` was added, with this class or, if that is negative, with any.
  bool has_part(std::span<const std::uint64_t> items, std::int32_t label, std::uint32_t node = 0) const {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto at = next_.find(Step{node, items[i]});
      if (at == next_.end()) continue;
      for (const std::int32_t one : labels_[at->second]) {
        if (label < 0 || one == label) return true;
      }
      if (has_part(items.subspan(i + 1), label, at->second)) return true;
    }
    return false;
  }

 private:
  struct Step {
    std::uint32_t node;
    std::uint64_t item;
    bool operator==(const Step&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Step& step) const {
      return static_cast<std::size_t>((step.item * 0x9E3779B97F4A7C15ull) ^ (step.node * 0xC2B2AE3D27D4EB4Full));
    }
  };
  std::unordered_map<Step, std::uint32_t, Hash> next_;
  std::vector<std::vector<std::int32_t>> labels_{1};
};

// What the tests of a rule but one cover: all rows, and those of the rule's class.
struct Covered {
  std::int64_t all = 0, hits = 0;
};

Covered covered(const Rows& rows, const Places& places, std::span<const Word* const> tests, std::size_t label,
                std::size_t without) {
  Covered out;
  for (std::size_t one = 0; one < static_cast<std::size_t>(rows.classes); ++one) {
    std::int64_t sum = 0;
    for (std::size_t word = places.begin(one); word < places.end(one); ++word) {
      const Word bits = TestBits::passing(tests, word, without);
      if (bits) sum += places.weighed(word, bits);
    }
    out.all += sum;
    if (one == label) out.hits = sum;
  }
  return out;
}

}  // namespace

std::vector<std::uint8_t> general(const Tests& tests, std::span<const std::int32_t> order, bool same_class) {
  std::vector<std::uint8_t> stays(tests.size());
  Tree tree;
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
    if (tree.has_part(items, same_class ? label : -1)) continue;
    stays[rule] = 1;
    tree.add(items, label);
  }
  return stays;
}

std::vector<std::uint8_t> pessimistic(const Rows& rows, const Tests& tests, double confidence, double z, double tick,
                                      ThreadPool& crew) {
  const Places places(rows);
  const TestBits bits(rows, places, tests);
  std::vector<std::uint8_t> stays(tests.size(), 1);
  const auto rate = [&](Covered one) {
    const double n = static_cast<double>(one.all) * tick, errors = static_cast<double>(one.all - one.hits) * tick;
    return trees::estimate_errors(n, errors, confidence, z) / n;
  };
  crew.parallel_for((tests.size() + look_up - 1) / look_up, [&](std::size_t job, std::size_t) {
    for (std::size_t rule = job * look_up; rule < std::min(tests.size(), (job + 1) * look_up); ++rule) {
      const auto own = bits.of(rule);
      const auto label = static_cast<std::size_t>(tests.decisions[rule]);
      if (own.size() < 2) continue;
      const double error = rate(covered(rows, places, own, label, SIZE_MAX));
      for (std::size_t test = 0; test < own.size() && stays[rule]; ++test) {
        stays[rule] = error <= rate(covered(rows, places, own, label, test)) * (1 + 1e-12);
      }
    }
  });
  return stays;
}

}  // namespace hedgerow::cars

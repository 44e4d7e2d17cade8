#include "rules/class_rule_list.hpp"

#include <algorithm>
#include <bit>

namespace hedgerow::cars {
namespace {

constexpr std::size_t kRulesPerCheck = 1024;  // rules between two looks at the caller

// Words by class that hold rows which are still open.
class UncoveredRows {
 public:
  UncoveredRows(const Rows& rows, const ClassRowLayout& layout)
      : bits_(layout.words()), words_(static_cast<std::size_t>(rows.classes)) {
    for (std::size_t row = 0; row < rows.label.size(); ++row) {
      bits_[layout.position(row) / kWordBits] |= BitWord{1} << (layout.position(row) % kWordBits);
    }
    count_ = rows.label.size();
    for (std::size_t label = 0; label < words_.size(); ++label) {
      for (std::size_t word = layout.begin(label); word < layout.end(label); ++word) words_[label].push_back(word);
    }
  }

  std::size_t count() const { return count_; }
  BitWord bits_of_word(std::size_t word) const { return bits_[word]; }
  const std::vector<std::size_t>& words_of_class(std::size_t label) const { return words_[label]; }

  // Whether a rule covers an open row of a class.
  bool covers_any(std::span<const BitWord* const> tests, std::size_t label) const {
    return std::any_of(words_[label].begin(), words_[label].end(),
                       [&](std::size_t word) { return (bits_[word] & TestBits::find_passing_rows(tests, word)) != 0; });
  }

  // Closes the open rows of a class that a rule covers, and calls use(word, bits) with them.
  template <typename Use>
  void remove_covered(std::span<const BitWord* const> tests, std::size_t label, Use&& use) {
    std::size_t kept = 0;
    for (const std::size_t word : words_[label]) {
      const BitWord closed = bits_[word] & TestBits::find_passing_rows(tests, word);
      if (closed) {
        use(word, closed);
        bits_[word] &= ~closed;
        count_ -= static_cast<std::size_t>(std::popcount(closed));
      }
      words_[label][kept] = word;
      kept += bits_[word] != 0;
    }
    words_[label].resize(kept);
  }

 private:
  std::vector<BitWord> bits_;
  std::vector<std::vector<std::size_t>> words_;
  std::size_t count_ = 0;
};

struct RuleBitTables {
  RuleBitTables(const Rows& rows, const RuleTests& tests) : layout(rows), bits(rows, layout, tests) {}
  ClassRowLayout layout;
  TestBits bits;
};

RuleSelection select_rules(const Rows& rows, const RuleTests& tests, const RuleBitTables& tables,
                           std::span<const std::int32_t> order, std::size_t maximum, ThreadPool& pool) {
  const auto classes = static_cast<std::size_t>(rows.classes);
  UncoveredRows uncovered(rows, tables.layout);
  RuleSelection out;
  std::size_t seen = 0;
  for (const std::int32_t number : order) {
    if (++seen % kRulesPerCheck == 0) pool.check_interrupt();
    if (!uncovered.count() || out.rules.size() >= maximum) break;
    const auto rule = static_cast<std::size_t>(number);
    const auto covering = tables.bits.tests_of(rule);
    if (!uncovered.covers_any(covering, static_cast<std::size_t>(tests.decisions[rule]))) continue;
    out.rules.push_back(number);
    for (std::size_t label = 0; label < classes; ++label) {
      std::int64_t sum = 0;
      uncovered.remove_covered(covering, label,
                               [&](std::size_t word, BitWord bits) { sum += tables.layout.weigh_bits(word, bits); });
      out.covered.push_back(sum);
    }
  }
  return out;
}

// The rules that are the first right one of some row. Those of rows that no wrong rule covers before are certain to be
// chosen; the others are chosen if no rule of this list takes all their rows before.
std::vector<std::int32_t> find_first_right_rules(const Rows& rows, const RuleTests& tests, const RuleBitTables& tables,
                                                 std::span<const std::int32_t> order, ThreadPool& pool) {
  UncoveredRows without(rows, tables.layout);  // a right rule
  std::vector<std::int32_t> out;
  std::size_t seen = 0;
  for (const std::int32_t number : order) {
    if (++seen % kRulesPerCheck == 0) pool.check_interrupt();
    if (!without.count()) break;
    const auto rule = static_cast<std::size_t>(number);
    bool right = false;
    without.remove_covered(tables.bits.tests_of(rule), static_cast<std::size_t>(tests.decisions[rule]),
                           [&](std::size_t, BitWord) { right = true; });
    if (right) out.push_back(number);
  }
  return out;
}

}  // namespace

std::vector<std::int32_t> order_by_precedence(std::span<const std::int64_t> hits, std::span<const std::int64_t> covered,
                                              bool rounded) {
  struct Rank {
    double share;
    std::int64_t hits;
    std::int32_t number;
  };
  constexpr int slack_bits = 40;
  std::int64_t maximum = 0;
  for (const std::int64_t one : covered) maximum = std::max(maximum, one);
  const int coarse =
      rounded ? std::max(0, static_cast<int>(std::bit_width(static_cast<BitWord>(maximum))) - slack_bits) : 0;
  std::vector<Rank> ranks;
  ranks.reserve(hits.size());
  for (std::size_t rule = 0; rule < hits.size(); ++rule) {
    double share = static_cast<double>(hits[rule]) / static_cast<double>(covered[rule]);
    if (rounded) share = static_cast<double>(static_cast<std::int64_t>(share * (1ll << slack_bits) + 0.5));
    const std::int64_t half = coarse ? std::int64_t{1} << (coarse - 1) : 0;
    ranks.push_back({share, (hits[rule] + half) >> coarse, static_cast<std::int32_t>(rule)});
  }
  std::sort(ranks.begin(), ranks.end(), [&](const Rank& a, const Rank& b) {
    if (a.share != b.share) return a.share > b.share;
    if (!rounded) {  // equal to the last bit, and still it may be that only rounding has made them so
      const auto i = static_cast<std::size_t>(a.number), j = static_cast<std::size_t>(b.number);
      const auto left = static_cast<__int128>(hits[i]) * covered[j],
                 right = static_cast<__int128>(hits[j]) * covered[i];
      if (left != right) return left > right;
    }
    if (a.hits != b.hits) return a.hits > b.hits;
    return a.number < b.number;
  });
  std::vector<std::int32_t> out;
  for (const Rank& rank : ranks) out.push_back(rank.number);
  return out;
}

std::vector<std::int64_t> count_covered(const Rows& rows, const RuleTests& tests, ThreadPool& pool) {
  const auto classes = static_cast<std::size_t>(rows.classes);
  const RuleBitTables tables(rows, tests);
  std::vector<std::int64_t> out(tests.size() * classes);
  pool.parallel_for((tests.size() + kRulesPerCheck - 1) / kRulesPerCheck, [&](std::size_t job, std::size_t) {
    for (std::size_t rule = job * kRulesPerCheck; rule < std::min(tests.size(), (job + 1) * kRulesPerCheck); ++rule) {
      for (std::size_t label = 0; label < classes; ++label) {
        for (std::size_t word = tables.layout.begin(label); word < tables.layout.end(label); ++word) {
          out[rule * classes + label] +=
              tables.layout.weigh_bits(word, TestBits::find_passing_rows(tables.bits.tests_of(rule), word));
        }
      }
    }
  });
  return out;
}

RuleSelection select_one_by_one(const Rows& rows, const RuleTests& tests, std::span<const std::int32_t> order,
                                std::size_t maximum, ThreadPool& pool) {
  return select_rules(rows, tests, RuleBitTables(rows, tests), order, maximum, pool);
}

RuleSelection select_in_two_scans(const Rows& rows, const RuleTests& tests, std::span<const std::int32_t> order,
                                  std::size_t maximum, ThreadPool& pool) {
  const RuleBitTables tables(rows, tests);
  return select_rules(rows, tests, tables, find_first_right_rules(rows, tests, tables, order, pool), maximum, pool);
}

}  // namespace hedgerow::cars

#include "rules/class_rule_search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/target_avx2.hpp"

namespace hedgerow::cars {
namespace {

constexpr std::size_t kSetsPerCheck = 4096;  // sets looked at between two looks at the budget

// Bits that two sets of words share, range by range.
HEDGEROW_AVX2_CLONES void count_shared_bits(const BitWord* a, const BitWord* b, const std::uint32_t* starts,
                                            std::size_t ranges, std::int64_t* out) {
  std::uint32_t word = 0;
  for (std::size_t range = 0; range < ranges; ++range) {
    std::int64_t n = 0;
    for (const std::uint32_t end = starts[range + 1]; word < end; ++word) n += std::popcount(a[word] & b[word]);
    out[range] = n;
  }
}

struct RuleShare {
  std::int64_t hits = 0, covered = 1;
};

// A test that can be added to a set, and its rows among those of the first test.
struct Extension {
  LevelTest item;
  const BitWord* bits = nullptr;
};

class ClassRuleSearch {
 public:
  ClassRuleSearch(const Rows& rows, const MiningOptions& options, std::span<const LevelTest> items,
                  const SearchBudget& budget)
      : rows_(rows), options_(options), items_(items), budget_(budget) {}

  RuleBuffer find_rules(std::size_t first, std::span<const std::uint32_t> order) {
    select_rows(items_[first], order);
    path_.assign(1, items_[first]);
    best_.assign(1, std::vector<RuleShare>(live_classes_.size()));
    std::vector<std::int64_t> counts = totals_;
    if (!add_rules(counts, 0, 1)) return std::move(rules_);
    if (options_.max_tests > 1) search_pairs(first);
    return std::move(rules_);
  }

 private:
  // The rows that pass the first test, by class; classes that are too light already come together, as the last range.
  void select_rows(const LevelTest& item, std::span<const std::uint32_t> order) {
    const auto classes = static_cast<std::size_t>(rows_.classes);
    std::vector<std::int64_t> by_class(classes);
    const std::int32_t* codes = rows_.columns[static_cast<std::size_t>(item.column)].codes;
    for (const std::uint32_t row : order) {
      if (codes[row] != item.code) continue;
      first_test_rows_.push_back(row);
      by_class[static_cast<std::size_t>(rows_.label[row])] += rows_.ticks(row);
    }
    class_slots_.resize(classes);
    for (std::size_t label = 0; label < classes; ++label) {
      if (!by_class[label] || by_class[label] < options_.min_class_weights[label]) continue;
      class_slots_[label] = live_classes_.size();
      live_classes_.push_back(label);
      totals_.push_back(by_class[label]);
    }
    totals_.push_back(0);
    for (std::size_t label = 0; label < classes; ++label) {
      if (is_live(label)) continue;
      class_slots_[label] = live_classes_.size();
      totals_.back() += by_class[label];
    }
  }

  bool is_live(std::size_t label) const {
    return class_slots_[label] < live_classes_.size() && live_classes_[class_slots_[label]] == label;
  }
  std::size_t class_slot(std::uint32_t row) const { return class_slots_[static_cast<std::size_t>(rows_.label[row])]; }

  // Adds the rules of the tests on the path, which cover so much of each class. `before` is what the same tests without
  // the last one cover, 0 if that is not known. Returns whether longer sets are worth a look.
  bool add_rules(std::span<const std::int64_t> counts, std::int64_t before, std::size_t length) {
    const auto covered = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (options_.skip_specialized && covered == before) return false;
    if (best_.size() <= length) best_.resize(length + 1);
    best_[length] = best_[length - 1];
    bool frequent = false, pure = false;
    const std::size_t before_these = rules_.size();
    for (std::size_t number = 0; number < live_classes_.size(); ++number) {
      const std::int64_t hits = counts[number];
      if (!hits || hits < options_.min_class_weights[live_classes_[number]]) continue;
      frequent = true;
      pure = pure || hits == covered;
      RuleShare& best = best_[length][number];
      const bool more_confident = exceeds({hits, covered}, best);
      if (static_cast<__int128>(hits) * options_.confidence_denominator >=
              static_cast<__int128>(options_.confidence_numerator) * covered &&
          (more_confident || !options_.skip_specialized)) {
        rules_.add(std::span(path_).first(length), live_classes_[number], hits, covered);
      }
      if (more_confident) best = {hits, covered};
    }
    const std::size_t rules = rules_.size() - before_these;
    unreported_sets_ += rules > 1 ? rules - 1 : 0;  // rules of several classes take room as sets do
    return frequent && !(options_.skip_specialized && pure);
  }

  static bool exceeds(RuleShare a, RuleShare b) {
    return static_cast<__int128>(a.hits) * b.covered > static_cast<__int128>(b.hits) * a.covered;
  }

  // Sets of two tests, counted row by row; then those of more, by bits of what is left of the tests.
  void search_pairs(std::size_t first) {
    const std::size_t ranges = totals_.size();
    const auto all = std::accumulate(totals_.begin(), totals_.end(), std::int64_t{0});
    std::vector<std::int64_t> counts;
    std::vector<LevelTest> kept;
    path_.resize(2);
    std::size_t next = first + 1;
    while (next < items_.size() && items_[next].column == items_[first].column) ++next;
    while (next < items_.size()) {
      const std::int32_t c = items_[next].column;
      const Column& column = rows_.columns[static_cast<std::size_t>(c)];
      counts.assign(static_cast<std::size_t>(column.levels) * ranges, 0);
      for (const std::uint32_t row : first_test_rows_) {
        if (column.codes[row] >= 0)
          counts[static_cast<std::size_t>(column.codes[row]) * ranges + class_slot(row)] += rows_.ticks(row);
      }
      for (; next < items_.size() && items_[next].column == c; ++next) {
        if (options_.skip_specialized && items_[next].pure) continue;
        ++unreported_sets_;
        path_[1] = items_[next];
        const auto code = static_cast<std::size_t>(items_[next].code);
        if (add_rules(std::span(counts).subspan(code * ranges, ranges), all, 2)) kept.push_back(items_[next]);
      }
    }
    if (may_continue(true) && options_.max_tests > 2 && kept.size() > 1) {
      const std::vector<Extension> extensions = pack_extensions(kept);
      extend(nullptr, extensions, 2);
    }
    may_continue(true);
  }

  // The rows of tests among those of the first one, as bits in ranges by class.
  std::vector<Extension> pack_extensions(std::span<const LevelTest> kept) {
    starts_.assign(totals_.size() + 1, 0);
    std::vector<std::uint32_t> next(totals_.size());
    for (const std::uint32_t row : first_test_rows_) ++next[class_slot(row)];
    for (std::size_t range = 0; range < next.size(); ++range) {
      starts_[range + 1] = starts_[range] + (next[range] + static_cast<std::uint32_t>(kWordBits) - 1) / kWordBits;
      next[range] = starts_[range] * static_cast<std::uint32_t>(kWordBits);
    }
    std::vector<std::uint32_t> position;
    for (const std::uint32_t row : first_test_rows_) position.push_back(next[class_slot(row)]++);
    if (!rows_.weight.empty()) {
      weight_.resize(words() * kWordBits);
      for (std::size_t i = 0; i < first_test_rows_.size(); ++i)
        weight_[position[i]] = rows_.weight[first_test_rows_[i]];
    }
    bits_.assign(kept.size() * words(), 0);
    std::vector<Extension> out;
    for (std::size_t begin = 0; begin < kept.size();) {
      const Column& column = rows_.columns[static_cast<std::size_t>(kept[begin].column)];
      std::vector<BitWord*> of(static_cast<std::size_t>(column.levels), nullptr);
      std::size_t end = begin;
      for (; end < kept.size() && kept[end].column == kept[begin].column; ++end) {
        of[static_cast<std::size_t>(kept[end].code)] = bits_.data() + end * words();
        out.push_back({kept[end], bits_.data() + end * words()});
      }
      for (std::size_t i = 0; i < first_test_rows_.size(); ++i) {
        const std::int32_t code = column.codes[first_test_rows_[i]];
        if (code < 0 || !of[static_cast<std::size_t>(code)]) continue;
        of[static_cast<std::size_t>(code)][position[i] / kWordBits] |= BitWord{1} << (position[i] % kWordBits);
      }
      begin = end;
    }
    return out;
  }

  std::size_t words() const { return starts_.back(); }

  // The set on the path has `length` tests without the extension; `prefix` holds its rows, or null for those of the
  // first test.
  void extend(const BitWord* prefix, std::span<const Extension> extensions, std::size_t length) {
    if (prefix_bits_.size() <= length) prefix_bits_.resize(length + 1);
    path_.resize(std::max(path_.size(), length + 1));
    std::vector<std::int64_t> counts(totals_.size());
    for (std::size_t one = 0; one + 1 < extensions.size(); ++one) {
      std::size_t other = one + 1;
      while (other < extensions.size() && extensions[other].item.column == extensions[one].item.column) ++other;
      if (other == extensions.size()) return;
      path_[length - 1] = extensions[one].item;
      const BitWord* bits = intersect(prefix, extensions[one].bits, length);
      const std::int64_t before = options_.skip_specialized ? count_path(bits, counts, length) : 0;
      std::vector<Extension> kept;
      for (; other < extensions.size(); ++other) {
        ++unreported_sets_;
        count_classes(bits, extensions[other].bits, counts);
        path_[length] = extensions[other].item;
        if (add_rules(counts, before, length + 1)) kept.push_back(extensions[other]);
      }
      if (!may_continue()) return;
      if (length + 1 < options_.max_tests && kept.size() > 1) extend(bits, kept, length + 1);
      if (is_over_) return;
    }
  }

  // What the set on the path covers. Its shares are noted again, as add_rules() has seen others of its length since.
  std::int64_t count_path(const BitWord* bits, std::vector<std::int64_t>& counts, std::size_t length) {
    count_classes(bits, bits, counts);
    const auto covered = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    best_[length] = best_[length - 1];
    for (std::size_t number = 0; number < live_classes_.size(); ++number) {
      const RuleShare share{counts[number], covered};
      if (counts[number] && exceeds(share, best_[length][number])) best_[length][number] = share;
    }
    return covered;
  }

  const BitWord* intersect(const BitWord* prefix, const BitWord* bits, std::size_t length) {
    if (!prefix) return bits;
    std::vector<BitWord>& out = prefix_bits_[length];
    out.resize(words());
    for (std::size_t word = 0; word < words(); ++word) out[word] = prefix[word] & bits[word];
    return out.data();
  }

  void count_classes(const BitWord* a, const BitWord* b, std::vector<std::int64_t>& out) const {
    if (weight_.empty()) {
      count_shared_bits(a, b, starts_.data(), totals_.size(), out.data());
      return;
    }
    for (std::size_t range = 0; range < totals_.size(); ++range) {
      out[range] = 0;
      for (std::size_t word = starts_[range]; word < starts_[range + 1]; ++word) {
        out[range] += sum_weights(a[word] & b[word], weight_.data() + word * kWordBits);
      }
    }
  }

  bool may_continue(bool now = false) {
    if (now || unreported_sets_ >= kSetsPerCheck) {
      is_over_ = !budget_.charge(unreported_sets_, rules_.bytes() - reported_bytes_) || is_over_;
      unreported_sets_ = 0;
      reported_bytes_ = rules_.bytes();
    }
    return !is_over_;
  }

  const Rows& rows_;
  const MiningOptions& options_;
  std::span<const LevelTest> items_;
  const SearchBudget& budget_;
  std::vector<std::uint32_t> first_test_rows_;  // the rows of the first test, by class
  std::vector<std::size_t> live_classes_;       // the classes that are heavy enough among them
  std::vector<std::size_t> class_slots_;        // by class: its range of words
  std::vector<std::int64_t> totals_;            // by range
  std::vector<std::uint32_t> starts_;           // of the words of a range
  std::vector<BitWord> bits_;
  std::vector<std::int64_t> weight_;  // by place
  std::vector<LevelTest> path_;
  std::vector<std::vector<RuleShare>> best_;  // by length and live class: the surest of the first tests on the path
  std::vector<std::vector<BitWord>> prefix_bits_;
  RuleBuffer rules_;
  std::size_t unreported_sets_ = 0, reported_bytes_ = 0;  // sets since, and bytes up to, the last look at the budget
  bool is_over_ = false;
};

}  // namespace

RuleBuffer search_rules(const Rows& rows, const MiningOptions& options, std::span<const LevelTest> items,
                        std::size_t first, std::span<const std::uint32_t> order, const SearchBudget& budget) {
  return ClassRuleSearch(rows, options, items, budget).find_rules(first, order);
}

}  // namespace hedgerow::cars

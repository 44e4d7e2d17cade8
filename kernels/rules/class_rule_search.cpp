#include "rules/class_rule_search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/target_avx2.hpp"

namespace hedgerow::cars {
namespace {

constexpr std::size_t look_up = 4096;  // sets looked at between two looks at the budget

// Bits that two sets of words share, range by range.
HEDGEROW_AVX2_CLONES void count_shared(const Word* a, const Word* b, const std::uint32_t* starts, std::size_t ranges,
                                       std::int64_t* out) {
  std::uint32_t word = 0;
  for (std::size_t range = 0; range < ranges; ++range) {
    std::int64_t n = 0;
    for (const std::uint32_t end = starts[range + 1]; word < end; ++word) n += std::popcount(a[word] & b[word]);
    out[range] = n;
  }
}

struct Share {
  std::int64_t hits = 0, covered = 1;
};

// A test that can be added to a set, and its rows among those of the first test.
struct Extension {
  Item item;
  const Word* bits = nullptr;
};

class Search {
 public:
  Search(const Rows& rows, const Options& options, std::span<const Item> items, const Budget& budget)
      : rows_(rows), options_(options), items_(items), budget_(budget) {}

  Found run(std::size_t first, std::span<const std::uint32_t> order) {
    take(items_[first], order);
    path_.assign(1, items_[first]);
    best_.assign(1, std::vector<Share>(live_.size()));
    std::vector<std::int64_t> counts = totals_;
    if (!judge(counts, 0, 1)) return std::move(found_);
    if (options_.most_tests > 1) begin(first);
    return std::move(found_);
  }

 private:
  // The rows that pass the first test, by class; classes that are too light already come together, as the last range.
  void take(const Item& item, std::span<const std::uint32_t> order) {
    const auto classes = static_cast<std::size_t>(rows_.classes);
    std::vector<std::int64_t> by_class(classes);
    const std::int32_t* codes = rows_.columns[static_cast<std::size_t>(item.column)].codes;
    for (const std::uint32_t row : order) {
      if (codes[row] != item.code) continue;
      mine_.push_back(row);
      by_class[static_cast<std::size_t>(rows_.label[row])] += rows_.ticks(row);
    }
    slot_.resize(classes);
    for (std::size_t label = 0; label < classes; ++label) {
      if (!by_class[label] || by_class[label] < options_.bounds[label]) continue;
      slot_[label] = live_.size();
      live_.push_back(label);
      totals_.push_back(by_class[label]);
    }
    totals_.push_back(0);
    for (std::size_t label = 0; label < classes; ++label) {
      if (is_live(label)) continue;
      slot_[label] = live_.size();
      totals_.back() += by_class[label];
    }
  }

  bool is_live(std::size_t label) const { return slot_[label] < live_.size() && live_[slot_[label]] == label; }
  std::size_t slot(std::uint32_t row) const { return slot_[static_cast<std::size_t>(rows_.label[row])]; }

  // Adds the rules of the tests on the path, which cover so much of each class. `before` is what the same tests without
  // the last one cover, 0 if that is not known. Returns whether longer sets are worth a look.
  bool judge(std::span<const std::int64_t> counts, std::int64_t before, std::size_t length) {
    const auto covered = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (options_.general && covered == before) return false;
    if (best_.size() <= length) best_.resize(length + 1);
    best_[length] = best_[length - 1];
    bool frequent = false, pure = false;
    const std::size_t before_these = found_.size();
    for (std::size_t number = 0; number < live_.size(); ++number) {
      const std::int64_t hits = counts[number];
      if (!hits || hits < options_.bounds[live_[number]]) continue;
      frequent = true;
      pure = pure || hits == covered;
      Share& best = best_[length][number];
      const bool surer = exceeds({hits, covered}, best);
      if (static_cast<__int128>(hits) * options_.below >= static_cast<__int128>(options_.above) * covered &&
          (surer || !options_.general)) {
        found_.add(std::span(path_).first(length), live_[number], hits, covered);
      }
      if (surer) best = {hits, covered};
    }
    const std::size_t rules = found_.size() - before_these;
    looked_at_ += rules > 1 ? rules - 1 : 0;  // rules of several classes take room as sets do
    return frequent && !(options_.general && pure);
  }

  static bool exceeds(Share a, Share b) {
    return static_cast<__int128>(a.hits) * b.covered > static_cast<__int128>(b.hits) * a.covered;
  }

  // Sets of two tests, counted row by row; then those of more, by bits of what is left of the tests.
  void begin(std::size_t first) {
    const std::size_t ranges = totals_.size();
    const auto all = std::accumulate(totals_.begin(), totals_.end(), std::int64_t{0});
    std::vector<std::int64_t> counts;
    std::vector<Item> kept;
    path_.resize(2);
    std::size_t next = first + 1;
    while (next < items_.size() && items_[next].column == items_[first].column) ++next;
    while (next < items_.size()) {
      const std::int32_t c = items_[next].column;
      const Column& column = rows_.columns[static_cast<std::size_t>(c)];
      counts.assign(static_cast<std::size_t>(column.levels) * ranges, 0);
      for (const std::uint32_t row : mine_) {
        if (column.codes[row] >= 0)
          counts[static_cast<std::size_t>(column.codes[row]) * ranges + slot(row)] += rows_.ticks(row);
      }
      for (; next < items_.size() && items_[next].column == c; ++next) {
        if (options_.general && items_[next].pure) continue;
        ++looked_at_;
        path_[1] = items_[next];
        const auto code = static_cast<std::size_t>(items_[next].code);
        if (judge(std::span(counts).subspan(code * ranges, ranges), all, 2)) kept.push_back(items_[next]);
      }
    }
    if (may_go_on(true) && options_.most_tests > 2 && kept.size() > 1) {
      const std::vector<Extension> extensions = packed(kept);
      extend(nullptr, extensions, 2);
    }
    may_go_on(true);
  }

  // The rows of tests among those of the first one, as bits in ranges by class.
  std::vector<Extension> packed(std::span<const Item> kept) {
    starts_.assign(totals_.size() + 1, 0);
    std::vector<std::uint32_t> next(totals_.size());
    for (const std::uint32_t row : mine_) ++next[slot(row)];
    for (std::size_t range = 0; range < next.size(); ++range) {
      starts_[range + 1] = starts_[range] + (next[range] + static_cast<std::uint32_t>(kWordBits) - 1) / kWordBits;
      next[range] = starts_[range] * static_cast<std::uint32_t>(kWordBits);
    }
    std::vector<std::uint32_t> place;
    for (const std::uint32_t row : mine_) place.push_back(next[slot(row)]++);
    if (!rows_.weight.empty()) {
      weight_.resize(words() * kWordBits);
      for (std::size_t i = 0; i < mine_.size(); ++i) weight_[place[i]] = rows_.weight[mine_[i]];
    }
    bits_.assign(kept.size() * words(), 0);
    std::vector<Extension> out;
    for (std::size_t begin = 0; begin < kept.size();) {
      const Column& column = rows_.columns[static_cast<std::size_t>(kept[begin].column)];
      std::vector<Word*> of(static_cast<std::size_t>(column.levels), nullptr);
      std::size_t end = begin;
      for (; end < kept.size() && kept[end].column == kept[begin].column; ++end) {
        of[static_cast<std::size_t>(kept[end].code)] = bits_.data() + end * words();
        out.push_back({kept[end], bits_.data() + end * words()});
      }
      for (std::size_t i = 0; i < mine_.size(); ++i) {
        const std::int32_t code = column.codes[mine_[i]];
        if (code < 0 || !of[static_cast<std::size_t>(code)]) continue;
        of[static_cast<std::size_t>(code)][place[i] / kWordBits] |= Word{1} << (place[i] % kWordBits);
      }
      begin = end;
    }
    return out;
  }

  std::size_t words() const { return starts_.back(); }

  // The set on the path has `length` tests without the extension; `prefix` holds its rows, or null for those of the
  // first test.
  void extend(const Word* prefix, std::span<const Extension> extensions, std::size_t length) {
    if (room_.size() <= length) room_.resize(length + 1);
    path_.resize(std::max(path_.size(), length + 1));
    std::vector<std::int64_t> counts(totals_.size());
    for (std::size_t one = 0; one + 1 < extensions.size(); ++one) {
      std::size_t other = one + 1;
      while (other < extensions.size() && extensions[other].item.column == extensions[one].item.column) ++other;
      if (other == extensions.size()) return;
      path_[length - 1] = extensions[one].item;
      const Word* bits = shared(prefix, extensions[one].bits, length);
      const std::int64_t before = options_.general ? remembered(bits, counts, length) : 0;
      std::vector<Extension> kept;
      for (; other < extensions.size(); ++other) {
        ++looked_at_;
        count(bits, extensions[other].bits, counts);
        path_[length] = extensions[other].item;
        if (judge(counts, before, length + 1)) kept.push_back(extensions[other]);
      }
      if (!may_go_on()) return;
      if (length + 1 < options_.most_tests && kept.size() > 1) extend(bits, kept, length + 1);
      if (over_) return;
    }
  }

  // What the set on the path covers. Its shares are noted again, as judge() has seen others of its length since.
  std::int64_t remembered(const Word* bits, std::vector<std::int64_t>& counts, std::size_t length) {
    count(bits, bits, counts);
    const auto covered = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    best_[length] = best_[length - 1];
    for (std::size_t number = 0; number < live_.size(); ++number) {
      const Share share{counts[number], covered};
      if (counts[number] && exceeds(share, best_[length][number])) best_[length][number] = share;
    }
    return covered;
  }

  const Word* shared(const Word* prefix, const Word* bits, std::size_t length) {
    if (!prefix) return bits;
    std::vector<Word>& out = room_[length];
    out.resize(words());
    for (std::size_t word = 0; word < words(); ++word) out[word] = prefix[word] & bits[word];
    return out.data();
  }

  void count(const Word* a, const Word* b, std::vector<std::int64_t>& out) const {
    if (weight_.empty()) {
      count_shared(a, b, starts_.data(), totals_.size(), out.data());
      return;
    }
    for (std::size_t range = 0; range < totals_.size(); ++range) {
      out[range] = 0;
      for (std::size_t word = starts_[range]; word < starts_[range + 1]; ++word) {
        out[range] += sum_weights(a[word] & b[word], weight_.data() + word * kWordBits);
      }
    }
  }

  bool may_go_on(bool now = false) {
    if (now || looked_at_ >= look_up) {
      over_ = !budget_.go_on(looked_at_, found_.bytes() - told_) || over_;
      looked_at_ = 0;
      told_ = found_.bytes();
    }
    return !over_;
  }

  const Rows& rows_;
  const Options& options_;
  std::span<const Item> items_;
  const Budget& budget_;
  std::vector<std::uint32_t> mine_;    // the rows of the first test, by class
  std::vector<std::size_t> live_;      // the classes that are heavy enough among them
  std::vector<std::size_t> slot_;      // by class: its range of words
  std::vector<std::int64_t> totals_;   // by range
  std::vector<std::uint32_t> starts_;  // of the words of a range
  std::vector<Word> bits_;
  std::vector<std::int64_t> weight_;  // by place
  std::vector<Item> path_;
  std::vector<std::vector<Share>> best_;  // by length and live class: the surest of the first tests on the path
  std::vector<std::vector<Word>> room_;
  Found found_;
  std::size_t looked_at_ = 0, told_ = 0;  // sets since, and bytes up to, the last look at the budget
  bool over_ = false;
};

}  // namespace

Found search(const Rows& rows, const Options& options, std::span<const Item> items, std::size_t first,
             std::span<const std::uint32_t> order, const Budget& budget) {
  return Search(rows, options, items, budget).run(first, order);
}

}  // namespace hedgerow::cars

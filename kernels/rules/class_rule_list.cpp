#include "rules/class_rule_list.hpp"

#include <algorithm>
#include <bit>

namespace hedgerow::cars {
namespace {

constexpr std::size_t look_up = 1024;  // rules between two looks at the caller

// Words by class that hold rows which are still open.
class Open {
 public:
  Open(const Rows& rows, const Places& places) : bits_(places.words()), words_(static_cast<std::size_t>(rows.classes)) {
    for (std::size_t row = 0; row < rows.label.size(); ++row) {
      bits_[places.of(row) / kWordBits] |= Word{1} << (places.of(row) % kWordBits);
    }
    left_ = rows.label.size();
    for (std::size_t label = 0; label < words_.size(); ++label) {
      for (std::size_t word = places.begin(label); word < places.end(label); ++word) words_[label].push_back(word);
    }
  }

  std::size_t left() const { return left_; }
  Word bits(std::size_t word) const { return bits_[word]; }
  const std::vector<std::size_t>& words(std::size_t label) const { return words_[label]; }

  // Whether a rule covers an open row of a class.
  bool has(std::span<const Word* const> tests, std::size_t label) const {
    return std::any_of(words_[label].begin(), words_[label].end(),
                       [&](std::size_t word) { return (bits_[word] & TestBits::passing(tests, word)) != 0; });
  }

  // Closes the open rows of a class that a rule covers, and calls use(word, bits) with them.
  template <typename Use>
  void close(std::span<const Word* const> tests, std::size_t label, Use&& use) {
    std::size_t kept = 0;
    for (const std::size_t word : words_[label]) {
      const Word closed = bits_[word] & TestBits::passing(tests, word);
      if (closed) {
        use(word, closed);
        bits_[word] &= ~closed;
        left_ -= static_cast<std::size_t>(std::popcount(closed));
      }
      words_[label][kept] = word;
      kept += bits_[word] != 0;
    }
    words_[label].resize(kept);
  }

 private:
  std::vector<Word> bits_;
  std::vector<std::vector<std::size_t>> words_;
  std::size_t left_ = 0;
};

struct Desk {
  Desk(const Rows& rows, const Tests& tests) : places(rows), bits(rows, places, tests) {}
  Places places;
  TestBits bits;
};

Chosen walk(const Rows& rows, const Tests& tests, const Desk& desk, std::span<const std::int32_t> order,
            std::size_t most, ThreadPool& crew) {
  const auto classes = static_cast<std::size_t>(rows.classes);
  Open open(rows, desk.places);
  Chosen out;
  std::size_t seen = 0;
  for (const std::int32_t number : order) {
    if (++seen % look_up == 0) crew.check_interrupt();
    if (!open.left() || out.rules.size() >= most) break;
    const auto rule = static_cast<std::size_t>(number);
    const auto covering = desk.bits.of(rule);
    if (!open.has(covering, static_cast<std::size_t>(tests.decisions[rule]))) continue;
    out.rules.push_back(number);
    for (std::size_t label = 0; label < classes; ++label) {
      std::int64_t sum = 0;
      open.close(covering, label, [&](std::size_t word, Word bits) { sum += desk.places.weighed(word, bits); });
      out.covered.push_back(sum);
    }
  }
  return out;
}

// The rules that are the first right one of some row. Those of rows that no wrong rule covers before are certain to be
// chosen; the others are chosen if no rule of this list takes all their rows before.
std::vector<std::int32_t> right_rules(const Rows& rows, const Tests& tests, const Desk& desk,
                                      std::span<const std::int32_t> order, ThreadPool& crew) {
  Open without(rows, desk.places);  // a right rule
  std::vector<std::int32_t> out;
  std::size_t seen = 0;
  for (const std::int32_t number : order) {
    if (++seen % look_up == 0) crew.check_interrupt();
    if (!without.left()) break;
    const auto rule = static_cast<std::size_t>(number);
    bool right = false;
    without.close(desk.bits.of(rule), static_cast<std::size_t>(tests.decisions[rule]),
                  [&](std::size_t, Word) { right = true; });
    if (right) out.push_back(number);
  }
  return out;
}

}  // namespace

std::vector<std::int32_t> by_precedence(std::span<const std::int64_t> hits, std::span<const std::int64_t> covered,
                                        bool rounded) {
  struct Rank {
    double share;
    std::int64_t hits;
    std::int32_t number;
  };
  constexpr int slack_bits = 40;
  std::int64_t most = 0;
  for (const std::int64_t one : covered) most = std::max(most, one);
  const int coarse = rounded ? std::max(0, static_cast<int>(std::bit_width(static_cast<Word>(most))) - slack_bits) : 0;
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

std::vector<std::int64_t> covered_by(const Rows& rows, const Tests& tests, ThreadPool& crew) {
  const auto classes = static_cast<std::size_t>(rows.classes);
  const Desk desk(rows, tests);
  std::vector<std::int64_t> out(tests.size() * classes);
  crew.parallel_for((tests.size() + look_up - 1) / look_up, [&](std::size_t job, std::size_t) {
    for (std::size_t rule = job * look_up; rule < std::min(tests.size(), (job + 1) * look_up); ++rule) {
      for (std::size_t label = 0; label < classes; ++label) {
        for (std::size_t word = desk.places.begin(label); word < desk.places.end(label); ++word) {
          out[rule * classes + label] += desk.places.weighed(word, TestBits::passing(desk.bits.of(rule), word));
        }
      }
    }
  });
  return out;
}

Chosen chosen_one_by_one(const Rows& rows, const Tests& tests, std::span<const std::int32_t> order, std::size_t most,
                         ThreadPool& crew) {
  return walk(rows, tests, Desk(rows, tests), order, most, crew);
}

Chosen chosen_in_two_scans(const Rows& rows, const Tests& tests, std::span<const std::int32_t> order, std::size_t most,
                           ThreadPool& crew) {
  const Desk desk(rows, tests);
  return walk(rows, tests, desk, right_rules(rows, tests, desk, order, crew), most, crew);
}

}  // namespace hedgerow::cars

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
constexpr std::size_t kTogether = std::size_t{1} << 21;
constexpr double kTie = 1e-12;

// Some rows as words (see packed_tree.hpp), in parts of `part_rows` rows, each word by word.
class Block {
 public:
  Block(const Columns& columns, bool many)
      : columns_(columns), width_(columns.number.size() + 2 * columns.code.size()), part_(part_rows(width_)) {
    const std::size_t bytes = sizeof(Word) * part_ * std::max<std::size_t>(width_, 1);
    const std::size_t wanted = many ? std::max<std::size_t>(kTogether / bytes, 1) : 1;
    parts_ = std::min(wanted, columns.rows / part_ + 1);
    words_.resize(parts_ * part_ * width_);
    gaps_.resize(parts_);
  }

  std::size_t rows() const { return parts_ * part_; }
  std::size_t part_size() const { return part_; }
  const Word* part(std::size_t i) const { return words_.data() + i * part_ * width_; }
  bool has_gaps(std::size_t i) const { return gaps_[i]; }

  void gather(std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i * part_ < n; ++i) {
      const std::size_t first = begin + i * part_, rows = std::min(part_, n - i * part_);
      Word* out = words_.data() + i * part_ * width_;
      bool gaps = false;
      for (const double* number : columns_.number) gaps |= gather_numbers(number, first, rows, out), out += part_;
      for (std::size_t c = 0; c < columns_.code.size(); ++c, out += 2 * part_)
        gaps |= gather_codes(columns_.code[c], columns_.levels[c], first, rows, out);
      gaps_[i] = gaps;
    }
  }

 private:
  // These return whether a value is missing.
  bool gather_numbers(const double* number, std::size_t begin, std::size_t n, Word* out) const {
    Word gaps = 0;
    each_row(begin, n, [&](std::size_t i, std::size_t row) {
      const auto [word, missing] = number_word(number[row]);
      out[i] = word;
      gaps |= missing;
    });
    return gaps != 0;
  }

  bool gather_codes(const std::int32_t* code, std::int32_t levels, std::size_t begin, std::size_t n, Word* out) const {
    const Word bit = levels <= kMostBits ? 1 : 0;
    std::int32_t least = 0, most = -1;
    each_row(begin, n, [&](std::size_t i, std::size_t row) {
      const std::int32_t one = code[row];
      least = std::min(least, one), most = std::max(most, one);
      out[i] = one < 0 ? kMissing : bit << (one & 31);
      out[part_ + i] = one < 0 ? kMissing : Word{one} + 1;
    });
    if (least < -1 || most >= levels) throw std::out_of_range("a level code is out of range");
    return least < 0;
  }

  template <typename Work>
  void each_row(std::size_t begin, std::size_t n, Work work) const {
    if (columns_.chosen.empty())
      for (std::size_t i = 0; i < n; ++i) work(i, begin + i);
    else
      for (std::size_t i = 0; i < n; ++i) work(i, static_cast<std::size_t>(columns_.chosen[begin + i]));
  }

  const Columns& columns_;
  std::size_t width_, part_, parts_;
  std::vector<Word> words_;
  std::vector<std::uint8_t> gaps_;
};

// The packed steps; a field at a time is fetched as it is needed.
class Steps {
 public:
  explicit Steps(const Forest& forest) : bytes_(forest.step.data()) {}

  Word mask(std::uint32_t node) const { return field<Word>(node, offsetof(Step, mask)); }
  Word limit(std::uint32_t node) const { return field<Word>(node, offsetof(Step, limit)); }
  std::uint32_t first(std::uint32_t node) const { return field<std::uint32_t>(node, offsetof(Step, first)); }
  std::uint32_t where(std::uint32_t node) const { return field<std::uint32_t>(node, offsetof(Step, where)); }
  bool is_leaf(std::uint32_t node) const { return first(node) == node; }

 private:
  template <typename T>
  T field(std::uint32_t node, std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_ + sizeof(Step) * std::size_t{node} + offset, sizeof(T));
    return value;
  }

  const std::uint8_t* bytes_;
};

std::uint32_t last_step(const Forest& forest) { return static_cast<std::uint32_t>(forest.children.size()); }

// at[row] = the node where each row of a part ends in one tree; the last node of the forest where a closer look is
// needed. All rows take a step before any takes the next, so that the waits for memory overlap (several steps at a time
// were slower); those that have ended drop out of the list of rows still `on_way`. No branches, since tests are as good
// as random. Only a part `with_gaps` has missing values. `who` lists the n rows that go down, null for the first n.
enum class Turns { none, tables, lists };  // which of them tests may use: lists besides tables

// The entry of a word in a list; see packed_tree.hpp.
std::uint32_t listed_entry(const std::int32_t* list, Word word) {
  if (word == kMissing) return static_cast<std::uint32_t>(list[0]);
  const std::int32_t *codes = list + 3, *end = codes + list[2];
  const auto code = static_cast<std::int32_t>(word - 1);
  const std::int32_t* found = std::lower_bound(codes, end, code);
  return static_cast<std::uint32_t>(found == end || *found != code ? list[1] : found[list[2]]);
}

template <Turns how, bool with_gaps>
void go_down(const Forest& forest, const Word* words, const std::uint32_t* who, std::size_t n, std::uint32_t root,
             std::uint32_t* on_way, std::uint32_t* at) {
  const Steps steps(forest);
  const std::int32_t* turns = forest.turn.data();
  const std::uint32_t look = last_step(forest);
  std::size_t left = 0;
  const auto step = [&](std::uint32_t row, std::uint32_t node) {
    const std::uint32_t where = steps.where(node);
    const Word word = words[std::size_t{where >> kPlaceShift} + row], limit = steps.limit(node);
    std::uint32_t turn = (word & steps.mask(node)) > limit;
    const std::uint32_t missing = with_gaps && word == kMissing, looks = missing & where / kMissingLook;
    turn |= missing & where / kMissingSecond;
    bool ends = where & (turn + 1);  // kFirstEnds is 1, kSecondEnds is 2
    if (how == Turns::lists && (where & kTable) && limit < 0) {
      const std::uint32_t entry = listed_entry(turns - limit, word);
      turn = entry / 2;
      ends = entry & 1;
    } else if constexpr (how != Turns::none) {
      using Place = std::make_unsigned_t<Word>;               // of numbers the sum means nothing, and may overflow
      const Place table = Place{0} - ((where / kTable) & 1);  // all bits or none
      const auto place = static_cast<Place>(with_gaps ? word & ~kMissing : word);
      const auto entry =
          static_cast<std::uint32_t>(turns[(place + static_cast<Place>(limit)) & table]);  // turns[0] is 0
      turn |= entry / 2;
      ends |= static_cast<bool>(entry & 1);
    }
    at[row] = looks ? look : steps.first(node) + turn;
    on_way[left] = row;
    left += !(ends | static_cast<bool>(looks));
  };
  if (steps.is_leaf(root)) {
    for (std::uint32_t i = 0; i < n; ++i) at[who ? who[i] : i] = root;
    return;
  }
  if (who)
    for (std::size_t i = 0; i < n; ++i) step(who[i], root);
  else
    for (std::uint32_t row = 0; row < n; ++row) step(row, root);
  while (left > 0) {
    const std::size_t had = std::exchange(left, 0);
    for (std::size_t i = 0; i < had; ++i) step(on_way[i], at[on_way[i]]);
  }
}

auto way_down(const Forest& forest, bool gaps) {
  if (forest.turn[1]) return gaps ? go_down<Turns::lists, true> : go_down<Turns::lists, false>;
  if (forest.turn.size() > 2) return gaps ? go_down<Turns::tables, true> : go_down<Turns::tables, false>;
  return gaps ? go_down<Turns::none, true> : go_down<Turns::none, false>;
}

// The closer look: everything that a missing value can mean.
class Slow {
 public:
  Slow(const Forest& forest, const Columns& columns)
      : tests_(forest.tests), children_(forest.children), columns_(columns) {}

  // Calls found(leaf, share) for each leaf that a row reaches; those of a node in the order of its children.
  template <typename Found>
  void walk(std::size_t i, std::int32_t root, Found found) {
    const std::size_t row = columns_.chosen.empty() ? i : static_cast<std::size_t>(columns_.chosen[i]);
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
  std::int32_t turn_of(std::size_t row, std::size_t node) const {
    std::int32_t turn = tested(row, tests_.slot[node], tests_.threshold[node], 0, tests_.level, node);
    for (std::int32_t s = tests_.surrogate_start[node]; turn < 0 && s < tests_.surrogate_start[node + 1]; ++s) {
      const auto one = static_cast<std::size_t>(s);
      turn = tested(row, tests_.surrogate_slot[one], tests_.surrogate_threshold[one], tests_.surrogate_first[one],
                    tests_.surrogate_level, one);
    }
    return turn < 0 ? tests_.missing[node] : turn;
  }

  std::int32_t tested(std::size_t row, std::int32_t slot, double threshold, std::int32_t first,
                      const LevelMapsView& maps, std::size_t test) const {
    const auto at = static_cast<std::size_t>(slot);
    if (at >= columns_.number.size()) {
      const std::int32_t code = columns_.code[at - columns_.number.size()][row];
      return code < 0 ? -1 : maps.child(test, code);
    }
    const double value = columns_.number[at][row];
    return std::isnan(value) ? -1 : value <= threshold ? first : 1 - first;
  }

  const Tests& tests_;
  std::span<const std::int32_t> children_;
  const Columns& columns_;
  std::vector<std::pair<std::int32_t, double>> waiting_;
};

// Lists the places that are not 0; returns how many. There must be room for one more than there are bytes.
std::size_t list(const std::uint8_t* bytes, std::size_t n, std::uint32_t* places) {
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    places[found] = i;
    found += bytes[i] != 0;
  }
  return found;
}

// Calls plain(row, tree, leaf) or mixed(row, tree) for each row that a tree is asked about; of a row in the order of
// the trees.
template <typename Plain, typename Mixed>
void each_row(const Forest& forest, const Columns& columns, std::span<const std::int32_t> root, Asked asked,
              const InterruptCheck& pause, Plain plain, Mixed mixed) {
  Block block(columns, root.size() > 1);
  std::vector<std::uint32_t> on_way(block.part_size() + 1), end(block.part_size());  // one more is written than kept
  std::vector<std::uint32_t> listed(asked.empty() ? 0 : block.part_size() + 1);
  const std::uint32_t look = last_step(forest);
  for (std::size_t begin = 0; begin < columns.rows; begin += block.rows()) {
    const std::size_t stop = std::min(begin + block.rows(), columns.rows);
    block.gather(begin, stop - begin);
    for (std::size_t tree = 0; tree < root.size(); ++tree) {
      pause();
      std::size_t part = 0;
      for (std::size_t first = begin; first < stop; first += block.part_size(), ++part) {
        std::size_t n = std::min(block.part_size(), stop - first);
        const std::uint32_t* who = nullptr;
        if (!asked.empty()) {
          n = list(asked[tree] + first, n, listed.data());
          who = listed.data();
        }
        const auto down = way_down(forest, block.has_gaps(part));
        down(forest, block.part(part), who, n, static_cast<std::uint32_t>(root[tree]), on_way.data(), end.data());
        const auto take = [&](std::size_t i) {
          if (end[i] == look)
            mixed(first + i, tree);
          else
            plain(first + i, tree, static_cast<std::int32_t>(end[i]));
        };
        if (who)
          for (std::size_t i = 0; i < n; ++i) take(who[i]);
        else
          for (std::size_t i = 0; i < n; ++i) take(i);
      }
    }
  }
}

std::size_t first_largest(const std::vector<double>& mixed) {
  const double best = *std::max_element(mixed.begin(), mixed.end());
  const double least = best - kTie * std::abs(best);
  return static_cast<std::size_t>(std::find_if(mixed.begin(), mixed.end(), [least](double x) { return x >= least; }) -
                                  mixed.begin());
}

}  // namespace

void find_leaves(const Forest& forest, const Columns& columns, std::span<std::int32_t> leaf,
                 const InterruptCheck& pause) {
  constexpr std::array<std::int32_t, 1> root = {0};
  Slow slow(forest, columns);
  each_row(
      forest, columns, root, {}, pause, [&](std::size_t row, std::size_t, std::int32_t end) { leaf[row] = end; },
      [&](std::size_t row, std::size_t) {
        std::size_t found = 0;
        leaf[row] = -1;
        slow.walk(row, 0, [&](std::int32_t end, double) { leaf[row] = found++ == 0 ? end : -1; });
      });
}

void add_payloads(const Forest& forest, const Columns& columns, std::span<const std::int32_t> root, Asked asked,
                  std::span<const double> payload, std::size_t width, std::span<double> sum,
                  const InterruptCheck& pause) {
  Slow slow(forest, columns);
  const auto add_all = [&](auto wide) {
    const auto add = [&](std::size_t row, std::int32_t leaf, double share) {
      const double* from = payload.data() + static_cast<std::size_t>(leaf) * wide;
      double* to = sum.data() + row * wide;
      for (std::size_t j = 0; j < wide; ++j) to[j] += share * from[j];
    };
    each_row(
        forest, columns, root, asked, pause,
        [&](std::size_t row, std::size_t, std::int32_t leaf) { add(row, leaf, 1.0); },
        [&](std::size_t row, std::size_t tree) {
          slow.walk(row, root[tree], [&](std::int32_t leaf, double share) { add(row, leaf, share); });
        });
  };
  if (width == 2)  // as often: loops of a known length cost less
    add_all(std::integral_constant<std::size_t, 2>{});
  else
    add_all(width);
}

void add_votes(const Forest& forest, const Columns& columns, std::span<const std::int32_t> root, Asked asked,
               std::span<const double> payload, std::size_t width, std::span<const std::int32_t> decision,
               std::span<const double> vote, std::span<double> sum, const InterruptCheck& pause) {
  Slow slow(forest, columns);
  std::vector<double> mixed(width);
  each_row(
      forest, columns, root, asked, pause,
      [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
        sum[row * width + static_cast<std::size_t>(decision[static_cast<std::size_t>(leaf)])] += vote[tree];
      },
      [&](std::size_t row, std::size_t tree) {
        std::int32_t found = 0, last = 0;
        std::fill(mixed.begin(), mixed.end(), 0.0);
        slow.walk(row, root[tree], [&](std::int32_t leaf, double share) {
          const double* from = payload.data() + static_cast<std::size_t>(leaf) * width;
          for (std::size_t j = 0; j < width; ++j) mixed[j] += share * from[j];
          ++found, last = leaf;
        });
        const auto alone = static_cast<std::size_t>(decision[static_cast<std::size_t>(last)]);
        sum[row * width + (found == 1 ? alone : first_largest(mixed))] += vote[tree];
      });
}

}  // namespace hedgerow

#include "text/word_run_order.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "text/term_order.hpp"

namespace hedgerow {
namespace {

// A run of one member, by its place among all of its length: that of its prefix first, then that of its last word.
struct Keyed {
  std::uint64_t key;
  std::int32_t run;
};

void sort_by_key(std::vector<Keyed>& runs, std::uint64_t behind) {
  constexpr int BITS = 11;
  std::vector<Keyed> other(runs.size());
  for (int shift = 0; shift < 64 && behind >> shift; shift += BITS) {
    const auto digit = [&](const Keyed& run) { return run.key >> shift & ((1u << BITS) - 1); };
    std::array<std::size_t, (1 << BITS) + 1> starts{};
    for (const auto& run : runs) ++starts[digit(run) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const auto& run : runs) other[starts[digit(run)]++] = run;
    runs.swap(other);
  }
}

// All runs of one length, ascending: key = place of the prefix x words + place of the word.
using Level = std::vector<std::uint64_t>;

class Order {
 public:
  Order(std::vector<RunBook>& books, std::size_t n_stop, ThreadPool& crew) : books_(books), crew_(crew) {
    std::vector<const Dictionary*> dictionaries;
    for (auto& book : books) dictionaries.push_back(&book.words);
    auto order = word_order(dictionaries, n_stop, crew);
    order_ = std::move(order.words);
    word_places_ = std::move(order.places);
    levels_.emplace_back(order_.size());
    std::iota(levels_[0].begin(), levels_[0].end(), 0);
    for (std::size_t member = 0; member < books.size(); ++member) {
      books[member].runs.close();
      begin_member(member);
    }
  }

  // Unites the runs that are one word longer than those so far.
  void lengthen() {
    const auto length = levels_.size() + 1;
    const auto behind = levels_.back().size() * order_.size();
    std::vector<std::vector<Keyed>> keyed(books_.size());
    crew_.parallel_for(books_.size(), [&](std::size_t member, std::size_t) {
      keyed[member] = keyed_of(member, length);
      sort_by_key(keyed[member], behind);
    });
    Level all;
    for (const auto& runs : keyed) {
      Level own, both;
      for (const auto& run : runs) own.push_back(run.key);
      std::set_union(all.begin(), all.end(), own.begin(), own.end(), std::back_inserter(both));
      all.swap(both);
    }
    crew_.parallel_for(books_.size(), [&](std::size_t member, std::size_t) {
      std::size_t at = 0;
      for (const auto& run : keyed[member]) {
        while (all[at] < run.key) ++at;
        places_[member][run.run] = static_cast<std::int32_t>(at);
      }
    });
    levels_.push_back(std::move(all));
  }

  // Settles the place of every run among those of all lengths from `low` on: a run stands before those that it begins.
  void settle(std::size_t low) {
    std::vector<std::vector<std::int32_t>> sizes;  // of a run and all that it begins
    for (std::size_t i = 0; i < levels_.size(); ++i) sizes.emplace_back(levels_[i].size(), i + 1 >= low);
    for (auto i = levels_.size(); --i > 0;)
      for (std::size_t run = 0; run < levels_[i].size(); ++run) sizes[i - 1][prefix(i, run)] += sizes[i][run];
    finals_.clear();
    std::vector<std::int32_t> next(1, 0);  // by prefix: the place of the next run that it begins
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      std::vector<std::int32_t> own(levels_[i].size());
      for (std::size_t run = 0; run < own.size(); ++run) {
        auto& at = next[i ? prefix(i, run) : 0];
        own[run] = at;
        at += sizes[i][run];
      }
      next = own;
      if (i + 1 >= low) {
        for (auto& at : next) ++at;
      } else {
        std::fill(own.begin(), own.end(), -1);
      }
      finals_.push_back(std::move(own));
    }
  }

  ByteRows vocabulary() const {
    ByteRows out;
    std::size_t n_terms = 0;
    for (const auto& of_length : finals_)
      n_terms +=
          static_cast<std::size_t>(std::count_if(of_length.begin(), of_length.end(), [](auto i) { return i >= 0; }));
    out.offsets.resize(n_terms + 1);
    std::vector<std::int32_t> before, sizes;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      sizes.clear();
      for (std::size_t run = 0; run < levels_[i].size(); ++run) {
        const auto size = static_cast<std::int32_t>(last_word(i, run).size());
        sizes.push_back(i ? before[prefix(i, run)] + 1 + size : size);
        if (finals_[i][run] >= 0) out.offsets[finals_[i][run] + 1] = sizes.back();
      }
      before.swap(sizes);
    }
    std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
    out.data.resize(static_cast<std::size_t>(out.offsets.back()));
    for (std::size_t i = 0; i < levels_.size(); ++i) write_level(i, out);
    return out;
  }

  Ranks ranks() {
    Ranks out = std::move(places_);
    for (std::size_t member = 0; member < out.size(); ++member)
      for (std::size_t run = 0; run < out[member].size(); ++run)
        out[member][run] = finals_[lengths_[member][run] - 1u][out[member][run]];
    return out;
  }

 private:
  void begin_member(std::size_t member) {
    const auto runs = books_[member].runs.all();
    std::vector<std::int32_t> places(runs.size());
    std::vector<std::uint8_t> lengths(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto [before, word] = runs[i];
      lengths[i] = before < 0 ? 1 : lengths[before] + 1;
      if (before < 0) places[i] = word_places_[member][word];
    }
    places_.push_back(std::move(places));
    lengths_.push_back(std::move(lengths));
  }

  std::vector<Keyed> keyed_of(std::size_t member, std::size_t length) const {
    const auto runs = books_[member].runs.all();
    std::vector<Keyed> out;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (lengths_[member][i] != length) continue;
      const auto before = static_cast<std::uint64_t>(places_[member][runs[i].prefix]);
      const auto word = static_cast<std::uint64_t>(word_places_[member][runs[i].word]);
      out.push_back({before * order_.size() + word, static_cast<std::int32_t>(i)});
    }
    return out;
  }

  std::size_t prefix(std::size_t level, std::size_t run) const { return levels_[level][run] / order_.size(); }
  std::span<const Byte> last_word(std::size_t level, std::size_t run) const {
    const auto [member, code] = order_[levels_[level][run] % order_.size()];
    return books_[member].words.word(code);
  }

  // Writes the runs of one length, each from its last word to its first.
  void write_level(std::size_t level, ByteRows& out) const {
    for (std::size_t run = 0; run < levels_[level].size(); ++run) {
      const auto term = finals_[level][run];
      if (term < 0) continue;
      auto* end = out.data.data() + out.offsets[term + 1];
      for (auto i = level, at = run;; at = prefix(i--, at)) {
        const auto word = last_word(i, at);
        end = std::copy_backward(word.begin(), word.end(), end);
        if (i == 0) break;
        *--end = ' ';
      }
    }
  }

  std::vector<RunBook>& books_;
  ThreadPool& crew_;
  std::vector<Spelt> order_;   // the words, ascending by bytes
  Ranks word_places_;          // by member and word; -1: a stop word
  std::vector<Level> levels_;  // by length less one
  Ranks places_;               // by member and run: the place among the runs of its length
  std::vector<std::vector<std::uint8_t>> lengths_;
  std::vector<std::vector<std::int32_t>> finals_;  // by length less one and place
};

}  // namespace

std::pair<ByteRows, Ranks> ordered(std::vector<RunBook>& books, std::size_t n_stop, std::size_t low, std::size_t high,
                                   ThreadPool& crew) {
  Order order(books, n_stop, crew);
  for (std::size_t length = 2; length <= high; ++length) order.lengthen();
  order.settle(low);
  auto vocabulary = order.vocabulary();
  return {std::move(vocabulary), order.ranks()};
}

}  // namespace hedgerow

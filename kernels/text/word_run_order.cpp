#include "text/word_run_order.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "text/term_order.hpp"

namespace hedgerow {
namespace {

// A run of one thread, by its rank among all of its length: that of its prefix first, then that of its last word.
struct KeyedRun {
  std::uint64_t key;
  std::int32_t run;
};

void sort_by_key(std::vector<KeyedRun>& runs, std::uint64_t key_end) {
  constexpr int BITS = 11;
  std::vector<KeyedRun> other(runs.size());
  for (int shift = 0; shift < 64 && key_end >> shift; shift += BITS) {
    const auto digit = [&](const KeyedRun& run) { return run.key >> shift & ((1u << BITS) - 1); };
    std::array<std::size_t, (1 << BITS) + 1> starts{};
    for (const auto& run : runs) ++starts[digit(run) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const auto& run : runs) other[starts[digit(run)]++] = run;
    runs.swap(other);
  }
}

// All runs of one length, ascending: key = place of the prefix x words + place of the word.
using RunKeys = std::vector<std::uint64_t>;

class WordRunOrder {
 public:
  WordRunOrder(std::vector<RunDictionary>& run_dictionaries, std::size_t n_stop, ThreadPool& pool)
      : dictionaries_(run_dictionaries), pool_(pool) {
    std::vector<const Dictionary*> dictionaries;
    for (auto& dictionary : run_dictionaries) dictionaries.push_back(&dictionary.words);
    auto order = order_words(dictionaries, n_stop, pool);
    order_ = std::move(order.words);
    word_ranks_ = std::move(order.ranks);
    levels_.emplace_back(order_.size());
    std::iota(levels_[0].begin(), levels_[0].end(), 0);
    for (std::size_t thread = 0; thread < run_dictionaries.size(); ++thread) {
      run_dictionaries[thread].runs.free_lookup();
      begin_dictionary(thread);
    }
  }

  // Unites the runs that are one word longer than those so far.
  void add_next_length() {
    const auto length = levels_.size() + 1;
    const auto key_end = levels_.back().size() * order_.size();
    std::vector<std::vector<KeyedRun>> keyed(dictionaries_.size());
    pool_.parallel_for(dictionaries_.size(), [&](std::size_t thread, std::size_t) {
      keyed[thread] = make_keyed_runs(thread, length);
      sort_by_key(keyed[thread], key_end);
    });
    RunKeys all;
    for (const auto& runs : keyed) {
      RunKeys own, both;
      for (const auto& run : runs) own.push_back(run.key);
      std::set_union(all.begin(), all.end(), own.begin(), own.end(), std::back_inserter(both));
      all.swap(both);
    }
    pool_.parallel_for(dictionaries_.size(), [&](std::size_t thread, std::size_t) {
      std::size_t at = 0;
      for (const auto& run : keyed[thread]) {
        while (all[at] < run.key) ++at;
        ranks_[thread][run.run] = static_cast<std::int32_t>(at);
      }
    });
    levels_.push_back(std::move(all));
  }

  // Settles the place of every run among those of all lengths from `low` on: a run stands before those that it begins.
  void assign_ranks(std::size_t low) {
    std::vector<std::vector<std::int32_t>> sizes;  // of a run and all that it begins
    for (std::size_t i = 0; i < levels_.size(); ++i) sizes.emplace_back(levels_[i].size(), i + 1 >= low);
    for (auto i = levels_.size(); --i > 0;)
      for (std::size_t run = 0; run < levels_[i].size(); ++run) sizes[i - 1][prefix_rank(i, run)] += sizes[i][run];
    final_ranks_.clear();
    std::vector<std::int32_t> next(1, 0);  // by prefix: the place of the next run that it begins
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      std::vector<std::int32_t> own(levels_[i].size());
      for (std::size_t run = 0; run < own.size(); ++run) {
        auto& at = next[i ? prefix_rank(i, run) : 0];
        own[run] = at;
        at += sizes[i][run];
      }
      next = own;
      if (i + 1 >= low) {
        for (auto& at : next) ++at;
      } else {
        std::fill(own.begin(), own.end(), -1);
      }
      final_ranks_.push_back(std::move(own));
    }
  }

  ByteRows vocabulary() const {
    ByteRows out;
    std::size_t n_terms = 0;
    for (const auto& of_length : final_ranks_)
      n_terms +=
          static_cast<std::size_t>(std::count_if(of_length.begin(), of_length.end(), [](auto i) { return i >= 0; }));
    out.offsets.resize(n_terms + 1);
    std::vector<std::int32_t> before, sizes;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      sizes.clear();
      for (std::size_t run = 0; run < levels_[i].size(); ++run) {
        const auto size = static_cast<std::int32_t>(last_word(i, run).size());
        sizes.push_back(i ? before[prefix_rank(i, run)] + 1 + size : size);
        if (final_ranks_[i][run] >= 0) out.offsets[final_ranks_[i][run] + 1] = sizes.back();
      }
      before.swap(sizes);
    }
    std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
    out.data.resize(static_cast<std::size_t>(out.offsets.back()));
    for (std::size_t i = 0; i < levels_.size(); ++i) write_runs_of_length(i, out);
    return out;
  }

  TermRanks ranks() {
    TermRanks out = std::move(ranks_);
    for (std::size_t thread = 0; thread < out.size(); ++thread)
      for (std::size_t run = 0; run < out[thread].size(); ++run)
        out[thread][run] = final_ranks_[lengths_[thread][run] - 1u][out[thread][run]];
    return out;
  }

 private:
  void begin_dictionary(std::size_t thread) {
    const auto runs = dictionaries_[thread].runs.runs();
    std::vector<std::int32_t> run_ranks(runs.size());
    std::vector<std::uint8_t> lengths(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto [before, word] = runs[i];
      lengths[i] = before < 0 ? 1 : lengths[before] + 1;
      if (before < 0) run_ranks[i] = word_ranks_[thread][word];
    }
    ranks_.push_back(std::move(run_ranks));
    lengths_.push_back(std::move(lengths));
  }

  std::vector<KeyedRun> make_keyed_runs(std::size_t thread, std::size_t length) const {
    const auto runs = dictionaries_[thread].runs.runs();
    std::vector<KeyedRun> out;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (lengths_[thread][i] != length) continue;
      const auto before = static_cast<std::uint64_t>(ranks_[thread][runs[i].prefix]);
      const auto word = static_cast<std::uint64_t>(word_ranks_[thread][runs[i].word]);
      out.push_back({before * order_.size() + word, static_cast<std::int32_t>(i)});
    }
    return out;
  }

  std::size_t prefix_rank(std::size_t level, std::size_t run) const { return levels_[level][run] / order_.size(); }
  std::span<const Byte> last_word(std::size_t level, std::size_t run) const {
    const auto [dictionary, code] = order_[levels_[level][run] % order_.size()];
    return dictionaries_[dictionary].words.word(code);
  }

  // Writes the runs of one length, each from its last word to its first.
  void write_runs_of_length(std::size_t level, ByteRows& out) const {
    for (std::size_t run = 0; run < levels_[level].size(); ++run) {
      const auto term = final_ranks_[level][run];
      if (term < 0) continue;
      auto* end = out.data.data() + out.offsets[term + 1];
      for (auto i = level, at = run;; at = prefix_rank(i--, at)) {
        const auto word = last_word(i, at);
        end = std::copy_backward(word.begin(), word.end(), end);
        if (i == 0) break;
        *--end = ' ';
      }
    }
  }

  std::vector<RunDictionary>& dictionaries_;
  ThreadPool& pool_;
  std::vector<WordRef> order_;   // the words, ascending by bytes
  TermRanks word_ranks_;         // by thread and word; -1: a stop word
  std::vector<RunKeys> levels_;  // by length less one
  TermRanks ranks_;              // by thread and run: the place among the runs of its length
  std::vector<std::vector<std::uint8_t>> lengths_;
  std::vector<std::vector<std::int32_t>> final_ranks_;  // by length less one and place
};

}  // namespace

std::pair<ByteRows, TermRanks> order_runs(std::vector<RunDictionary>& run_dictionaries, std::size_t n_stop,
                                          std::size_t low, std::size_t high, ThreadPool& pool) {
  WordRunOrder order(run_dictionaries, n_stop, pool);
  for (std::size_t length = 2; length <= high; ++length) order.add_next_length();
  order.assign_ranks(low);
  auto vocabulary = order.vocabulary();
  return {std::move(vocabulary), order.ranks()};
}

}  // namespace hedgerow

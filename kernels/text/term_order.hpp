// The words of several dictionaries together, in the order of their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/dictionary.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

// Numbers by thread and own code; -1 stands for none.
using TermRanks = std::vector<std::vector<std::int32_t>>;

// A word: its dictionary and its code there.
struct WordRef {
  std::uint32_t dictionary;
  std::int32_t code;
};

// Every word once, ascending by bytes, and the place of each in that order by dictionary and code.
struct WordOrder {
  std::vector<WordRef> words;
  TermRanks ranks;
};

// The order of the words of all dictionaries from code `first` on; what stands before is the same in all and left out.
// Each dictionary is sorted by one thread. O(words x bytes of a number + words log words of equal starts).
WordOrder order_words(std::span<const Dictionary* const> dictionaries, std::size_t first, ThreadPool& pool);

// The words of an order, one after the other.
ByteRows write_words(std::span<const Dictionary* const> dictionaries, std::span<const WordRef> words);

}  // namespace hedgerow

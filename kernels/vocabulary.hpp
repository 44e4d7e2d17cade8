// Vocabularies: put together, and hashed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytes.hpp"

namespace hedgerow {

// Two lists of different words, each ascending by bytes, as one, and the places of their words in it. O(bytes).
struct MergedWords {
  ByteRows words;
  std::vector<std::int64_t> first, second;
};
MergedWords merge_words(const Words& first, const Words& second);

// MurmurHash3 (x86, 32 bits, seed 0; Austin Appleby, public domain) of every word, as scikit-learn's HashingVectorizer
// has it. O(bytes).
std::vector<std::int32_t> hash_words(const Words& words);

}  // namespace hedgerow

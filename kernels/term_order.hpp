// The words of several dictionaries together, in the order of their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytes.hpp"
#include "dictionary.hpp"

namespace hedgerow {

// Adds the words of all dictionaries to the first; returns the codes there by dictionary and own code.
std::vector<std::vector<std::int32_t>> united(std::span<Dictionary* const> dictionaries);

// The codes from `first` on of a dictionary's words, ascending by the words' bytes. O(words log words).
std::vector<std::int32_t> ascending(const Dictionary& words, std::size_t first = 0);

// The inverse of an order over codes below `size`; -1 for those that are not in it.
std::vector<std::int32_t> places_of(std::span<const std::int32_t> order, std::size_t size);

// The words of some codes, one after the other.
ByteRows written(const Dictionary& words, std::span<const std::int32_t> order);

}  // namespace hedgerow

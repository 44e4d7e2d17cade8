#include "core/dictionary.hpp"

#include <algorithm>
#include <bit>

namespace hedgerow {
namespace {

constexpr std::size_t kLargeSlots = 1 << 18;  // slots, from where on room counts more than the time to move

bool is_blank(Byte c) { return c == ' ' || c == '\t'; }

}  // namespace

std::uint64_t Dictionary::hash_long(const Byte* begin, std::size_t length) {
  std::uint64_t hash = length;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  };
  for (std::size_t i = 0; i + 8 <= length; i += 8) mix(load8(begin + i));
  mix(load8(begin + length - 8));  // the tail, perhaps with some bytes once more
  return hash;
}

std::int32_t Dictionary::add(std::size_t at, std::uint64_t key, const Byte* begin, std::size_t length) {
  const auto* first = begin;
  const auto* last = begin + length;
  while (first < last && is_blank(*first)) ++first;
  while (last > first && is_blank(last[-1])) --last;
  const bool padded = static_cast<std::size_t>(last - first) < length;
  const auto code = padded && is_missing(first, last) ? MISSING : new_code(begin, length);
  insert(at, key, begin, length, code);
  return code;
}

std::int32_t Dictionary::new_code(const Byte* begin, std::size_t length) {
  starts_.push_back(static_cast<std::int64_t>(pool_.size()));
  lengths_.push_back(static_cast<std::uint32_t>(length));
  pool_.insert(pool_.end(), begin, begin + length);
  return static_cast<std::int32_t>(starts_.size()) - 1;
}

void Dictionary::insert(std::size_t at, std::uint64_t key, const Byte* begin, std::size_t length, std::int32_t code) {
  if (code == MISSING) {
    code = ~static_cast<std::int32_t>(missing_starts_.size());
    missing_starts_.push_back(static_cast<std::int64_t>(pool_.size()));
    pool_.insert(pool_.end(), begin, begin + length);
  }
  slots_[at] = {key, static_cast<std::uint32_t>(length), code};
  if (++used_ * 2 > slots_.size()) grow(slots_.size() * (slots_.size() < kLargeSlots ? 4 : 2));
}

void Dictionary::reserve(std::size_t words, std::size_t bytes) {
  if (const auto slots = std::bit_ceil(2 * words + 2); slots > slots_.size()) grow(slots);
  starts_.reserve(words);
  lengths_.reserve(words);
  pool_.reserve(bytes);
}

void Dictionary::grow(std::size_t slots) {
  std::vector<DictionarySlot> old(slots);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const auto& slot : old) {
    if (slot.length == EMPTY) continue;
    auto at = hash_of(slot.key, slot.length) & mask_;
    while (slots_[at].length != EMPTY) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

std::int32_t Dictionary::find_or_add_literal(std::span<const Byte> word) {
  const auto known = find_or_add(word);
  if (known != MISSING) return known;
  for (auto same : literals_)
    if (std::equal(word.begin(), word.end(), pool_.begin() + starts_[same],
                   pool_.begin() + starts_[same] + lengths_[same]))
      return same;
  literals_.push_back(new_code(word.data(), word.size()));
  return literals_.back();
}

void Dictionary::add_missing(std::span<const Byte> word) {
  const auto* begin = word.data();
  const auto length = word.size();
  const auto key = key_of(begin, length, begin + length);
  auto at = hash_of(key, length) & mask_;
  for (; slots_[at].length != EMPTY; at = (at + 1) & mask_)
    if (matches(slots_[at], key, begin, length)) return;
  insert(at, key, begin, length, MISSING);
}

bool Dictionary::is_missing(const Byte* begin, const Byte* end) const {
  const auto length = static_cast<std::size_t>(end - begin);
  const auto key = key_of(begin, length, end);
  for (auto at = hash_of(key, length) & mask_; slots_[at].length != EMPTY; at = (at + 1) & mask_)
    if (matches(slots_[at], key, begin, length)) return slots_[at].code < 0;
  return false;
}

void Dictionary::append_words_to(ByteRows& rows, std::size_t first) const {
  if (rows.offsets.empty()) rows.offsets.push_back(0);
  for (std::size_t i = first; i < size(); ++i) {
    const auto from = pool_.begin() + starts_[i];
    rows.data.insert(rows.data.end(), from, from + lengths_[i]);
    rows.offsets.push_back(static_cast<std::int64_t>(rows.data.size()));
  }
}

}  // namespace hedgerow

#include "text/vocabulary.hpp"

#include <algorithm>
#include <compare>

#include "text/batch_hash.hpp"

namespace hedgerow {

MergedWords merge_words(const ByteRowsView& first, const ByteRowsView& second) {
  MergedWords out;
  out.words.offsets.push_back(0);
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    auto order = std::strong_ordering::less;
    if (i == first.size()) {
      order = std::strong_ordering::greater;
    } else if (j < second.size()) {
      const auto a = first[i], b = second[j];
      order = std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    }
    const auto word = order > 0 ? second[j] : first[i];
    const auto position = static_cast<std::int64_t>(out.words.offsets.size()) - 1;
    if (order <= 0) out.first.push_back(position), ++i;
    if (order >= 0) out.second.push_back(position), ++j;
    out.words.data.insert(out.words.data.end(), word.begin(), word.end());
    out.words.offsets.push_back(static_cast<std::int64_t>(out.words.data.size()));
  }
  return out;
}

std::vector<std::int32_t> hash_words(const ByteRowsView& words) {
  std::vector<std::int32_t> out;
  out.reserve(words.size());
  NameBatch batch;
  const auto append_hashes = [&] {
    batch.compute_hashes(0);
    for (std::size_t i = 0; i < batch.size(); ++i) out.push_back(static_cast<std::int32_t>(batch.hash(i)));
    batch.clear();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = words[i];
    const bool at_hand = words.data.size() - static_cast<std::size_t>(words.offsets[i]) >= NameBatch::READABLE_BYTES;
    at_hand ? batch.add(word.data(), word.size()) : batch.add_unpadded(word.data(), word.size());
    if (batch.is_full()) append_hashes();
  }
  append_hashes();
  return out;
}

}  // namespace hedgerow

// An index of the bytes that may end a field, made 64 bytes at a time and just ahead of the reader.
//
// Finding the next stop then costs a shift and a bit count instead of a walk over the field, and does not
// wait for whatever the field is parsed into.
#pragma once

#include <span>

#include "core/delimited_layout.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hedgerow {

class FieldEndIndex {
 public:
  // Stops are the bytes a and b, and c and d unless they repeat those.
  FieldEndIndex(std::span<const Byte> data, Byte a, Byte b, Byte c, Byte d)
      : end_bytes_{a, b, c, d}, more_than_two_(c != a || d != b), block_(data.data()), end_(data.data() + data.size()) {
    fill_block();
  }

  // The first stop at or behind `at`, or the end. Must not go back by more than a block.
  const Byte* find_next(const Byte* at) {
    if (at - block_ >= kBlockBytes) {
      block_ += (at - block_) / kBlockBytes * kBlockBytes;
      fill_block();
    }
    auto hits = matches_ >> (at - block_);
    while (!hits) {
      if (end_ - block_ <= kBlockBytes) return end_;
      block_ += kBlockBytes;
      fill_block();
      at = block_;
      hits = matches_;
    }
    return at + std::countr_zero(hits);
  }

 private:
  static constexpr std::ptrdiff_t kBlockBytes = 64;

  void fill_block() {
    if (end_ - block_ >= kBlockBytes) {
      matches_ = match_mask(block_);
      return;
    }
    Byte last[kBlockBytes] = {};
    const auto size = end_ - block_;
    if (size > 0) std::memcpy(last, block_, static_cast<std::size_t>(size));
    matches_ = size > 0 ? match_mask(last) & ~(~0ull << size) : 0;
  }

#if defined(__SSE2__)
  std::uint64_t match_mask(const Byte* from) const {
    std::uint64_t out = 0;
    for (int i = 0; i < 4; ++i) {
      const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i));
      const auto is = [&](Byte byte) { return _mm_cmpeq_epi8(part, _mm_set1_epi8(static_cast<char>(byte))); };
      auto hits = _mm_or_si128(is(end_bytes_[0]), is(end_bytes_[1]));
      if (more_than_two_) hits = _mm_or_si128(hits, _mm_or_si128(is(end_bytes_[2]), is(end_bytes_[3])));
      out |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << (16 * i);
    }
    return out;
  }
#else
  std::uint64_t match_mask(const Byte* from) const {
    std::uint64_t out = 0;
    for (int i = 0; i < kBlockBytes; ++i) {
      const Byte c = from[i];
      const bool hit = c == end_bytes_[0] || c == end_bytes_[1] || c == end_bytes_[2] || c == end_bytes_[3];
      out |= static_cast<std::uint64_t>(hit) << i;
    }
    return out;
  }
#endif

  Byte end_bytes_[4];
  bool more_than_two_;
  const Byte* block_;
  const Byte* end_;
  std::uint64_t matches_ = 0;
};

}  // namespace hedgerow

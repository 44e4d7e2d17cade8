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

class Stops {
 public:
  // Stops are the bytes a and b, and c and d unless they repeat those.
  Stops(std::span<const Byte> data, Byte a, Byte b, Byte c, Byte d)
      : bytes_{a, b, c, d}, more_(c != a || d != b), block_(data.data()), end_(data.data() + data.size()) {
    fill();
  }

  // The first stop at or behind `at`, or the end. Must not go back by more than a block.
  const Byte* find(const Byte* at) {
    if (at - block_ >= SIZE) {
      block_ += (at - block_) / SIZE * SIZE;
      fill();
    }
    auto hits = mask_ >> (at - block_);
    while (!hits) {
      if (end_ - block_ <= SIZE) return end_;
      block_ += SIZE;
      fill();
      at = block_;
      hits = mask_;
    }
    return at + std::countr_zero(hits);
  }

 private:
  static constexpr std::ptrdiff_t SIZE = 64;

  void fill() {
    if (end_ - block_ >= SIZE) {
      mask_ = mask(block_);
      return;
    }
    Byte last[SIZE] = {};
    const auto size = end_ - block_;
    if (size > 0) std::memcpy(last, block_, static_cast<std::size_t>(size));
    mask_ = size > 0 ? mask(last) & ~(~0ull << size) : 0;
  }

#if defined(__SSE2__)
  std::uint64_t mask(const Byte* from) const {
    std::uint64_t out = 0;
    for (int i = 0; i < 4; ++i) {
      const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i));
      const auto is = [&](Byte byte) { return _mm_cmpeq_epi8(part, _mm_set1_epi8(static_cast<char>(byte))); };
      auto hits = _mm_or_si128(is(bytes_[0]), is(bytes_[1]));
      if (more_) hits = _mm_or_si128(hits, _mm_or_si128(is(bytes_[2]), is(bytes_[3])));
      out |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << (16 * i);
    }
    return out;
  }
#else
  std::uint64_t mask(const Byte* from) const {
    std::uint64_t out = 0;
    for (int i = 0; i < SIZE; ++i) {
      const Byte c = from[i];
      const bool hit = c == bytes_[0] || c == bytes_[1] || c == bytes_[2] || c == bytes_[3];
      out |= static_cast<std::uint64_t>(hit) << i;
    }
    return out;
  }
#endif

  Byte bytes_[4];
  bool more_;
  const Byte* block_;
  const Byte* end_;
  std::uint64_t mask_ = 0;
};

}  // namespace hedgerow

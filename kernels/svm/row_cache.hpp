// Rows of a kernel matrix that are kept within a budget of memory; the one not used for longest goes first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hedgerow {

// Of a row, the first `length` columns are known, in the order that columns have at present.
template <class T>
class KernelRowCache {
 public:
  static constexpr std::size_t kMinRows = 24;  // rows that are kept at least: a block of them, and two in use

  KernelRowCache(std::size_t n, std::size_t bytes)
      : stride_((n + 63) / 64 * 64),
        max_rows_(std::min(std::max(bytes / (stride_ * sizeof(T)), kMinRows), std::max(n, kMinRows))),
        slot_of_(n, kNone),
        rows_(static_cast<T*>(allocate(max_rows_ * stride_ * sizeof(T))), &std::free) {
    slots_.reserve(max_rows_);
  }

  std::size_t capacity() const { return max_rows_; }
  bool has(std::size_t point) const { return slot_of_[point] != kNone; }
  std::size_t length(std::size_t point) const { return has(point) ? slots_[slot_of_[point]].length : 0; }
  void set_length(std::size_t point, std::size_t length) { slots_[slot_of_[point]].length = length; }
  T* row(std::size_t point) { return rows_.get() + slot_of_[point] * stride_; }

  // Now the one used last.
  void touch(std::size_t point) {
    const std::uint32_t slot = slot_of_[point];
    if (slot == newest_) return;
    unlink(slot);
    link(slot);
  }

  // Room for a row that is not kept yet; nothing of it is known.
  T* insert(std::size_t point) {
    std::uint32_t slot;
    if (slots_.size() < max_rows_) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({});
    } else {
      slot = oldest_;
      slot_of_[slots_[slot].point] = kNone;
      unlink(slot);
    }
    slots_[slot].point = static_cast<std::uint32_t>(point);
    slots_[slot].length = 0;
    slot_of_[point] = slot;
    link(slot);
    return row(point);
  }

  // The first columns are put in a new order: column b is what column from[b] was, of which the first `first` ascend,
  // as do the rest. Rows known for all of them stay so.
  void reorder(std::span<const std::int32_t> from, std::size_t first) {
    std::vector<T> spare(from.size());
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      T* row = rows_.get() + slot * stride_;
      std::size_t& length = slots_[slot].length;
      std::size_t known = from.size();
      if (length < known) {
        const auto end = from.begin() + static_cast<std::ptrdiff_t>(first);
        known = static_cast<std::size_t>(std::lower_bound(from.begin(), end, static_cast<std::int32_t>(length)) -
                                         from.begin());
        length = known;
      }
      for (std::size_t b = 0; b < known; ++b) spare[b] = row[from[b]];
      std::copy_n(spare.data(), known, row);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Memory that is given by the system in large pieces as it is written to, where it can be; little of it in small
  // ones, as wiping a large piece takes longer than many a small problem.
  static void* allocate(std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{1} << 21, line = 64;
    if (bytes < piece) {
      void* few = std::aligned_alloc(line, std::max((bytes + line - 1) / line * line, line));
      if (!few) throw std::bad_alloc();
      return few;
    }
    const std::size_t whole = (bytes + piece - 1) / piece * piece;
    void* out = std::aligned_alloc(piece, whole);
    if (!out) throw std::bad_alloc();
#if defined(__linux__)
    madvise(out, whole, MADV_HUGEPAGE);
#endif
    return out;
  }

  struct CacheSlot {
    std::uint32_t point = 0, older = kNone, newer = kNone;
    std::size_t length = 0;
  };

  void unlink(std::uint32_t slot) {
    const CacheSlot& s = slots_[slot];
    (s.older == kNone ? oldest_ : slots_[s.older].newer) = s.newer;
    (s.newer == kNone ? newest_ : slots_[s.newer].older) = s.older;
  }

  void link(std::uint32_t slot) {
    slots_[slot].older = newest_;
    slots_[slot].newer = kNone;
    (newest_ == kNone ? oldest_ : slots_[newest_].newer) = slot;
    newest_ = slot;
  }

  std::size_t stride_, max_rows_;
  std::vector<std::uint32_t> slot_of_;  // of points
  std::vector<CacheSlot> slots_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
  std::unique_ptr<T, void (*)(void*)> rows_;
};

}  // namespace hedgerow

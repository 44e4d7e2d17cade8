#include "items/uninitialized_array.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hedgerow::items {

#if defined(__linux__)
namespace {

constexpr std::size_t kPageBytes = std::size_t{1} << 21, kLargeBytes = 2 * kPageBytes;

std::size_t round_to_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// A page more than is needed is asked for, and given back around what begins at a page.
void* allocate_pages(std::size_t bytes) {
  const std::size_t size = round_to_pages(bytes);
  void* got = mmap(nullptr, size + kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(got);
  const std::size_t before = (kPageBytes - reinterpret_cast<std::uintptr_t>(got) % kPageBytes) % kPageBytes;
  if (before) munmap(begin, before);
  if (before < kPageBytes) munmap(begin + before + size, kPageBytes - before);
  madvise(begin + before, size, MADV_HUGEPAGE);  // a wish: it does not matter if it is not granted
  return begin + before;
}

}  // namespace
#endif

void* allocate_array(std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= kLargeBytes) return allocate_pages(bytes);
#endif
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (!memory) throw std::bad_alloc();
  return memory;
}

void free_array(void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  if (bytes >= kLargeBytes) {
    munmap(memory, round_to_pages(bytes));
    return;
  }
#endif
  std::free(memory);
}

}  // namespace hedgerow::items

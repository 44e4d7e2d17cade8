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

constexpr std::size_t page = std::size_t{1} << 21, large = 2 * page;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

// A page more than is needed is asked for, and given back around what begins at a page.
void* pages_of(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  void* got = mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(got);
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(got) % page) % page;
  if (before) munmap(begin, before);
  if (before < page) munmap(begin + before + size, page - before);
  madvise(begin + before, size, MADV_HUGEPAGE);  // a wish: it does not matter if it is not granted
  return begin + before;
}

}  // namespace
#endif

void* room_of(std::size_t bytes) {
#if defined(__linux__)
  if (bytes >= large) return pages_of(bytes);
#endif
  void* room = std::malloc(std::max<std::size_t>(bytes, 1));
  if (!room) throw std::bad_alloc();
  return room;
}

void free_room(void* room, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  if (bytes >= large) {
    munmap(room, whole_pages(bytes));
    return;
  }
#endif
  std::free(room);
}

}  // namespace hedgerow::items

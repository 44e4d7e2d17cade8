#include "item_room.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hedgerow::items {

void* room_of(std::size_t bytes) {
  void* room = nullptr;
#if defined(__linux__)
  constexpr std::size_t page = std::size_t{1} << 21;
  if (bytes >= 2 * page) {
    room = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (room) madvise(room, bytes, MADV_HUGEPAGE);  // a wish: it does not matter if it is not granted
  } else
#endif
    room = std::malloc(std::max<std::size_t>(bytes, 1));
  if (!room) throw std::bad_alloc();
  return room;
}

void free_room(void* room) noexcept { std::free(room); }

}  // namespace hedgerow::items

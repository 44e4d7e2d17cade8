// Memory that was freed, but is still held by the allocator.
#pragma once

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hedgerow {

// Gives freed memory back to the system before much more is needed, where that can be asked for.
inline void trim_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace hedgerow

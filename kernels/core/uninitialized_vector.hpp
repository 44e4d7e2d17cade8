// A vector whose new values are not set: memory that is about to be written is neither touched before nor twice.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace hedgerow {

template <typename T>
struct DefaultInitAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = DefaultInitAllocator<U>;
  };
  template <typename U, typename... Given>
  void construct(U* at, Given&&... given) {
    if constexpr (sizeof...(Given) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Given>(given)...);
    }
  }
};

template <typename T>
using UninitializedVector = std::vector<T, DefaultInitAllocator<T>>;

}  // namespace hedgerow

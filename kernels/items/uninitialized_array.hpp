// Arrays that are written before they are read: nothing is spent on filling them with zeros.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace hedgerow::items {

// Large ones ask for large pages where the system has them: a result of hundreds of megabytes otherwise spends a good
// part of its time on page faults. They go back to the system as soon as they are free. Throws std::bad_alloc.
void* allocate_array(std::size_t bytes);
void free_array(void* memory, std::size_t bytes) noexcept;

template <typename T>
class UninitializedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  UninitializedArray() = default;
  explicit UninitializedArray(std::size_t n)
      : values_(static_cast<T*>(allocate_array(n * sizeof(T))), ArrayDeleter{n * sizeof(T)}), size_(n) {}

  std::size_t size() const { return size_; }
  T* begin() const { return values_.get(); }
  T* end() const { return begin() + size_; }
  T& operator[](std::size_t i) const { return values_.get()[i]; }

 private:
  struct ArrayDeleter {
    std::size_t bytes = 0;
    void operator()(T* values) const noexcept { free_array(values, bytes); }
  };
  std::unique_ptr<T, ArrayDeleter> values_;
  std::size_t size_ = 0;
};

}  // namespace hedgerow::items

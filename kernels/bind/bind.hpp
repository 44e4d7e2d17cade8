// What every binding file shares: array types that are never converted, and the way arrays are returned.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bind {

namespace nb = nanobind;
using namespace nb::literals;

// One-dimensional input: contiguous, read-only, on the CPU. Every argument of this type is `.noconvert()`.
template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// An array that the kernel changes in place.
template <typename T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using InOut2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Array = nb::ndarray<nb::numpy, T>;

template <typename A>
auto as_span(const A& array) {
  return std::span(array.data(), array.size());
}

inline void check_same_length(std::size_t a, std::size_t b, const char* what) {
  if (a != b) throw nb::value_error(what);
}

// Offsets of rows in a buffer of `size` bytes: in range and ascending.
inline void check_offsets(std::span<const std::int64_t> offsets, std::size_t size) {
  if (offsets.empty() || offsets.front() < 0 || offsets.back() > static_cast<std::int64_t>(size))
    throw nb::value_error("offsets out of range");
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1]) throw nb::value_error("offsets descend");
}

// Codes, or numbers of things, of which there are `n`.
inline void check_below(std::span<const std::int32_t> numbers, std::size_t n, const char* what) {
  for (const std::int32_t one : numbers) {
    if (one < 0 || static_cast<std::size_t>(one) >= n) throw nb::value_error(what);
  }
}

// No more threads than there is work for.
inline std::size_t limit_threads(std::size_t threads, std::size_t jobs, std::size_t worth) {
  return std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, jobs / worth));
}

// Hands a vector over to NumPy without copying. Needs the interpreter lock.
template <typename T, typename Allocator>
Array<T> to_numpy(std::vector<T, Allocator>&& values) {
  using Vector = std::vector<T, Allocator>;
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return Array<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace bind

// What every binding file shares: array types that are never converted, and the way arrays are returned.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

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
auto span(const A& array) {
  return std::span(array.data(), array.size());
}

inline void same_length(std::size_t a, std::size_t b, const char* what) {
  if (a != b) throw nb::value_error(what);
}

// Hands a vector over to NumPy without copying. Needs the interpreter lock.
template <typename T>
Array<T> array(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace bind

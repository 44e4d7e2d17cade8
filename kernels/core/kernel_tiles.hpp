// Values of kernel functions between a few points and a panel of others, in tiles whose sums are kept in registers.
//
// A panel holds kPanelPoints<T> points side by side: of each feature the values of all its points, 128 bytes. The few
// points (1 to kGroupPoints) lie likewise: of each feature those of kGroupPoints points. Every dot product is a sum in
// the order of the features, one fused multiply-add each where the machine has it; so it does not depend on the tile
// that it is made in, it is the same both ways, and that of a point with an equal one is its squared norm: then |x -
// z|^2 is 0, exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernel_functions.hpp"

namespace hedgerow {

constexpr std::size_t kGroupPoints = 8;
template <class T>
constexpr std::size_t kPanelPoints = 128 / sizeof(T);
template <class T>
constexpr std::size_t kSparseLanes = 64 / sizeof(T);  // points side by side where the others are sparse
template <class T>
constexpr std::size_t kTileValues = kGroupPoints * kPanelPoints<T>;

struct alignas(128) Bytes128 {
  std::byte bytes[128];
};

// Numbers that begin at a multiple of 128 bytes, all 0 at first.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t n) : blocks_((n * sizeof(T) + 127) / 128) {}
  T* data() { return reinterpret_cast<T*>(blocks_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(blocks_.data()); }
  bool empty() const { return blocks_.empty(); }

 private:
  std::vector<Bytes128> blocks_;
};

// Sparse rows whose ids ascend.
template <class T>
struct SparseRowsView {
  const std::int64_t* starts;
  const std::int32_t* ids;
  const T* values;
};

// What is compiled for every kind of machine. A function for each of float and double.
template <class T>
struct TileFunctions {
  // values[panel][a][c] of `m` points of a group with `panels` panels, which are `width` features long.
  void (*dense_values)(const KernelFunction& function, const T* group, const T* group_norms, std::size_t m,
                       const T* panel, const T* panel_norms, std::size_t panels, std::size_t width, T* values);
  // values[a][c] of `m` sparse rows from `first` on with kSparseLanes points that lie side by side.
  void (*sparse_values)(const KernelFunction& function, const SparseRowsView<T>& rows, std::size_t first,
                        const T* norms, std::size_t m, const T* line, const T* line_norms, T* values);
  // values[c] of one point, spread over all features, with `n` sparse rows from `first` on; there is room for whole
  // panels.
  void (*sparse_point_values)(const KernelFunction& function, const SparseRowsView<T>& rows, std::size_t first,
                              const T* norms, std::size_t n, const T* point, T norm, T* values);
  // Squared norms of `lanes` points that lie side by side.
  void (*dense_norms)(const T* points, std::size_t lanes, std::size_t width, T* out);
  void (*sparse_norms)(const SparseRowsView<T>& rows, std::size_t n, T* out);
  // sums[f * stride + c] += sum of coefs[a] * values[a][c] over the kGroupPoints points, for each of `n` functions,
  // which are called `which`, with kGroupPoints coefficients each. `length` is kPanelPoints or kSparseLanes.
  void (*add_weighted)(const T* values, std::size_t length, const std::int32_t* which, const double* coefs,
                       std::size_t n, double* sums, std::size_t stride);
};

// What is best for this machine.
template <class T>
const TileFunctions<T>& tile_functions();

}  // namespace hedgerow

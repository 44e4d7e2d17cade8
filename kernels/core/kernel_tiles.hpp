// Values of kernel functions between a few points and a panel of others, in tiles whose sums are kept in registers.
//
// A panel holds kPanel<T> points side by side: of each place the values of all its points, 128 bytes. The few points
// (1 to kGroup) lie likewise: of each place those of kGroup points. Every dot product is a sum in the order of the
// places, one fused multiply-add each where the machine has it; so it does not depend on the tile that it is made in,
// it is the same both ways, and that of a point with an equal one is its squared norm: then |x - z|^2 is 0, exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernel_functions.hpp"

namespace hedgerow {

constexpr std::size_t kGroup = 8;
template <class T>
constexpr std::size_t kPanel = 128 / sizeof(T);
template <class T>
constexpr std::size_t kLine = 64 / sizeof(T);  // points side by side where the others are sparse
template <class T>
constexpr std::size_t kTile = kGroup * kPanel<T>;

struct alignas(128) Bytes128 {
  std::byte bytes[128];
};

// Numbers that begin at a multiple of 128 bytes, all 0 at first.
template <class T>
class Block {
 public:
  Block() = default;
  explicit Block(std::size_t n) : parts_((n * sizeof(T) + 127) / 128) {}
  T* data() { return reinterpret_cast<T*>(parts_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(parts_.data()); }
  bool empty() const { return parts_.empty(); }

 private:
  std::vector<Bytes128> parts_;
};

// Sparse rows whose ids ascend.
template <class T>
struct SparseView {
  const std::int64_t* starts;
  const std::int32_t* ids;
  const T* values;
};

// What is compiled for every kind of machine. A function for each of float and double.
template <class T>
struct TileCalls {
  // values[panel][a][c] of `m` points of a group with `panels` panels, which are `width` places long.
  void (*dense)(const KernelForm& form, const T* group, const T* group_norms, std::size_t m, const T* panel,
                const T* panel_norms, std::size_t panels, std::size_t width, T* values);
  // values[a][c] of `m` sparse rows from `first` on with kLine points that lie side by side.
  void (*sparse)(const KernelForm& form, const SparseView<T>& rows, std::size_t first, const T* norms, std::size_t m,
                 const T* line, const T* line_norms, T* values);
  // values[c] of one point, spread over all places, with `n` sparse rows from `first` on; there is room for whole
  // panels.
  void (*sparse_one)(const KernelForm& form, const SparseView<T>& rows, std::size_t first, const T* norms,
                     std::size_t n, const T* point, T norm, T* values);
  // Squared norms of `lanes` points that lie side by side.
  void (*norms)(const T* points, std::size_t lanes, std::size_t width, T* out);
  void (*sparse_norms)(const SparseView<T>& rows, std::size_t n, T* out);
  // sums[f * stride + c] += sum of coefs[a] * values[a][c] over the kGroup points, for each of `n` functions, which are
  // called `which`, with kGroup coefficients each. `length` is kPanel or kLine.
  void (*add)(const T* values, std::size_t length, const std::int32_t* which, const double* coefs, std::size_t n,
              double* sums, std::size_t stride);
};

// What is best for this machine.
template <class T>
const TileCalls<T>& tile_calls();

}  // namespace hedgerow

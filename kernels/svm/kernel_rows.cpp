#include "svm/kernel_rows.hpp"

#include <mutex>
#include <optional>

#include "svm/kernel_points.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kStripBytes = std::size_t{1} << 18;  // bytes of the panels whose values are made at a time
constexpr std::size_t kMaxStripPanels = 16;

double compute_diagonal(const KernelFunction& function, double norm) {
  switch (function.kind) {
    case KernelKind::kLinear:
      return norm;
    case KernelKind::kRbf:
      return 1.0;
    case KernelKind::kPoly:
      return std::pow(function.gamma * norm + function.theta, function.degree);
    case KernelKind::kSigmoid:
      return std::tanh(function.gamma * norm + function.theta);
  }
  return 0;
}

// What is made when first asked for, by whoever asks first.
template <class Value>
class Lazy {
 public:
  template <class Make>
  const Value& get(const Make& make) const {
    std::lock_guard lock(mutex_);
    if (!value_) make(value_);
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Value> value_;
};

// What dense and sparse points share: which rows they are, and the values of each with itself.
class PointKernelRows : public KernelRows {
 public:
  PointKernelRows(std::span<const std::int64_t> rows, const KernelFunction& function)
      : function_(function), rows_(rows.begin(), rows.end()) {}

  std::size_t size() const override { return rows_.size(); }
  double diagonal(std::size_t i) const override { return compute_diagonal(function_, norms_[i]); }
  double estimate_single_error() const override {
    return estimate_float_error(function_, norms_.empty() ? 0.0 : *std::max_element(norms_.begin(), norms_.end()),
                                terms_);
  }

  void reorder(const std::int32_t* order) override {
    const auto rows = rows_;
    const auto norms = norms_;
    for (std::size_t q = 0; q < rows.size(); ++q) {
      rows_[q] = rows[static_cast<std::size_t>(order[q])];
      norms_[q] = norms[static_cast<std::size_t>(order[q])];
    }
  }

 protected:
  KernelFunction function_;
  std::vector<std::int64_t> rows_;
  std::vector<double> norms_;  // squared; those of the Gaussian about the center
  double terms_ = 0;           // of a sum
};

// -- dense points --------------------------------------------------------------------------------------------

class DenseKernelRows final : public PointKernelRows {
 public:
  DenseKernelRows(const double* points, std::size_t width, std::span<const std::int64_t> rows,
                  const KernelFunction& function)
      : PointKernelRows(rows, function), points_(points), width_(width) {
    terms_ = static_cast<double>(width);
    if (function.kind == KernelKind::kRbf) center_ = compute_center(view(), rows.size());
    norms_.resize(rows.size());
    const DenseRowsView from = view();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        const double x = from.center ? from.row(i)[k] - from.center[k] : from.row(i)[k];
        norms_[i] += x * x;
      }
    }
  }

  void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                 float* const* out) const override {
    fill(floats_, which, m, from, to, out);
  }
  void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                 double* const* out) const override {
    fill(doubles_, which, m, from, to, out);
  }

  void reorder(const std::int32_t* order) override {
    PointKernelRows::reorder(order);
    floats_.reset();
    doubles_.reset();
  }

 private:
  DenseRowsView view() const { return {points_, width_, rows_.data(), center_.empty() ? nullptr : center_.data()}; }

  template <class T>
  void fill(const Lazy<PackedPoints<T>>& lazy, const std::int32_t* which, std::size_t m, std::size_t from,
            std::size_t to, T* const* out) const {
    constexpr std::size_t panel = kPanelPoints<T>;
    const PackedPoints<T>& packed = lazy.get(
        [&](std::optional<PackedPoints<T>>& packed_points) { packed_points.emplace(view(), rows_.size(), panel); });
    const std::size_t strip =
        std::clamp<std::size_t>(kStripBytes / (128 * std::max<std::size_t>(width_, 1)), 1, kMaxStripPanels);
    const std::size_t groups = (m + kGroupPoints - 1) / kGroupPoints;
    AlignedArray<T> group(groups * kGroupPoints * width_), norms(groups * kGroupPoints), values(kTileValues<T> * strip);
    for (std::size_t a = 0; a < m; ++a) {
      const auto i = static_cast<std::size_t>(which[a]);
      const T* at = packed.values.data() + i / panel * panel * width_ + i % panel;
      T* to = group.data() + a / kGroupPoints * kGroupPoints * width_ + a % kGroupPoints;
      for (std::size_t k = 0; k < width_; ++k) to[k * kGroupPoints] = at[k * panel];
      norms.data()[a] = packed.norms.data()[i];
    }
    for (std::size_t p = from / panel; p * panel < to; p += strip) {
      const std::size_t panels = std::min(strip, (to + panel - 1) / panel - p);
      for (std::size_t first = 0; first < m; first += kGroupPoints) {
        const std::size_t some = std::min(kGroupPoints, m - first);
        tile_functions<T>().dense_values(function_, group.data() + first * width_, norms.data() + first, some,
                                         packed.values.data() + p * panel * width_, packed.norms.data() + p * panel,
                                         panels, width_, values.data());
        for (std::size_t q = 0; q < panels; ++q) {
          const std::size_t begin = std::max(from, (p + q) * panel), end = std::min(to, (p + q + 1) * panel);
          for (std::size_t a = 0; a < some; ++a) {
            const T* line = values.data() + q * kTileValues<T> + a * panel + begin % panel;
            std::copy(line, line + (end - begin), out[first + a] + (begin - from));
          }
        }
      }
    }
  }

  const double* points_;
  std::size_t width_;
  std::vector<double> center_;
  Lazy<PackedPoints<float>> floats_;
  Lazy<PackedPoints<double>> doubles_;
};

// -- sparse points -------------------------------------------------------------------------------------------

// Rooms for points that are spread over all features. They are wiped out after use, which is less than to make them
// anew.
template <class T>
class BufferPool {
 public:
  std::unique_ptr<AlignedArray<T>> take(std::size_t size) {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<AlignedArray<T>>(size);
    auto out = std::move(free_.back());
    free_.pop_back();
    return out;
  }
  void put(std::unique_ptr<AlignedArray<T>> buffer) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<AlignedArray<T>>> free_;
};

class SparseKernelRows final : public PointKernelRows {
 public:
  SparseKernelRows(const SparseRowsView<double>& from, std::size_t width, std::span<const std::int64_t> rows,
                   const KernelFunction& function)
      : PointKernelRows(rows, function), from_(from), width_(width) {
    norms_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t begin = from.starts[rows[i]], end = from.starts[rows[i] + 1];
      for (std::int64_t at = begin; at < end; ++at) norms_[i] += from.values[at] * from.values[at];
      terms_ = std::max(terms_, static_cast<double>(end - begin));
    }
  }

  void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                 float* const* out) const override {
    fill(floats_, float_buffers_, which, m, from, to, out);
  }
  void fill_rows(const std::int32_t* which, std::size_t m, std::size_t from, std::size_t to,
                 double* const* out) const override {
    fill(doubles_, double_buffers_, which, m, from, to, out);
  }

  void reorder(const std::int32_t* order) override {
    PointKernelRows::reorder(order);
    floats_.reset();
    doubles_.reset();
  }

 private:
  template <class T>
  void fill(const Lazy<PackedSparsePoints<T>>& lazy, BufferPool<T>& buffers, const std::int32_t* which, std::size_t m,
            std::size_t from, std::size_t to, T* const* out) const {
    const PackedSparsePoints<T>& packed =
        lazy.get([&](std::optional<PackedSparsePoints<T>>& packed_points) { packed_points.emplace(from_, rows_); });
    auto buffer = buffers.take(width_ * kSparseLanes<T>);
    for (std::size_t first = 0; first < m;) {
      const std::size_t some = std::min(kSparseLanes<T>, m - first);
      const std::size_t lanes = some == 1 ? 1 : kSparseLanes<T>;
      for (std::size_t a = 0; a < some; ++a)
        scatter_row(packed.view(), to_index(which[first + a]), a, lanes, buffer->data(), false);
      if (some == 1) {
        fill_row_of_point(packed, to_index(which[first]), buffer->data(), from, to, out[first]);
      } else {
        fill_rows_of_points(packed, which + first, some, buffer->data(), from, to, out + first);
      }
      for (std::size_t a = 0; a < some; ++a)
        scatter_row(packed.view(), to_index(which[first + a]), a, lanes, buffer->data(), true);
      first += some;
    }
    buffers.put(std::move(buffer));
  }

  template <class T>
  void fill_row_of_point(const PackedSparsePoints<T>& packed, std::size_t i, const T* point, std::size_t from,
                         std::size_t to, T* out) const {
    T values[kPanelPoints<T> * 8];
    for (std::size_t begin = from; begin < to; begin += kPanelPoints<T> * 8) {
      const std::size_t n = std::min(kPanelPoints<T> * 8, to - begin);
      tile_functions<T>().sparse_point_values(function_, packed.view(), begin, packed.norms.data() + begin, n, point,
                                              packed.norms.data()[i], values);
      std::copy(values, values + n, out + (begin - from));
    }
  }

  template <class T>
  void fill_rows_of_points(const PackedSparsePoints<T>& packed, const std::int32_t* which, std::size_t some,
                           const T* line, std::size_t from, std::size_t to, T* const* out) const {
    T values[kGroupPoints * kSparseLanes<T>], norms[kSparseLanes<T>] = {};
    for (std::size_t a = 0; a < some; ++a) norms[a] = packed.norms.data()[to_index(which[a])];
    for (std::size_t begin = from; begin < to; begin += kGroupPoints) {
      const std::size_t n = std::min(kGroupPoints, to - begin);
      tile_functions<T>().sparse_values(function_, packed.view(), begin, packed.norms.data() + begin, n, line, norms,
                                        values);
      for (std::size_t a = 0; a < some; ++a) {
        for (std::size_t c = 0; c < n; ++c) out[a][begin - from + c] = values[c * kSparseLanes<T> + a];
      }
    }
  }

  static std::size_t to_index(std::int32_t i) { return static_cast<std::size_t>(i); }

  SparseRowsView<double> from_;
  std::size_t width_;
  Lazy<PackedSparsePoints<float>> floats_;
  Lazy<PackedSparsePoints<double>> doubles_;
  mutable BufferPool<float> float_buffers_;
  mutable BufferPool<double> double_buffers_;
};

}  // namespace

std::unique_ptr<KernelRows> make_dense_kernel_rows(const double* points, std::size_t width,
                                                   std::span<const std::int64_t> rows, const KernelFunction& function) {
  return std::make_unique<DenseKernelRows>(points, width, rows, function);
}

std::unique_ptr<KernelRows> make_sparse_kernel_rows(const std::int64_t* starts, const std::int32_t* ids,
                                                    const double* values, std::size_t width,
                                                    std::span<const std::int64_t> rows,
                                                    const KernelFunction& function) {
  return std::make_unique<SparseKernelRows>(SparseRowsView<double>{starts, ids, values}, width, rows, function);
}

}  // namespace hedgerow

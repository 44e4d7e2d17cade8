#include "svm/kernel_sums.hpp"

#include <numeric>

#include "svm/kernel_points.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;  // bytes of the rows of a block: they stay in the cache
constexpr std::size_t kMaxPanels = 16;

// The coefficients of eight vectors at a time, of those functions that have any.
struct CoefficientGroups {
  CoefficientGroups(std::span<const double> coefs, std::size_t vectors, std::size_t functions) : starts{0} {
    for (std::size_t first = 0; first < vectors; first += kGroupPoints) {
      const std::size_t n = std::min(kGroupPoints, vectors - first);
      for (std::size_t f = 0; f < functions; ++f) {
        double some[kGroupPoints] = {};
        bool any = false;
        for (std::size_t a = 0; a < n; ++a) {
          some[a] = coefs[(first + a) * functions + f];
          any |= some[a] != 0;
        }
        if (!any) continue;
        which.push_back(static_cast<std::int32_t>(f));
        values.insert(values.end(), some, some + kGroupPoints);
      }
      starts.push_back(which.size());
    }
  }

  template <class T>
  void add(std::size_t group, const T* made, std::size_t length, double* sums, std::size_t stride) const {
    const std::size_t begin = starts[group];
    tile_functions<T>().add_weighted(made, length, which.data() + begin, values.data() + begin * kGroupPoints,
                                     starts[group + 1] - begin, sums, stride);
  }

  std::vector<std::size_t> starts;
  std::vector<std::int32_t> which;
  std::vector<double> values;
};

// Sums of the functions over a block of rows: those of a function `stride` numbers apart.
struct FunctionSums {
  FunctionSums(std::span<const double> offsets, std::size_t stride)
      : offsets(offsets), stride(stride), values(offsets.size() * stride) {}

  void clear() {
    for (std::size_t f = 0; f < offsets.size(); ++f) {
      std::fill(values.data() + f * stride, values.data() + (f + 1) * stride, 0.0);
    }
  }

  void write_rows(double* out, std::size_t first, std::size_t n, std::size_t rows) const {
    for (std::size_t f = 0; f < offsets.size(); ++f) {
      for (std::size_t c = 0; c < n; ++c) out[f * rows + first + c] = values.data()[f * stride + c] + offsets[f];
    }
  }

  std::span<const double> offsets;
  std::size_t stride;
  AlignedArray<double> values;
};

// Each thread makes its own worker when it does its first job.
template <class Worker, class Make>
void process_blocks(std::size_t rows, std::size_t block, ThreadPool& pool, const Make& make) {
  std::vector<std::unique_ptr<Worker>> workers(pool.size());
  pool.parallel_for((rows + block - 1) / block, [&](std::size_t job, std::size_t thread) {
    if (!workers[thread]) workers[thread] = make();
    workers[thread]->run(job * block, std::min(block, rows - job * block), [&] {
      if (thread == 0) pool.check_interrupt();
      return pool.has_failed();
    });
  });
}

// -- dense rows ----------------------------------------------------------------------------------------------

template <class T>
class DenseWorker {
 public:
  DenseWorker(const KernelFunction& function, const PackedPoints<T>& vectors, std::size_t n_vectors,
              const CoefficientGroups& coefficients, std::span<const double> offsets, const DenseRowsView& rows,
              std::size_t n_rows, std::size_t block, double* out)
      : function_(function),
        vectors_(vectors),
        n_vectors_(n_vectors),
        coefficients_(coefficients),
        rows_(rows),
        n_rows_(n_rows),
        out_(out),
        sums_(offsets, block),
        panels_(block * rows.width),
        norms_(block),
        values_(block / kPanelPoints<T> * kTileValues<T>) {}

  template <class ShouldStop>
  void run(std::size_t first, std::size_t n, const ShouldStop& should_stop) {
    constexpr std::size_t panel = kPanelPoints<T>;
    const std::size_t width = rows_.width, panels = (n + panel - 1) / panel;
    sums_.clear();
    for (std::size_t p = 0; p < panels; ++p) {
      const std::size_t begin = p * panel;
      pack_points<T>(rows_, first + begin, std::min(panel, n - begin), panel, panels_.data() + begin * width,
                     norms_.data() + begin);
    }
    for (std::size_t begin = 0; begin < n_vectors_; begin += kGroupPoints) {
      if (begin % 1024 == 0 && should_stop()) return;
      tile_functions<T>().dense_values(function_, vectors_.values.data() + begin * width, vectors_.norms.data() + begin,
                                       kGroupPoints, panels_.data(), norms_.data(), panels, width, values_.data());
      for (std::size_t p = 0; p < panels; ++p) {
        coefficients_.add(begin / kGroupPoints, values_.data() + p * kTileValues<T>, panel,
                          sums_.values.data() + p * panel, sums_.stride);
      }
    }
    sums_.write_rows(out_, first, n, n_rows_);
  }

 private:
  const KernelFunction& function_;
  const PackedPoints<T>& vectors_;
  std::size_t n_vectors_;
  const CoefficientGroups& coefficients_;
  const DenseRowsView& rows_;
  std::size_t n_rows_;
  double* out_;
  FunctionSums sums_;
  AlignedArray<T> panels_, norms_, values_;
};

template <class T>
void compute_dense_sums(const KernelFunction& function, const KernelPoints& vectors,
                        const CoefficientGroups& coefficients, std::span<const double> offsets,
                        const KernelPoints& rows, double* out, ThreadPool& pool) {
  DenseRowsView from{vectors.dense, vectors.width}, to{rows.dense, rows.width};
  std::vector<double> center;
  if (function.kind == KernelKind::kRbf) {
    center = compute_center(from, vectors.n);
    from.center = to.center = center.data();
  }
  const PackedPoints<T> packed(from, vectors.n, kGroupPoints);
  const std::size_t maximum = kBlockBytes / sizeof(T) / std::max<std::size_t>(rows.width, 1) / kPanelPoints<T>;
  const std::size_t share =
      (rows.n / pool.size() + kPanelPoints<T> - 1) / kPanelPoints<T>;  // no more than what keeps all busy
  const std::size_t block = std::clamp<std::size_t>(std::min(maximum, share), 1, kMaxPanels) * kPanelPoints<T>;
  process_blocks<DenseWorker<T>>(rows.n, block, pool, [&] {
    return std::make_unique<DenseWorker<T>>(function, packed, vectors.n, coefficients, offsets, to, rows.n, block, out);
  });
}

// -- sparse rows ---------------------------------------------------------------------------------------------

template <class T>
class SparseWorker {
 public:
  SparseWorker(const KernelFunction& function, const PackedSparsePoints<T>& vectors, std::size_t n_vectors,
               const CoefficientGroups& coefficients, std::span<const double> offsets,
               const PackedSparsePoints<T>& rows, std::size_t n_rows, std::size_t width, double* out)
      : function_(function),
        vectors_(vectors),
        n_vectors_(n_vectors),
        coefficients_(coefficients),
        rows_(rows),
        n_rows_(n_rows),
        out_(out),
        sums_(offsets, kSparseLanes<T>),
        line_(width * kSparseLanes<T>) {}

  template <class ShouldStop>
  void run(std::size_t first, std::size_t n, const ShouldStop& should_stop) {
    T values[kGroupPoints * kSparseLanes<T>] = {}, norms[kSparseLanes<T>] = {};
    sums_.clear();
    for (std::size_t c = 0; c < n; ++c) {
      scatter_row(rows_.view(), first + c, c, kSparseLanes<T>, line_.data(), false);
      norms[c] = rows_.norms.data()[first + c];
    }
    for (std::size_t begin = 0; begin < n_vectors_; begin += kGroupPoints) {
      if (begin % 1024 == 0 && should_stop()) return;
      const std::size_t some = std::min(kGroupPoints, n_vectors_ - begin);
      tile_functions<T>().sparse_values(function_, vectors_.view(), begin, vectors_.norms.data() + begin, some,
                                        line_.data(), norms, values);
      coefficients_.add(begin / kGroupPoints, values, kSparseLanes<T>, sums_.values.data(), sums_.stride);
    }
    for (std::size_t c = 0; c < n; ++c) scatter_row(rows_.view(), first + c, c, kSparseLanes<T>, line_.data(), true);
    sums_.write_rows(out_, first, n, n_rows_);
  }

 private:
  const KernelFunction& function_;
  const PackedSparsePoints<T>& vectors_;
  std::size_t n_vectors_;
  const CoefficientGroups& coefficients_;
  const PackedSparsePoints<T>& rows_;
  std::size_t n_rows_;
  double* out_;
  FunctionSums sums_;
  AlignedArray<T> line_;
};

template <class T>
PackedSparsePoints<T> pack_all_rows(const KernelPoints& points) {
  std::vector<std::int64_t> rows(points.n);
  std::iota(rows.begin(), rows.end(), 0);
  return PackedSparsePoints<T>(points.sparse, rows);
}

template <class T>
void compute_sparse_sums(const KernelFunction& function, const KernelPoints& vectors,
                         const CoefficientGroups& coefficients, std::span<const double> offsets,
                         const KernelPoints& rows, double* out, ThreadPool& pool) {
  const PackedSparsePoints<T> packed = pack_all_rows<T>(vectors), packed_rows = pack_all_rows<T>(rows);
  process_blocks<SparseWorker<T>>(rows.n, kSparseLanes<T>, pool, [&] {
    return std::make_unique<SparseWorker<T>>(function, packed, vectors.n, coefficients, offsets, packed_rows, rows.n,
                                             rows.width, out);
  });
}

}  // namespace

void compute_kernel_sums(const KernelFunction& function, const KernelPoints& vectors, std::span<const double> coefs,
                         std::span<const double> offsets, const KernelPoints& rows, bool single, double* out,
                         ThreadPool& pool) {
  const CoefficientGroups coefficients(coefs, vectors.n, offsets.size());
  const auto run = rows.is_sparse() ? (single ? compute_sparse_sums<float> : compute_sparse_sums<double>)
                                    : (single ? compute_dense_sums<float> : compute_dense_sums<double>);
  run(function, vectors, coefficients, offsets, rows, out, pool);
}

}  // namespace hedgerow

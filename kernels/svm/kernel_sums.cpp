#include "svm/kernel_sums.hpp"

#include <numeric>

#include "svm/kernel_points.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kRoom = std::size_t{1} << 20;  // bytes of the rows of a block: they stay in the cache
constexpr std::size_t kMostPanels = 16;

// The coefficients of eight vectors at a time, of those functions that have any.
struct Shares {
  Shares(std::span<const double> coefs, std::size_t vectors, std::size_t functions) : starts{0} {
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
struct Sums {
  Sums(std::span<const double> offsets, std::size_t stride)
      : offsets(offsets), stride(stride), values(offsets.size() * stride) {}

  void begin() {
    for (std::size_t f = 0; f < offsets.size(); ++f) {
      std::fill(values.data() + f * stride, values.data() + (f + 1) * stride, 0.0);
    }
  }

  void put(double* out, std::size_t first, std::size_t n, std::size_t rows) const {
    for (std::size_t f = 0; f < offsets.size(); ++f) {
      for (std::size_t c = 0; c < n; ++c) out[f * rows + first + c] = values.data()[f * stride + c] + offsets[f];
    }
  }

  std::span<const double> offsets;
  std::size_t stride;
  AlignedArray<double> values;
};

// Every member of the crew makes its own worker when it does its first job.
template <class Worker, class Make>
void work_through(std::size_t rows, std::size_t block, ThreadPool& crew, const Make& make) {
  std::vector<std::unique_ptr<Worker>> workers(crew.size());
  crew.parallel_for((rows + block - 1) / block, [&](std::size_t job, std::size_t member) {
    if (!workers[member]) workers[member] = make();
    workers[member]->run(job * block, std::min(block, rows - job * block), [&] {
      if (member == 0) crew.check_interrupt();
      return crew.has_failed();
    });
  });
}

// -- dense rows ----------------------------------------------------------------------------------------------

template <class T>
class DenseWorker {
 public:
  DenseWorker(const KernelFunction& form, const Packed<T>& vectors, std::size_t n_vectors, const Shares& shares,
              std::span<const double> offsets, const DenseView& rows, std::size_t n_rows, std::size_t block,
              double* out)
      : form_(form),
        vectors_(vectors),
        n_vectors_(n_vectors),
        shares_(shares),
        rows_(rows),
        n_rows_(n_rows),
        out_(out),
        sums_(offsets, block),
        panels_(block * rows.width),
        norms_(block),
        values_(block / kPanelPoints<T> * kTileValues<T>) {}

  template <class Ended>
  void run(std::size_t first, std::size_t n, const Ended& ended) {
    constexpr std::size_t panel = kPanelPoints<T>;
    const std::size_t width = rows_.width, panels = (n + panel - 1) / panel;
    sums_.begin();
    for (std::size_t p = 0; p < panels; ++p) {
      const std::size_t begin = p * panel;
      pack<T>(rows_, first + begin, std::min(panel, n - begin), panel, panels_.data() + begin * width,
              norms_.data() + begin);
    }
    for (std::size_t begin = 0; begin < n_vectors_; begin += kGroupPoints) {
      if (begin % 1024 == 0 && ended()) return;
      tile_functions<T>().dense_values(form_, vectors_.values.data() + begin * width, vectors_.norms.data() + begin,
                                       kGroupPoints, panels_.data(), norms_.data(), panels, width, values_.data());
      for (std::size_t p = 0; p < panels; ++p) {
        shares_.add(begin / kGroupPoints, values_.data() + p * kTileValues<T>, panel, sums_.values.data() + p * panel,
                    sums_.stride);
      }
    }
    sums_.put(out_, first, n, n_rows_);
  }

 private:
  const KernelFunction& form_;
  const Packed<T>& vectors_;
  std::size_t n_vectors_;
  const Shares& shares_;
  const DenseView& rows_;
  std::size_t n_rows_;
  double* out_;
  Sums sums_;
  AlignedArray<T> panels_, norms_, values_;
};

template <class T>
void dense_values(const KernelFunction& form, const KernelPoints& vectors, const Shares& shares,
                  std::span<const double> offsets, const KernelPoints& rows, double* out, ThreadPool& crew) {
  DenseView from{vectors.dense, vectors.width}, to{rows.dense, rows.width};
  std::vector<double> center;
  if (form.kind == KernelKind::kRbf) {
    center = center_of(from, vectors.n);
    from.center = to.center = center.data();
  }
  const Packed<T> packed(from, vectors.n, kGroupPoints);
  const std::size_t most = kRoom / sizeof(T) / std::max<std::size_t>(rows.width, 1) / kPanelPoints<T>;
  const std::size_t share =
      (rows.n / crew.size() + kPanelPoints<T> - 1) / kPanelPoints<T>;  // no more than what keeps all busy
  const std::size_t block = std::clamp<std::size_t>(std::min(most, share), 1, kMostPanels) * kPanelPoints<T>;
  work_through<DenseWorker<T>>(rows.n, block, crew, [&] {
    return std::make_unique<DenseWorker<T>>(form, packed, vectors.n, shares, offsets, to, rows.n, block, out);
  });
}

// -- sparse rows ---------------------------------------------------------------------------------------------

template <class T>
class SparseWorker {
 public:
  SparseWorker(const KernelFunction& form, const PackedSparse<T>& vectors, std::size_t n_vectors, const Shares& shares,
               std::span<const double> offsets, const PackedSparse<T>& rows, std::size_t n_rows, std::size_t width,
               double* out)
      : form_(form),
        vectors_(vectors),
        n_vectors_(n_vectors),
        shares_(shares),
        rows_(rows),
        n_rows_(n_rows),
        out_(out),
        sums_(offsets, kSparseLanes<T>),
        line_(width * kSparseLanes<T>) {}

  template <class Ended>
  void run(std::size_t first, std::size_t n, const Ended& ended) {
    T values[kGroupPoints * kSparseLanes<T>] = {}, norms[kSparseLanes<T>] = {};
    sums_.begin();
    for (std::size_t c = 0; c < n; ++c) {
      spread(rows_.view(), first + c, c, kSparseLanes<T>, line_.data(), false);
      norms[c] = rows_.norms.data()[first + c];
    }
    for (std::size_t begin = 0; begin < n_vectors_; begin += kGroupPoints) {
      if (begin % 1024 == 0 && ended()) return;
      const std::size_t some = std::min(kGroupPoints, n_vectors_ - begin);
      tile_functions<T>().sparse_values(form_, vectors_.view(), begin, vectors_.norms.data() + begin, some,
                                        line_.data(), norms, values);
      shares_.add(begin / kGroupPoints, values, kSparseLanes<T>, sums_.values.data(), sums_.stride);
    }
    for (std::size_t c = 0; c < n; ++c) spread(rows_.view(), first + c, c, kSparseLanes<T>, line_.data(), true);
    sums_.put(out_, first, n, n_rows_);
  }

 private:
  const KernelFunction& form_;
  const PackedSparse<T>& vectors_;
  std::size_t n_vectors_;
  const Shares& shares_;
  const PackedSparse<T>& rows_;
  std::size_t n_rows_;
  double* out_;
  Sums sums_;
  AlignedArray<T> line_;
};

template <class T>
PackedSparse<T> all_of(const KernelPoints& points) {
  std::vector<std::int64_t> rows(points.n);
  std::iota(rows.begin(), rows.end(), 0);
  return PackedSparse<T>(points.sparse, rows);
}

template <class T>
void sparse_values(const KernelFunction& form, const KernelPoints& vectors, const Shares& shares,
                   std::span<const double> offsets, const KernelPoints& rows, double* out, ThreadPool& crew) {
  const PackedSparse<T> packed = all_of<T>(vectors), asked = all_of<T>(rows);
  work_through<SparseWorker<T>>(rows.n, kSparseLanes<T>, crew, [&] {
    return std::make_unique<SparseWorker<T>>(form, packed, vectors.n, shares, offsets, asked, rows.n, rows.width, out);
  });
}

}  // namespace

void kernel_values(const KernelFunction& form, const KernelPoints& vectors, std::span<const double> coefs,
                   std::span<const double> offsets, const KernelPoints& rows, bool single, double* out,
                   ThreadPool& crew) {
  const Shares shares(coefs, vectors.n, offsets.size());
  const auto run = rows.is_sparse() ? (single ? sparse_values<float> : sparse_values<double>)
                                    : (single ? dense_values<float> : dense_values<double>);
  run(form, vectors, shares, offsets, rows, out, crew);
}

}  // namespace hedgerow

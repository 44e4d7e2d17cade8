#include "clusters/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clusters/kmeans_distances.hpp"
#include "core/simd_vectors.hpp"

namespace hedgerow {

namespace {

constexpr double kRoundingUnit = 0x1p-53;
constexpr std::size_t kMinListedCenters = 24;     // centers; of fewer, all are scanned sooner than the near ones found
constexpr std::size_t kRowsPerListedCenter = 16;  // rows a center, for lists of near centers to be worth making

// Calls each(first row, rows, panel) for every panel of a slice.
template <class Each>
void for_each_panel(const PointRows& rows, std::size_t begin, std::size_t end, ThreadPool& pool, std::size_t thread,
                    const Each& each) {
  AlignedDoubles panel(rows.width * kPointsPerPanel);
  for (std::size_t i = begin; i < end; i += kPointsPerPanel) {
    if (i % 1024 < kPointsPerPanel) {
      if (pool.has_failed()) return;
      if (thread == 0) pool.check_interrupt();
    }
    const std::size_t n = std::min(kPointsPerPanel, end - i);
    fill_panel(n, rows.width, panel.data(), [&](std::size_t p) { return rows.row(i + p); });
    each(i, n, panel.data());
  }
}

// Squared distances of all rows to the centers they belong to.
void compute_own_distances(const PointRows& rows, std::span<const double> centers, std::span<const std::int32_t> labels,
                           std::span<double> squares, ThreadPool& pool) {
  const RowSlices slices(rows.n);
  pool.parallel_for(slices.n, [&](std::size_t slice, std::size_t thread) {
    AlignedDoubles own(rows.width * kPointsPerPanel), found(kPointsPerPanel);
    for_each_panel(rows, slices.begin(slice), slices.begin(slice + 1), pool, thread,
                   [&](std::size_t i, std::size_t n, const double* panel) {
                     fill_panel(n, rows.width, own.data(), [&](std::size_t p) {
                       return centers.data() + static_cast<std::size_t>(labels[i + p]) * rows.width;
                     });
                     get_center_scans().paired(panel, own.data(), rows.width, found.data());
                     std::copy_n(found.data(), n, squares.data() + i);
                   });
  });
}

// Gives rows to clusters that have none; returns how many got one.
std::size_t refill_empty_clusters(KMeansState& state, Assigner& assigner) {
  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < state.k; ++c)
    if (!(state.sums.weight(c) > 0)) empty.push_back(c);
  if (empty.empty()) return 0;
  assigner.write_labels();
  const std::size_t n = state.rows.n;
  std::vector<std::size_t> counts(state.k);
  for (const std::int32_t label : state.labels) ++counts[static_cast<std::size_t>(label)];
  std::vector<double> squares(n);
  compute_own_distances(state.rows, state.centers, state.labels, squares, state.pool);
  std::size_t done = 0;
  for (const std::size_t cluster : empty) {
    if (counts[cluster]) continue;
    std::size_t best = n;
    double maximum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (squares[i] > maximum && counts[static_cast<std::size_t>(state.labels[i])] > 1) maximum = squares[i], best = i;
    }
    if (best == n) break;
    auto& label = state.labels[best];
    const auto from = static_cast<std::size_t>(label);
    state.sums.add(from, state.rows.row(best), state.rows.weight(best), -1.0);
    state.sums.add(cluster, state.rows.row(best), state.rows.weight(best), 1.0);
    --counts[from], ++counts[cluster];
    label = static_cast<std::int32_t>(cluster);
    squares[best] = 0;
    ++done;
  }
  return done;
}

// Moves the centers to the means; returns the sum of the squared ways.
double move_centers(KMeansState& state, std::vector<double>& distances_moved) {
  const std::size_t width = state.rows.width;
  std::vector<double> mean(width);
  double all = 0;
  for (std::size_t c = 0; c < state.k; ++c) {
    distances_moved[c] = 0;
    if (!(state.sums.weight(c) > 0)) continue;
    double* center = state.centers.data() + c * width;
    state.sums.mean(c, mean.data());
    const double square = squared_distance(center, mean.data(), width);
    all += square;
    distances_moved[c] = std::sqrt(square) * (1 + state.slack);
    std::copy(mean.begin(), mean.end(), center);
  }
  return all;
}

// Which can begin with any labels.
std::unique_ptr<Assigner> choose_bound_assigner(KMeansState& state) {
  if (state.k >= kMinListedCenters && state.rows.n >= kRowsPerListedCenter * state.k)
    return make_neighbor_assigner(state);
  return make_bound_assigner(state, true);
}

std::unique_ptr<Assigner> make_assigner(KMeansAlgorithm algorithm, KMeansState& state) {
  if (algorithm == KMeansAlgorithm::kTree) return make_tree_assigner(state);
  return algorithm == KMeansAlgorithm::kScan ? make_bound_assigner(state, false) : choose_bound_assigner(state);
}

}  // namespace

KMeansResult kmeans(const PointRows& rows, const KMeansOptions& options, std::span<double> centers,
                    std::span<std::int32_t> labels, ThreadPool& pool) {
  const std::size_t k = rows.width ? centers.size() / rows.width : 1;
  const double slack = (4.0 * static_cast<double>(rows.width) + 64) * kRoundingUnit;
  KMeansState state{rows, k, centers, labels, ClusterSums(k, rows.width), slack, pool};
  std::ranges::fill(labels, -1);
  auto assigner = make_assigner(options.algorithm, state);
  KMeansResult found;
  std::vector<double> distances_moved(k);
  for (bool last = false;;) {
    const std::size_t changed = assigner->assign();
    ++found.passes;
    if (found.passes > 1 && !changed) found.converged = true;
    if (found.converged || last) break;
    if (const std::size_t more = refill_empty_clusters(state, *assigner)) {
      found.refilled += more;
      assigner = options.algorithm == KMeansAlgorithm::kScan ? make_bound_assigner(state, false)
                                                             : choose_bound_assigner(state);
    }
    const double squared_move = move_centers(state, distances_moved);
    assigner->update_bounds(distances_moved);
    last = found.passes >= options.passes;
    if (options.tolerance > 0 && squared_move <= options.tolerance) last = true;
    if (options.tolerance > 0 && last) found.converged = squared_move <= options.tolerance;
    if (found.converged) {
      assigner->assign();
      break;
    }
  }
  assigner->write_labels();
  std::vector<double> squares(rows.n);
  compute_own_distances(rows, centers, labels, squares, pool);
  found.sizes.resize(k), found.squares.resize(k);
  std::vector<double> compensation(k);
  for (std::size_t i = 0; i < rows.n; ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    add_compensated(found.squares[c], compensation[c], rows.weight(i) * squares[i]);
  }
  for (std::size_t c = 0; c < k; ++c) found.squares[c] += compensation[c], found.sizes[c] = state.sums.weight(c);
  return found;
}

void assign_nearest_centers(const PointRows& rows, std::span<const double> centers, std::span<std::int32_t> labels,
                            std::span<double> squares, ThreadPool& pool) {
  const std::size_t k = rows.width ? centers.size() / rows.width : 1;
  const RowSlices slices(rows.n);
  pool.parallel_for(slices.n, [&](std::size_t slice, std::size_t thread) {
    TwoNearestOfPanel two;
    for_each_panel(rows, slices.begin(slice), slices.begin(slice + 1), pool, thread,
                   [&](std::size_t i, std::size_t n, const double* panel) {
                     get_center_scans().all(panel, rows.width, centers.data(), k, two);
                     for (std::size_t p = 0; p < n; ++p) {
                       labels[i + p] = static_cast<std::int32_t>(two.which[p]);
                       squares[i + p] = two.first[p];
                     }
                   });
  });
}

std::vector<double> compute_seed_potentials(const PointRows& rows, std::span<const double> points,
                                            std::span<const double> nearest, ThreadPool& pool) {
  const std::size_t n = rows.width ? points.size() / rows.width : 0;
  const RowSlices slices(rows.n);
  std::vector<double> parts(slices.n * n), out(n);
  pool.parallel_for(slices.n, [&](std::size_t slice, std::size_t thread) {
    AlignedDoubles other(rows.width * kPointsPerPanel), squares(kPointsPerPanel);
    std::vector<double> sums(n * kPointsPerPanel);
    for_each_panel(rows, slices.begin(slice), slices.begin(slice + 1), pool, thread,
                   [&](std::size_t i, std::size_t m, const double* panel) {
                     TwoNearestOfPanel two;
                     for (std::size_t s = 0; s < n; ++s) {
                       get_center_scans().all(panel, rows.width, points.data() + s * rows.width, 1, two);
                       for (std::size_t p = 0; p < m; ++p)
                         sums[s * kPointsPerPanel + p] += rows.weight(i + p) * std::min(two.first[p], nearest[i + p]);
                     }
                   });
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t p = 0; p < kPointsPerPanel; ++p) parts[slice * n + s] += sums[s * kPointsPerPanel + p];
  });
  for (std::size_t slice = 0; slice < slices.n; ++slice)
    for (std::size_t s = 0; s < n; ++s) out[s] += parts[slice * n + s];
  return out;
}

}  // namespace hedgerow

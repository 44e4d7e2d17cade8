#include "clusters/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clusters/kmeans_distances.hpp"
#include "core/simd_vectors.hpp"

namespace hedgerow {

namespace {

constexpr double kUnit = 0x1p-53;
constexpr std::size_t kListedFrom = 24;  // centers; of fewer, all are scanned sooner than the near ones found
constexpr std::size_t kRowsOfList = 16;  // rows a center, for lists of near centers to be worth making

// Calls each(first row, rows, panel) for every panel of a slice.
template <class Each>
void by_panels(const PointRows& rows, std::size_t begin, std::size_t end, ThreadPool& crew, std::size_t member,
               const Each& each) {
  AlignedDoubles panel(rows.width * kPoints);
  for (std::size_t i = begin; i < end; i += kPoints) {
    if (i % 1024 < kPoints) {
      if (crew.has_failed()) return;
      if (member == 0) crew.check_interrupt();
    }
    const std::size_t n = std::min(kPoints, end - i);
    fill_panel(n, rows.width, panel.data(), [&](std::size_t p) { return rows.row(i + p); });
    each(i, n, panel.data());
  }
}

// Squared distances of all rows to the centers they belong to.
void own_squares(const PointRows& rows, std::span<const double> centers, std::span<const std::int32_t> labels,
                 std::span<double> squares, ThreadPool& crew) {
  const Slices slices(rows.n);
  crew.parallel_for(slices.n, [&](std::size_t slice, std::size_t member) {
    AlignedDoubles own(rows.width * kPoints), found(kPoints);
    by_panels(rows, slices.begin(slice), slices.begin(slice + 1), crew, member,
              [&](std::size_t i, std::size_t n, const double* panel) {
                fill_panel(n, rows.width, own.data(), [&](std::size_t p) {
                  return centers.data() + static_cast<std::size_t>(labels[i + p]) * rows.width;
                });
                center_scans().paired(panel, own.data(), rows.width, found.data());
                std::copy_n(found.data(), n, squares.data() + i);
              });
  });
}

// Gives rows to clusters that have none; returns how many got one.
std::size_t refill(KMeansState& state, Assigner& assigner) {
  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < state.k; ++c)
    if (!(state.sums.weight(c) > 0)) empty.push_back(c);
  if (empty.empty()) return 0;
  assigner.label();
  const std::size_t n = state.rows.n;
  std::vector<std::size_t> counts(state.k);
  for (const std::int32_t label : state.labels) ++counts[static_cast<std::size_t>(label)];
  std::vector<double> squares(n);
  own_squares(state.rows, state.centers, state.labels, squares, state.crew);
  std::size_t done = 0;
  for (const std::size_t cluster : empty) {
    if (counts[cluster]) continue;
    std::size_t best = n;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (squares[i] > most && counts[static_cast<std::size_t>(state.labels[i])] > 1) most = squares[i], best = i;
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
double move_centers(KMeansState& state, std::vector<double>& drifts) {
  const std::size_t width = state.rows.width;
  std::vector<double> mean(width);
  double all = 0;
  for (std::size_t c = 0; c < state.k; ++c) {
    drifts[c] = 0;
    if (!(state.sums.weight(c) > 0)) continue;
    double* center = state.centers.data() + c * width;
    state.sums.mean(c, mean.data());
    const double square = squared_distance(center, mean.data(), width);
    all += square;
    drifts[c] = std::sqrt(square) * (1 + state.slack);
    std::copy(mean.begin(), mean.end(), center);
  }
  return all;
}

// Which can begin with any labels.
std::unique_ptr<Assigner> assign_by_bounds(KMeansState& state) {
  if (state.k >= kListedFrom && state.rows.n >= kRowsOfList * state.k) return assign_by_lists(state);
  return assign_by_gaps(state, true);
}

std::unique_ptr<Assigner> assigner_of(KMeansWay way, KMeansState& state) {
  if (way == KMeansWay::kTree) return assign_by_tree(state);
  return way == KMeansWay::kScan ? assign_by_gaps(state, false) : assign_by_bounds(state);
}

}  // namespace

KMeansFound kmeans(const PointRows& rows, const KMeansAsked& asked, std::span<double> centers,
                   std::span<std::int32_t> labels, ThreadPool& crew) {
  const std::size_t k = rows.width ? centers.size() / rows.width : 1;
  const double slack = (4.0 * static_cast<double>(rows.width) + 64) * kUnit;
  KMeansState state{rows, k, centers, labels, ClusterSums(k, rows.width), slack, crew};
  std::ranges::fill(labels, -1);
  auto assigner = assigner_of(asked.way, state);
  KMeansFound found;
  std::vector<double> drifts(k);
  for (bool last = false;;) {
    const std::size_t changed = assigner->assign();
    ++found.passes;
    if (found.passes > 1 && !changed) found.settled = true;
    if (found.settled || last) break;
    if (const std::size_t more = refill(state, *assigner)) {
      found.refilled += more;
      assigner = asked.way == KMeansWay::kScan ? assign_by_gaps(state, false) : assign_by_bounds(state);
    }
    const double way = move_centers(state, drifts);
    assigner->moved(drifts);
    last = found.passes >= asked.passes;
    if (asked.tolerance > 0 && way <= asked.tolerance) last = true;
    if (asked.tolerance > 0 && last) found.settled = way <= asked.tolerance;
    if (found.settled) {
      assigner->assign();
      break;
    }
  }
  assigner->label();
  std::vector<double> squares(rows.n);
  own_squares(rows, centers, labels, squares, crew);
  found.sizes.resize(k), found.squares.resize(k);
  std::vector<double> lost(k);
  for (std::size_t i = 0; i < rows.n; ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    add_kept(found.squares[c], lost[c], rows.weight(i) * squares[i]);
  }
  for (std::size_t c = 0; c < k; ++c) found.squares[c] += lost[c], found.sizes[c] = state.sums.weight(c);
  return found;
}

void nearest_centers(const PointRows& rows, std::span<const double> centers, std::span<std::int32_t> labels,
                     std::span<double> squares, ThreadPool& crew) {
  const std::size_t k = rows.width ? centers.size() / rows.width : 1;
  const Slices slices(rows.n);
  crew.parallel_for(slices.n, [&](std::size_t slice, std::size_t member) {
    TwoLeast two;
    by_panels(rows, slices.begin(slice), slices.begin(slice + 1), crew, member,
              [&](std::size_t i, std::size_t n, const double* panel) {
                center_scans().all(panel, rows.width, centers.data(), k, two);
                for (std::size_t p = 0; p < n; ++p) {
                  labels[i + p] = static_cast<std::int32_t>(two.which[p]);
                  squares[i + p] = two.first[p];
                }
              });
  });
}

std::vector<double> seed_potentials(const PointRows& rows, std::span<const double> points,
                                    std::span<const double> nearest, ThreadPool& crew) {
  const std::size_t n = rows.width ? points.size() / rows.width : 0;
  const Slices slices(rows.n);
  std::vector<double> parts(slices.n * n), out(n);
  crew.parallel_for(slices.n, [&](std::size_t slice, std::size_t member) {
    AlignedDoubles other(rows.width * kPoints), squares(kPoints);
    std::vector<double> sums(n * kPoints);
    by_panels(rows, slices.begin(slice), slices.begin(slice + 1), crew, member,
              [&](std::size_t i, std::size_t m, const double* panel) {
                TwoLeast two;
                for (std::size_t s = 0; s < n; ++s) {
                  center_scans().all(panel, rows.width, points.data() + s * rows.width, 1, two);
                  for (std::size_t p = 0; p < m; ++p)
                    sums[s * kPoints + p] += rows.weight(i + p) * std::min(two.first[p], nearest[i + p]);
                }
              });
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t p = 0; p < kPoints; ++p) parts[slice * n + s] += sums[s * kPoints + p];
  });
  for (std::size_t slice = 0; slice < slices.n; ++slice)
    for (std::size_t s = 0; s < n; ++s) out[s] += parts[slice * n + s];
  return out;
}

}  // namespace hedgerow

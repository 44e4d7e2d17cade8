// Linkage matrix: part of clusters/linkage.hpp.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "clusters/linkage.hpp"
#include "clusters/linkage_points.hpp"
#include "clusters/linkage_update.hpp"

namespace hedgerow {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Clusters by the distances of all pairs.
template <class T, Linkage L>
class MatrixLinkage {
 public:
  MatrixLinkage(std::span<T> distances, std::span<const double> weights, const InterruptCheck& pause)
      : distances_(distances.data()),
        weights_(weights.begin(), weights.end()),
        rows_(weights.size()),
        alive_(weights.size()),
        pause_(pause) {
    const std::size_t n = weights.size();
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(alive_.begin(), alive_.end(), 0);
    lay_out(n);
    if constexpr (L == Linkage::kCentroid || L == Linkage::kWard) {
      for (T& one : distances) one *= one;
    }
    if constexpr (L == Linkage::kGroup) {
      inner_.assign(n, 0.0);
      for (const double w : weights) pairs_.push_back(w > 1 ? w * (w - 1) / 2 : 0.0);
    }
  }

  bool merge_by_chains() {
    std::vector<std::int32_t> chain;
    while (alive_.size() > 1) {
      if (chain.empty()) chain.push_back(alive_.front());
      pause_();
      const std::int32_t end = chain.back();
      const NearestSlot found = find_nearest(end);
      if (found.tied || found.slot < 0 || chain.size() > alive_.size()) return false;
      if (chain.size() < 2 || found.slot != chain[chain.size() - 2]) {
        chain.push_back(found.slot);
        continue;
      }
      chain.resize(chain.size() - 2);
      merge_clusters(std::min(end, found.slot), std::max(end, found.slot), found.value);
      if (!is_worth_compacting()) continue;
      compact();
      for (auto& slot : chain) slot = moved_slots_[static_cast<std::size_t>(slot)];
    }
    return true;
  }

  // As that of Centers.
  void merge_in_order() {
    keys_.assign(rows_.size(), kInf);
    candidates_.assign(rows_.size(), -1);
    for (std::size_t at = 0; at < alive_.size(); ++at) pause_(), update_key(at);
    while (alive_.size() > 1) {
      pause_();
      std::size_t at = 0;
      for (std::size_t i = 1; i < alive_.size(); ++i) {
        if (keys_[slot_at(i)] < keys_[slot_at(at)]) at = i;
      }
      const auto a = alive_[at];
      const std::size_t key = slot_at(at);
      const auto b = candidates_[key];
      if (b < 0) {
        update_key(at);
        continue;
      }
      merge_clusters(a, b, keys_[key]);
      for (std::size_t i = 0; i < alive_.size() && alive_[i] < b; ++i) {
        auto& candidate = candidates_[slot_at(i)];
        if (candidate == a || candidate == b) candidate = -1;
      }
      for (std::size_t i = 0; i < at; ++i) {
        const std::size_t slot = slot_at(i);
        const double now = compute_height(slot, key, find_distance_row(slot)[key]);
        if (now < keys_[slot] || (now == keys_[slot] && a < candidates_[slot]))
          keys_[slot] = now, candidates_[slot] = a;
      }
      update_key(at);
      if (!is_worth_compacting()) continue;
      compact();
      for (std::size_t slot = 0; slot < moved_slots_.size(); ++slot) {
        if (moved_slots_[slot] < 0) continue;
        const auto to = static_cast<std::size_t>(moved_slots_[slot]);
        keys_[to] = keys_[slot];
        candidates_[to] = candidates_[slot] < 0 ? -1 : moved_slots_[static_cast<std::size_t>(candidates_[slot])];
      }
    }
  }

  std::vector<Merge> merges;

 private:
  std::size_t slot_at(std::size_t at) const { return static_cast<std::size_t>(alive_[at]); }

  T* find_distance_row(std::size_t slot) const { return distances_ + starts_[slot]; }

  void lay_out(std::size_t n) {
    starts_.resize(n);
    std::ptrdiff_t start = -1;
    for (std::size_t i = 0; i < n; ++i) {
      starts_[i] = start;
      start += static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(i) - 2;
    }
  }

  // The height that two clusters would be merged at, as it is compared.
  [[gnu::always_inline]] double compute_height(std::size_t a, std::size_t b, double distance) const {
    if constexpr (L == Linkage::kWard) return distance * (weights_[a] * weights_[b] / (weights_[a] + weights_[b]));
    if constexpr (L == Linkage::kGroup) {
      const double pairs = weights_[a] * weights_[b];
      return (inner_[a] + inner_[b] + pairs * distance) / (pairs_[a] + pairs_[b] + pairs);
    }
    return distance;
  }

  NearestSlot find_nearest(std::int32_t end) const {
    const auto self = static_cast<std::size_t>(end);
    NearestSlot out;
    std::size_t i = 0;
    for (; alive_[i] < end; ++i) {
      const std::size_t slot = slot_at(i);
      update_nearest(out, compute_height(slot, self, find_distance_row(slot)[self]), alive_[i]);
    }
    const T* own = find_distance_row(self);
    for (++i; i < alive_.size(); ++i) update_nearest(out, compute_height(self, slot_at(i), own[slot_at(i)]), alive_[i]);
    return out;
  }

  [[gnu::always_inline]] static void update_nearest(NearestSlot& out, double value, std::int32_t slot) {
    if (!(value <= out.value)) return;
    if (value < out.value) {
      out = {value, slot, false};
    } else if (out.slot >= 0) {
      out.tied = true;
    }
  }

  void update_key(std::size_t at) {
    const std::size_t self = slot_at(at);
    const T* own = find_distance_row(self);
    NearestSlot out;
    for (std::size_t i = at + 1; i < alive_.size(); ++i) {
      const double now = compute_height(self, slot_at(i), own[slot_at(i)]);
      if (now < out.value) out.value = now, out.slot = alive_[i];
    }
    keys_[self] = out.value, candidates_[self] = out.slot;
  }

  void merge_clusters(std::int32_t first, std::int32_t second, double value) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    T *from_a = find_distance_row(a), *from_b = find_distance_row(b);
    MergeWeights w{weights_[a], weights_[b], 0.0, from_a[b]};
    merges.push_back({rows_[a], rows_[b], L == Linkage::kCentroid ? std::sqrt(value) : value});
    std::size_t i = 0;
    for (; slot_at(i) < a; ++i) {
      T* own = find_distance_row(slot_at(i));
      own[a] = static_cast<T>(update_distance<L>(own[a], own[b], w));
    }
    for (++i; slot_at(i) < b; ++i) {
      const std::size_t x = slot_at(i);
      from_a[x] = static_cast<T>(update_distance<L>(from_a[x], find_distance_row(x)[b], w));
    }
    const std::size_t gone = i;
    for (++i; i < alive_.size(); ++i) {
      const std::size_t x = slot_at(i);
      from_a[x] = static_cast<T>(update_distance<L>(from_a[x], from_b[x], w));
    }
    if constexpr (L == Linkage::kGroup) {
      inner_[a] += inner_[b] + w.a * w.b * w.distance;
      pairs_[a] += pairs_[b] + w.a * w.b;
    }
    weights_[a] += weights_[b];
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(gone));
  }

  bool is_worth_compacting() const { return alive_.size() * 4 < rows_.size() * 3 && alive_.size() > 64; }

  // The distances that are left close up: none is moved behind where it was.
  void compact() {
    const std::size_t n = alive_.size();
    moved_slots_.assign(rows_.size(), -1);
    T* to = distances_;
    for (std::size_t i = 0; i < n; ++i) {
      const T* own = find_distance_row(slot_at(i));
      for (std::size_t j = i + 1; j < n; ++j) *to++ = own[slot_at(j)];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = slot_at(i);
      moved_slots_[from] = static_cast<std::int32_t>(i);
      weights_[i] = weights_[from], rows_[i] = rows_[from];
      if constexpr (L == Linkage::kGroup) inner_[i] = inner_[from], pairs_[i] = pairs_[from];
    }
    rows_.resize(n);
    lay_out(n);
    std::iota(alive_.begin(), alive_.end(), 0);
  }

  T* distances_;
  std::vector<double> weights_, keys_, inner_, pairs_;  // inner: sums of distances within a cluster, and how many pairs
  std::vector<std::int32_t> rows_, alive_, candidates_, moved_slots_;
  std::vector<std::ptrdiff_t> starts_;  // where the distances of each row would begin, if there were one with row 0
  const InterruptCheck& pause_;
};

template <class T, Linkage L>
std::vector<Merge> link_with(std::span<T> distances, std::span<const double> weights, bool by_order, bool& tied,
                             const InterruptCheck& pause) {
  MatrixLinkage<T, L> linkage_of_pairs(distances, weights, pause);
  tied = false;
  if constexpr (L == Linkage::kComplete || L == Linkage::kAverage || L == Linkage::kWard) {
    if (!by_order) {
      tied = !linkage_of_pairs.merge_by_chains();
      return tied ? std::vector<Merge>{} : order_merges(std::move(linkage_of_pairs.merges), weights.size());
    }
  }
  linkage_of_pairs.merge_in_order();
  return std::move(linkage_of_pairs.merges);
}

}  // namespace

template <class T>
std::vector<Merge> link_by_distances(std::span<T> distances, std::span<const double> weights, Linkage linkage,
                                     bool by_order, bool& tied, const InterruptCheck& pause) {
  tied = false;
  if (weights.size() < 2) return {};
  switch (linkage) {
    case Linkage::kSingle:
      return link_with<T, Linkage::kSingle>(distances, weights, by_order, tied, pause);
    case Linkage::kComplete:
      return link_with<T, Linkage::kComplete>(distances, weights, by_order, tied, pause);
    case Linkage::kAverage:
      return link_with<T, Linkage::kAverage>(distances, weights, by_order, tied, pause);
    case Linkage::kCentroid:
      return link_with<T, Linkage::kCentroid>(distances, weights, by_order, tied, pause);
    case Linkage::kGroup:
      return link_with<T, Linkage::kGroup>(distances, weights, by_order, tied, pause);
    default:
      return link_with<T, Linkage::kWard>(distances, weights, by_order, tied, pause);
  }
}

template std::vector<Merge> link_by_distances(std::span<float>, std::span<const double>, Linkage, bool, bool&,
                                              const InterruptCheck&);
template std::vector<Merge> link_by_distances(std::span<double>, std::span<const double>, Linkage, bool, bool&,
                                              const InterruptCheck&);

}  // namespace hedgerow

// Linkage centers: part of clusters/linkage.hpp.
#include <algorithm>
#include <cmath>

#include "clusters/linkage.hpp"
#include "clusters/linkage_points.hpp"

namespace hedgerow {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Clusters by their centers and weights.
class CenterLinkage {
 public:
  CenterLinkage(const LinkagePoints& points, std::span<const double> weights, bool ward, const InterruptCheck& pause)
      : slots_(points),
        ward_(ward),
        weights_(slots_.stretches() * kStretch, 1.0),
        point_(points.width),
        other_(points.width),
        n_left_(points.rows),
        pause_(pause) {
    std::copy(weights.begin(), weights.end(), weights_.begin());
  }

  // By chains of nearest neighbors; false, and nothing is of use, if any two clusters were equally near to a third.
  bool merge_by_chains() {
    std::vector<std::int32_t> chain, new_slots;
    std::size_t first = 0;
    while (n_left_ > 1) {
      if (chain.empty()) {
        while (slots_.is_empty(first)) ++first;
        chain.push_back(static_cast<std::int32_t>(first));
      }
      pause_();
      const std::int32_t end = chain.back();
      const NearestSlot found = find_nearest(end, 0);
      if (found.tied || found.slot < 0 || chain.size() > n_left_) return false;
      if (chain.size() < 2 || found.slot != chain[chain.size() - 2]) {
        chain.push_back(found.slot);
        continue;
      }
      chain.resize(chain.size() - 2);
      merge_clusters(std::min(end, found.slot), std::max(end, found.slot), found.value);
      if (!compact(new_slots)) continue;
      for (auto& slot : chain) slot = new_slots[static_cast<std::size_t>(slot)];
      first = 0;
    }
    return true;
  }

  // By the definition: the closest pair next. The key of a slot is at most the distance to the nearest of the slots
  // behind it: that of its candidate, the first of equally near ones, or without a candidate (-1) a bound.
  void merge_in_order() {
    keys_.assign(weights_.size(), kInf);
    candidates_.assign(weights_.size(), -1);
    std::vector<std::int32_t> new_slots;
    for (std::size_t slot = 0; slot + 1 < slots_.size(); ++slot) pause_(), update_key(slot);
    while (n_left_ > 1) {
      pause_();
      const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(slots_.size());
      const auto a = static_cast<std::size_t>(std::min_element(keys_.begin(), end) - keys_.begin());
      if (candidates_[a] < 0) {
        update_key(a);
        continue;
      }
      const auto first = static_cast<std::int32_t>(a), second = candidates_[a];
      merge_clusters(first, second, keys_[a]);
      keys_[static_cast<std::size_t>(second)] = kInf;
      std::replace_if(
          candidates_.begin(), candidates_.begin() + second, [=](std::int32_t c) { return c == first || c == second; },
          -1);
      slots_.get(a, point_.data());
      get_slot_functions().offer_candidate(slots_, {point_.data(), weights_[a], first}, a,
                                           ward_ ? weights_.data() : nullptr, keys_.data(), candidates_.data());
      update_key(a);
      if (!compact(new_slots)) continue;
      for (std::size_t slot = 0; slot < new_slots.size(); ++slot) {
        if (new_slots[slot] < 0) continue;
        const auto to = static_cast<std::size_t>(new_slots[slot]);
        keys_[to] = keys_[slot];
        candidates_[to] = candidates_[slot] < 0 ? -1 : new_slots[static_cast<std::size_t>(candidates_[slot])];
      }
      std::fill(keys_.begin() + static_cast<std::ptrdiff_t>(slots_.size()), keys_.end(), kInf);
    }
  }

  std::vector<Merge> merges;

 private:
  NearestSlot find_nearest(std::int32_t slot, std::size_t begin) {
    slots_.get(static_cast<std::size_t>(slot), point_.data());
    return get_slot_functions().find_nearest(slots_, {point_.data(), weights_[static_cast<std::size_t>(slot)], slot},
                                             begin, ward_ ? weights_.data() : nullptr);
  }

  void update_key(std::size_t slot) {
    const NearestSlot found = find_nearest(static_cast<std::int32_t>(slot), slot + 1);
    keys_[slot] = found.value, candidates_[slot] = found.slot;
  }

  void merge_clusters(std::int32_t first, std::int32_t second, double value) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    merges.push_back({slots_.row(a), slots_.row(b), ward_ ? value : std::sqrt(value)});
    slots_.get(a, point_.data());
    slots_.get(b, other_.data());
    const double both = weights_[a] + weights_[b], share = weights_[b] / both;
    for (std::size_t p = 0; p < point_.size(); ++p) point_[p] += (other_[p] - point_[p]) * share;
    slots_.put(a, point_.data());
    slots_.clear(b);
    weights_[a] = both;
    --n_left_;
  }

  bool compact(std::vector<std::int32_t>& new_slots) {
    if (n_left_ * 8 >= slots_.size() * 7 || slots_.size() <= kStretch) return false;
    slots_.compact(new_slots);
    for (std::size_t slot = 0; slot < new_slots.size(); ++slot) {
      if (new_slots[slot] >= 0) weights_[static_cast<std::size_t>(new_slots[slot])] = weights_[slot];
    }
    return true;
  }

  PointSlots slots_;
  bool ward_;
  std::vector<double> weights_, point_, other_, keys_;
  std::vector<std::int32_t> candidates_;
  std::size_t n_left_;
  const InterruptCheck& pause_;
};

}  // namespace

std::vector<Merge> link_by_centers(const LinkagePoints& points, std::span<const double> weights, bool ward,
                                   const InterruptCheck& pause) {
  if (points.rows < 2) return {};
  if (ward) {
    CenterLinkage centers(points, weights, ward, pause);
    if (centers.merge_by_chains()) return order_merges(std::move(centers.merges), points.rows);
  }
  CenterLinkage centers(points, weights, ward, pause);
  centers.merge_in_order();
  return std::move(centers.merges);
}

}  // namespace hedgerow

// Points that are gone through again and again, 32 side by side: of each feature the values of 32 points.
//
// Every distance is a sum in the order of the features, so that it is the same on every machine and both ways.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "clusters/linkage.hpp"
#include "core/kernel_tiles.hpp"

namespace hedgerow {

constexpr std::size_t kStretch = 32;

// Slots hold points in the order of their rows. A slot that was taken out holds NaN, which is near to nothing, until
// the others close up.
class PointSlots {
 public:
  PointSlots(const LinkagePoints& points)
      : width_(points.width), cityblock_(points.cityblock), n_(points.rows), rows_(points.rows) {
    values_ = AlignedArray<double>(stretches() * width_ * kStretch);
    for (std::size_t slot = 0; slot < n_; ++slot) {
      rows_[slot] = static_cast<std::int32_t>(slot);
      put(slot, points.values.data() + slot * width_);
    }
    for (std::size_t slot = n_; slot < stretches() * kStretch; ++slot) clear(slot);
  }

  std::size_t size() const { return n_; }
  std::size_t width() const { return width_; }
  bool cityblock() const { return cityblock_; }
  std::size_t stretches() const { return (n_ + kStretch - 1) / kStretch; }
  const double* stretch(std::size_t number) const { return values_.data() + number * width_ * kStretch; }
  std::int32_t row(std::size_t slot) const { return rows_[slot]; }

  double value_at(std::size_t slot, std::size_t feature) const { return values_.data()[index_of(slot, feature)]; }
  bool is_empty(std::size_t slot) const { return rows_[slot] < 0; }
  void get(std::size_t slot, double* point) const {
    for (std::size_t p = 0; p < width_; ++p) point[p] = value_at(slot, p);
  }
  void put(std::size_t slot, const double* point) {
    for (std::size_t p = 0; p < width_; ++p) values_.data()[index_of(slot, p)] = point[p];
  }
  void clear(std::size_t slot) {
    for (std::size_t p = 0; p < width_; ++p)
      values_.data()[index_of(slot, p)] = std::numeric_limits<double>::quiet_NaN();
    if (slot < n_) rows_[slot] = -1;
  }

  // Closes up; `new_slots` gets the new slot of each old one, -1 if it was taken out.
  void compact(std::vector<std::int32_t>& new_slots) {
    new_slots.assign(n_, -1);
    std::size_t to = 0;
    std::vector<double> point(width_);
    for (std::size_t slot = 0; slot < n_; ++slot) {
      if (is_empty(slot)) continue;
      new_slots[slot] = static_cast<std::int32_t>(to);
      get(slot, point.data());
      put(to, point.data());
      rows_[to++] = rows_[slot];
    }
    const std::size_t before = stretches() * kStretch;
    n_ = to;
    rows_.resize(to);
    for (std::size_t slot = n_; slot < std::min(before, stretches() * kStretch); ++slot) clear(slot);
  }

 private:
  std::size_t index_of(std::size_t slot, std::size_t feature) const {
    return (slot / kStretch * width_ + feature) * kStretch + slot % kStretch;
  }

  std::size_t width_;
  bool cityblock_;
  std::size_t n_;
  std::vector<std::int32_t> rows_;
  AlignedArray<double> values_;
};

struct NearestSlot {
  double value = std::numeric_limits<double>::infinity();
  std::int32_t slot = -1;
  bool tied = false;  // whether another one is as near
};

// What an extent of slots is compared with: a point of weight `weight`, which may be in slot `self`.
struct SlotQuery {
  const double* point;
  double weight;
  std::int32_t self;
};

// Functions compiled for every kind of machine. Values: squared distances (city block: distances) for the tree, for
// centers squared distances, times A B / (A + B) if `weights` are given.
struct SlotFunctions {
  // For every slot: nearest[slot] = min(nearest[slot], value), and `from[slot]` = row where it was less, or as near and
  // from a lower row. Returns the slot with the least, the first of equal ones.
  NearestSlot (*update_nearest)(const PointSlots& slots, const double* point, std::int32_t row, double* nearest,
                                std::int32_t* from);
  // The nearest of the slots from `begin` on, but for `self`; the first of equally near ones.
  NearestSlot (*find_nearest)(const PointSlots& slots, const SlotQuery& query, std::size_t begin,
                              const double* weights);
  // For slots before `end`: where the value is below keys[slot], or equal and self is lower than the candidate, the key
  // is the value and the candidate self.
  void (*offer_candidate)(const PointSlots& slots, const SlotQuery& query, std::size_t end, const double* weights,
                          double* keys, std::int32_t* candidates);
  // values[slot] for the slots of the stretches from `begin` on.
  void (*compute_distances)(const PointSlots& slots, const double* point, std::size_t begin, double* values);
};

// What is best for this machine.
const SlotFunctions& get_slot_functions();

}  // namespace hedgerow

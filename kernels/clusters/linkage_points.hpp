// Points that are gone through again and again, 32 side by side: of each place the values of 32 points.
//
// Every distance is a sum in the order of the places, so that it is the same on every machine and both ways.
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
class Slots {
 public:
  Slots(const LinkedPoints& points)
      : width_(points.width), cityblock_(points.cityblock), n_(points.rows), rows_(points.rows) {
    values_ = AlignedArray<double>(stretches() * width_ * kStretch);
    for (std::size_t slot = 0; slot < n_; ++slot) {
      rows_[slot] = static_cast<std::int32_t>(slot);
      put(slot, points.values.data() + slot * width_);
    }
    for (std::size_t slot = n_; slot < stretches() * kStretch; ++slot) take_out(slot);
  }

  std::size_t size() const { return n_; }
  std::size_t width() const { return width_; }
  bool cityblock() const { return cityblock_; }
  std::size_t stretches() const { return (n_ + kStretch - 1) / kStretch; }
  const double* stretch(std::size_t number) const { return values_.data() + number * width_ * kStretch; }
  std::int32_t row(std::size_t slot) const { return rows_[slot]; }

  double at(std::size_t slot, std::size_t place) const { return values_.data()[where(slot, place)]; }
  bool out(std::size_t slot) const { return rows_[slot] < 0; }
  void get(std::size_t slot, double* point) const {
    for (std::size_t p = 0; p < width_; ++p) point[p] = at(slot, p);
  }
  void put(std::size_t slot, const double* point) {
    for (std::size_t p = 0; p < width_; ++p) values_.data()[where(slot, p)] = point[p];
  }
  void take_out(std::size_t slot) {
    for (std::size_t p = 0; p < width_; ++p) values_.data()[where(slot, p)] = std::numeric_limits<double>::quiet_NaN();
    if (slot < n_) rows_[slot] = -1;
  }

  // Closes up; `moved` gets the new slot of each old one, -1 if it was taken out.
  void close_up(std::vector<std::int32_t>& moved) {
    moved.assign(n_, -1);
    std::size_t to = 0;
    std::vector<double> point(width_);
    for (std::size_t slot = 0; slot < n_; ++slot) {
      if (out(slot)) continue;
      moved[slot] = static_cast<std::int32_t>(to);
      get(slot, point.data());
      put(to, point.data());
      rows_[to++] = rows_[slot];
    }
    const std::size_t before = stretches() * kStretch;
    n_ = to;
    rows_.resize(to);
    for (std::size_t slot = n_; slot < std::min(before, stretches() * kStretch); ++slot) take_out(slot);
  }

 private:
  std::size_t where(std::size_t slot, std::size_t place) const {
    return (slot / kStretch * width_ + place) * kStretch + slot % kStretch;
  }

  std::size_t width_;
  bool cityblock_;
  std::size_t n_;
  std::vector<std::int32_t> rows_;
  AlignedArray<double> values_;
};

struct Nearest {
  double value = std::numeric_limits<double>::infinity();
  std::int32_t slot = -1;
  bool tied = false;  // whether another one is as near
};

// What an extent of slots is compared with: a point of weight `weight`, which may be in slot `self`.
struct Sought {
  const double* point;
  double weight;
  std::int32_t self;
};

// Functions compiled for every kind of machine. Values: squared distances (city block: distances) for the tree, for
// centers squared distances, times A B / (A + B) if `weights` are given.
struct SlotCalls {
  // For every slot: nearest[slot] = min(nearest[slot], value), and `from[slot]` = row where it was less, or as near and
  // from a lower row. Returns the slot with the least, the first of equal ones.
  Nearest (*approach)(const Slots& slots, const double* point, std::int32_t row, double* nearest, std::int32_t* from);
  // The nearest of the slots from `begin` on, but for `self`; the first of equally near ones.
  Nearest (*nearest)(const Slots& slots, const Sought& sought, std::size_t begin, const double* weights);
  // For slots before `end`: where the value is below keys[slot], or equal and self is lower than the candidate, the key
  // is the value and the candidate self.
  void (*offer)(const Slots& slots, const Sought& sought, std::size_t end, const double* weights, double* keys,
                std::int32_t* candidates);
  // values[slot] for the slots of the stretches from `begin` on.
  void (*values)(const Slots& slots, const double* point, std::size_t begin, double* values);
};

// What is best for this machine.
const SlotCalls& slot_calls();

}  // namespace hedgerow

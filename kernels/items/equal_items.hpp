// Items that are in the same rows go together: where one of them joins a set, all do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hedgerow::items {

class ItemChains {
 public:
  explicit ItemChains(std::size_t n_items) : next_(n_items, end), last_(n_items) {
    for (std::uint32_t item = 0; item < n_items; ++item) last_[item] = item;
  }

  static constexpr std::uint32_t end = UINT32_MAX;

  std::uint32_t next_item(std::uint32_t item) const { return next_[item]; }

  // The chain that begins with `item` goes behind the one that begins with `first`.
  void append(std::uint32_t first, std::uint32_t item) {
    log_.push_back({first, last_[first]});
    next_[last_[first]] = item;
    last_[first] = last_[item];
  }

  std::size_t mark() const { return log_.size(); }

  // As it was at the mark.
  void undo(std::size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) {
      const auto [first, last] = log_.back();
      next_[last] = end;
      last_[first] = last;
    }
  }

 private:
  std::vector<std::uint32_t> next_, last_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> log_;
};

}  // namespace hedgerow::items

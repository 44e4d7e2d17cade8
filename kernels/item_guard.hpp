// Ends a search that takes too long, or whose caller was told to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>

#include "crew.hpp"
#include "item_store.hpp"

namespace hedgerow::items {

class Guard {
 public:
  Guard(Crew& crew, double seconds) : crew_(crew), limited_(seconds < 1e9) {
    if (limited_) end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool is_late() const { return late_; }

  void look(std::size_t member, Store& store) {
    if (member == 0) crew_.pause();
    if (limited_ && Clock::now() >= end_) late_ = true;
    if (late_ || crew_.failed()) store.stop();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Crew& crew_;
  bool limited_;
  Clock::time_point end_;
  std::atomic<bool> late_{false};
};

}  // namespace hedgerow::items

// Ends a search that takes too long, or whose caller was told to stop.
#pragma once

#include <atomic>

#include "core/deadline.hpp"
#include "core/thread_pool.hpp"
#include "items/set_store.hpp"

namespace hedgerow::items {

class Guard {
 public:
  Guard(ThreadPool& crew, double seconds) : crew_(crew), end_(seconds) {}

  bool is_late() const { return late_; }

  void look(std::size_t member, Store& store) {
    if (member == 0) crew_.check_interrupt();
    if (end_.is_over()) late_ = true;
    if (late_ || crew_.has_failed()) store.stop();
  }

 private:
  ThreadPool& crew_;
  Deadline end_;
  std::atomic<bool> late_{false};
};

}  // namespace hedgerow::items

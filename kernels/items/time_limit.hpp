// Ends a search that takes too long, or whose caller was told to stop.
#pragma once

#include <atomic>

#include "core/deadline.hpp"
#include "core/thread_pool.hpp"
#include "items/set_store.hpp"

namespace hedgerow::items {

class TimeLimit {
 public:
  TimeLimit(ThreadPool& pool, double seconds) : pool_(pool), deadline_(seconds) {}

  bool is_over() const { return is_over_; }

  void check(std::size_t thread, SetStore& store) {
    if (thread == 0) pool_.check_interrupt();
    if (deadline_.is_over()) is_over_ = true;
    if (is_over_ || pool_.has_failed()) store.stop();
  }

 private:
  ThreadPool& pool_;
  Deadline deadline_;
  std::atomic<bool> is_over_{false};
};

}  // namespace hedgerow::items

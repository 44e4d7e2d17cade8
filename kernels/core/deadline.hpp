// The moment at which work that takes too long is to end.
#pragma once

#include <chrono>

namespace hedgerow {

class Deadline {
 public:
  // So many seconds from now; a billion or more: never.
  explicit Deadline(double seconds) : is_set_(seconds < 1e9) {
    if (is_set_)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool is_over() const { return is_set_ && Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_set_;
  Clock::time_point end_;
};

}  // namespace hedgerow

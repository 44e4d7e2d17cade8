// Ctrl-C during long calls.
#pragma once

#include <chrono>

#include "bind/bind.hpp"

namespace bind {

// Looks for signals now and then. A Python handler that raises, as that of Ctrl-C does, ends the call with what it
// raised. Python handles signals in its main thread only. Others end with KeyboardInterrupt once the flag is set that
// they were told to look at (stop_when): at once, so that many short calls one after the other end too.
class Interrupts {
 public:
  void operator()() {
    if (!must_stop()) {
      const auto now = Clock::now();
      if (now < next_) return;
      next_ = now + std::chrono::milliseconds(50);
    }
    handle_signals();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static bool must_stop();  // whether the flag is set that this thread was told to look at
  static void handle_signals();
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
};

}  // namespace bind

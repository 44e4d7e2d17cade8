// Ctrl-C during long calls.
#pragma once

#include <chrono>

#include "bind.hpp"

namespace bind {

// Looks for signals now and then. A Python handler that raises, as that of Ctrl-C does, ends the call with what it raised.
// Python handles signals in its main thread only: in others nothing is ever found.
class Interrupts {
 public:
  void operator()() {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(50);
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
};

}  // namespace bind

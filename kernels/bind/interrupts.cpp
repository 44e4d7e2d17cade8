#include "bind/interrupts.hpp"

#include <nanobind/stl/optional.h>

#include <atomic>
#include <optional>

namespace bind {

namespace {

thread_local std::uint8_t* stop_flag = nullptr;  // set from Python, for as long as it keeps the flag

}  // namespace

bool Interrupts::must_stop() { return stop_flag && std::atomic_ref(*stop_flag).load(std::memory_order_relaxed); }

void Interrupts::handle_signals() {
  nb::gil_scoped_acquire locked;
  if (must_stop())
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  else if (PyErr_CheckSignals() == 0)
    return;
  throw nb::python_error();
}

}  // namespace bind

using namespace bind;

void init_interrupts(nb::module_& m) {
  m.def(
      "watch_stop_flag",
      [](std::optional<InOut<std::uint8_t>> flag) {
        if (flag && flag->size() != 1) throw nb::value_error("the flag must be one byte");
        stop_flag = flag ? flag->data() : nullptr;
      },
      "flag"_a.noconvert().none());
}

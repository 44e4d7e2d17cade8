// Python's strings as rows of UTF-8.
#include "bind/bind.hpp"
#include "core/delimited_layout.hpp"
#include "core/uninitialized_vector.hpp"
#include "core/utf8.hpp"

using namespace bind;
using hedgerow::Byte;

namespace {

bool is_surrogate(std::uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

// Calls each(code) for every character of a string; half of a pair of surrogates is a question mark, as Python's
// errors="replace" has it.
template <typename Each>
void for_each_code(PyObject* text, Each&& each) {
  const auto kind = PyUnicode_KIND(text);
  const void* data = PyUnicode_DATA(text);
  for (Py_ssize_t i = 0, n = PyUnicode_GET_LENGTH(text); i < n; ++i) {
    const auto code = static_cast<std::uint32_t>(PyUnicode_READ(kind, data, i));
    each(is_surrogate(code) ? std::uint32_t{'?'} : code);
  }
}

std::int64_t count_bytes(PyObject* text) {
  if (PyUnicode_IS_ASCII(text)) return PyUnicode_GET_LENGTH(text);
  std::int64_t size = 0;
  for_each_code(text, [&](std::uint32_t code) { size += 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000); });
  return size;
}

// The bytes of strings, or bytes as they are, one after the other: data, offsets and which are missing (None).
nb::tuple pack_texts(nb::list values) {
  const auto n = values.size();
  std::vector<std::int64_t> offsets(n + 1);
  auto* missing = new bool[n]();
  nb::capsule owner(missing, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  for (std::size_t i = 0; i < n; ++i) {
    auto* value = PyList_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
    std::int64_t size = 0;
    if (value == Py_None) {
      missing[i] = true;
    } else if (PyUnicode_Check(value)) {
      size = count_bytes(value);
    } else if (PyBytes_Check(value)) {
      size = PyBytes_GET_SIZE(value);
    } else {
      throw nb::type_error("texts must be strings, or None where there is none");
    }
    offsets[i + 1] = offsets[i] + size;
  }
  hedgerow::UninitializedVector<Byte> data(static_cast<std::size_t>(offsets[n]));
  for (std::size_t i = 0; i < n; ++i) {
    auto* value = PyList_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
    auto* to = data.data() + offsets[i];
    const auto size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    if (!size) continue;
    if (PyBytes_Check(value)) {
      std::memcpy(to, PyBytes_AS_STRING(value), size);
    } else if (PyUnicode_IS_ASCII(value)) {
      std::memcpy(to, PyUnicode_DATA(value), size);
    } else {
      for_each_code(value, [&](std::uint32_t code) { to = hedgerow::write_utf8(code, to); });
    }
  }
  return nb::make_tuple(to_numpy(std::move(data)), to_numpy(std::move(offsets)), Array<bool>(missing, {n}, owner));
}

}  // namespace

void init_tokens(nb::module_& m) { m.def("pack_texts", pack_texts, "values"_a.noconvert()); }

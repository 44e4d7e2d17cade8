// Python bindings of core/bytes.hpp.
#include "core/bytes.hpp"

#include "bind/bind.hpp"

using namespace bind;

void init_bytes(nb::module_& m) {
  m.def(
      "gather_bytes",
      [](In<std::uint8_t> data, In<std::int64_t> offsets, In<std::int64_t> rows) {
        hedgerow::ByteRows out;
        {
          nb::gil_scoped_release unlocked;
          const auto n = static_cast<std::int64_t>(offsets.size()) - 1, size = static_cast<std::int64_t>(data.size());
          const auto offset = as_span(offsets);
          for (auto row : as_span(rows)) {
            if (row < 0 || row >= n) throw nb::index_error("row out of range");
            if (offset[row] < 0 || offset[row] > offset[row + 1] || offset[row + 1] > size)
              throw nb::index_error("offsets out of range");
          }
          out = hedgerow::gather_bytes(as_span(data), as_span(offsets), as_span(rows));
        }
        return std::pair(to_numpy(std::move(out.data)), to_numpy(std::move(out.offsets)));
      },
      "data"_a.noconvert(), "offsets"_a.noconvert(), "rows"_a.noconvert());
}

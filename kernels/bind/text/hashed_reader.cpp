// Python bindings of text/hashed_reader.hpp.
#include "text/hashed_reader.hpp"

#include <nanobind/stl/string.h>

#include "bind/bind.hpp"

using namespace bind;

namespace {

nb::tuple to_tuple(hedgerow::HashedColumns&& own) {
  return nb::make_tuple(to_numpy(std::move(own.starts)), to_numpy(std::move(own.ids)), to_numpy(std::move(own.values)),
                        to_numpy(std::move(own.names.data)), to_numpy(std::move(own.names.offsets)));
}

nb::dict read_lines(hedgerow::HashedReader& reader, In<std::uint8_t> data, std::size_t max_namespaces, bool plain) {
  hedgerow::HashedLines out;
  {
    nb::gil_scoped_release unlocked;
    out = reader.read_lines(as_span(data), max_namespaces, plain);
  }
  nb::list features;
  for (auto& own : out.features) features.append(to_tuple(std::move(own)));
  auto& rows = out.rows;
  nb::dict found;
  found["label"] = to_numpy(std::move(rows.label));
  found["label_begin"] = to_numpy(std::move(rows.label_begin));
  found["label_end"] = to_numpy(std::move(rows.label_end));
  found["importance"] = to_numpy(std::move(rows.importance));
  found["base"] = to_numpy(std::move(rows.base));
  found["tag_begin"] = to_numpy(std::move(rows.tag_begin));
  found["tag_end"] = to_numpy(std::move(rows.tag_end));
  found["names"] = nb::make_tuple(to_numpy(std::move(rows.names.data)), to_numpy(std::move(rows.names.offsets)));
  found["first"] = to_numpy(std::move(rows.first));
  found["features"] = features;
  found["fault"] = static_cast<int>(rows.fault);
  found["fault_at"] = rows.fault_at;
  return found;
}

nb::tuple read_words(hedgerow::HashedReader& reader, In<std::uint8_t> data, In<std::int64_t> offsets, In<bool> missing,
                     const std::string& column, std::size_t min_length, bool lower, bool binary) {
  check_offsets(as_span(offsets), data.size());
  check_same_length(offsets.size(), missing.size() + 1, "texts and what is missing differ in length");
  hedgerow::HashedColumns out;
  {
    nb::gil_scoped_release unlocked;
    out = reader.read_words({{as_span(data), as_span(offsets)}, as_span(missing)}, column, min_length, lower, binary);
  }
  return to_tuple(std::move(out));
}

}  // namespace

void init_hashed_reader(nb::module_& m) {
  nb::class_<hedgerow::HashedReader>(m, "HashedReader")
      .def(
          "__init__",
          [](hedgerow::HashedReader* self, int bits, bool is_signed, std::size_t max_names) {
            if (bits < 1 || bits > 30) throw nb::value_error("bits out of range");
            new (self) hedgerow::HashedReader(bits, is_signed, max_names);
          },
          "bits"_a, "is_signed"_a, "max_names"_a)
      .def("read_lines", read_lines, "data"_a.noconvert(), "max_namespaces"_a, "is_svmlight"_a)
      .def("read_words", read_words, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "column"_a,
           "min_length"_a, "lower"_a, "binary"_a)
      .def(
          "add_known_spellings",
          [](hedgerow::HashedReader& reader, In<std::uint8_t> data, In<std::int64_t> offsets,
             const std::string& column) {
            check_offsets(as_span(offsets), data.size());
            reader.add_known_spellings({as_span(data), as_span(offsets)}, column);
          },
          "data"_a.noconvert(), "offsets"_a.noconvert(), "column"_a);
  m.def(
      "argsort_words",
      [](In<std::uint8_t> data, In<std::int64_t> offsets) {
        check_offsets(as_span(offsets), data.size());
        std::vector<std::int64_t> order;
        {
          nb::gil_scoped_release unlocked;
          order = hedgerow::argsort_words({as_span(data), as_span(offsets)});
        }
        return to_numpy(std::move(order));
      },
      "data"_a.noconvert(), "offsets"_a.noconvert());
  m.def(
      "count_ids",
      [](In<std::int32_t> ids, InOut<std::int32_t> counts) {
        check_below(as_span(ids), counts.size(), "an id is out of range");
        nb::gil_scoped_release unlocked;
        for (const auto id : as_span(ids)) ++counts.data()[id];
      },
      "ids"_a.noconvert(), "counts"_a.noconvert());
}

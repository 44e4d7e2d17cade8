// Python bindings of read/sparse_pairs.hpp.
#include "read/sparse_pairs.hpp"

#include "bind/bind.hpp"

using namespace bind;

namespace {

using ReadPairs = hedgerow::IndexValuePairs (*)(std::span<const hedgerow::Byte>);

void define_reader(nb::module_& m, const char* name, ReadPairs read) {
  m.def(
      name,
      [read](In<std::uint8_t> data) {
        hedgerow::IndexValuePairs out;
        {
          nb::gil_scoped_release unlocked;
          out = read(as_span(data));
        }
        nb::dict found;
        found["rows"] = to_numpy(std::move(out.rows));
        found["index"] = to_numpy(std::move(out.index));
        found["number"] = to_numpy(std::move(out.number));
        found["state"] = to_numpy(std::move(out.state));
        found["begin"] = to_numpy(std::move(out.begin));
        found["end"] = to_numpy(std::move(out.end));
        found["label"] = to_numpy(std::move(out.label));
        found["label_end"] = to_numpy(std::move(out.label_end));
        found["weight"] = to_numpy(std::move(out.weight));
        found["fault"] = static_cast<int>(out.fault);
        found["fault_at"] = out.fault_at;
        return found;
      },
      "data"_a.noconvert());
}

}  // namespace

void init_sparse_pairs(nb::module_& m) {
  define_reader(m, "read_arff_pairs", hedgerow::read_arff_pairs);
  define_reader(m, "read_svmlight_pairs", hedgerow::read_svmlight_pairs);
}

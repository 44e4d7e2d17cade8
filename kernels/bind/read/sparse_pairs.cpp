// Python bindings of read/sparse_pairs.hpp.
#include "read/sparse_pairs.hpp"

#include "bind/bind.hpp"

using namespace bind;

namespace {

using Read = hedgerow::IndexValuePairs (*)(std::span<const hedgerow::Byte>);

void define(nb::module_& m, const char* name, Read read) {
  m.def(
      name,
      [read](In<std::uint8_t> data) {
        hedgerow::IndexValuePairs out;
        {
          nb::gil_scoped_release unlocked;
          out = read(span(data));
        }
        nb::dict found;
        found["rows"] = array(std::move(out.rows));
        found["index"] = array(std::move(out.index));
        found["number"] = array(std::move(out.number));
        found["state"] = array(std::move(out.state));
        found["begin"] = array(std::move(out.begin));
        found["end"] = array(std::move(out.end));
        found["label"] = array(std::move(out.label));
        found["label_end"] = array(std::move(out.label_end));
        found["weight"] = array(std::move(out.weight));
        found["fault"] = static_cast<int>(out.fault);
        found["fault_at"] = out.fault_at;
        return found;
      },
      "data"_a.noconvert());
}

}  // namespace

void init_pairs(nb::module_& m) {
  define(m, "arff_pairs", hedgerow::read_arff_pairs);
  define(m, "svmlight_pairs", hedgerow::read_svmlight_pairs);
}

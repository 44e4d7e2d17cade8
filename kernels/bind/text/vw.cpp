// Python bindings of text/feature_terms.hpp, text/vw_lines.hpp.
#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "text/feature_terms.hpp"
#include "text/vw_lines.hpp"

using namespace bind;

namespace {

nb::dict lines_of(hedgerow::VwLines&& out) {
  nb::list features;
  for (auto& [bytes, offsets] : out.features)
    features.append(nb::make_tuple(array(std::move(bytes)), array(std::move(offsets))));
  nb::dict found;
  found["label"] = array(std::move(out.label));
  found["label_begin"] = array(std::move(out.label_begin));
  found["label_end"] = array(std::move(out.label_end));
  found["importance"] = array(std::move(out.importance));
  found["base"] = array(std::move(out.base));
  found["tag_begin"] = array(std::move(out.tag_begin));
  found["tag_end"] = array(std::move(out.tag_end));
  found["names"] = nb::make_tuple(array(std::move(out.names.data)), array(std::move(out.names.offsets)));
  found["first"] = array(std::move(out.first));
  found["features"] = features;
  found["fault"] = static_cast<int>(out.fault);
  found["fault_at"] = out.fault_at;
  return found;
}

}  // namespace

void init_vw(nb::module_& m) {
  m.def(
      "read_vw",
      [](In<std::uint8_t> data, std::size_t most_namespaces, bool plain, std::size_t threads) {
        hedgerow::VwLines out;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool crew(data.size() < (1 << 19) ? 1 : threads, Interrupts());
          out = hedgerow::read_vw(span(data), most_namespaces, plain, crew);
        }
        return lines_of(std::move(out));
      },
      "data"_a.noconvert(), "most_namespaces"_a, "plain"_a, "threads"_a);
  m.def(
      "scan_vw",
      [](In<std::uint8_t> data, std::size_t most_namespaces, bool plain) {
        hedgerow::VwLines out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::scan_vw(span(data), most_namespaces, plain);
        }
        return lines_of(std::move(out));
      },
      "data"_a.noconvert(), "most_namespaces"_a, "plain"_a);
  m.def(
      "hash_features",
      [](In<std::uint8_t> data, In<std::int64_t> offsets, int bits, bool is_signed, std::size_t threads) {
        check_offsets(span(offsets), data.size());
        if (bits < 1 || bits > 30) throw nb::value_error("bits out of range");
        hedgerow::FeatureRows out;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool crew(data.size() < (1 << 18) ? 1 : threads, Interrupts());
          out = hedgerow::hash_features({span(data), span(offsets)}, bits, is_signed, crew);
        }
        return nb::make_tuple(
            nb::make_tuple(array(std::move(out.starts)), array(std::move(out.ids)), array(std::move(out.values))),
            array(std::move(out.n_rows)),
            nb::make_tuple(nb::make_tuple(array(std::move(out.names.data)), array(std::move(out.names.offsets))),
                           array(std::move(out.rows))));
      },
      "data"_a.noconvert(), "offsets"_a.noconvert(), "bits"_a, "is_signed"_a, "threads"_a);
}

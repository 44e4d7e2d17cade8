// Python bindings of text/feature_terms.hpp, text/vw_lines.hpp.
#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "text/feature_terms.hpp"
#include "text/vw_lines.hpp"

using namespace bind;

namespace {

nb::dict to_dict(hedgerow::VwLines&& out) {
  nb::list features;
  for (auto& [bytes, offsets] : out.features)
    features.append(nb::make_tuple(to_numpy(std::move(bytes)), to_numpy(std::move(offsets))));
  nb::dict found;
  found["label"] = to_numpy(std::move(out.label));
  found["label_begin"] = to_numpy(std::move(out.label_begin));
  found["label_end"] = to_numpy(std::move(out.label_end));
  found["importance"] = to_numpy(std::move(out.importance));
  found["base"] = to_numpy(std::move(out.base));
  found["tag_begin"] = to_numpy(std::move(out.tag_begin));
  found["tag_end"] = to_numpy(std::move(out.tag_end));
  found["names"] = nb::make_tuple(to_numpy(std::move(out.names.data)), to_numpy(std::move(out.names.offsets)));
  found["first"] = to_numpy(std::move(out.first));
  found["features"] = features;
  found["fault"] = static_cast<int>(out.fault);
  found["fault_at"] = out.fault_at;
  return found;
}

}  // namespace

void init_vw(nb::module_& m) {
  m.def(
      "read_vw",
      [](In<std::uint8_t> data, std::size_t max_namespaces, bool is_svmlight, std::size_t threads) {
        hedgerow::VwLines out;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool pool(data.size() < (1 << 19) ? 1 : threads, Interrupts());
          out = hedgerow::read_vw(as_span(data), max_namespaces, is_svmlight, pool);
        }
        return to_dict(std::move(out));
      },
      "data"_a.noconvert(), "max_namespaces"_a, "is_svmlight"_a, "threads"_a);
  m.def(
      "scan_vw",
      [](In<std::uint8_t> data, std::size_t max_namespaces, bool is_svmlight) {
        hedgerow::VwLines out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::scan_vw(as_span(data), max_namespaces, is_svmlight);
        }
        return to_dict(std::move(out));
      },
      "data"_a.noconvert(), "max_namespaces"_a, "is_svmlight"_a);
  m.def(
      "hash_features",
      [](In<std::uint8_t> data, In<std::int64_t> offsets, int bits, bool is_signed, std::size_t threads) {
        check_offsets(as_span(offsets), data.size());
        if (bits < 1 || bits > 30) throw nb::value_error("bits out of range");
        hedgerow::FeatureRows out;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool pool(data.size() < (1 << 18) ? 1 : threads, Interrupts());
          out = hedgerow::hash_features({as_span(data), as_span(offsets)}, bits, is_signed, pool);
        }
        return nb::make_tuple(
            nb::make_tuple(to_numpy(std::move(out.starts)), to_numpy(std::move(out.ids)),
                           to_numpy(std::move(out.values))),
            to_numpy(std::move(out.n_rows)),
            nb::make_tuple(nb::make_tuple(to_numpy(std::move(out.names.data)), to_numpy(std::move(out.names.offsets))),
                           to_numpy(std::move(out.rows))));
      },
      "data"_a.noconvert(), "offsets"_a.noconvert(), "bits"_a, "is_signed"_a, "threads"_a);
}

// Python bindings of trees/cost_complexity.hpp.
#include "trees/cost_complexity.hpp"

#include "bind/bind.hpp"

using namespace bind;

namespace {

void check_children(std::span<const std::int32_t> first, std::span<const std::int32_t> counts) {
  for (std::size_t node = 0; node < counts.size(); ++node) {
    if (!counts[node]) continue;
    const bool inside = counts[node] >= 2 && first[node] > 0 && static_cast<std::size_t>(first[node]) > node &&
                        static_cast<std::size_t>(first[node]) + static_cast<std::size_t>(counts[node]) <= counts.size();
    if (!inside) throw nb::value_error("the children of a node must be two or more, after it and inside the tree");
  }
}

void check_parents(std::span<const std::int32_t> parent) {
  for (std::size_t node = 1; node < parent.size(); ++node)
    if (parent[node] < 0 || static_cast<std::size_t>(parent[node]) >= node)
      throw nb::value_error("the parent of a node must stand before it");
}

}  // namespace

void init_cost_complexity(nb::module_& m) {
  m.def(
      "compute_effective_alphas",
      [](In<std::int32_t> first, In<std::int32_t> counts, In<double> risk, double rounding) {
        for (auto size : {first.size(), counts.size()})
          check_same_length(size, risk.size(), "the nodes differ in number");
        check_children(as_span(first), as_span(counts));
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::trees::compute_effective_alphas(as_span(first), as_span(counts), as_span(risk), rounding);
        }
        return to_numpy(std::move(out));
      },
      "first"_a.noconvert(), "counts"_a.noconvert(), "risk"_a.noconvert(), "rounding"_a);
  m.def(
      "min_over_ancestors",
      [](In<std::int32_t> parent, In<double> value) {
        check_same_length(parent.size(), value.size(), "the nodes differ in number");
        check_parents(as_span(parent));
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::trees::min_over_ancestors(as_span(parent), as_span(value));
        }
        return to_numpy(std::move(out));
      },
      "parent"_a.noconvert(), "value"_a.noconvert());
}

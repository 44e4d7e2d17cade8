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

void init_tree_price(nb::module_& m) {
  m.def(
      "leaf_prices",
      [](In<std::int32_t> first, In<std::int32_t> counts, In<double> risk, double nothing) {
        for (auto size : {first.size(), counts.size()}) same_length(size, risk.size(), "the nodes differ in number");
        check_children(span(first), span(counts));
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::trees::compute_effective_alphas(span(first), span(counts), span(risk), nothing);
        }
        return array(std::move(out));
      },
      "first"_a.noconvert(), "counts"_a.noconvert(), "risk"_a.noconvert(), "nothing"_a);
  m.def(
      "least_above",
      [](In<std::int32_t> parent, In<double> value) {
        same_length(parent.size(), value.size(), "the nodes differ in number");
        check_parents(span(parent));
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = hedgerow::trees::min_over_ancestors(span(parent), span(value));
        }
        return array(std::move(out));
      },
      "parent"_a.noconvert(), "value"_a.noconvert());
}

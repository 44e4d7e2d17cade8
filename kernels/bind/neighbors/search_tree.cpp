// Python bindings of neighbors/search_tree.hpp.
#include "neighbors/search_tree.hpp"

#include "bind/interrupts.hpp"
#include "bind/neighbors/tree_arrays.hpp"

using namespace bind;

namespace {

nb::tuple arrays_of(hedgerow::OwnedSearchTree&& tree) {
  auto distance =
      nb::make_tuple(tree.squares, array(std::move(tree.missing_distances)), array(std::move(tree.mismatch_distances)));
  return nb::make_tuple(tree.shape.balls, tree.shape.rows, tree.shape.leaf_rows, distance, array(std::move(tree.order)),
                        array(std::move(tree.counts)), array(std::move(tree.depths)), array(std::move(tree.numbers)),
                        array(std::move(tree.codes)), array(std::move(tree.children)), array(std::move(tree.first)),
                        array(std::move(tree.low)), array(std::move(tree.high)), array(std::move(tree.caps)),
                        array(std::move(tree.min_codes)), array(std::move(tree.max_codes)),
                        array(std::move(tree.radii)));
}

// `division`: 0 by the longest side, 1 by variance, 2 by the rows farthest apart.
nb::tuple build_tree(const MixedArrays& given, const DistanceArrays& apart, int division, bool at_mean,
                     std::size_t leaf, std::size_t threads) {
  const auto rows = mixed_rows_of(given);
  const auto distance = mixed_distance_of(apart, rows.n_numbers, rows.n_codes);
  if (division < 0 || division > 2) throw nb::value_error("no such division");
  check_leaf(leaf);
  hedgerow::OwnedSearchTree out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_of(threads, rows.size, 20000), Interrupts());
    out = hedgerow::build_search_tree(rows, distance, {static_cast<hedgerow::PartitionRule>(division), at_mean, leaf},
                                      crew);
  }
  return arrays_of(std::move(out));
}

nb::tuple grow_tree(const TreeArrays& arrays, const MixedArrays& given) {
  const auto tree = tree_of(arrays);
  const auto rows = mixed_rows_of(given);
  check_same_columns(rows, tree.shape.numbers, tree.shape.codes);
  if (rows.size < tree.shape.rows || !tree.shape.rows) throw nb::value_error("a tree grows by rows behind its own");
  hedgerow::OwnedSearchTree out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(1, Interrupts());
    out = hedgerow::insert_rows(tree, rows, crew);
  }
  return arrays_of(std::move(out));
}

double share_compared(const TreeArrays& arrays, std::size_t k, std::size_t queries) {
  const auto tree = tree_of(arrays);
  if (!k || !queries) throw nb::value_error("there is nothing to search");
  nb::gil_scoped_release unlocked;
  return hedgerow::compute_compared_share(tree, k, queries);
}

}  // namespace

void init_search_tree(nb::module_& m) {
  m.def("build_tree", build_tree, "rows"_a.noconvert(), "distance"_a.noconvert(), "division"_a, "at_mean"_a, "leaf"_a,
        "threads"_a);
  m.def("grow_tree", grow_tree, "tree"_a.noconvert(), "rows"_a.noconvert());
  m.def("share_compared", share_compared, "tree"_a.noconvert(), "k"_a, "queries"_a);
}

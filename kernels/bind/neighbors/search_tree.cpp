// Python bindings of neighbors/search_tree.hpp.
#include "neighbors/search_tree.hpp"

#include "bind/interrupts.hpp"
#include "bind/neighbors/tree_arrays.hpp"

using namespace bind;

namespace {

nb::tuple to_arrays(hedgerow::OwnedSearchTree&& tree) {
  auto distance = nb::make_tuple(tree.squares, to_numpy(std::move(tree.missing_distances)),
                                 to_numpy(std::move(tree.mismatch_distances)));
  return nb::make_tuple(
      tree.shape.balls, tree.shape.rows, tree.shape.leaf_rows, distance, to_numpy(std::move(tree.order)),
      to_numpy(std::move(tree.counts)), to_numpy(std::move(tree.depths)), to_numpy(std::move(tree.numbers)),
      to_numpy(std::move(tree.codes)), to_numpy(std::move(tree.children)), to_numpy(std::move(tree.first)),
      to_numpy(std::move(tree.low)), to_numpy(std::move(tree.high)), to_numpy(std::move(tree.caps)),
      to_numpy(std::move(tree.min_codes)), to_numpy(std::move(tree.max_codes)), to_numpy(std::move(tree.radii)));
}

// `division`: 0 by the longest side, 1 by variance, 2 by the rows farthest apart.
nb::tuple build_search_tree(const MixedArrays& given, const DistanceArrays& distance_arrays, int division, bool at_mean,
                            std::size_t leaf, std::size_t threads) {
  const auto rows = make_mixed_rows(given);
  const auto distance = make_mixed_distance(distance_arrays, rows.n_numbers, rows.n_codes);
  if (division < 0 || division > 2) throw nb::value_error("no such division");
  check_leaf(leaf);
  hedgerow::OwnedSearchTree out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, rows.size, 20000), Interrupts());
    out = hedgerow::build_search_tree(rows, distance, {static_cast<hedgerow::PartitionRule>(division), at_mean, leaf},
                                      pool);
  }
  return to_arrays(std::move(out));
}

nb::tuple insert_rows(const TreeArrays& arrays, const MixedArrays& given) {
  const auto tree = make_search_tree(arrays);
  const auto rows = make_mixed_rows(given);
  check_same_columns(rows, tree.shape.numbers, tree.shape.codes);
  if (rows.size < tree.shape.rows || !tree.shape.rows) throw nb::value_error("a tree grows by rows behind its own");
  hedgerow::OwnedSearchTree out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(1, Interrupts());
    out = hedgerow::insert_rows(tree, rows, pool);
  }
  return to_arrays(std::move(out));
}

double compute_compared_share(const TreeArrays& arrays, std::size_t k, std::size_t queries) {
  const auto tree = make_search_tree(arrays);
  if (!k || !queries) throw nb::value_error("there is nothing to search");
  nb::gil_scoped_release unlocked;
  return hedgerow::compute_compared_share(tree, k, queries);
}

}  // namespace

void init_search_tree(nb::module_& m) {
  m.def("build_search_tree", build_search_tree, "rows"_a.noconvert(), "distance"_a.noconvert(), "division"_a,
        "at_mean"_a, "leaf"_a, "threads"_a);
  m.def("insert_rows", insert_rows, "tree"_a.noconvert(), "rows"_a.noconvert());
  m.def("compute_compared_share", compute_compared_share, "tree"_a.noconvert(), "k"_a, "queries"_a);
}

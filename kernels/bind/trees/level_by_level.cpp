// Python bindings of trees/level_by_level.hpp.
#include "trees/level_by_level.hpp"

#include <nanobind/stl/vector.h>

#include "bind/trees/grow.hpp"

using namespace bind;
namespace trees = hedgerow::trees;

namespace {

// Columns as they are counted: the number of levels, or the values that bins end at.
struct CheckedBinnedColumns {
  std::vector<nb::object> arrays;
  std::vector<trees::BinnedColumn> columns;
};

CheckedBinnedColumns make_layout(const nb::list& values, const std::vector<std::int32_t>& levels,
                                 const std::vector<bool>& exact) {
  check_same_length(nb::len(values), levels.size(), "values and levels differ in length");
  check_same_length(exact.size(), levels.size(), "exact and levels differ in length");
  CheckedBinnedColumns out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    nb::object array = values[i];
    trees::BinnedColumn column;
    column.nominal = levels[i] >= 0;
    column.bins = levels[i];
    column.exact = exact[i];
    if (!column.nominal) {
      const auto ends = nb::cast<In<double>>(array, false);
      column.values = as_span(ends);
      column.bins = static_cast<std::int32_t>(ends.size());
    }
    out.columns.push_back(column);
    out.arrays.push_back(std::move(array));
  }
  return out;
}

template <typename T>
std::span<const T> get_array(const nb::dict& tree, const char* name, std::size_t n) {
  const auto values = nb::cast<In<T>>(tree[name], false);
  check_same_length(values.size(), n, "the arrays of a tree differ in length");
  return as_span(values);  // the dict keeps it
}

trees::PartialTree make_partial_tree(const nb::dict& tree, In<std::int32_t> slots) {
  const std::size_t n = slots.size();
  return {get_array<std::int32_t>(tree, "columns", n), get_array<double>(tree, "thresholds", n),
          get_array<std::int32_t>(tree, "first", n),   get_array<std::int32_t>(tree, "children", n),
          get_array<std::int32_t>(tree, "missing", n), make_level_maps_view(tree, "level_", n),
          get_array<double>(tree, "shares", n),        as_span(slots)};
}

}  // namespace

void init_level_by_level(nb::module_& m) {
  m.def(
      "find_rows_reaching",
      [](const nb::dict& tree, In<std::int32_t> slots, const nb::list& columns, const std::vector<std::int32_t>& levels,
         In<double> weight, std::size_t threads) {
        const CheckedColumns raw = check_columns(columns, levels, weight.size());
        const trees::PartialTree open = make_partial_tree(tree, slots);
        for (const std::int32_t column : open.columns) {
          if (column >= static_cast<std::int32_t>(levels.size()))
            throw nb::value_error("a node tests a column that is not there");
        }
        trees::ReachedRows out;
        {
          nb::gil_scoped_release unlocked;
          out = trees::find_rows_reaching(open, raw.columns, as_span(weight), threads);
        }
        return std::make_tuple(to_numpy(std::move(out.rows)), to_numpy(std::move(out.slots)),
                               to_numpy(std::move(out.weights)));
      },
      "tree"_a, "slots"_a.noconvert(), "columns"_a, "levels"_a, "weight"_a.noconvert(), "threads"_a);
  m.def(
      "count_bins",
      [](const nb::list& columns, const std::vector<std::int32_t>& levels, const nb::list& values,
         In<std::int32_t> label, In<double> number, std::size_t width, In<std::uint32_t> rows, In<std::int32_t> slots,
         In<double> weight, InOut2<double> counts, std::size_t threads) {
        const bool classes = label.size() > 0 || number.size() == 0;
        const std::size_t n = classes ? label.size() : number.size();
        const CheckedColumns raw = check_columns(columns, levels, n);
        const CheckedBinnedColumns layout = make_layout(values, levels, std::vector<bool>(levels.size(), true));
        const trees::BinLayout cells(layout.columns, width);
        check_same_length(counts.shape(1), cells.cells, "counts do not fit the columns");
        check_same_length(rows.size(), slots.size(), "rows and slots differ in length");
        check_same_length(rows.size(), weight.size(), "rows and weight differ in length");
        if (!classes) check_same_length(width, 3, "a number has three sums");
        for (const std::uint32_t row : as_span(rows)) {
          if (row >= n) throw nb::value_error("a row is beyond the table");
        }
        for (const std::int32_t one : as_span(label)) {
          if (one < 0 || one >= static_cast<std::int32_t>(width))
            throw nb::value_error("a label is not below the number of classes");
        }
        nb::gil_scoped_release unlocked;
        const trees::RowTargets targets{as_span(label), as_span(number)};
        trees::count_bins(raw.columns, layout.columns, cells, targets, as_span(rows), as_span(slots), as_span(weight),
                          as_span(counts), threads);
      },
      "columns"_a, "levels"_a, "values"_a, "label"_a.noconvert(), "number"_a.noconvert(), "width"_a,
      "rows"_a.noconvert(), "slots"_a.noconvert(), "weight"_a.noconvert(), "counts"_a.noconvert(), "threads"_a);
  m.def(
      "split_nodes",
      [](const std::vector<std::int32_t>& levels, const nb::list& values, const std::vector<bool>& exact,
         std::size_t classes, In2<double> counts, In2<double> tallies, In<std::int32_t> depths, const nb::dict& options,
         std::size_t threads) {
        const CheckedBinnedColumns layout = make_layout(values, levels, exact);
        const trees::BinLayout cells(layout.columns, classes > 0 ? classes : 3);
        check_same_length(counts.shape(1), cells.cells, "counts do not fit the columns");
        check_same_length(tallies.shape(1), cells.width, "tallies do not fit the classes");
        check_same_length(counts.shape(0), depths.size(), "counts and depths differ in length");
        check_same_length(tallies.shape(0), depths.size(), "tallies and depths differ in length");
        const trees::GrowOptions chosen = make_grow_options(options);
        trees::LevelSplits out;
        {
          nb::gil_scoped_release unlocked;
          out = trees::split_nodes(layout.columns, cells, classes, as_span(counts), as_span(tallies), as_span(depths),
                                   chosen, threads);
        }
        nb::dict made;
        made["columns"] = to_numpy(std::move(out.columns));
        made["thresholds"] = to_numpy(std::move(out.thresholds));
        made["children"] = to_numpy(std::move(out.children));
        made["missing"] = to_numpy(std::move(out.missing));
        put_level_maps(made, "level_", std::move(out.levels));
        made["child_tallies"] = to_numpy(std::move(out.child_tallies));
        made["child_shares"] = to_numpy(std::move(out.child_shares));
        made["child_cases"] = to_numpy(std::move(out.child_cases));
        made["child_open"] = to_numpy(std::move(out.child_open));
        return made;
      },
      "levels"_a, "values"_a, "exact"_a, "classes"_a, "counts"_a.noconvert(), "tallies"_a.noconvert(),
      "depths"_a.noconvert(), "options"_a, "threads"_a);
  m.def(
      "is_leaf_by_tally",
      [](In<double> tally, std::size_t classes, std::int32_t depth, const nb::dict& options) {
        check_same_length(tally.size(), classes > 0 ? classes : 3, "tally does not fit the classes");
        return trees::is_leaf_by_tally(as_span(tally), classes, depth, make_grow_options(options));
      },
      "tally"_a.noconvert(), "classes"_a, "depth"_a, "options"_a);
}

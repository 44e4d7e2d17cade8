// Python bindings of trees/level_by_level.hpp.
#include "trees/level_by_level.hpp"

#include <nanobind/stl/vector.h>

#include "bind/trees/grow.hpp"

using namespace bind;
namespace trees = hedgerow::trees;

namespace {

// Columns as they are counted: the number of levels, or the values that bins end at.
struct Layout {
  std::vector<nb::object> kept;
  std::vector<trees::BinnedColumn> columns;
};

Layout layout_of(const nb::list& values, const std::vector<std::int32_t>& levels, const std::vector<bool>& exact) {
  same_length(nb::len(values), levels.size(), "values and levels differ in length");
  same_length(exact.size(), levels.size(), "exact and levels differ in length");
  Layout out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    nb::object array = values[i];
    trees::BinnedColumn column;
    column.nominal = levels[i] >= 0;
    column.bins = levels[i];
    column.exact = exact[i];
    if (!column.nominal) {
      const auto ends = nb::cast<In<double>>(array, false);
      column.values = span(ends);
      column.bins = static_cast<std::int32_t>(ends.size());
    }
    out.columns.push_back(column);
    out.kept.push_back(std::move(array));
  }
  return out;
}

template <typename T>
std::span<const T> part(const nb::dict& tree, const char* name, std::size_t n) {
  const auto values = nb::cast<In<T>>(tree[name], false);
  same_length(values.size(), n, "the arrays of a tree differ in length");
  return span(values);  // the dict keeps it
}

trees::PartialTree open_tree(const nb::dict& tree, In<std::int32_t> slots) {
  const std::size_t n = slots.size();
  return {part<std::int32_t>(tree, "columns", n), part<double>(tree, "thresholds", n),
          part<std::int32_t>(tree, "first", n),   part<std::int32_t>(tree, "children", n),
          part<std::int32_t>(tree, "missing", n), level_maps(tree, "level_", n),
          part<double>(tree, "shares", n),        span(slots)};
}

}  // namespace

void init_tree_levels(nb::module_& m) {
  m.def(
      "rows_reaching",
      [](const nb::dict& tree, In<std::int32_t> slots, const nb::list& columns, const std::vector<std::int32_t>& levels,
         In<double> weight, std::size_t threads) {
        const RawColumns raw = raw_columns(columns, levels, weight.size());
        const trees::PartialTree open = open_tree(tree, slots);
        for (const std::int32_t column : open.columns) {
          if (column >= static_cast<std::int32_t>(levels.size()))
            throw nb::value_error("a node tests a column that is not there");
        }
        trees::ReachedRows out;
        {
          nb::gil_scoped_release unlocked;
          out = trees::find_rows_reaching(open, raw.columns, span(weight), threads);
        }
        return std::make_tuple(array(std::move(out.rows)), array(std::move(out.slots)), array(std::move(out.weights)));
      },
      "tree"_a, "slots"_a.noconvert(), "columns"_a, "levels"_a, "weight"_a.noconvert(), "threads"_a);
  m.def(
      "count_bins",
      [](const nb::list& columns, const std::vector<std::int32_t>& levels, const nb::list& values,
         In<std::int32_t> label, In<double> number, std::size_t width, In<std::uint32_t> rows, In<std::int32_t> slots,
         In<double> weight, InOut2<double> counts, std::size_t threads) {
        const bool classes = label.size() > 0 || number.size() == 0;
        const std::size_t n = classes ? label.size() : number.size();
        const RawColumns raw = raw_columns(columns, levels, n);
        const Layout layout = layout_of(values, levels, std::vector<bool>(levels.size(), true));
        const trees::BinLayout cells(layout.columns, width);
        same_length(counts.shape(1), cells.cells, "counts do not fit the columns");
        same_length(rows.size(), slots.size(), "rows and slots differ in length");
        same_length(rows.size(), weight.size(), "rows and weight differ in length");
        if (!classes) same_length(width, 3, "a number has three sums");
        for (const std::uint32_t row : span(rows)) {
          if (row >= n) throw nb::value_error("a row is beyond the table");
        }
        for (const std::int32_t one : span(label)) {
          if (one < 0 || one >= static_cast<std::int32_t>(width))
            throw nb::value_error("a label is not below the number of classes");
        }
        nb::gil_scoped_release unlocked;
        const trees::RowTargets targets{span(label), span(number)};
        trees::count_bins(raw.columns, layout.columns, cells, targets, span(rows), span(slots), span(weight),
                          span(counts), threads);
      },
      "columns"_a, "levels"_a, "values"_a, "label"_a.noconvert(), "number"_a.noconvert(), "width"_a,
      "rows"_a.noconvert(), "slots"_a.noconvert(), "weight"_a.noconvert(), "counts"_a.noconvert(), "threads"_a);
  m.def(
      "split_nodes",
      [](const std::vector<std::int32_t>& levels, const nb::list& values, const std::vector<bool>& exact,
         std::size_t classes, In2<double> counts, In2<double> tallies, In<std::int32_t> depths, const nb::dict& options,
         std::size_t threads) {
        const Layout layout = layout_of(values, levels, exact);
        const trees::BinLayout cells(layout.columns, classes > 0 ? classes : 3);
        same_length(counts.shape(1), cells.cells, "counts do not fit the columns");
        same_length(tallies.shape(1), cells.width, "tallies do not fit the classes");
        same_length(counts.shape(0), depths.size(), "counts and depths differ in length");
        same_length(tallies.shape(0), depths.size(), "tallies and depths differ in length");
        const trees::GrowOptions chosen = grow_options(options);
        trees::LevelSplits out;
        {
          nb::gil_scoped_release unlocked;
          out = trees::split_nodes(layout.columns, cells, classes, span(counts), span(tallies), span(depths), chosen,
                                   threads);
        }
        nb::dict made;
        made["columns"] = array(std::move(out.columns));
        made["thresholds"] = array(std::move(out.thresholds));
        made["children"] = array(std::move(out.children));
        made["missing"] = array(std::move(out.missing));
        put_level_maps(made, "level_", std::move(out.levels));
        made["child_tallies"] = array(std::move(out.child_tallies));
        made["child_shares"] = array(std::move(out.child_shares));
        made["child_cases"] = array(std::move(out.child_cases));
        made["child_open"] = array(std::move(out.child_open));
        return made;
      },
      "levels"_a, "values"_a, "exact"_a, "classes"_a, "counts"_a.noconvert(), "tallies"_a.noconvert(),
      "depths"_a.noconvert(), "options"_a, "threads"_a);
  m.def(
      "leaf_by_tally",
      [](In<double> tally, std::size_t classes, std::int32_t depth, const nb::dict& options) {
        same_length(tally.size(), classes > 0 ? classes : 3, "tally does not fit the classes");
        return trees::is_leaf_by_tally(span(tally), classes, depth, grow_options(options));
      },
      "tally"_a.noconvert(), "classes"_a, "depth"_a, "options"_a);
}

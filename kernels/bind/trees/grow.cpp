#include "bind/trees/grow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "bind/interrupts.hpp"
#include "core/decimals.hpp"
#include "trees/flat_tree.hpp"
#include "trees/prune.hpp"

using namespace bind;
namespace trees = hedgerow::trees;

namespace {

// Columns made ready.
struct PreparedTreeColumns {
  CheckedColumns raw;
  std::unique_ptr<trees::TreeColumns> columns;
};

std::unique_ptr<PreparedTreeColumns> prepare_columns(const nb::list& arrays, const std::vector<std::int32_t>& levels,
                                                     std::size_t rows, std::size_t threads) {
  auto out = std::make_unique<PreparedTreeColumns>();
  out->raw = check_columns(arrays, levels, rows);
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool pool(std::min(threads, std::max<std::size_t>(1, levels.size() * rows / kFewCells)),
                            Interrupts());
  out->columns = std::make_unique<trees::TreeColumns>(out->raw.columns, rows, pool);
  return out;
}

void check_labels(In<std::int32_t> label, In<double> weight, std::int32_t classes, std::size_t rows) {
  check_same_length(label.size(), rows, "label and columns differ in length");
  check_same_length(weight.size(), rows, "weight and columns differ in length");
  bool wrong = false;
  for (const std::int32_t one : as_span(label)) wrong |= (one < 0) | (one >= classes);
  if (wrong) throw nb::value_error("a label is not below the number of classes");
}

template <typename T>
T get_option(const nb::dict& options, const char* name, T otherwise) {
  return options.contains(name) ? nb::cast<T>(options[name]) : otherwise;
}

template <typename E>
E get_choice(const nb::dict& options, const char* name, std::initializer_list<const char*> words) {
  const auto word = nb::cast<std::string>(options[name]);
  std::size_t position = 0;
  for (const char* known : words) {
    if (word == known) return static_cast<E>(position);
    ++position;
  }
  throw nb::value_error(("unknown " + std::string(name) + " " + word).c_str());
}

template <typename T>
std::vector<T> copy_array(const nb::dict& parts, const char* name) {
  const auto values = nb::cast<In<T>>(parts[name], false);
  return {values.data(), values.data() + values.size()};
}

hedgerow::LevelMaps copy_maps(const nb::dict& parts, const std::string& prefix, std::size_t tests) {
  const hedgerow::LevelMapsView maps = make_level_maps_view(parts, prefix, tests);
  const auto copy = [](const auto& values) { return std::vector(values.begin(), values.end()); };
  return {copy(maps.counts), copy(maps.rests), copy(maps.starts), copy(maps.codes), copy(maps.children)};
}

// A tree of the arrays that growing gave; they are trusted to fit each other, but not to fit the columns.
trees::FlatTree make_flat_tree(const nb::dict& parts, std::size_t columns) {
  trees::FlatTree tree;
  tree.columns = copy_array<std::int32_t>(parts, "columns");
  tree.thresholds = copy_array<double>(parts, "thresholds");
  tree.first = copy_array<std::int32_t>(parts, "first");
  tree.missing = copy_array<std::int32_t>(parts, "missing");
  tree.levels = copy_maps(parts, "level_", tree.columns.size());
  tree.tallies = copy_array<double>(parts, "tallies");
  if (parts.contains("order")) {
    tree.order = copy_array<std::uint32_t>(parts, "order");
    tree.begins = copy_array<std::uint32_t>(parts, "begins");
    tree.counts = copy_array<std::uint32_t>(parts, "counts");
  }
  if (parts.contains("surrogate_starts")) {
    tree.surrogate_starts = copy_array<std::int32_t>(parts, "surrogate_starts");
    tree.surrogate_columns = copy_array<std::int32_t>(parts, "surrogate_columns");
    tree.surrogate_thresholds = copy_array<double>(parts, "surrogate_thresholds");
    tree.surrogate_first = copy_array<std::int32_t>(parts, "surrogate_first");
    tree.surrogate_levels = copy_maps(parts, "surrogate_level_", tree.surrogate_columns.size());
  }
  for (const std::int32_t column : tree.columns) {
    if (column >= static_cast<std::int32_t>(columns)) throw nb::value_error("a node tests a column that is not there");
  }
  return tree;
}

nb::dict to_dict(trees::FlatTree&& tree) {
  nb::dict out;
  out["columns"] = to_numpy(std::move(tree.columns));
  out["thresholds"] = to_numpy(std::move(tree.thresholds));
  out["first"] = to_numpy(std::move(tree.first));
  out["missing"] = to_numpy(std::move(tree.missing));
  put_level_maps(out, "level_", std::move(tree.levels));
  out["tallies"] = to_numpy(std::move(tree.tallies));
  if (!tree.surrogate_starts.empty()) {
    out["surrogate_starts"] = to_numpy(std::move(tree.surrogate_starts));
    out["surrogate_columns"] = to_numpy(std::move(tree.surrogate_columns));
    out["surrogate_thresholds"] = to_numpy(std::move(tree.surrogate_thresholds));
    out["surrogate_first"] = to_numpy(std::move(tree.surrogate_first));
    put_level_maps(out, "surrogate_level_", std::move(tree.surrogate_levels));
  }
  if (!tree.begins.empty()) {
    out["order"] = to_numpy(std::move(tree.order));
    out["begins"] = to_numpy(std::move(tree.begins));
    out["counts"] = to_numpy(std::move(tree.counts));
  }
  return out;
}

}  // namespace

CheckedColumns bind::check_columns(const nb::list& arrays, const std::vector<std::int32_t>& levels, std::size_t rows) {
  check_same_length(nb::len(arrays), levels.size(), "columns and levels differ in length");
  if (rows > trees::kMaxRows) throw nb::value_error("a tree grows on fewer than 2^31 rows");
  CheckedColumns out;
  out.rows = rows;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    trees::RawColumn column;
    nb::object array = arrays[i];
    std::size_t length = 0;
    if (levels[i] < 0) {
      const auto numbers = nb::cast<In<double>>(array, false);
      column.numbers = numbers.data();
      length = numbers.size();
    } else {
      const auto codes = nb::cast<In<std::int32_t>>(array, false);
      column.codes = codes.data();
      column.levels = levels[i];
      length = codes.size();
      for (std::size_t row = 0; row < length; ++row) {
        if (column.codes[row] >= levels[i]) throw nb::value_error("a code is not below its number of levels");
      }
    }
    check_same_length(length, rows, "columns differ in length");
    out.columns.push_back(column);
    out.arrays.push_back(std::move(array));
  }
  return out;
}

hedgerow::LevelMapsView bind::make_level_maps_view(const nb::dict& parts, const std::string& prefix,
                                                   std::size_t tests) {
  const auto part = [&]<typename T>(const char* name, T) {
    return as_span(nb::cast<In<T>>(parts[(prefix + name).c_str()], false));  // the dict keeps it
  };
  const hedgerow::LevelMapsView maps{part("counts", std::int32_t{}), part("rests", std::int32_t{}),
                                     part("starts", std::int64_t{}), part("codes", std::int32_t{}),
                                     part("children", std::int32_t{})};
  check_same_length(maps.counts.size(), tests, "the arrays of a tree differ in length");
  check_same_length(maps.rests.size(), tests, "the arrays of a tree differ in length");
  check_same_length(maps.starts.size(), tests + 1, "the arrays of a tree differ in length");
  check_same_length(maps.codes.size(), static_cast<std::size_t>(maps.starts.back()),
                    "the arrays of a tree differ in length");
  check_same_length(maps.children.size(), maps.codes.size(), "the arrays of a tree differ in length");
  return maps;
}

void bind::put_level_maps(nb::dict& parts, const std::string& prefix, hedgerow::LevelMaps&& maps) {
  const auto put = [&](const char* name, auto&& values) {
    parts[(prefix + name).c_str()] = to_numpy(std::move(values));
  };
  put("counts", maps.counts);
  put("rests", maps.rests);
  put("starts", maps.starts);
  put("codes", maps.codes);
  put("children", maps.children);
}

trees::GrowOptions bind::make_grow_options(const nb::dict& given) {
  trees::GrowOptions out;
  out.impurity = get_choice<trees::Impurity>(given, "impurity", {"entropy", "gini", "squared", "absolute"});
  out.branching = get_choice<trees::Branching>(given, "branching", {"multiway", "groups", "binary"});
  out.missing_policy = get_choice<trees::MissingPolicy>(given, "missing", {"fractions", "direction", "surrogate"});
  out.gain_ratio = get_option(given, "ratio", false);
  out.average_gain_guard = get_option(given, "guard", false);
  out.numeric_penalty = get_option(given, "penalty", false);
  out.wide_margin = get_option(given, "wide_margin", false);
  out.zero_gain = get_option(given, "zero_gain", false);
  out.min_leaf = get_option(given, "min_leaf", out.min_leaf);
  out.min_gain = get_option(given, "min_gain", out.min_gain);
  out.stop_rows = get_option(given, "stop_rows", out.stop_rows);
  out.stop_share = get_option(given, "stop_share", out.stop_share);
  out.max_depth = get_option(given, "max_depth", out.max_depth);
  out.tried_columns = get_option(given, "tried", out.tried_columns);
  out.draw_once = get_option(given, "once", out.draw_once);
  out.seed = get_option(given, "seed", out.seed);
  out.scale = get_option(given, "scale", out.scale);
  out.table_rows = get_option(given, "table_rows", out.table_rows);
  out.table_weight = get_option(given, "table_weight", out.table_weight);
  out.center = get_option(given, "center", out.center);
  out.real_weights = get_option(given, "real", out.real_weights);
  out.list_rows = get_option(given, "rows", out.list_rows);
  out.last_tree = get_option(given, "last", out.last_tree);
  return out;
}

void init_grow(nb::module_& m) {
  nb::class_<PreparedTreeColumns>(m, "TreeColumns")
      .def(nb::new_(&prepare_columns), "columns"_a, "levels"_a, "rows"_a, "threads"_a)
      .def("count_varying", [](const PreparedTreeColumns& self) { return self.columns->find_varying_columns().size(); })
      .def(
          "rank_rows",
          [](PreparedTreeColumns& self, std::size_t tried, std::size_t threads) {
            nb::gil_scoped_release unlocked;
            hedgerow::ThreadPool pool(threads, Interrupts());
            self.columns->rank_rows(tried, pool);
          },
          "tried"_a, "threads"_a);
  m.def(
      "grow_classes",
      [](const PreparedTreeColumns& columns, In<std::int32_t> label, std::int32_t classes, In<double> weight,
         const nb::dict& options, std::size_t threads) {
        check_labels(label, weight, classes, columns.raw.rows);
        const trees::GrowOptions chosen = make_grow_options(options);
        trees::FlatTree tree;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool pool(threads, Interrupts());
          tree = trees::grow_classes(*columns.columns, as_span(label), classes, as_span(weight), chosen, pool);
        }
        return to_dict(std::move(tree));
      },
      "columns"_a, "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(), "options"_a, "threads"_a);
  m.def(
      "grow_numbers",
      [](const PreparedTreeColumns& columns, In<double> target, In<double> weight, const nb::dict& options,
         std::size_t threads) {
        check_same_length(target.size(), columns.columns->rows, "target and columns differ in length");
        check_same_length(weight.size(), columns.columns->rows, "weight and columns differ in length");
        const trees::GrowOptions chosen = make_grow_options(options);
        trees::FlatTree tree;
        {
          nb::gil_scoped_release unlocked;
          hedgerow::ThreadPool pool(threads, Interrupts());
          tree = trees::grow_numbers(*columns.columns, as_span(target), as_span(weight), chosen, pool);
        }
        return to_dict(std::move(tree));
      },
      "columns"_a, "target"_a.noconvert(), "weight"_a.noconvert(), "options"_a, "threads"_a);
  m.def(
      "collapse_tree",
      [](const nb::dict& tree, std::size_t classes) {
        return to_dict(trees::collapse_tree(make_flat_tree(tree, std::numeric_limits<std::int32_t>::max()), classes));
      },
      "tree"_a, "classes"_a);
  m.def(
      "prune_tree",
      [](const nb::dict& parts, const PreparedTreeColumns& columns, In<std::int32_t> label, std::int32_t classes,
         In<double> weight, double confidence, double z, bool raising, std::size_t threads) {
        check_labels(label, weight, classes, columns.raw.rows);
        trees::FlatTree tree = make_flat_tree(parts, columns.raw.columns.size());
        {
          nb::gil_scoped_release unlocked;
          const trees::TrainingRows rows{columns.raw.columns, as_span(label), as_span(weight),
                                         static_cast<std::size_t>(classes)};
          hedgerow::ThreadPool pool(tree.columns.size() < 1024 ? 1 : threads, Interrupts());
          tree = trees::prune_tree(tree, rows, confidence, z, raising, pool);
        }
        return to_dict(std::move(tree));
      },
      "tree"_a, "columns"_a, "label"_a.noconvert(), "classes"_a, "weight"_a.noconvert(), "confidence"_a, "z"_a,
      "raising"_a, "threads"_a);
  m.def(
      "sum_payloads",
      [](const nb::dict& parts, const PreparedTreeColumns& columns, In2<double> payload) {
        check_same_length(payload.shape(0), columns.raw.rows, "payload and columns differ in length");
        const trees::FlatTree tree = make_flat_tree(parts, columns.raw.columns.size());
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = trees::sum_payloads(tree, columns.raw.columns, as_span(payload), payload.shape(1), Interrupts());
        }
        return to_numpy(std::move(out));
      },
      "tree"_a, "columns"_a, "payload"_a.noconvert());
  m.def(
      "find_values_below_thresholds",
      [](const nb::dict& parts, const PreparedTreeColumns& columns) {
        const trees::FlatTree tree = make_flat_tree(parts, columns.raw.columns.size());
        std::vector<double> out;
        {
          nb::gil_scoped_release unlocked;
          out = trees::find_values_below_thresholds(tree, *columns.columns);
        }
        return to_numpy(std::move(out));
      },
      "tree"_a, "columns"_a);
  m.def(
      "compute_class_shares",
      [](In2<double> tallies) {
        std::optional<std::tuple<Array<double>, Array<double>, Array<std::int32_t>>> out;
        trees::ClassShares shares;
        {
          nb::gil_scoped_release unlocked;
          shares = trees::compute_class_shares(as_span(tallies), tallies.shape(1));
        }
        if (shares.totals.size() == tallies.shape(0)) {
          out.emplace(to_numpy(std::move(shares.totals)), to_numpy(std::move(shares.shares)),
                      to_numpy(std::move(shares.best)));
        }
        return out;
      },
      "tallies"_a.noconvert());
  m.def("estimate_errors", &trees::estimate_errors, "n"_a, "errors"_a, "confidence"_a, "z"_a);
  m.def("choose_threshold", &hedgerow::choose_threshold, "low"_a, "high"_a);
}

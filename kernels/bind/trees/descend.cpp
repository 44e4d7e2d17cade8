// Python bindings of trees/descend.hpp, trees/level_maps.hpp.
#include "trees/descend.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "trees/level_maps.hpp"

using namespace bind;

namespace {

using Ints = In<std::int32_t>;
using Doubles = In<double>;
// In the order of hedgerow::Tests.
using Starts = In<std::int64_t>;
using TestArrays = std::tuple<Ints, Doubles, Ints, Ints, Ints, Starts, Ints, Ints, Ints, Ints, Ints, Doubles, Ints,
                              Ints, Ints, Starts, Ints, Ints, Doubles>;
using PackedArrays = std::tuple<In<std::uint8_t>, Ints, Ints>;
using NumberColumns = std::vector<Doubles>;
using CodeColumns = std::vector<Ints>;
using SelectedRows = std::optional<In<std::int64_t>>;
using RowMaskArrays = std::vector<In<std::uint8_t>>;  // a tree each, none for all rows

hedgerow::TreeTests make_tests(const TestArrays& arrays) {
  const auto tests =
      std::apply([](const auto&... one) { return hedgerow::TreeTests{as_span(one)...}; }, arrays);  // maps in line
  const std::size_t n = tests.slot.size(), surrogates = tests.surrogate_slot.size();
  for (auto size :
       {tests.threshold.size(), tests.first.size(), tests.missing.size(), tests.share.size(), tests.level.counts.size(),
        tests.level.rests.size(), tests.level.starts.size() - 1, tests.surrogate_start.size() - 1})
    check_same_length(size, n, "the arrays of the nodes differ in length");
  for (auto size : {tests.surrogate_threshold.size(), tests.surrogate_first.size(), tests.surrogate_level.counts.size(),
                    tests.surrogate_level.rests.size(), tests.surrogate_level.starts.size() - 1})
    check_same_length(size, surrogates, "the arrays of the surrogates differ in length");
  for (const auto& maps : {tests.level, tests.surrogate_level})
    check_same_length(maps.codes.size(), maps.children.size(), "levels and their children differ in length");
  return tests;
}

hedgerow::PackedForest make_forest(const TestArrays& arrays, const PackedArrays& packed) {
  const auto& [step, turn, children] = packed;
  const hedgerow::PackedForest forest{make_tests(arrays), as_span(step), as_span(turn), as_span(children)};
  check_same_length(forest.children.size(), forest.tests.slot.size(), "packed and tests differ in nodes");
  if (forest.child_table.size() < 2) throw nb::value_error("packed trees lack their first turns");
  check_same_length(forest.steps.size(), 24 * (forest.children.size() + 1), "packed and tests differ in nodes");
  return forest;
}

// rows: those that go down, none for all; results: how many are asked for.
hedgerow::DescentColumns make_columns(const NumberColumns& numbers, const CodeColumns& codes, const Ints& levels,
                                      const SelectedRows& rows, std::size_t results) {
  hedgerow::DescentColumns columns;
  const std::size_t length = !numbers.empty() ? numbers[0].size() : codes.empty() ? results : codes[0].size();
  for (const auto& one : numbers) {
    check_same_length(one.size(), length, "columns differ in rows");
    columns.numbers.push_back(one.data());
  }
  for (const auto& one : codes) {
    check_same_length(one.size(), length, "columns differ in rows");
    columns.codes.push_back(one.data());
  }
  check_same_length(codes.size(), levels.size(), "codes and levels differ in length");
  columns.levels = as_span(levels);
  columns.n_rows = results;
  if (rows) {
    check_same_length(rows->size(), results, "rows and the result differ in length");
    columns.selected_rows = as_span(*rows);
    const bool read = !numbers.empty() || !codes.empty();  // trees of one leaf look at no row
    for (auto row : columns.selected_rows)
      if (read && (row < 0 || static_cast<std::size_t>(row) >= length)) throw nb::value_error("a row is out of range");
  } else {
    check_same_length(length, results, "columns and the result differ in rows");
  }
  return columns;
}

void check_roots(const Ints& roots, std::size_t nodes) {
  for (auto root : as_span(roots))
    if (root < 0 || static_cast<std::size_t>(root) >= nodes) throw nb::value_error("a root is out of range");
}

std::vector<const std::uint8_t*> make_row_masks(const RowMaskArrays& row_masks, std::size_t trees, std::size_t rows) {
  std::vector<const std::uint8_t*> out;
  if (!row_masks.empty()) check_same_length(row_masks.size(), trees, "asked and roots differ in trees");
  for (const auto& one : row_masks) {
    check_same_length(one.size(), rows, "asked and the result differ in rows");
    out.push_back(one.data());
  }
  return out;
}

}  // namespace

void init_descend(nb::module_& m) {
  m.def(
      "make_level_maps",
      [](Ints starts, Ints children) {
        const auto begins = as_span(starts);
        if (begins.empty() || begins.front() != 0 || !std::is_sorted(begins.begin(), begins.end()) ||
            static_cast<std::size_t>(begins.back()) != children.size())
          throw nb::value_error("starts do not fit what they start");
        hedgerow::LevelMaps maps;
        {
          nb::gil_scoped_release unlocked;
          maps = hedgerow::make_level_maps(begins, as_span(children));
        }
        return std::make_tuple(to_numpy(std::move(maps.counts)), to_numpy(std::move(maps.rests)),
                               to_numpy(std::move(maps.starts)), to_numpy(std::move(maps.codes)),
                               to_numpy(std::move(maps.children)));
      },
      "starts"_a.noconvert(), "children"_a.noconvert());
  m.def(
      "pack_trees",
      [](TestArrays tests, std::size_t numeric, Ints levels) {
        const auto checked = make_tests(tests);
        hedgerow::PackedTree packed;
        {
          nb::gil_scoped_release unlocked;
          packed = hedgerow::pack_tree(checked, numeric, as_span(levels));
        }
        return std::make_tuple(to_numpy(std::move(packed.steps)), to_numpy(std::move(packed.child_table)),
                               to_numpy(std::move(packed.children)));
      },
      "tests"_a.noconvert(), "numeric"_a, "levels"_a.noconvert());
  m.def(
      "find_leaves",
      [](TestArrays tests, PackedArrays packed, NumberColumns numbers, CodeColumns codes, Ints levels,
         SelectedRows rows, InOut<std::int32_t> leaf) {
        const auto forest = make_forest(tests, packed);
        const auto columns = make_columns(numbers, codes, levels, rows, leaf.size());
        nb::gil_scoped_release unlocked;
        hedgerow::find_leaves(forest, columns, as_span(leaf), Interrupts());
      },
      "tests"_a.noconvert(), "packed"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
      "levels"_a.noconvert(), "rows"_a.noconvert().none(), "leaf"_a.noconvert());
  m.def(
      "add_payloads",
      [](TestArrays tests, PackedArrays packed, NumberColumns numbers, CodeColumns codes, Ints levels,
         SelectedRows rows, Ints roots, RowMaskArrays row_masks, In2<double> payload, InOut2<double> sum) {
        const auto forest = make_forest(tests, packed);
        const auto columns = make_columns(numbers, codes, levels, rows, sum.shape(0));
        check_roots(roots, forest.children.size());
        check_same_length(payload.shape(0), forest.children.size(), "payload and tests differ in nodes");
        check_same_length(payload.shape(1), sum.shape(1), "payload and sum differ in width");
        const auto masks = make_row_masks(row_masks, roots.size(), sum.shape(0));
        nb::gil_scoped_release unlocked;
        hedgerow::add_payloads(forest, columns, as_span(roots), masks, as_span(payload), sum.shape(1), as_span(sum),
                               Interrupts());
      },
      "tests"_a.noconvert(), "packed"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
      "levels"_a.noconvert(), "rows"_a.noconvert().none(), "roots"_a.noconvert(), "row_masks"_a.noconvert(),
      "payload"_a.noconvert(), "sum"_a.noconvert());
  m.def(
      "add_votes",
      [](TestArrays tests, PackedArrays packed, NumberColumns numbers, CodeColumns codes, Ints levels,
         SelectedRows rows, Ints roots, RowMaskArrays row_masks, In2<double> payload, Ints decisions, Doubles votes,
         InOut2<double> sum) {
        const auto forest = make_forest(tests, packed);
        const auto columns = make_columns(numbers, codes, levels, rows, sum.shape(0));
        check_roots(roots, forest.children.size());
        check_same_length(payload.shape(0), forest.children.size(), "payload and tests differ in nodes");
        check_same_length(decisions.size(), forest.children.size(), "decisions and tests differ in nodes");
        check_same_length(payload.shape(1), sum.shape(1), "payload and sum differ in classes");
        check_same_length(votes.size(), roots.size(), "votes and roots differ in trees");
        for (auto one : as_span(decisions))
          if (one < 0 || static_cast<std::size_t>(one) >= sum.shape(1))
            throw nb::value_error("a class is out of range");
        const auto masks = make_row_masks(row_masks, roots.size(), sum.shape(0));
        nb::gil_scoped_release unlocked;
        hedgerow::add_votes(forest, columns, as_span(roots), masks, as_span(payload), sum.shape(1), as_span(decisions),
                            as_span(votes), as_span(sum), Interrupts());
      },
      "tests"_a.noconvert(), "packed"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
      "levels"_a.noconvert(), "rows"_a.noconvert().none(), "roots"_a.noconvert(), "row_masks"_a.noconvert(),
      "payload"_a.noconvert(), "decisions"_a.noconvert(), "votes"_a.noconvert(), "sum"_a.noconvert());
}

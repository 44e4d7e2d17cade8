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
using Numbers = std::vector<Doubles>;
using Codes = std::vector<Ints>;
using Rows = std::optional<In<std::int64_t>>;
using Asked = std::vector<In<std::uint8_t>>;  // a tree each, none for all rows

hedgerow::TreeTests tests_of(const TestArrays& arrays) {
  const auto tests =
      std::apply([](const auto&... one) { return hedgerow::TreeTests{span(one)...}; }, arrays);  // maps in line
  const std::size_t n = tests.slot.size(), surrogates = tests.surrogate_slot.size();
  for (auto size :
       {tests.threshold.size(), tests.first.size(), tests.missing.size(), tests.share.size(), tests.level.counts.size(),
        tests.level.rests.size(), tests.level.starts.size() - 1, tests.surrogate_start.size() - 1})
    same_length(size, n, "the arrays of the nodes differ in length");
  for (auto size : {tests.surrogate_threshold.size(), tests.surrogate_first.size(), tests.surrogate_level.counts.size(),
                    tests.surrogate_level.rests.size(), tests.surrogate_level.starts.size() - 1})
    same_length(size, surrogates, "the arrays of the surrogates differ in length");
  for (const auto& maps : {tests.level, tests.surrogate_level})
    same_length(maps.codes.size(), maps.children.size(), "levels and their children differ in length");
  return tests;
}

hedgerow::PackedForest forest_of(const TestArrays& arrays, const PackedArrays& packed) {
  const auto& [step, turn, children] = packed;
  const hedgerow::PackedForest forest{tests_of(arrays), span(step), span(turn), span(children)};
  same_length(forest.children.size(), forest.tests.slot.size(), "packed and tests differ in nodes");
  if (forest.child_table.size() < 2) throw nb::value_error("packed trees lack their first turns");
  same_length(forest.steps.size(), 24 * (forest.children.size() + 1), "packed and tests differ in nodes");
  return forest;
}

// rows: those that go down, none for all; results: how many are asked for.
hedgerow::DescentColumns columns_of(const Numbers& numbers, const Codes& codes, const Ints& levels, const Rows& rows,
                                    std::size_t results) {
  hedgerow::DescentColumns columns;
  const std::size_t length = !numbers.empty() ? numbers[0].size() : codes.empty() ? results : codes[0].size();
  for (const auto& one : numbers) {
    same_length(one.size(), length, "columns differ in rows");
    columns.numbers.push_back(one.data());
  }
  for (const auto& one : codes) {
    same_length(one.size(), length, "columns differ in rows");
    columns.codes.push_back(one.data());
  }
  same_length(codes.size(), levels.size(), "codes and levels differ in length");
  columns.levels = span(levels);
  columns.n_rows = results;
  if (rows) {
    same_length(rows->size(), results, "rows and the result differ in length");
    columns.selected_rows = span(*rows);
    const bool read = !numbers.empty() || !codes.empty();  // trees of one leaf look at no row
    for (auto row : columns.selected_rows)
      if (read && (row < 0 || static_cast<std::size_t>(row) >= length)) throw nb::value_error("a row is out of range");
  } else {
    same_length(length, results, "columns and the result differ in rows");
  }
  return columns;
}

void check_roots(const Ints& roots, std::size_t nodes) {
  for (auto root : span(roots))
    if (root < 0 || static_cast<std::size_t>(root) >= nodes) throw nb::value_error("a root is out of range");
}

std::vector<const std::uint8_t*> asked_of(const Asked& asked, std::size_t trees, std::size_t rows) {
  std::vector<const std::uint8_t*> out;
  if (!asked.empty()) same_length(asked.size(), trees, "asked and roots differ in trees");
  for (const auto& one : asked) {
    same_length(one.size(), rows, "asked and the result differ in rows");
    out.push_back(one.data());
  }
  return out;
}

}  // namespace

void init_descend(nb::module_& m) {
  m.def(
      "level_maps_of_runs",
      [](Ints starts, Ints children) {
        const auto begins = span(starts);
        if (begins.empty() || begins.front() != 0 || !std::is_sorted(begins.begin(), begins.end()) ||
            static_cast<std::size_t>(begins.back()) != children.size())
          throw nb::value_error("starts do not fit what they start");
        hedgerow::LevelMaps maps;
        {
          nb::gil_scoped_release unlocked;
          maps = hedgerow::make_level_maps(begins, span(children));
        }
        return std::make_tuple(array(std::move(maps.counts)), array(std::move(maps.rests)),
                               array(std::move(maps.starts)), array(std::move(maps.codes)),
                               array(std::move(maps.children)));
      },
      "starts"_a.noconvert(), "children"_a.noconvert());
  m.def(
      "pack_trees",
      [](TestArrays tests, std::size_t numeric, Ints levels) {
        const auto checked = tests_of(tests);
        hedgerow::PackedTree packed;
        {
          nb::gil_scoped_release unlocked;
          packed = hedgerow::pack_tree(checked, numeric, span(levels));
        }
        return std::make_tuple(array(std::move(packed.steps)), array(std::move(packed.child_table)),
                               array(std::move(packed.children)));
      },
      "tests"_a.noconvert(), "numeric"_a, "levels"_a.noconvert());
  m.def(
      "find_leaves",
      [](TestArrays tests, PackedArrays packed, Numbers numbers, Codes codes, Ints levels, Rows rows,
         InOut<std::int32_t> leaf) {
        const auto forest = forest_of(tests, packed);
        const auto columns = columns_of(numbers, codes, levels, rows, leaf.size());
        nb::gil_scoped_release unlocked;
        hedgerow::find_leaves(forest, columns, span(leaf), Interrupts());
      },
      "tests"_a.noconvert(), "packed"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
      "levels"_a.noconvert(), "rows"_a.noconvert().none(), "leaf"_a.noconvert());
  m.def(
      "add_payloads",
      [](TestArrays tests, PackedArrays packed, Numbers numbers, Codes codes, Ints levels, Rows rows, Ints roots,
         Asked asked, In2<double> payload, InOut2<double> sum) {
        const auto forest = forest_of(tests, packed);
        const auto columns = columns_of(numbers, codes, levels, rows, sum.shape(0));
        check_roots(roots, forest.children.size());
        same_length(payload.shape(0), forest.children.size(), "payload and tests differ in nodes");
        same_length(payload.shape(1), sum.shape(1), "payload and sum differ in width");
        const auto whom = asked_of(asked, roots.size(), sum.shape(0));
        nb::gil_scoped_release unlocked;
        hedgerow::add_payloads(forest, columns, span(roots), whom, span(payload), sum.shape(1), span(sum),
                               Interrupts());
      },
      "tests"_a.noconvert(), "packed"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
      "levels"_a.noconvert(), "rows"_a.noconvert().none(), "roots"_a.noconvert(), "asked"_a.noconvert(),
      "payload"_a.noconvert(), "sum"_a.noconvert());
  m.def(
      "add_votes",
      [](TestArrays tests, PackedArrays packed, Numbers numbers, Codes codes, Ints levels, Rows rows, Ints roots,
         Asked asked, In2<double> payload, Ints decisions, Doubles votes, InOut2<double> sum) {
        const auto forest = forest_of(tests, packed);
        const auto columns = columns_of(numbers, codes, levels, rows, sum.shape(0));
        check_roots(roots, forest.children.size());
        same_length(payload.shape(0), forest.children.size(), "payload and tests differ in nodes");
        same_length(decisions.size(), forest.children.size(), "decisions and tests differ in nodes");
        same_length(payload.shape(1), sum.shape(1), "payload and sum differ in classes");
        same_length(votes.size(), roots.size(), "votes and roots differ in trees");
        for (auto one : span(decisions))
          if (one < 0 || static_cast<std::size_t>(one) >= sum.shape(1))
            throw nb::value_error("a class is out of range");
        const auto whom = asked_of(asked, roots.size(), sum.shape(0));
        nb::gil_scoped_release unlocked;
        hedgerow::add_votes(forest, columns, span(roots), whom, span(payload), sum.shape(1), span(decisions),
                            span(votes), span(sum), Interrupts());
      },
      "tests"_a.noconvert(), "packed"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
      "levels"_a.noconvert(), "rows"_a.noconvert().none(), "roots"_a.noconvert(), "asked"_a.noconvert(),
      "payload"_a.noconvert(), "decisions"_a.noconvert(), "votes"_a.noconvert(), "sum"_a.noconvert());
}

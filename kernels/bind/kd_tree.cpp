#include "kd_tree.hpp"

#include "bind.hpp"
#include "interrupts.hpp"
#include "kd_arrays.hpp"

using namespace bind;

namespace {

nb::tuple kd_build(In2<double> numbers, In2<std::int32_t> codes, In<double> gaps, std::size_t threads) {
  const std::size_t rows = numbers.shape(1);
  same_length(codes.shape(1), rows, "numbers and codes differ in rows");
  same_length(gaps.size(), numbers.shape(0), "gaps and numeric columns differ in length");
  if (rows > 0x7fffffff) throw nb::value_error("there are too many rows");
  for (const double value : span(numbers))
    if (std::isinf(value)) throw nb::value_error("a number is infinite");
  hedgerow::OwnedKdTree out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_of(threads, rows, 20000), Interrupts());
    out = hedgerow::kd_build(span(numbers), span(codes), span(gaps), rows, crew);
  }
  return nb::make_tuple(rows, codes.shape(0), array(std::move(out.gaps)), array(std::move(out.order)),
                        array(std::move(out.numbers)), array(std::move(out.codes)), array(std::move(out.low)),
                        array(std::move(out.high)), array(std::move(out.caps)), array(std::move(out.least)),
                        array(std::move(out.most)), array(std::move(out.first)));
}

void kd_nearest(const KdArrays& arrays, In2<double> numbers, In2<std::int32_t> codes, InOut2<std::int32_t> found,
                InOut2<double> squares, std::size_t threads) {
  const auto tree = kd_tree_of(arrays);
  const auto queries = kd_queries_of(tree, numbers, codes);
  same_length(found.shape(0), queries.size, "found and queries differ in length");
  same_length(squares.shape(0), queries.size, "squares and queries differ in length");
  same_length(squares.shape(1), found.shape(1), "squares and found differ in width");
  if (found.shape(1) > tree.shape.rows) throw nb::value_error("there are not so many rows");
  nb::gil_scoped_release unlocked;
  hedgerow::Crew crew(crew_of(threads, queries.size, 256), Interrupts());
  hedgerow::kd_nearest(tree, queries, span(found), span(squares), crew);
}

nb::tuple kd_within(const KdArrays& arrays, In2<double> numbers, In2<std::int32_t> codes, In<double> limits,
                    std::size_t threads) {
  const auto tree = kd_tree_of(arrays);
  const auto queries = kd_queries_of(tree, numbers, codes);
  same_length(limits.size(), queries.size, "limits and queries differ in length");
  hedgerow::KdAll out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_of(threads, queries.size, 256), Interrupts());
    out = hedgerow::kd_within(tree, queries, span(limits), crew);
  }
  return nb::make_tuple(array(std::move(out.starts)), array(std::move(out.rows)), array(std::move(out.squares)));
}

}  // namespace

void init_kd_tree(nb::module_& m) {
  m.def("kd_build", kd_build, "numbers"_a.noconvert(), "codes"_a.noconvert(), "gaps"_a.noconvert(), "threads"_a);
  m.def("kd_nearest", kd_nearest, "tree"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
        "found"_a.noconvert(), "squares"_a.noconvert(), "threads"_a);
  m.def("kd_within", kd_within, "tree"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(),
        "limits"_a.noconvert(), "threads"_a);
}

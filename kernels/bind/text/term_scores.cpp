// Python bindings of text/term_scores.hpp, text/class_sums.hpp.
#include "text/term_scores.hpp"

#include <algorithm>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "bind/text/evidence.hpp"
#include "text/class_sums.hpp"

using namespace bind;

namespace {

using Offsets = In<std::int64_t>;
using Codes = In<std::int32_t>;

// No more threads than there are a hundred thousand entries for each.
std::size_t limit_threads(std::size_t threads, std::size_t entries) {
  return std::min(threads, std::max<std::size_t>(1, entries >> 17));
}

template <typename Value>
hedgerow::TermValueRows<Value> make_value_rows(const Offsets& starts, const Codes& ids, const In<Value>& values,
                                               std::size_t n_terms) {
  check_offsets(as_span(starts), ids.size());
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  check_below(as_span(ids), n_terms, "an id out of range");
  return {as_span(starts), as_span(ids), as_span(values)};
}

void check_positions(std::span<const std::int64_t> positions, std::size_t n) {
  std::int64_t last = -1;
  for (const auto position : positions) {
    if (position <= last || position >= static_cast<std::int64_t>(n))
      throw nb::value_error("places must ascend in range");
    last = position;
  }
}

nb::tuple to_tuple(hedgerow::ClassSums&& out) {
  return nb::make_tuple(to_numpy(std::move(out.starts)), to_numpy(std::move(out.classes)),
                        to_numpy(std::move(out.sums)));
}

template <typename Value>
nb::tuple sum_by_class(Offsets starts, Codes ids, In<Value> values, Offsets class_starts, Offsets class_rows,
                       In<double> shares, std::size_t n_terms, std::size_t threads) {
  const auto rows = make_value_rows<Value>(starts, ids, values, n_terms);
  check_offsets(as_span(class_starts), class_rows.size());
  check_same_length(class_rows.size(), shares.size(), "rows and shares differ in length");
  for (const auto row : as_span(class_rows))
    if (row < 0 || static_cast<std::size_t>(row) + 1 >= starts.size()) throw nb::value_error("no such row");
  hedgerow::ClassSums out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, ids.size()), Interrupts());
    out = hedgerow::sum_by_class(rows, {as_span(class_starts), as_span(class_rows), as_span(shares)}, n_terms, pool);
  }
  return to_tuple(std::move(out));
}

hedgerow::ClassSumsView make_view(const Offsets& starts, const Codes& classes, const In<double>& sums,
                                  const Offsets& positions, std::size_t n_terms) {
  check_offsets(as_span(starts), classes.size());
  check_same_length(classes.size(), sums.size(), "classes and sums differ in length");
  check_same_length(starts.size(), positions.size() + 1, "starts and places differ in length");
  check_positions(as_span(positions), n_terms);
  return {as_span(starts), as_span(classes), as_span(sums)};
}

nb::tuple add_class_sums(Offsets starts, Codes classes, In<double> sums, Offsets positions, Offsets other_starts,
                         Codes other_classes, In<double> other_sums, Offsets other_positions, double factor,
                         std::size_t n_terms) {
  const auto one = make_view(starts, classes, sums, positions, n_terms);
  const auto other = make_view(other_starts, other_classes, other_sums, other_positions, n_terms);
  hedgerow::ClassSums out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::add_class_sums(one, as_span(positions), other, as_span(other_positions), factor, n_terms);
  }
  return to_tuple(std::move(out));
}

template <typename Value>
void add_term_scores(Offsets starts, Codes ids, In<Value> values, Offsets term_starts, Codes classes, In<double> more,
                     In<double> height, In<double> slope, In<double> level, In<bool> strict, InOut2<double> scores,
                     InOut<bool> known, std::size_t threads) {
  if (term_starts.size() == 0) throw nb::value_error("offsets out of range");
  const auto n_terms = term_starts.size() - 1;
  const auto rows = make_value_rows<Value>(starts, ids, values, n_terms);
  check_same_length(starts.size(), scores.shape(0) + 1, "starts and scores differ in rows");
  check_same_length(known.size(), scores.shape(0), "known and scores differ in rows");
  const auto evidence =
      make_evidence(term_starts, classes, more, height, slope, level, strict, n_terms, scores.shape(1));
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool pool(limit_threads(threads, ids.size()), Interrupts());
  hedgerow::add_term_scores(rows, evidence, as_span(scores), as_span(known), pool);
}

}  // namespace

void init_term_scores(nb::module_& m) {
  const auto define_sums = [&](auto work) {
    m.def("sum_by_class", work, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
          "class_starts"_a.noconvert(), "class_rows"_a.noconvert(), "shares"_a.noconvert(), "n_terms"_a, "threads"_a);
  };
  define_sums(sum_by_class<double>);
  define_sums(sum_by_class<std::int32_t>);
  m.def("add_class_sums", add_class_sums, "starts"_a.noconvert(), "classes"_a.noconvert(), "sums"_a.noconvert(),
        "positions"_a.noconvert(), "other_starts"_a.noconvert(), "other_classes"_a.noconvert(),
        "other_sums"_a.noconvert(), "other_positions"_a.noconvert(), "factor"_a, "n_terms"_a);
  const auto define_scores = [&](auto work) {
    m.def("add_term_scores", work, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
          "term_starts"_a.noconvert(), "classes"_a.noconvert(), "more"_a.noconvert(), "height"_a.noconvert(),
          "slope"_a.noconvert(), "level"_a.noconvert(), "strict"_a.noconvert(), "scores"_a.noconvert(),
          "known"_a.noconvert(), "threads"_a);
  };
  define_scores(add_term_scores<double>);
  define_scores(add_term_scores<std::int32_t>);
}

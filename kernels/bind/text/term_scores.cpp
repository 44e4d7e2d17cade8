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
std::size_t crew_size(std::size_t threads, std::size_t entries) {
  return std::min(threads, std::max<std::size_t>(1, entries >> 17));
}

template <typename Value>
hedgerow::TermValueRows<Value> rows_of(const Offsets& starts, const Codes& ids, const In<Value>& values,
                                       std::size_t n_terms) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), values.size(), "ids and values differ in length");
  check_below(span(ids), n_terms, "an id out of range");
  return {span(starts), span(ids), span(values)};
}

void check_places(std::span<const std::int64_t> places, std::size_t n) {
  std::int64_t last = -1;
  for (const auto place : places) {
    if (place <= last || place >= static_cast<std::int64_t>(n)) throw nb::value_error("places must ascend in range");
    last = place;
  }
}

nb::tuple sums_of(hedgerow::ClassSums&& out) {
  return nb::make_tuple(array(std::move(out.starts)), array(std::move(out.classes)), array(std::move(out.sums)));
}

template <typename Value>
nb::tuple sum_by_class(Offsets starts, Codes ids, In<Value> values, Offsets class_starts, Offsets class_rows,
                       In<double> shares, std::size_t n_terms, std::size_t threads) {
  const auto rows = rows_of<Value>(starts, ids, values, n_terms);
  check_offsets(span(class_starts), class_rows.size());
  same_length(class_rows.size(), shares.size(), "rows and shares differ in length");
  for (const auto row : span(class_rows))
    if (row < 0 || static_cast<std::size_t>(row) + 1 >= starts.size()) throw nb::value_error("no such row");
  hedgerow::ClassSums out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_size(threads, ids.size()), Interrupts());
    out = hedgerow::sum_by_class(rows, {span(class_starts), span(class_rows), span(shares)}, n_terms, crew);
  }
  return sums_of(std::move(out));
}

hedgerow::ClassSumsView view_of(const Offsets& starts, const Codes& classes, const In<double>& sums,
                                const Offsets& places, std::size_t n_terms) {
  check_offsets(span(starts), classes.size());
  same_length(classes.size(), sums.size(), "classes and sums differ in length");
  same_length(starts.size(), places.size() + 1, "starts and places differ in length");
  check_places(span(places), n_terms);
  return {span(starts), span(classes), span(sums)};
}

nb::tuple add_sums(Offsets starts, Codes classes, In<double> sums, Offsets places, Offsets other_starts,
                   Codes other_classes, In<double> other_sums, Offsets other_places, double factor,
                   std::size_t n_terms) {
  const auto one = view_of(starts, classes, sums, places, n_terms);
  const auto other = view_of(other_starts, other_classes, other_sums, other_places, n_terms);
  hedgerow::ClassSums out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::add_class_sums(one, span(places), other, span(other_places), factor, n_terms);
  }
  return sums_of(std::move(out));
}

template <typename Value>
void add_term_scores(Offsets starts, Codes ids, In<Value> values, Offsets term_starts, Codes classes, In<double> more,
                     In<double> height, In<double> slope, In<double> level, In<bool> strict, InOut2<double> scores,
                     InOut<bool> known, std::size_t threads) {
  if (term_starts.size() == 0) throw nb::value_error("offsets out of range");
  const auto n_terms = term_starts.size() - 1;
  const auto rows = rows_of<Value>(starts, ids, values, n_terms);
  same_length(starts.size(), scores.shape(0) + 1, "starts and scores differ in rows");
  same_length(known.size(), scores.shape(0), "known and scores differ in rows");
  const auto evidence = evidence_of(term_starts, classes, more, height, slope, level, strict, n_terms, scores.shape(1));
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool crew(crew_size(threads, ids.size()), Interrupts());
  hedgerow::add_term_scores(rows, evidence, span(scores), span(known), crew);
}

}  // namespace

void init_term_scores(nb::module_& m) {
  const auto define_sums = [&](auto work) {
    m.def("sum_by_class", work, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
          "class_starts"_a.noconvert(), "class_rows"_a.noconvert(), "shares"_a.noconvert(), "n_terms"_a, "threads"_a);
  };
  define_sums(sum_by_class<double>);
  define_sums(sum_by_class<std::int32_t>);
  m.def("add_sums", add_sums, "starts"_a.noconvert(), "classes"_a.noconvert(), "sums"_a.noconvert(),
        "places"_a.noconvert(), "other_starts"_a.noconvert(), "other_classes"_a.noconvert(), "other_sums"_a.noconvert(),
        "other_places"_a.noconvert(), "factor"_a, "n_terms"_a);
  const auto define_scores = [&](auto work) {
    m.def("add_term_scores", work, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
          "term_starts"_a.noconvert(), "classes"_a.noconvert(), "more"_a.noconvert(), "height"_a.noconvert(),
          "slope"_a.noconvert(), "level"_a.noconvert(), "strict"_a.noconvert(), "scores"_a.noconvert(),
          "known"_a.noconvert(), "threads"_a);
  };
  define_scores(add_term_scores<double>);
  define_scores(add_term_scores<std::int32_t>);
}

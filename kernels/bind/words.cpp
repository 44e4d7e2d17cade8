#include "words.hpp"

#include <algorithm>

#include "bind.hpp"
#include "interrupts.hpp"
#include "terms.hpp"
#include "vocabulary.hpp"
#include "weigh.hpp"

using namespace bind;
using hedgerow::Byte;

namespace {

using Bytes = In<Byte>;
using Offsets = In<std::int64_t>;

hedgerow::TextRows text_of(const Bytes& data, const Offsets& offsets, const In<bool>& missing) {
  check_offsets(span(offsets), data.size());
  same_length(offsets.size(), missing.size() + 1, "offsets and missing differ in length");
  return {{span(data), span(offsets)}, span(missing)};
}

hedgerow::Words packed(const Bytes& data, const Offsets& offsets) {
  check_offsets(span(offsets), data.size());
  return {span(data), span(offsets)};
}

hedgerow::Tokens tokens_of(int unit, std::size_t low, std::size_t high, std::size_t min_length, bool lower,
                           const Bytes& stop, const Offsets& stop_offsets) {
  if (unit < 0 || unit > 2 || low < 1 || high < low || high > 255)
    throw nb::value_error("no such unit, or runs of an impossible size");
  return {static_cast<hedgerow::Unit>(unit), low, high, min_length, lower, packed(stop, stop_offsets)};
}

// No more threads than there are a few hundred thousand bytes for each.
std::size_t crew_size(std::size_t threads, std::size_t bytes) {
  return std::min(threads, std::max<std::size_t>(1, bytes >> 18));
}

nb::tuple rows_of(hedgerow::TermRows&& rows) {
  return nb::make_tuple(array(std::move(rows.starts)), array(std::move(rows.ids)), array(std::move(rows.counts)));
}

nb::tuple words_of(hedgerow::ByteRows&& words) {
  return nb::make_tuple(array(std::move(words.data)), array(std::move(words.offsets)));
}

nb::tuple count_terms(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                      std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, std::size_t threads) {
  const auto text = text_of(data, offsets, missing);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::Terms terms;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_size(threads, data.size()), Interrupts());
    terms = hedgerow::count_terms(text, tokens, crew);
  }
  return nb::make_tuple(words_of(std::move(terms.vocabulary)), rows_of(std::move(terms.rows)));
}

nb::tuple count_known(Bytes data, Offsets offsets, In<bool> missing, Bytes known, Offsets known_offsets, int unit,
                      std::size_t low, std::size_t high, std::size_t min_length, bool lower, Bytes stop,
                      Offsets stop_offsets, std::size_t threads) {
  const auto text = text_of(data, offsets, missing);
  const auto terms = packed(known, known_offsets);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermRows rows;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_size(threads, data.size()), Interrupts());
    rows = hedgerow::count_known(text, terms, tokens, crew);
  }
  return rows_of(std::move(rows));
}

nb::tuple split_words(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                      std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets) {
  const auto text = text_of(data, offsets, missing);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::SplitWords split;
  {
    nb::gil_scoped_release unlocked;
    split = hedgerow::split_words(text, tokens);
  }
  return nb::make_tuple(words_of(std::move(split.words)), array(std::move(split.starts)));
}

nb::tuple merge_words(Bytes first, Offsets first_offsets, Bytes second, Offsets second_offsets) {
  const auto one = packed(first, first_offsets), other = packed(second, second_offsets);
  hedgerow::MergedWords merged;
  {
    nb::gil_scoped_release unlocked;
    merged = hedgerow::merge_words(one, other);
  }
  return nb::make_tuple(words_of(std::move(merged.words)), array(std::move(merged.first)),
                        array(std::move(merged.second)));
}

Array<std::int32_t> hash_words(Bytes data, Offsets offsets) {
  const auto words = packed(data, offsets);
  std::vector<std::int32_t> hashes;
  {
    nb::gil_scoped_release unlocked;
    hashes = hedgerow::hash_words(words);
  }
  return array(std::move(hashes));
}

void weigh_rows(Offsets starts, In<std::int32_t> ids, In<double> scale, int norm, InOut<double> values,
                std::size_t threads) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), values.size(), "ids and values differ in length");
  if (norm < 0 || norm > 2) throw nb::value_error("no such norm");
  if (scale.size())
    for (const auto id : span(ids))
      if (id < 0 || static_cast<std::size_t>(id) >= scale.size()) throw nb::value_error("an id without a scale");
  nb::gil_scoped_release unlocked;
  hedgerow::Crew crew(crew_size(threads, ids.size()), Interrupts());
  hedgerow::weigh_rows(span(starts), span(ids), span(scale), static_cast<hedgerow::Norm>(norm), span(values), crew);
}

nb::tuple fold_rows(Offsets starts, In<std::int32_t> ids, In<double> values, In<std::int32_t> columns,
                    std::size_t n_columns, std::size_t threads) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), values.size(), "ids and values differ in length");
  for (const auto id : span(ids))
    if (id < 0 || static_cast<std::size_t>(id) >= columns.size()) throw nb::value_error("an id without a column");
  for (const auto column : span(columns))
    if (column < 0 || static_cast<std::size_t>(column) >= n_columns) throw nb::value_error("no such column");
  hedgerow::FoldedRows out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_size(threads, ids.size()), Interrupts());
    out = hedgerow::fold_rows(span(starts), span(ids), span(values), span(columns), n_columns, crew);
  }
  return nb::make_tuple(array(std::move(out.starts)), array(std::move(out.ids)), array(std::move(out.values)));
}

}  // namespace

void init_words(nb::module_& m) {
  m.def("count_terms", count_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(),
        "threads"_a);
  m.def("count_known_terms", count_known, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "known"_a.noconvert(), "known_offsets"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a,
        "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a);
  m.def("split_words", split_words, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert());
  m.def("merge_words", merge_words, "first"_a.noconvert(), "first_offsets"_a.noconvert(), "second"_a.noconvert(),
        "second_offsets"_a.noconvert());
  m.def("hash_words", hash_words, "data"_a.noconvert(), "offsets"_a.noconvert());
  m.def("weigh_rows", weigh_rows, "starts"_a.noconvert(), "ids"_a.noconvert(), "scale"_a.noconvert(), "norm"_a,
        "values"_a.noconvert(), "threads"_a);
  m.def("fold_rows", fold_rows, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
        "columns"_a.noconvert(), "n_columns"_a, "threads"_a);
  m.def("unicode_version", [] { return nb::str(hedgerow::unicode_version()); });
}

#include "words.hpp"

#include <algorithm>

#include "bind.hpp"
#include "interrupts.hpp"
#include "terms.hpp"

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

nb::tuple count_terms(Bytes data, Offsets offsets, In<bool> missing, std::size_t min_length, std::size_t threads) {
  const auto text = text_of(data, offsets, missing);
  hedgerow::Terms terms;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_size(threads, data.size()), Interrupts());
    terms = hedgerow::count_terms(text, min_length, crew);
  }
  return nb::make_tuple(words_of(std::move(terms.vocabulary)), rows_of(std::move(terms.rows)));
}

nb::tuple count_known(Bytes data, Offsets offsets, In<bool> missing, Bytes known, Offsets known_offsets,
                      std::size_t min_length, std::size_t threads) {
  const auto text = text_of(data, offsets, missing);
  check_offsets(span(known_offsets), known.size());
  hedgerow::TermRows rows;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::Crew crew(crew_size(threads, data.size()), Interrupts());
    rows = hedgerow::count_known(text, {span(known), span(known_offsets)}, min_length, crew);
  }
  return rows_of(std::move(rows));
}

nb::tuple split_words(Bytes data, Offsets offsets, In<bool> missing, std::size_t min_length) {
  const auto text = text_of(data, offsets, missing);
  hedgerow::SplitWords split;
  {
    nb::gil_scoped_release unlocked;
    split = hedgerow::split_words(text, min_length);
  }
  return nb::make_tuple(words_of(std::move(split.words)), array(std::move(split.starts)));
}

}  // namespace

void init_words(nb::module_& m) {
  m.def("count_terms", count_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "min_length"_a, "threads"_a);
  m.def("count_known_terms", count_known, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "known"_a.noconvert(), "known_offsets"_a.noconvert(), "min_length"_a, "threads"_a);
  m.def("split_words", split_words, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "min_length"_a);
  m.def("unicode_version", [] { return nb::str(hedgerow::unicode_version()); });
}

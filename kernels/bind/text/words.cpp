// Python bindings of text: words.
#include "text/words.hpp"

#include <algorithm>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "bind/text/evidence.hpp"
#include "text/lexicon.hpp"
#include "text/term_positions.hpp"
#include "text/term_rows.hpp"
#include "text/terms.hpp"
#include "text/tfidf.hpp"
#include "text/vocabulary.hpp"

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

hedgerow::ByteRowsView packed(const Bytes& data, const Offsets& offsets) {
  check_offsets(span(offsets), data.size());
  return {span(data), span(offsets)};
}

hedgerow::TokenOptions tokens_of(int unit, std::size_t low, std::size_t high, std::size_t min_length, bool lower,
                                 const Bytes& stop, const Offsets& stop_offsets) {
  if (unit < 0 || unit > 2 || low < 1 || high < low || high > 255)
    throw nb::value_error("no such unit, or runs of an impossible size");
  return {static_cast<hedgerow::TermUnit>(unit), low, high, min_length, lower, packed(stop, stop_offsets)};
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
  hedgerow::TermCounts terms;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_size(threads, data.size()), Interrupts());
    terms = hedgerow::count_terms(text, tokens, crew);
  }
  return nb::make_tuple(words_of(std::move(terms.vocabulary)), rows_of(std::move(terms.rows)));
}

nb::tuple sums_of(hedgerow::TermSums&& sums) {
  return nb::make_tuple(words_of(std::move(sums.vocabulary)), array(std::move(sums.rows)),
                        array(std::move(sums.totals)));
}

nb::tuple sum_terms(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                    std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, std::size_t threads) {
  const auto text = text_of(data, offsets, missing);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermSums sums;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_size(threads, data.size()), Interrupts());
    sums = hedgerow::count_term_sums(text, tokens, crew);
  }
  return sums_of(std::move(sums));
}

hedgerow::Tf tf_of(int tf) {
  if (tf < 0 || tf > 4) throw nb::value_error("no such frequency");
  return static_cast<hedgerow::Tf>(tf);
}

hedgerow::TermWeighting weighing_of(int tf, std::span<const double> scale, int norm) {
  if (norm < 0 || norm > 2) throw nb::value_error("no such norm");
  return {tf_of(tf), scale, static_cast<hedgerow::Norm>(norm)};
}

nb::tuple hash_terms(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                     std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, int bits, bool is_signed,
                     int tf, int norm, std::size_t threads) {
  const auto text = text_of(data, offsets, missing);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  if (bits < 1 || bits > 30) throw nb::value_error("bits out of range");
  const auto how = weighing_of(tf, {}, norm);
  hedgerow::HashedTerms out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_size(threads, data.size()), Interrupts());
    out = hedgerow::count_hashed_terms(text, tokens, bits, is_signed, how.tf, how.norm, crew);
  }
  auto& [starts, ids, values] = out.rows;
  return nb::make_tuple(nb::make_tuple(array(std::move(starts)), array(std::move(ids)), array(std::move(values))),
                        array(std::move(out.n_rows)), sums_of(std::move(out.terms)));
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
    hedgerow::ThreadPool crew(crew_size(threads, data.size()), Interrupts());
    rows = hedgerow::count_known_terms(text, hedgerow::Lexicon(terms, tokens), crew);
  }
  return rows_of(std::move(rows));
}

nb::tuple split_words(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                      std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets) {
  const auto text = text_of(data, offsets, missing);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::WordLists split;
  {
    nb::gil_scoped_release unlocked;
    split = hedgerow::split_words(text, tokens);
  }
  return nb::make_tuple(words_of(std::move(split.words)), array(std::move(split.starts)));
}

nb::tuple find_places(Bytes text, Bytes known, Offsets known_offsets, int unit, std::size_t low, std::size_t high,
                      std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, bool every) {
  const auto terms = packed(known, known_offsets);
  const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermPositions places;
  {
    nb::gil_scoped_release unlocked;
    places = hedgerow::find_term_positions(span(text), terms, tokens, every);
  }
  return nb::make_tuple(array(std::move(places.terms)), array(std::move(places.begins)), array(std::move(places.ends)));
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

void check_scale(std::span<const double> scale, std::span<const std::int32_t> ids) {
  if (!scale.empty()) check_below(ids, scale.size(), "an id without a scale");
}

Array<double> weigh_counts(Offsets starts, In<std::int32_t> ids, In<std::int32_t> counts, int tf, In<double> scale,
                           int norm, std::size_t threads) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), counts.size(), "ids and counts differ in length");
  const auto how = weighing_of(tf, span(scale), norm);
  hedgerow::UninitializedVector<double> values;
  {
    nb::gil_scoped_release unlocked;
    check_scale(span(scale), span(ids));
    hedgerow::ThreadPool crew(crew_size(threads, ids.size()), Interrupts());
    values = hedgerow::weigh_counts(span(starts), span(ids), span(counts), how, crew);
  }
  return array(std::move(values));
}

nb::tuple sum_rows(In<std::int32_t> ids, In<std::int32_t> counts, std::size_t n_terms) {
  same_length(ids.size(), counts.size(), "ids and counts differ in length");
  check_below(span(ids), n_terms, "no such term");
  std::vector<std::int64_t> rows(n_terms), totals(n_terms);
  {
    nb::gil_scoped_release unlocked;
    hedgerow::sum_rows(span(ids), span(counts), rows, totals);
  }
  return nb::make_tuple(array(std::move(rows)), array(std::move(totals)));
}

nb::tuple sum_weighted_rows(Offsets starts, In<std::int32_t> ids, In<std::int32_t> counts, In<double> weights,
                            std::size_t n_terms) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), counts.size(), "ids and counts differ in length");
  same_length(starts.size(), weights.size() + 1, "rows and weights differ in length");
  check_below(span(ids), n_terms, "no such term");
  std::vector<double> rows(n_terms), totals(n_terms);
  {
    nb::gil_scoped_release unlocked;
    hedgerow::sum_rows(span(starts), span(ids), span(counts), span(weights), rows, totals);
  }
  return nb::make_tuple(array(std::move(rows)), array(std::move(totals)));
}

void weigh_rows(Offsets starts, In<std::int32_t> ids, In<double> scale, int norm, InOut<double> values,
                std::size_t threads) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), values.size(), "ids and values differ in length");
  if (norm < 0 || norm > 2) throw nb::value_error("no such norm");
  check_scale(span(scale), span(ids));
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool crew(crew_size(threads, ids.size()), Interrupts());
  hedgerow::weigh_rows(span(starts), span(ids), span(scale), static_cast<hedgerow::Norm>(norm), span(values), crew);
}

// Known terms that are looked up again and again.
class Lexicon {
 public:
  Lexicon(Bytes known, Offsets known_offsets, int unit, std::size_t low, std::size_t high, std::size_t min_length,
          bool lower, Bytes stop, Offsets stop_offsets)
      : terms_(packed(known, known_offsets), tokens_of(unit, low, high, min_length, lower, stop, stop_offsets)) {}

  nb::tuple count(Bytes data, Offsets offsets, In<bool> missing, std::size_t threads) const {
    const auto text = text_of(data, offsets, missing);
    hedgerow::TermRows rows;
    {
      nb::gil_scoped_release unlocked;
      hedgerow::ThreadPool crew(crew_size(threads, data.size()), Interrupts());
      rows = hedgerow::count_known_terms(text, terms_, crew);
    }
    return rows_of(std::move(rows));
  }

  void add_scores(Bytes data, Offsets offsets, In<bool> missing, int tf, In<double> scale, int norm,
                  Offsets term_starts, In<std::int32_t> classes, In<double> more, In<double> height, In<double> slope,
                  In<double> level, In<bool> strict, InOut2<double> scores, InOut<bool> known,
                  std::size_t threads) const {
    const auto text = text_of(data, offsets, missing);
    const auto how = weighing_of(tf, span(scale), norm);
    const auto evidence =
        evidence_of(term_starts, classes, more, height, slope, level, strict, terms_.size(), scores.shape(1));
    if (scale.size()) same_length(scale.size(), terms_.size(), "a scale a term, or none");
    for (auto size : {scores.shape(0), known.size()}) same_length(size, missing.size(), "texts and scores differ");
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_size(threads, data.size()), Interrupts());
    hedgerow::add_known_scores(text, terms_, how, evidence, span(scores), span(known), crew);
  }

 private:
  hedgerow::Lexicon terms_;
};

// Terms that are counted; their rows are put together once it is known what they weigh.
class CountedTerms {
 public:
  CountedTerms(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
               std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, std::size_t threads)
      : n_rows_(missing.size()), n_bytes_(data.size()) {
    const auto text = text_of(data, offsets, missing);
    const auto tokens = tokens_of(unit, low, high, min_length, lower, stop, stop_offsets);
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool crew(crew_size(threads, n_bytes_), Interrupts());
    terms_ = hedgerow::count_into_chunks(text, tokens, {.rows = true, .sums = true}, crew);
    n_terms_ = terms_.n_terms();
  }

  // The terms, in how many rows each is, and how often. They are handed over, and so are the rows: once.
  nb::tuple sums() {
    if (summed_) throw nb::value_error("the terms were handed over");
    summed_ = true;
    return nb::make_tuple(words_of(std::move(terms_.vocabulary)), array(std::move(terms_.rows)),
                          array(std::move(terms_.totals)));
  }

  nb::tuple weigh(int tf, In<double> scale, int norm, std::size_t threads) {
    const auto how = weighing_of(tf, span(scale), norm);
    if (scale.size()) same_length(scale.size(), n_terms_, "a scale a term, or none");
    if (weighed_) throw nb::value_error("the rows were handed over");
    weighed_ = true;
    hedgerow::WeightedRows out;
    {
      nb::gil_scoped_release unlocked;
      hedgerow::ThreadPool crew(crew_size(threads, n_bytes_), Interrupts());
      out = hedgerow::assemble_weighted_rows(terms_.chunks, n_rows_, n_terms_, terms_.ranks, how, crew);
      terms_ = {};
    }
    return nb::make_tuple(array(std::move(out.starts)), array(std::move(out.ids)), array(std::move(out.values)));
  }

 private:
  hedgerow::CountedChunks terms_;
  std::size_t n_rows_, n_bytes_, n_terms_ = 0;
  bool summed_ = false, weighed_ = false;
};

}  // namespace

void init_words(nb::module_& m) {
  nb::class_<Lexicon>(m, "Lexicon")
      .def(nb::init<Bytes, Offsets, int, std::size_t, std::size_t, std::size_t, bool, Bytes, Offsets>(),
           "known"_a.noconvert(), "known_offsets"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a,
           "stop"_a.noconvert(), "stop_offsets"_a.noconvert())
      .def("count", &Lexicon::count, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
           "threads"_a)
      .def("add_scores", &Lexicon::add_scores, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
           "tf"_a, "scale"_a.noconvert(), "norm"_a, "term_starts"_a.noconvert(), "classes"_a.noconvert(),
           "more"_a.noconvert(), "height"_a.noconvert(), "slope"_a.noconvert(), "level"_a.noconvert(),
           "strict"_a.noconvert(), "scores"_a.noconvert(), "known"_a.noconvert(), "threads"_a);
  nb::class_<CountedTerms>(m, "CountedTerms")
      .def(nb::init<Bytes, Offsets, In<bool>, int, std::size_t, std::size_t, std::size_t, bool, Bytes, Offsets,
                    std::size_t>(),
           "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a, "low"_a, "high"_a,
           "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a)
      .def("sums", &CountedTerms::sums)
      .def("weigh", &CountedTerms::weigh, "tf"_a, "scale"_a.noconvert(), "norm"_a, "threads"_a);
  m.def("count_terms", count_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a);
  m.def("sum_terms", sum_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a);
  m.def("hash_terms", hash_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "bits"_a,
        "is_signed"_a, "tf"_a, "norm"_a, "threads"_a);
  m.def("count_known_terms", count_known, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "known"_a.noconvert(), "known_offsets"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a,
        "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a);
  m.def("split_words", split_words, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert());
  m.def("find_places", find_places, "text"_a.noconvert(), "known"_a.noconvert(), "known_offsets"_a.noconvert(),
        "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(),
        "every"_a);
  m.def("merge_words", merge_words, "first"_a.noconvert(), "first_offsets"_a.noconvert(), "second"_a.noconvert(),
        "second_offsets"_a.noconvert());
  m.def("hash_words", hash_words, "data"_a.noconvert(), "offsets"_a.noconvert());
  m.def("weigh_counts", weigh_counts, "starts"_a.noconvert(), "ids"_a.noconvert(), "counts"_a.noconvert(), "tf"_a,
        "scale"_a.noconvert(), "norm"_a, "threads"_a);
  m.def("sum_rows", sum_rows, "ids"_a.noconvert(), "counts"_a.noconvert(), "n_terms"_a);
  m.def("sum_weighted_rows", sum_weighted_rows, "starts"_a.noconvert(), "ids"_a.noconvert(), "counts"_a.noconvert(),
        "weights"_a.noconvert(), "n_terms"_a);
  m.def("weigh_rows", weigh_rows, "starts"_a.noconvert(), "ids"_a.noconvert(), "scale"_a.noconvert(), "norm"_a,
        "values"_a.noconvert(), "threads"_a);
  m.def("unicode_version", [] { return nb::str(hedgerow::unicode_version()); });
}

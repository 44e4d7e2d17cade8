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

hedgerow::TextRows make_text_rows(const Bytes& data, const Offsets& offsets, const In<bool>& missing) {
  check_offsets(as_span(offsets), data.size());
  check_same_length(offsets.size(), missing.size() + 1, "offsets and missing differ in length");
  return {{as_span(data), as_span(offsets)}, as_span(missing)};
}

hedgerow::ByteRowsView make_words(const Bytes& data, const Offsets& offsets) {
  check_offsets(as_span(offsets), data.size());
  return {as_span(data), as_span(offsets)};
}

hedgerow::TokenOptions make_token_options(int unit, std::size_t low, std::size_t high, std::size_t min_length,
                                          bool lower, const Bytes& stop, const Offsets& stop_offsets) {
  if (unit < 0 || unit > 2 || low < 1 || high < low || high > 255)
    throw nb::value_error("no such unit, or runs of an impossible size");
  return {static_cast<hedgerow::TermUnit>(unit), low, high, min_length, lower, make_words(stop, stop_offsets)};
}

// No more threads than there are a few hundred thousand bytes for each.
std::size_t limit_threads(std::size_t threads, std::size_t bytes) {
  return std::min(threads, std::max<std::size_t>(1, bytes >> 18));
}

nb::tuple rows_to_tuple(hedgerow::TermRows&& rows) {
  return nb::make_tuple(to_numpy(std::move(rows.starts)), to_numpy(std::move(rows.ids)),
                        to_numpy(std::move(rows.counts)));
}

nb::tuple words_to_tuple(hedgerow::ByteRows&& words) {
  return nb::make_tuple(to_numpy(std::move(words.data)), to_numpy(std::move(words.offsets)));
}

nb::tuple count_terms(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                      std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, std::size_t threads) {
  const auto text = make_text_rows(data, offsets, missing);
  const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermCounts terms;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, data.size()), Interrupts());
    terms = hedgerow::count_terms(text, tokens, pool);
  }
  return nb::make_tuple(words_to_tuple(std::move(terms.vocabulary)), rows_to_tuple(std::move(terms.rows)));
}

nb::tuple sums_to_tuple(hedgerow::TermSums&& sums) {
  return nb::make_tuple(words_to_tuple(std::move(sums.vocabulary)), to_numpy(std::move(sums.rows)),
                        to_numpy(std::move(sums.totals)));
}

nb::tuple count_term_sums(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                          std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, std::size_t threads) {
  const auto text = make_text_rows(data, offsets, missing);
  const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermSums sums;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, data.size()), Interrupts());
    sums = hedgerow::count_term_sums(text, tokens, pool);
  }
  return sums_to_tuple(std::move(sums));
}

hedgerow::Tf to_tf(int tf) {
  if (tf < 0 || tf > 4) throw nb::value_error("no such frequency");
  return static_cast<hedgerow::Tf>(tf);
}

hedgerow::TermWeighting make_weighting(int tf, std::span<const double> scale, int norm) {
  if (norm < 0 || norm > 2) throw nb::value_error("no such norm");
  return {to_tf(tf), scale, static_cast<hedgerow::Norm>(norm)};
}

nb::tuple count_hashed_terms(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                             std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets, int bits,
                             bool is_signed, int tf, int norm, std::size_t threads) {
  const auto text = make_text_rows(data, offsets, missing);
  const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
  if (bits < 1 || bits > 30) throw nb::value_error("bits out of range");
  const auto options = make_weighting(tf, {}, norm);
  hedgerow::HashedTerms out;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, data.size()), Interrupts());
    out = hedgerow::count_hashed_terms(text, tokens, bits, is_signed, options.tf, options.norm, pool);
  }
  auto& [starts, ids, values] = out.rows;
  return nb::make_tuple(
      nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(ids)), to_numpy(std::move(values))),
      to_numpy(std::move(out.n_rows)), sums_to_tuple(std::move(out.terms)));
}

nb::tuple count_known_terms(Bytes data, Offsets offsets, In<bool> missing, Bytes known, Offsets known_offsets, int unit,
                            std::size_t low, std::size_t high, std::size_t min_length, bool lower, Bytes stop,
                            Offsets stop_offsets, std::size_t threads) {
  const auto text = make_text_rows(data, offsets, missing);
  const auto terms = make_words(known, known_offsets);
  const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermRows rows;
  {
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, data.size()), Interrupts());
    rows = hedgerow::count_known_terms(text, hedgerow::Lexicon(terms, tokens), pool);
  }
  return rows_to_tuple(std::move(rows));
}

nb::tuple split_words(Bytes data, Offsets offsets, In<bool> missing, int unit, std::size_t low, std::size_t high,
                      std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets) {
  const auto text = make_text_rows(data, offsets, missing);
  const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::WordLists split;
  {
    nb::gil_scoped_release unlocked;
    split = hedgerow::split_words(text, tokens);
  }
  return nb::make_tuple(words_to_tuple(std::move(split.words)), to_numpy(std::move(split.starts)));
}

nb::tuple find_term_positions(Bytes text, Bytes known, Offsets known_offsets, int unit, std::size_t low,
                              std::size_t high, std::size_t min_length, bool lower, Bytes stop, Offsets stop_offsets,
                              bool include_unknown) {
  const auto terms = make_words(known, known_offsets);
  const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
  hedgerow::TermPositions positions;
  {
    nb::gil_scoped_release unlocked;
    positions = hedgerow::find_term_positions(as_span(text), terms, tokens, include_unknown);
  }
  return nb::make_tuple(to_numpy(std::move(positions.terms)), to_numpy(std::move(positions.begins)),
                        to_numpy(std::move(positions.ends)));
}

nb::tuple merge_words(Bytes first, Offsets first_offsets, Bytes second, Offsets second_offsets) {
  const auto one = make_words(first, first_offsets), other = make_words(second, second_offsets);
  hedgerow::MergedWords merged;
  {
    nb::gil_scoped_release unlocked;
    merged = hedgerow::merge_words(one, other);
  }
  return nb::make_tuple(words_to_tuple(std::move(merged.words)), to_numpy(std::move(merged.first)),
                        to_numpy(std::move(merged.second)));
}

Array<std::int32_t> hash_words(Bytes data, Offsets offsets) {
  const auto words = make_words(data, offsets);
  std::vector<std::int32_t> hashes;
  {
    nb::gil_scoped_release unlocked;
    hashes = hedgerow::hash_words(words);
  }
  return to_numpy(std::move(hashes));
}

void check_scale(std::span<const double> scale, std::span<const std::int32_t> ids) {
  if (!scale.empty()) check_below(ids, scale.size(), "an id without a scale");
}

Array<double> weigh_counts(Offsets starts, In<std::int32_t> ids, In<std::int32_t> counts, int tf, In<double> scale,
                           int norm, std::size_t threads) {
  check_offsets(as_span(starts), ids.size());
  check_same_length(ids.size(), counts.size(), "ids and counts differ in length");
  const auto options = make_weighting(tf, as_span(scale), norm);
  hedgerow::UninitializedVector<double> values;
  {
    nb::gil_scoped_release unlocked;
    check_scale(as_span(scale), as_span(ids));
    hedgerow::ThreadPool pool(limit_threads(threads, ids.size()), Interrupts());
    values = hedgerow::weigh_counts(as_span(starts), as_span(ids), as_span(counts), options, pool);
  }
  return to_numpy(std::move(values));
}

nb::tuple sum_rows(In<std::int32_t> ids, In<std::int32_t> counts, std::size_t n_terms) {
  check_same_length(ids.size(), counts.size(), "ids and counts differ in length");
  check_below(as_span(ids), n_terms, "no such term");
  std::vector<std::int64_t> rows(n_terms), totals(n_terms);
  {
    nb::gil_scoped_release unlocked;
    hedgerow::sum_rows(as_span(ids), as_span(counts), rows, totals);
  }
  return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(totals)));
}

nb::tuple sum_weighted_rows(Offsets starts, In<std::int32_t> ids, In<std::int32_t> counts, In<double> weights,
                            std::size_t n_terms) {
  check_offsets(as_span(starts), ids.size());
  check_same_length(ids.size(), counts.size(), "ids and counts differ in length");
  check_same_length(starts.size(), weights.size() + 1, "rows and weights differ in length");
  check_below(as_span(ids), n_terms, "no such term");
  std::vector<double> rows(n_terms), totals(n_terms);
  {
    nb::gil_scoped_release unlocked;
    hedgerow::sum_rows(as_span(starts), as_span(ids), as_span(counts), as_span(weights), rows, totals);
  }
  return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(totals)));
}

void weigh_rows(Offsets starts, In<std::int32_t> ids, In<double> scale, int norm, InOut<double> values,
                std::size_t threads) {
  check_offsets(as_span(starts), ids.size());
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  if (norm < 0 || norm > 2) throw nb::value_error("no such norm");
  check_scale(as_span(scale), as_span(ids));
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool pool(limit_threads(threads, ids.size()), Interrupts());
  hedgerow::weigh_rows(as_span(starts), as_span(ids), as_span(scale), static_cast<hedgerow::Norm>(norm),
                       as_span(values), pool);
}

// Known terms that are looked up again and again.
class BoundLexicon {
 public:
  BoundLexicon(Bytes known, Offsets known_offsets, int unit, std::size_t low, std::size_t high, std::size_t min_length,
               bool lower, Bytes stop, Offsets stop_offsets)
      : terms_(make_words(known, known_offsets),
               make_token_options(unit, low, high, min_length, lower, stop, stop_offsets)) {}

  nb::tuple count(Bytes data, Offsets offsets, In<bool> missing, std::size_t threads) const {
    const auto text = make_text_rows(data, offsets, missing);
    hedgerow::TermRows rows;
    {
      nb::gil_scoped_release unlocked;
      hedgerow::ThreadPool pool(limit_threads(threads, data.size()), Interrupts());
      rows = hedgerow::count_known_terms(text, terms_, pool);
    }
    return rows_to_tuple(std::move(rows));
  }

  void add_scores(Bytes data, Offsets offsets, In<bool> missing, int tf, In<double> scale, int norm,
                  Offsets term_starts, In<std::int32_t> classes, In<double> more, In<double> height, In<double> slope,
                  In<double> level, In<bool> strict, InOut2<double> scores, InOut<bool> known,
                  std::size_t threads) const {
    const auto text = make_text_rows(data, offsets, missing);
    const auto options = make_weighting(tf, as_span(scale), norm);
    const auto evidence =
        make_evidence(term_starts, classes, more, height, slope, level, strict, terms_.size(), scores.shape(1));
    if (scale.size()) check_same_length(scale.size(), terms_.size(), "a scale a term, or none");
    for (auto size : {scores.shape(0), known.size()})
      check_same_length(size, missing.size(), "texts and scores differ");
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, data.size()), Interrupts());
    hedgerow::add_known_scores(text, terms_, options, evidence, as_span(scores), as_span(known), pool);
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
    const auto text = make_text_rows(data, offsets, missing);
    const auto tokens = make_token_options(unit, low, high, min_length, lower, stop, stop_offsets);
    nb::gil_scoped_release unlocked;
    hedgerow::ThreadPool pool(limit_threads(threads, n_bytes_), Interrupts());
    terms_ = hedgerow::count_into_chunks(text, tokens, {.rows = true, .sums = true}, pool);
    n_terms_ = terms_.n_terms();
  }

  // The terms, in how many rows each is, and how often. They are handed over, and so are the rows: once.
  nb::tuple sums() {
    if (summed_) throw nb::value_error("the terms were handed over");
    summed_ = true;
    return nb::make_tuple(words_to_tuple(std::move(terms_.vocabulary)), to_numpy(std::move(terms_.rows)),
                          to_numpy(std::move(terms_.totals)));
  }

  nb::tuple weigh(int tf, In<double> scale, int norm, std::size_t threads) {
    const auto options = make_weighting(tf, as_span(scale), norm);
    if (scale.size()) check_same_length(scale.size(), n_terms_, "a scale a term, or none");
    if (weighed_) throw nb::value_error("the rows were handed over");
    weighed_ = true;
    hedgerow::WeightedRows out;
    {
      nb::gil_scoped_release unlocked;
      hedgerow::ThreadPool pool(limit_threads(threads, n_bytes_), Interrupts());
      out = hedgerow::assemble_weighted_rows(terms_.chunks, n_rows_, n_terms_, terms_.ranks, options, pool);
      terms_ = {};
    }
    return nb::make_tuple(to_numpy(std::move(out.starts)), to_numpy(std::move(out.ids)),
                          to_numpy(std::move(out.values)));
  }

 private:
  hedgerow::CountedChunks terms_;
  std::size_t n_rows_, n_bytes_, n_terms_ = 0;
  bool summed_ = false, weighed_ = false;
};

}  // namespace

void init_words(nb::module_& m) {
  nb::class_<BoundLexicon>(m, "Lexicon")
      .def(nb::init<Bytes, Offsets, int, std::size_t, std::size_t, std::size_t, bool, Bytes, Offsets>(),
           "known"_a.noconvert(), "known_offsets"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a,
           "stop"_a.noconvert(), "stop_offsets"_a.noconvert())
      .def("count", &BoundLexicon::count, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
           "threads"_a)
      .def("add_scores", &BoundLexicon::add_scores, "data"_a.noconvert(), "offsets"_a.noconvert(),
           "missing"_a.noconvert(), "tf"_a, "scale"_a.noconvert(), "norm"_a, "term_starts"_a.noconvert(),
           "classes"_a.noconvert(), "more"_a.noconvert(), "height"_a.noconvert(), "slope"_a.noconvert(),
           "level"_a.noconvert(), "strict"_a.noconvert(), "scores"_a.noconvert(), "known"_a.noconvert(), "threads"_a);
  nb::class_<CountedTerms>(m, "CountedTerms")
      .def(nb::init<Bytes, Offsets, In<bool>, int, std::size_t, std::size_t, std::size_t, bool, Bytes, Offsets,
                    std::size_t>(),
           "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a, "low"_a, "high"_a,
           "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a)
      .def("sums", &CountedTerms::sums)
      .def("weigh", &CountedTerms::weigh, "tf"_a, "scale"_a.noconvert(), "norm"_a, "threads"_a);
  m.def("count_terms", count_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a);
  m.def("count_term_sums", count_term_sums, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert(),
        "threads"_a);
  m.def("count_hashed_terms", count_hashed_terms, "data"_a.noconvert(), "offsets"_a.noconvert(),
        "missing"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(),
        "stop_offsets"_a.noconvert(), "bits"_a, "is_signed"_a, "tf"_a, "norm"_a, "threads"_a);
  m.def("count_known_terms", count_known_terms, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(),
        "known"_a.noconvert(), "known_offsets"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a,
        "stop"_a.noconvert(), "stop_offsets"_a.noconvert(), "threads"_a);
  m.def("split_words", split_words, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert(), "unit"_a,
        "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(), "stop_offsets"_a.noconvert());
  m.def("find_term_positions", find_term_positions, "text"_a.noconvert(), "known"_a.noconvert(),
        "known_offsets"_a.noconvert(), "unit"_a, "low"_a, "high"_a, "min_length"_a, "lower"_a, "stop"_a.noconvert(),
        "stop_offsets"_a.noconvert(), "include_unknown"_a);
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

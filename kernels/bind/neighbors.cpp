#include "neighbors.hpp"

#include <algorithm>
#include <tuple>

#include "bind.hpp"
#include "interrupts.hpp"

using namespace bind;

namespace {

using Starts = In<std::int64_t>;
using Ids = In<std::int32_t>;
using Values = In<double>;

hedgerow::SparseRows sparse(const Starts& starts, const Ids& ids, const Values& values, std::size_t n_terms) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), values.size(), "ids and values differ in length");
  check_below(span(ids), n_terms, "an id is not below the number of terms");
  return {span(starts), span(ids), span(values)};
}

hedgerow::Measured measured(const hedgerow::SparseRows& texts, const In2<double>& numbers,
                            const In2<std::int32_t>& codes) {
  same_length(numbers.shape(1), texts.size(), "numbers and texts differ in rows");
  same_length(codes.shape(1), texts.size(), "codes and texts differ in rows");
  return {texts, span(numbers), span(codes)};
}

// What is known of the rows that neighbors are sought among: vectors by row; the same by term, as `postings_of` gives
// them, with their norms by level and row; numbers and codes by column; the number of text columns.
using RowArrays = std::tuple<Starts, Ids, Values, Starts, Ids, Values, In<float>, In2<float>, In2<double>,
                             In2<std::int32_t>, std::size_t>;
// Of the queries: vectors by row, numbers and codes by column.
using QueryArrays = std::tuple<Starts, Ids, Values, In2<double>, In2<std::int32_t>>;

// Every term must have a level with norms.
void check_levels(std::span<const std::int64_t> starts, std::size_t levels) {
  for (std::size_t term = 0; term + 1 < starts.size(); ++term)
    if (static_cast<std::size_t>(starts[term + 1] - starts[term]) >> levels)
      throw nb::value_error("a term is of a level without norms");
}

hedgerow::Corpus corpus_of(const RowArrays& given) {
  const auto& [starts, ids, values, term_starts, term_rows, term_values, rough, norms, numbers, codes, n_texts] = given;
  if (term_starts.size() == 0) throw nb::value_error("there are no starts of terms");
  hedgerow::Corpus corpus;
  corpus.n_terms = term_starts.size() - 1;
  corpus.rows = measured(sparse(starts, ids, values, corpus.n_terms), numbers, codes);
  const auto n_rows = corpus.rows.size();
  if (n_rows > 0x7fffffff) throw nb::value_error("there are too many rows");
  sparse(term_starts, term_rows, term_values, n_rows);
  same_length(rough.size(), term_values.size(), "the weights of terms differ in length");
  same_length(norms.shape(1), n_rows, "norms and texts differ in rows");
  check_levels(span(term_starts), norms.shape(0));
  corpus.postings = {span(term_starts), span(term_rows), span(term_values), span(rough), span(norms), norms.shape(0)};
  corpus.n_texts = n_texts;
  corpus.n_numbers = numbers.shape(0);
  corpus.n_codes = codes.shape(0);
  return corpus;
}

hedgerow::Measured queries_of(const QueryArrays& given, const hedgerow::Corpus& corpus) {
  const auto& [starts, ids, values, numbers, codes] = given;
  same_length(numbers.shape(0), corpus.n_numbers, "queries and rows differ in numeric columns");
  same_length(codes.shape(0), corpus.n_codes, "queries and rows differ in nominal columns");
  return measured(sparse(starts, ids, values, corpus.n_terms), numbers, codes);
}

nb::tuple postings_of(Starts starts, Ids ids, Values values, std::size_t n_terms) {
  const auto rows = sparse(starts, ids, values, n_terms);
  hedgerow::OwnedPostings out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::postings_of(rows, n_terms);
  }
  return nb::make_tuple(array(std::move(out.starts)), array(std::move(out.rows)), array(std::move(out.values)),
                        array(std::move(out.rough)), array(std::move(out.norms)));
}

// No more threads than there are queries for.
std::size_t crew_size(std::size_t threads, std::size_t queries) {
  return std::min(threads, std::max<std::size_t>(1, queries / 16));
}

void nearest_rows(const RowArrays& rows, const QueryArrays& asked, InOut2<std::int32_t> found, InOut2<double> scores,
                  std::size_t threads) {
  const auto corpus = corpus_of(rows);
  const auto queries = queries_of(asked, corpus);
  same_length(found.shape(0), queries.size(), "found and queries differ in length");
  same_length(scores.shape(0), queries.size(), "scores and queries differ in length");
  same_length(scores.shape(1), found.shape(1), "scores and found differ in width");
  if (found.shape(1) > corpus.rows.size()) throw nb::value_error("there are not so many rows");
  if (!found.size()) return;
  nb::gil_scoped_release unlocked;
  hedgerow::Crew crew(crew_size(threads, queries.size()), Interrupts());
  hedgerow::nearest_rows(corpus, queries, span(found), span(scores), crew);
}

void vote_rows(const RowArrays& rows, const QueryArrays& asked, Values weights, Ids classes, double k, int closeness,
               InOut2<double> votes, InOut2<double> far, std::size_t threads) {
  const auto corpus = corpus_of(rows);
  const auto queries = queries_of(asked, corpus);
  const auto n_rows = corpus.rows.size(), n_classes = votes.shape(1);
  if (weights.size()) same_length(weights.size(), n_rows, "weights and rows differ in length");
  for (const auto weight : span(weights))
    if (!(weight > 0)) throw nb::value_error("a weight is not positive");
  same_length(classes.size(), n_rows, "classes and rows differ in length");
  check_below(span(classes), n_classes, "a class is not below the number of classes");
  for (const auto& made : {votes, far}) {
    same_length(made.shape(0), queries.size(), "votes and queries differ in length");
    same_length(made.shape(1), n_classes, "votes and distances differ in classes");
  }
  if (!(k > 0)) throw nb::value_error("k is not positive");
  if (closeness < 0 || closeness > 2) throw nb::value_error("no such closeness");
  nb::gil_scoped_release unlocked;
  hedgerow::Crew crew(crew_size(threads, queries.size()), Interrupts());
  const hedgerow::Voters voters{span(weights), span(classes), n_classes, k,
                                static_cast<hedgerow::Closeness>(closeness)};
  hedgerow::vote(corpus, voters, queries, span(votes), span(far), crew);
}

}  // namespace

void init_neighbors(nb::module_& m) {
  m.def("postings_of", postings_of, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "n_terms"_a);
  m.def("nearest_rows", nearest_rows, "rows"_a.noconvert(), "asked"_a.noconvert(), "found"_a.noconvert(),
        "scores"_a.noconvert(), "threads"_a);
  m.def("vote_rows", vote_rows, "rows"_a.noconvert(), "asked"_a.noconvert(), "weights"_a.noconvert(),
        "classes"_a.noconvert(), "k"_a, "closeness"_a, "votes"_a.noconvert(), "far"_a.noconvert(), "threads"_a);
}

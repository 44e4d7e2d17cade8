// Python bindings of neighbors/nearest_neighbors.hpp.
#include "neighbors/nearest_neighbors.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "bind/neighbors/tree_arrays.hpp"

using namespace bind;

namespace {

using Starts = In<std::int64_t>;
using Ids = In<std::int32_t>;
using Values = In<double>;

constexpr std::size_t few_queries = 16;  // for which no thread is started

hedgerow::SparseVectors sparse(const Starts& starts, const Ids& ids, const Values& values, std::size_t n_terms) {
  check_offsets(span(starts), ids.size());
  same_length(ids.size(), values.size(), "ids and values differ in length");
  check_below(span(ids), n_terms, "an id is not below the number of terms");
  return {span(starts), span(ids), span(values)};
}

hedgerow::NeighborRows measured(const hedgerow::SparseVectors& texts, const MixedArrays& others) {
  const auto rows = mixed_rows_of(others);
  same_length(rows.size, texts.size(), "numbers and texts differ in rows");
  return {texts, rows};
}

// What is known of the rows that neighbors are sought among: vectors by row; the same by term, as `postings_of` gives
// them, with their norms by level and row; what all texts weigh; numbers and codes by column; how these are compared; a
// search tree of rows without texts, or none; numbers and codes by row, for products, or none.
using RowArrays = std::tuple<Starts, Ids, Values, Starts, Ids, Values, In<float>, In2<float>, double, MixedArrays,
                             DistanceArrays, std::optional<TreeArrays>, std::optional<MixedArrays>>;
// Of the queries: vectors by row, numbers and codes by column.
using QueryArrays = std::tuple<Starts, Ids, Values, MixedArrays>;
// Weights, numbers of neighbors, rows left out by query, what votes count; whether a distance is a root, what it is
// divided by, and the widest.
using VoterArrays = std::tuple<Values, Values, Ids, int, bool, double, double>;

// Every term must have a level with norms.
void check_levels(std::span<const std::int64_t> starts, std::size_t levels) {
  for (std::size_t term = 0; term + 1 < starts.size(); ++term)
    if (static_cast<std::size_t>(starts[term + 1] - starts[term]) >> levels)
      throw nb::value_error("a term is of a level without norms");
}

// The rows, together with the tree they point to.
struct GivenCorpus {
  explicit GivenCorpus(const RowArrays& given) {
    const auto& [starts, ids, values, term_starts, term_rows, term_values, rough, norms, texts, others, apart,
                 tree_arrays, by_row] = given;
    if (term_starts.size() == 0) throw nb::value_error("there are no starts of terms");
    corpus.n_terms = term_starts.size() - 1;
    corpus.rows = measured(sparse(starts, ids, values, corpus.n_terms), others);
    const auto& mixed = corpus.rows.others;
    sparse(term_starts, term_rows, term_values, mixed.size);
    same_length(rough.size(), term_values.size(), "the weights of terms differ in length");
    same_length(norms.shape(1), mixed.size, "norms and texts differ in rows");
    check_levels(span(term_starts), norms.shape(0));
    corpus.postings = {span(term_starts), span(term_rows), span(term_values), span(rough), span(norms), norms.shape(0)};
    if (!(texts >= 0 && std::isfinite(texts))) throw nb::value_error("what texts weigh is negative or not finite");
    corpus.texts = texts;
    corpus.distance = mixed_distance_of(apart, mixed.n_numbers, mixed.n_codes);
    if ((tree_arrays || by_row) && texts > 0) throw nb::value_error("rows with texts have no tree and no products");
    if (tree_arrays) {
      tree = tree_of(*tree_arrays);
      check_same_columns(mixed, tree.shape.numbers, tree.shape.codes);
      same_length(tree.shape.rows, mixed.size, "tree and rows differ in length");
      corpus.tree = &tree;
    }
    if (by_row) {
      const auto& [numbers, codes] = *by_row;
      same_length(numbers.size(), mixed.numbers.size(), "numbers by row and by column differ in length");
      same_length(codes.size(), mixed.codes.size(), "codes by row and by column differ in length");
      corpus.row_major = {span(numbers), span(codes)};
    }
  }
  GivenCorpus(const GivenCorpus&) = delete;

  hedgerow::SearchTree tree;
  hedgerow::NeighborCorpus corpus;
};

hedgerow::NeighborRows queries_of(const QueryArrays& given, const hedgerow::NeighborCorpus& corpus) {
  const auto& [starts, ids, values, others] = given;
  const auto made = measured(sparse(starts, ids, values, corpus.n_terms), others);
  check_same_columns(made.others, corpus.rows.others.n_numbers, corpus.rows.others.n_codes);
  return made;
}

hedgerow::VoteOptions voters_of(const VoterArrays& given, const hedgerow::NeighborCorpus& corpus,
                                std::size_t n_queries) {
  const auto& [weights, ks, left_out, closeness, root, parts, widest] = given;
  const auto n_rows = corpus.rows.size();
  if (weights.size()) same_length(weights.size(), n_rows, "weights and rows differ in length");
  for (const auto weight : span(weights))
    if (!(weight > 0)) throw nb::value_error("a weight is not positive");
  if (!ks.size()) throw nb::value_error("there is no number of neighbors");
  for (std::size_t i = 0; i < ks.size(); ++i)
    if (!(span(ks)[i] > (i ? span(ks)[i - 1] : 0.0)))
      throw nb::value_error("numbers of neighbors must be positive and ascend");
  if (left_out.size()) same_length(left_out.size(), n_queries, "rows left out and queries differ in length");
  if (closeness < 0 || closeness > 2) throw nb::value_error("no such closeness");
  if (!(parts > 0) || !(widest >= 0)) throw nb::value_error("a distance is not above 0");
  return {span(weights),
          span(ks),
          span(left_out),
          static_cast<hedgerow::VoteWeighting>(closeness),
          {corpus.texts_only(), root, corpus.texts, parts, widest}};
}

nb::tuple postings_of(Starts starts, Ids ids, Values values, std::size_t n_terms) {
  const auto rows = sparse(starts, ids, values, n_terms);
  hedgerow::OwnedPostings out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::build_postings(rows, n_terms);
  }
  return nb::make_tuple(array(std::move(out.starts)), array(std::move(out.rows)), array(std::move(out.values)),
                        array(std::move(out.rough)), array(std::move(out.norms)));
}

void nearest_rows(const RowArrays& rows, const QueryArrays& asked, InOut2<std::int32_t> found, InOut2<double> scores,
                  std::size_t threads) {
  const GivenCorpus given(rows);
  const auto& corpus = given.corpus;
  const auto queries = queries_of(asked, corpus);
  same_length(found.shape(0), queries.size(), "found and queries differ in length");
  same_length(scores.shape(0), queries.size(), "scores and queries differ in length");
  same_length(scores.shape(1), found.shape(1), "scores and found differ in width");
  if (found.shape(1) > corpus.rows.size()) throw nb::value_error("there are not so many rows");
  if (!found.size()) return;
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool crew(crew_of(threads, queries.size(), few_queries), Interrupts());
  hedgerow::find_nearest_rows(corpus, queries, span(found), span(scores), crew);
}

void vote_rows(const RowArrays& rows, const QueryArrays& asked, const VoterArrays& who, Ids classes,
               std::size_t n_classes, InOut<double> votes, InOut<double> far, std::size_t threads) {
  const GivenCorpus given(rows);
  const auto queries = queries_of(asked, given.corpus);
  const auto voters = voters_of(who, given.corpus, queries.size());
  same_length(classes.size(), given.corpus.rows.size(), "classes and rows differ in length");
  check_below(span(classes), n_classes, "a class is not below the number of classes");
  for (const auto& made : {votes, far})
    same_length(made.size(), queries.size() * voters.ks.size() * n_classes, "votes and queries differ in length");
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool crew(crew_of(threads, queries.size(), few_queries), Interrupts());
  hedgerow::sum_votes(given.corpus, voters, span(classes), n_classes, queries, span(votes), span(far), crew);
}

void average_rows(const RowArrays& rows, const QueryArrays& asked, const VoterArrays& who, Values targets,
                  InOut<double> means, std::size_t threads) {
  const GivenCorpus given(rows);
  const auto queries = queries_of(asked, given.corpus);
  const auto voters = voters_of(who, given.corpus, queries.size());
  same_length(targets.size(), given.corpus.rows.size(), "targets and rows differ in length");
  same_length(means.size(), queries.size() * voters.ks.size(), "means and queries differ in length");
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool crew(crew_of(threads, queries.size(), few_queries), Interrupts());
  hedgerow::average_targets(given.corpus, voters, span(targets), queries, span(means), crew);
}

}  // namespace

void init_neighbors(nb::module_& m) {
  m.def("postings_of", postings_of, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(), "n_terms"_a);
  m.def("nearest_rows", nearest_rows, "rows"_a.noconvert(), "asked"_a.noconvert(), "found"_a.noconvert(),
        "scores"_a.noconvert(), "threads"_a);
  m.def("vote_rows", vote_rows, "rows"_a.noconvert(), "asked"_a.noconvert(), "voters"_a.noconvert(),
        "classes"_a.noconvert(), "n_classes"_a, "votes"_a.noconvert(), "far"_a.noconvert(), "threads"_a);
  m.def("average_rows", average_rows, "rows"_a.noconvert(), "asked"_a.noconvert(), "voters"_a.noconvert(),
        "targets"_a.noconvert(), "means"_a.noconvert(), "threads"_a);
}

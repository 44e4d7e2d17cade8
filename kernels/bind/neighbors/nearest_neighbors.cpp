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

constexpr std::size_t kFewQueries = 16;  // for which no thread is started

hedgerow::SparseVectors make_sparse_vectors(const Starts& starts, const Ids& ids, const Values& values,
                                            std::size_t n_terms) {
  check_offsets(as_span(starts), ids.size());
  check_same_length(ids.size(), values.size(), "ids and values differ in length");
  check_below(as_span(ids), n_terms, "an id is not below the number of terms");
  return {as_span(starts), as_span(ids), as_span(values)};
}

hedgerow::NeighborRows make_neighbor_rows(const hedgerow::SparseVectors& texts, const MixedArrays& others) {
  const auto rows = make_mixed_rows(others);
  check_same_length(rows.size, texts.size(), "numbers and texts differ in rows");
  return {texts, rows};
}

// What is known of the rows that neighbors are searched among: vectors by row; the same by term, as `build_postings`
// gives them, with their norms by level and row; what all texts weigh; numbers and codes by column; how these are
// compared; a search tree of rows without texts, or none; numbers and codes by row, for products, or none.
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
struct CheckedCorpus {
  explicit CheckedCorpus(const RowArrays& given) {
    const auto& [starts, ids, values, term_starts, term_rows, term_values, rough, norms, texts, others, distance_arrays,
                 tree_arrays, by_row] = given;
    if (term_starts.size() == 0) throw nb::value_error("there are no starts of terms");
    corpus.n_terms = term_starts.size() - 1;
    corpus.rows = make_neighbor_rows(make_sparse_vectors(starts, ids, values, corpus.n_terms), others);
    const auto& mixed = corpus.rows.others;
    make_sparse_vectors(term_starts, term_rows, term_values, mixed.size);
    check_same_length(rough.size(), term_values.size(), "the weights of terms differ in length");
    check_same_length(norms.shape(1), mixed.size, "norms and texts differ in rows");
    check_levels(as_span(term_starts), norms.shape(0));
    corpus.postings = {as_span(term_starts), as_span(term_rows), as_span(term_values),
                       as_span(rough),       as_span(norms),     norms.shape(0)};
    if (!(texts >= 0 && std::isfinite(texts))) throw nb::value_error("what texts weigh is negative or not finite");
    corpus.texts = texts;
    corpus.distance = make_mixed_distance(distance_arrays, mixed.n_numbers, mixed.n_codes);
    if ((tree_arrays || by_row) && texts > 0) throw nb::value_error("rows with texts have no tree and no products");
    if (tree_arrays) {
      tree = make_search_tree(*tree_arrays);
      check_same_columns(mixed, tree.shape.numbers, tree.shape.codes);
      check_same_length(tree.shape.rows, mixed.size, "tree and rows differ in length");
      corpus.tree = &tree;
    }
    if (by_row) {
      const auto& [numbers, codes] = *by_row;
      check_same_length(numbers.size(), mixed.numbers.size(), "numbers by row and by column differ in length");
      check_same_length(codes.size(), mixed.codes.size(), "codes by row and by column differ in length");
      corpus.row_major = {as_span(numbers), as_span(codes)};
    }
  }
  CheckedCorpus(const CheckedCorpus&) = delete;

  hedgerow::SearchTree tree;
  hedgerow::NeighborCorpus corpus;
};

hedgerow::NeighborRows make_queries(const QueryArrays& given, const hedgerow::NeighborCorpus& corpus) {
  const auto& [starts, ids, values, others] = given;
  const auto made = make_neighbor_rows(make_sparse_vectors(starts, ids, values, corpus.n_terms), others);
  check_same_columns(made.others, corpus.rows.others.n_numbers, corpus.rows.others.n_codes);
  return made;
}

hedgerow::VoteOptions make_vote_options(const VoterArrays& given, const hedgerow::NeighborCorpus& corpus,
                                        std::size_t n_queries) {
  const auto& [weights, ks, left_out, closeness, root, parts, widest] = given;
  const auto n_rows = corpus.rows.size();
  if (weights.size()) check_same_length(weights.size(), n_rows, "weights and rows differ in length");
  for (const auto weight : as_span(weights))
    if (!(weight > 0)) throw nb::value_error("a weight is not positive");
  if (!ks.size()) throw nb::value_error("there is no number of neighbors");
  for (std::size_t i = 0; i < ks.size(); ++i)
    if (!(as_span(ks)[i] > (i ? as_span(ks)[i - 1] : 0.0)))
      throw nb::value_error("numbers of neighbors must be positive and ascend");
  if (left_out.size()) check_same_length(left_out.size(), n_queries, "rows left out and queries differ in length");
  if (closeness < 0 || closeness > 2) throw nb::value_error("no such closeness");
  if (!(parts > 0) || !(widest >= 0)) throw nb::value_error("a distance is not above 0");
  return {as_span(weights),
          as_span(ks),
          as_span(left_out),
          static_cast<hedgerow::VoteWeighting>(closeness),
          {corpus.texts_only(), root, corpus.texts, parts, widest}};
}

nb::tuple build_postings(Starts starts, Ids ids, Values values, std::size_t n_terms) {
  const auto rows = make_sparse_vectors(starts, ids, values, n_terms);
  hedgerow::OwnedPostings out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::build_postings(rows, n_terms);
  }
  return nb::make_tuple(to_numpy(std::move(out.starts)), to_numpy(std::move(out.rows)), to_numpy(std::move(out.values)),
                        to_numpy(std::move(out.rough)), to_numpy(std::move(out.norms)));
}

void find_nearest_rows(const RowArrays& rows, const QueryArrays& query_arrays, InOut2<std::int32_t> found,
                       InOut2<double> scores, std::size_t threads) {
  const CheckedCorpus given(rows);
  const auto& corpus = given.corpus;
  const auto queries = make_queries(query_arrays, corpus);
  check_same_length(found.shape(0), queries.size(), "found and queries differ in length");
  check_same_length(scores.shape(0), queries.size(), "scores and queries differ in length");
  check_same_length(scores.shape(1), found.shape(1), "scores and found differ in width");
  if (found.shape(1) > corpus.rows.size()) throw nb::value_error("there are not so many rows");
  if (!found.size()) return;
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool pool(limit_threads(threads, queries.size(), kFewQueries), Interrupts());
  hedgerow::find_nearest_rows(corpus, queries, as_span(found), as_span(scores), pool);
}

void sum_votes(const RowArrays& rows, const QueryArrays& query_arrays, const VoterArrays& vote_arrays, Ids classes,
               std::size_t n_classes, InOut<double> votes, InOut<double> distance_sums, std::size_t threads) {
  const CheckedCorpus given(rows);
  const auto queries = make_queries(query_arrays, given.corpus);
  const auto voters = make_vote_options(vote_arrays, given.corpus, queries.size());
  check_same_length(classes.size(), given.corpus.rows.size(), "classes and rows differ in length");
  check_below(as_span(classes), n_classes, "a class is not below the number of classes");
  for (const auto& made : {votes, distance_sums})
    check_same_length(made.size(), queries.size() * voters.ks.size() * n_classes, "votes and queries differ in length");
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool pool(limit_threads(threads, queries.size(), kFewQueries), Interrupts());
  hedgerow::sum_votes(given.corpus, voters, as_span(classes), n_classes, queries, as_span(votes),
                      as_span(distance_sums), pool);
}

void average_targets(const RowArrays& rows, const QueryArrays& query_arrays, const VoterArrays& vote_arrays,
                     Values targets, InOut<double> means, std::size_t threads) {
  const CheckedCorpus given(rows);
  const auto queries = make_queries(query_arrays, given.corpus);
  const auto voters = make_vote_options(vote_arrays, given.corpus, queries.size());
  check_same_length(targets.size(), given.corpus.rows.size(), "targets and rows differ in length");
  check_same_length(means.size(), queries.size() * voters.ks.size(), "means and queries differ in length");
  nb::gil_scoped_release unlocked;
  hedgerow::ThreadPool pool(limit_threads(threads, queries.size(), kFewQueries), Interrupts());
  hedgerow::average_targets(given.corpus, voters, as_span(targets), queries, as_span(means), pool);
}

}  // namespace

void init_nearest_neighbors(nb::module_& m) {
  m.def("build_postings", build_postings, "starts"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert(),
        "n_terms"_a);
  m.def("find_nearest_rows", find_nearest_rows, "rows"_a.noconvert(), "queries"_a.noconvert(), "found"_a.noconvert(),
        "scores"_a.noconvert(), "threads"_a);
  m.def("sum_votes", sum_votes, "rows"_a.noconvert(), "queries"_a.noconvert(), "voters"_a.noconvert(),
        "classes"_a.noconvert(), "n_classes"_a, "votes"_a.noconvert(), "distance_sums"_a.noconvert(), "threads"_a);
  m.def("average_targets", average_targets, "rows"_a.noconvert(), "queries"_a.noconvert(), "voters"_a.noconvert(),
        "targets"_a.noconvert(), "means"_a.noconvert(), "threads"_a);
}

#include "neighbors/nearest_neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t kFewQueries = 8,
                      kManyQueries = 64;  // queries of a job, where each is compared with all rows, and where not
constexpr double EQUAL_TEXTS = 1e-12;     // 1 - cosine of texts that are equal but for rounding

template <bool Squares>
[[gnu::always_inline]] inline void add_column(double own, double missing_distance, const double* column, std::size_t n,
                                              double* sums) {
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = own - column[i];
    sums[i] += difference == difference ? (Squares ? difference * difference : std::abs(difference)) : missing_distance;
  }
}

HEDGEROW_AVX2_CLONES void add_numbers(double own, const MixedDistance& distance, double missing_distance,
                                      const double* column, std::size_t n, double* sums) {
  if (distance.squared)
    add_column<true>(own, missing_distance, column, n, sums);
  else
    add_column<false>(own, missing_distance, column, n, sums);
}

HEDGEROW_AVX2_CLONES void add_codes(std::int32_t own, double mismatch_distance, const std::int32_t* column,
                                    std::size_t n, double* sums) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += own == column[i] && own >= 0 ? 0.0 : mismatch_distance;
}

// Collects what `Nearest` keeps, from searches that tell distances.
class TiedNearestCollector {
 public:
  TiedNearestCollector(double k, std::span<const double> weights) : nearest_(k, weights) {}

  void clear(std::int32_t left_out = -1) { nearest_.clear(left_out); }
  double limit() const { return -nearest_.min_score(); }
  bool wants(double distance, std::int32_t) const { return distance <= limit(); }
  void offer(double distance, std::int32_t row, std::size_t = 0) { nearest_.offer(-distance, row); }
  NearestRows& get_nearest() { return nearest_; }

 private:
  NearestRows nearest_;
};

// Compares one query with all rows, by one thread.
class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(const NeighborCorpus& corpus)
      : corpus_(corpus), terms_(corpus.rows.texts, corpus.postings, corpus.n_terms) {}

  template <typename Collector>
  void search(const NeighborRows& queries, std::size_t query, Collector& collector) {
    compute_distances_to_all(queries, query);
    for (std::size_t row = 0; row < sums_.size(); ++row)
      if (sums_[row] <= collector.limit()) collector.offer(sums_[row], static_cast<std::int32_t>(row), 0);
  }

  void search_texts(const NeighborRows& queries, std::size_t query, NearestRows& nearest) {
    terms_.search(queries.texts.row(query), nearest);
  }

 private:
  void compute_distances_to_all(const NeighborRows& queries, std::size_t query) {
    const auto& rows = corpus_.rows.others;
    const auto n = corpus_.rows.size();
    sums_.assign(n, 0.0);
    if (corpus_.has_texts()) {
      terms_.score_all(queries.texts.row(query), sums_);
      for (auto& sum : sums_) sum = std::max(0.0, corpus_.texts - sum);
    }
    for (std::size_t d = 0; d < rows.n_numbers; ++d)
      add_numbers(queries.others.number(d)[query], corpus_.distance, corpus_.distance.missing_distances[d],
                  rows.number(d), n, sums_.data());
    for (std::size_t c = 0; c < rows.n_codes; ++c)
      add_codes(queries.others.code(c)[query], corpus_.distance.mismatch_distances[c], rows.code(c), n, sums_.data());
  }

  const NeighborCorpus& corpus_;
  InvertedIndexSearch terms_;
  std::vector<double> sums_;
};

// Calls work(thread, first, last) for all queries, `at_once` of them at a time; what a thread needs is made when
// needed.
template <typename Thread, typename Work>
void for_query_batches(std::size_t n, std::size_t at_once, ThreadPool& pool,
                       const std::function<std::unique_ptr<Thread>()>& make, Work&& work) {
  std::vector<std::unique_ptr<Thread>> threads(pool.size());
  pool.parallel_for((n + at_once - 1) / at_once, [&](std::size_t job, std::size_t number) {
    if (!threads[number]) threads[number] = make();
    work(*threads[number], job * at_once, std::min(n, (job + 1) * at_once));
  });
}

// Calls start(collector, query) and, once it has collected, end(collector, query) for all queries of rows without
// texts.
template <typename Collector, typename Make, typename Start, typename End>
void search_without_texts(const NeighborCorpus& corpus, const NeighborRows& queries, ThreadPool& pool, Make&& make,
                          Start&& start, End&& end) {
  struct QueryThread {
    QueryThread(const NeighborCorpus& corpus, const MixedRows& query_rows, Collector&& given_collector)
        : reader(query_rows), comparison(corpus), collector(std::move(given_collector)) {}
    MixedRowReader reader;
    ExhaustiveSearch comparison;
    Collector collector;
  };
  const auto make_thread = [&] { return std::make_unique<QueryThread>(corpus, queries.others, make()); };
  const auto n = queries.size();
  if (corpus.tree) {
    const auto order = order_queries_by_block(*corpus.tree, queries.others, pool);
    for_query_batches<QueryThread>(n, kManyQueries, pool, make_thread,
                                   [&](QueryThread& own, std::size_t first, std::size_t last) {
                                     for (auto i = first; i < last && !pool.has_failed(); ++i) {
                                       const auto query = static_cast<std::size_t>(order[i]);
                                       start(own.collector, query);
                                       TreeSearch(*corpus.tree, own.collector).search(own.reader(query));
                                       end(own.collector, query);
                                     }
                                   });
  } else if (corpus.row_major.numbers.size() + corpus.row_major.codes.size() && n >= kGroupPoints &&
             corpus.distance.squared) {
    const PairwiseScan scan(corpus.rows.others, corpus.row_major, corpus.distance, queries.others, pool);
    for_query_batches<int>(
        n, kManyQueries, pool, [] { return std::make_unique<int>(); },
        [&](int, std::size_t first, std::size_t last) {
          std::vector<std::size_t> some;
          std::vector<Collector> collectors;
          for (auto query = first; query < last; ++query) {
            some.push_back(query), collectors.push_back(make());
            start(collectors.back(), query);
          }
          scan.search(std::span<const std::size_t>(some), std::span<Collector>(collectors));
          for (auto query = first; query < last; ++query) end(collectors[query - first], query);
        });
  } else {
    for_query_batches<QueryThread>(n, kFewQueries, pool, make_thread,
                                   [&](QueryThread& own, std::size_t first, std::size_t last) {
                                     for (auto query = first; query < last && !pool.has_failed(); ++query) {
                                       start(own.collector, query);
                                       own.comparison.search(queries, query, own.collector);
                                       end(own.collector, query);
                                     }
                                   });
  }
}

// Calls visit(nearest rows in order, query) for all queries.
template <typename Visit>
void find_tied_neighbors(const NeighborCorpus& corpus, double k, std::span<const double> weights,
                         std::span<const std::int32_t> left_out, const NeighborRows& queries, ThreadPool& pool,
                         Visit&& visit) {
  const auto start = [&](TiedNearestCollector& own, std::size_t query) {
    own.clear(left_out.empty() ? -1 : left_out[query]);
  };
  const auto end = [&](TiedNearestCollector& own, std::size_t query) {
    own.get_nearest().trim();
    visit(own.get_nearest(), query);
  };
  const auto make = [&] { return TiedNearestCollector(k, weights); };
  if (!corpus.has_texts()) {
    search_without_texts<TiedNearestCollector>(corpus, queries, pool, make, start, end);
    return;
  }
  struct TiedQueryThread {
    TiedQueryThread(const NeighborCorpus& corpus, TiedNearestCollector&& given_collector)
        : comparison(corpus), collector(std::move(given_collector)) {}
    ExhaustiveSearch comparison;
    TiedNearestCollector collector;
  };
  const auto make_thread = [&] { return std::make_unique<TiedQueryThread>(corpus, make()); };
  for_query_batches<TiedQueryThread>(queries.size(), kFewQueries, pool, make_thread,
                                     [&](TiedQueryThread& own, std::size_t first, std::size_t last) {
                                       for (auto query = first; query < last && !pool.has_failed(); ++query) {
                                         start(own.collector, query);
                                         if (corpus.texts_only())
                                           own.comparison.search_texts(queries, query, own.collector.get_nearest());
                                         else
                                           own.comparison.search(queries, query, own.collector);
                                         end(own.collector, query);
                                       }
                                     });
}

// The row of a voter, what it has of the k places, what its vote counts, and its distance.
struct NeighborVote {
  std::size_t row;
  double share, closeness, distance;
};

// Calls visit(query, number of k, vote) for all that vote.
template <typename Visit>
void for_each_vote(const NeighborCorpus& corpus, const VoteOptions& options, const NeighborRows& queries,
                   ThreadPool& pool, Visit&& visit) {
  find_tied_neighbors(corpus, options.ks.back(), options.weights, options.left_out, queries, pool,
                      [&](const NearestRows& nearest, std::size_t query) {
                        const auto found = nearest.rows();
                        if (found.empty()) return;
                        const bool some_equal = options.transform.to_distance(found.front().score) == 0;
                        std::size_t n = 0;
                        double before = 0,
                               group = 0;  // weights of those nearer than the last, and of those as near as it
                        for (std::size_t at = 0; at < options.ks.size(); ++at) {
                          const double k = options.ks[at];
                          while (n < found.size() && (before + group < k || found[n].score == found[n - 1].score)) {
                            const double weight = nearest.weight(found[n].row);
                            if (n && found[n].score == found[n - 1].score) {
                              group += weight;
                            } else {
                              before += group, group = weight;
                            }
                            ++n;
                          }
                          const double share = std::min(1.0, (k - before) / group), last = found[n - 1].score;
                          for (std::size_t i = 0; i < n; ++i) {
                            const double distance = options.transform.to_distance(found[i].score),
                                         weight = nearest.weight(found[i].row);
                            double closeness = 1;
                            if (options.weighting == VoteWeighting::DISTANCE)
                              closeness = some_equal ? (distance == 0 ? 1.0 : 0.0) : 1 / distance;
                            else if (options.weighting == VoteWeighting::SIMILARITY)
                              closeness = options.transform.similarity(distance);
                            visit(query, at,
                                  NeighborVote{static_cast<std::size_t>(found[i].row),
                                               found[i].score == last ? weight * share : weight, closeness, distance});
                          }
                        }
                      });
}

}  // namespace

double DistanceTransform::to_distance(double score) const {
  if (texts_only) {
    const double distance = std::max(0.0, 1 - score / texts);
    return distance <= EQUAL_TEXTS ? 0.0 : distance;
  }
  if (-score <= EQUAL_TEXTS * texts) return 0.0;
  return root ? std::sqrt(-score) : -score / parts;
}

double DistanceTransform::similarity(double distance) const {
  return widest > 0 ? std::max(0.0, 1 - distance / widest) : 1.0;
}

void find_nearest_rows(const NeighborCorpus& corpus, const NeighborRows& queries, std::span<std::int32_t> found,
                       std::span<double> scores, ThreadPool& pool) {
  const auto n = queries.size();
  if (!n) return;
  const auto k = found.size() / n;
  if (corpus.has_texts()) {
    find_tied_neighbors(corpus, static_cast<double>(k), {}, {}, queries, pool,
                        [&](const NearestRows& nearest, std::size_t query) {
                          for (std::size_t i = 0; i < k; ++i) {
                            found[query * k + i] = nearest.rows()[i].row;
                            scores[query * k + i] = nearest.rows()[i].score;
                          }
                        });
    return;
  }
  search_without_texts<NearestHeap>(
      corpus, queries, pool, [&] { return NearestHeap(k); }, [](NearestHeap& own, std::size_t) { own.clear(); },
      [&](NearestHeap& own, std::size_t query) {
        std::size_t at = query * k;
        for (const auto& one : own.take_sorted()) {
          found[at] = one.row;
          scores[at++] = -one.distance;
        }
      });
}

void sum_votes(const NeighborCorpus& corpus, const VoteOptions& options, std::span<const std::int32_t> classes,
               std::size_t n_classes, const NeighborRows& queries, std::span<double> votes,
               std::span<double> distance_sums, ThreadPool& pool) {
  const auto ks = options.ks.size();
  for_each_vote(corpus, options, queries, pool, [&](std::size_t query, std::size_t at, const NeighborVote& one) {
    const auto position = (query * ks + at) * n_classes + static_cast<std::size_t>(classes[one.row]);
    votes[position] += one.share * one.closeness;
    distance_sums[position] += one.share * one.distance;
  });
}

void average_targets(const NeighborCorpus& corpus, const VoteOptions& options, std::span<const double> targets,
                     const NeighborRows& queries, std::span<double> means, ThreadPool& pool) {
  const auto ks = options.ks.size();
  std::vector<double> weights(means.size());
  std::fill(means.begin(), means.end(), 0.0);
  for_each_vote(corpus, options, queries, pool, [&](std::size_t query, std::size_t at, const NeighborVote& one) {
    means[query * ks + at] += one.share * one.closeness * targets[one.row];
    weights[query * ks + at] += one.share * one.closeness;
  });
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = weights[i] > 0 ? means[i] / weights[i] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace hedgerow

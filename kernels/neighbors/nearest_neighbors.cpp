#include "neighbors/nearest_neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/target_avx2.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t few = 8, many = 64;  // queries of a job, where each is compared with all rows, and where not
constexpr double EQUAL_TEXTS = 1e-12;      // 1 - cosine of texts that are equal but for rounding

template <bool Squares>
[[gnu::always_inline]] inline void add_column(double own, double gap, const double* column, std::size_t n,
                                              double* sums) {
  for (std::size_t i = 0; i < n; ++i) {
    const double apart = own - column[i];
    sums[i] += apart == apart ? (Squares ? apart * apart : std::abs(apart)) : gap;
  }
}

HEDGEROW_AVX2_CLONES void add_numbers(double own, const MixedDistance& distance, double gap, const double* column,
                                      std::size_t n, double* sums) {
  if (distance.squared)
    add_column<true>(own, gap, column, n, sums);
  else
    add_column<false>(own, gap, column, n, sums);
}

HEDGEROW_AVX2_CLONES void add_codes(std::int32_t own, double step, const std::int32_t* column, std::size_t n,
                                    double* sums) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += own == column[i] && own >= 0 ? 0.0 : step;
}

// Collects what `Nearest` keeps, from searches that tell distances.
class TiedNearest {
 public:
  TiedNearest(double k, std::span<const double> weights) : nearest_(k, weights) {}

  void clear(std::int32_t left_out = -1) { nearest_.clear(left_out); }
  double limit() const { return -nearest_.min_score(); }
  bool wants(double distance, std::int32_t) const { return distance <= limit(); }
  void offer(double distance, std::int32_t row, std::size_t = 0) { nearest_.offer(-distance, row); }
  NearestRows& nearest() { return nearest_; }

 private:
  NearestRows nearest_;
};

// Compares one query with all rows, for one member of a crew.
class Comparison {
 public:
  explicit Comparison(const Corpus& corpus)
      : corpus_(corpus), terms_(corpus.rows.texts, corpus.postings, corpus.n_terms) {}

  template <typename Collector>
  void search(const Measured& queries, std::size_t query, Collector& collector) {
    measure(queries, query);
    for (std::size_t row = 0; row < sums_.size(); ++row)
      if (sums_[row] <= collector.limit()) collector.offer(sums_[row], static_cast<std::int32_t>(row), 0);
  }

  void search_texts(const Measured& queries, std::size_t query, NearestRows& nearest) {
    terms_.search(queries.texts.row(query), nearest);
  }

 private:
  void measure(const Measured& queries, std::size_t query) {
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

  const Corpus& corpus_;
  TermSearch terms_;
  std::vector<double> sums_;
};

// Calls work(member, first, last) for all queries, `at_once` of them at a time; members are made when needed.
template <typename Member, typename Work>
void share_queries(std::size_t n, std::size_t at_once, ThreadPool& crew,
                   const std::function<std::unique_ptr<Member>()>& make, Work&& work) {
  std::vector<std::unique_ptr<Member>> members(crew.size());
  crew.parallel_for((n + at_once - 1) / at_once, [&](std::size_t job, std::size_t number) {
    if (!members[number]) members[number] = make();
    work(*members[number], job * at_once, std::min(n, (job + 1) * at_once));
  });
}

// Calls start(collector, query) and, once it has collected, end(collector, query) for all queries of rows without
// texts.
template <typename Collector, typename Make, typename Start, typename End>
void find_others(const Corpus& corpus, const Measured& queries, ThreadPool& crew, Make&& make, Start&& start,
                 End&& end) {
  struct Member {
    Member(const Corpus& corpus, const MixedRows& asked, Collector&& made)
        : reader(asked), comparison(corpus), collector(std::move(made)) {}
    MixedRowReader reader;
    Comparison comparison;
    Collector collector;
  };
  const auto member = [&] { return std::make_unique<Member>(corpus, queries.others, make()); };
  const auto n = queries.size();
  if (corpus.tree) {
    const auto order = order_by_block(*corpus.tree, queries.others, crew);
    share_queries<Member>(n, many, crew, member, [&](Member& own, std::size_t first, std::size_t last) {
      for (auto i = first; i < last && !crew.has_failed(); ++i) {
        const auto query = static_cast<std::size_t>(order[i]);
        start(own.collector, query);
        TreeSearch(*corpus.tree, own.collector).search(own.reader(query));
        end(own.collector, query);
      }
    });
  } else if (corpus.by_row.numbers.size() + corpus.by_row.codes.size() && n >= kGroupPoints &&
             corpus.distance.squared) {
    const RowScan scan(corpus.rows.others, corpus.by_row, corpus.distance, queries.others, crew);
    share_queries<int>(
        n, many, crew, [] { return std::make_unique<int>(); },
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
    share_queries<Member>(n, few, crew, member, [&](Member& own, std::size_t first, std::size_t last) {
      for (auto query = first; query < last && !crew.has_failed(); ++query) {
        start(own.collector, query);
        own.comparison.search(queries, query, own.collector);
        end(own.collector, query);
      }
    });
  }
}

// Calls visit(nearest rows in order, query) for all queries.
template <typename Visit>
void find_tied(const Corpus& corpus, double k, std::span<const double> weights, std::span<const std::int32_t> left_out,
               const Measured& queries, ThreadPool& crew, Visit&& visit) {
  const auto start = [&](TiedNearest& own, std::size_t query) { own.clear(left_out.empty() ? -1 : left_out[query]); };
  const auto end = [&](TiedNearest& own, std::size_t query) {
    own.nearest().trim();
    visit(own.nearest(), query);
  };
  const auto make = [&] { return TiedNearest(k, weights); };
  if (!corpus.has_texts()) {
    find_others<TiedNearest>(corpus, queries, crew, make, start, end);
    return;
  }
  struct Member {
    Member(const Corpus& corpus, TiedNearest&& made) : comparison(corpus), collector(std::move(made)) {}
    Comparison comparison;
    TiedNearest collector;
  };
  const auto member = [&] { return std::make_unique<Member>(corpus, make()); };
  share_queries<Member>(queries.size(), few, crew, member, [&](Member& own, std::size_t first, std::size_t last) {
    for (auto query = first; query < last && !crew.has_failed(); ++query) {
      start(own.collector, query);
      if (corpus.texts_only())
        own.comparison.search_texts(queries, query, own.collector.nearest());
      else
        own.comparison.search(queries, query, own.collector);
      end(own.collector, query);
    }
  });
}

// The row of a voter, what it has of the k places, what its vote counts, and its distance.
struct Vote {
  std::size_t row;
  double own, closeness, distance;
};

// Calls visit(query, number of k, vote) for all that vote.
template <typename Visit>
void for_all_votes(const Corpus& corpus, const Voters& voters, const Measured& queries, ThreadPool& crew,
                   Visit&& visit) {
  find_tied(corpus, voters.ks.back(), voters.weights, voters.left_out, queries, crew,
            [&](const NearestRows& nearest, std::size_t query) {
              const auto found = nearest.rows();
              if (found.empty()) return;
              const bool some_equal = voters.form.of(found.front().score) == 0;
              std::size_t n = 0;
              double before = 0, group = 0;  // weights of those nearer than the last, and of those as near as it
              for (std::size_t at = 0; at < voters.ks.size(); ++at) {
                const double k = voters.ks[at];
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
                  const double distance = voters.form.of(found[i].score), weight = nearest.weight(found[i].row);
                  double closeness = 1;
                  if (voters.closeness == Closeness::DISTANCE)
                    closeness = some_equal ? (distance == 0 ? 1.0 : 0.0) : 1 / distance;
                  else if (voters.closeness == Closeness::SIMILARITY)
                    closeness = voters.form.similarity(distance);
                  visit(query, at,
                        Vote{static_cast<std::size_t>(found[i].row), found[i].score == last ? weight * share : weight,
                             closeness, distance});
                }
              }
            });
}

}  // namespace

double DistanceForm::of(double score) const {
  if (texts_only) {
    const double far = std::max(0.0, 1 - score / texts);
    return far <= EQUAL_TEXTS ? 0.0 : far;
  }
  if (-score <= EQUAL_TEXTS * texts) return 0.0;
  return root ? std::sqrt(-score) : -score / parts;
}

double DistanceForm::similarity(double distance) const {
  return widest > 0 ? std::max(0.0, 1 - distance / widest) : 1.0;
}

void nearest_rows(const Corpus& corpus, const Measured& queries, std::span<std::int32_t> found,
                  std::span<double> scores, ThreadPool& crew) {
  const auto n = queries.size();
  if (!n) return;
  const auto k = found.size() / n;
  if (corpus.has_texts()) {
    find_tied(corpus, static_cast<double>(k), {}, {}, queries, crew,
              [&](const NearestRows& nearest, std::size_t query) {
                for (std::size_t i = 0; i < k; ++i) {
                  found[query * k + i] = nearest.rows()[i].row;
                  scores[query * k + i] = nearest.rows()[i].score;
                }
              });
    return;
  }
  find_others<FewNearest>(
      corpus, queries, crew, [&] { return FewNearest(k); }, [](FewNearest& own, std::size_t) { own.clear(); },
      [&](FewNearest& own, std::size_t query) {
        std::size_t at = query * k;
        for (const auto& one : own.in_order()) {
          found[at] = one.row;
          scores[at++] = -one.distance;
        }
      });
}

void vote(const Corpus& corpus, const Voters& voters, std::span<const std::int32_t> classes, std::size_t n_classes,
          const Measured& queries, std::span<double> votes, std::span<double> far, ThreadPool& crew) {
  const auto ks = voters.ks.size();
  for_all_votes(corpus, voters, queries, crew, [&](std::size_t query, std::size_t at, const Vote& one) {
    const auto place = (query * ks + at) * n_classes + static_cast<std::size_t>(classes[one.row]);
    votes[place] += one.own * one.closeness;
    far[place] += one.own * one.distance;
  });
}

void average(const Corpus& corpus, const Voters& voters, std::span<const double> targets, const Measured& queries,
             std::span<double> means, ThreadPool& crew) {
  const auto ks = voters.ks.size();
  std::vector<double> weights(means.size());
  std::fill(means.begin(), means.end(), 0.0);
  for_all_votes(corpus, voters, queries, crew, [&](std::size_t query, std::size_t at, const Vote& one) {
    means[query * ks + at] += one.own * one.closeness * targets[one.row];
    weights[query * ks + at] += one.own * one.closeness;
  });
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = weights[i] > 0 ? means[i] / weights[i] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace hedgerow

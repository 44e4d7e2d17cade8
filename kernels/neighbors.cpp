#include "neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "wide.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t JOB = 8;       // queries
constexpr double EQUAL_TEXTS = 1e-12;  // 1 - cosine of texts that are equal but for rounding

HEDGEROW_WIDE void add_numbers(double own, const double* column, std::size_t n, double* squares) {
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = own - column[i];
    squares[i] += difference == difference ? difference * difference : 1.0;
  }
}

HEDGEROW_WIDE void add_codes(std::int32_t own, const std::int32_t* column, std::size_t n, double* squares) {
  for (std::size_t i = 0; i < n; ++i) squares[i] += own == column[i] && own >= 0 ? 0.0 : 1.0;
}

// Searches for the queries of one member of a crew.
class Search {
 public:
  Search(const Corpus& corpus, double k, std::span<const double> weights)
      : corpus_(corpus), terms_(corpus.rows.texts, corpus.postings, corpus.n_terms), nearest_(k, weights) {}

  std::span<const Scored> nearest(const Measured& queries, std::size_t query) {
    nearest_.clear();
    const auto text = queries.texts.row(query);
    if (corpus_.texts_only()) {
      terms_.search(text, nearest_);
    } else {
      measure(queries, query, text);
      for (std::size_t row = 0; row < squares_.size(); ++row)
        nearest_.offer(-squares_[row], static_cast<std::int32_t>(row));
    }
    nearest_.cut();
    return nearest_.found();
  }

 private:
  // Squared distances of all rows.
  void measure(const Measured& queries, std::size_t query, const SparseRows& text) {
    const auto n = corpus_.rows.size(), n_queries = queries.size();
    squares_.assign(n, 0.0);
    if (corpus_.n_texts) {
      terms_.score_all(text, squares_);
      const auto most = static_cast<double>(corpus_.n_texts);
      for (auto& square : squares_) square = std::max(0.0, most - square);
    }
    for (std::size_t column = 0; column < corpus_.n_numbers; ++column)
      add_numbers(queries.numbers[column * n_queries + query], corpus_.rows.numbers.data() + column * n, n,
                  squares_.data());
    for (std::size_t column = 0; column < corpus_.n_codes; ++column)
      add_codes(queries.codes[column * n_queries + query], corpus_.rows.codes.data() + column * n, n, squares_.data());
  }

  const Corpus& corpus_;
  TermSearch terms_;
  Nearest nearest_;
  std::vector<double> squares_;
};

// Calls work(search, query) for all queries.
template <typename Work>
void for_all(const Corpus& corpus, double k, std::span<const double> weights, std::size_t n_queries, Crew& crew,
             Work&& work) {
  std::vector<std::unique_ptr<Search>> searches(crew.members());
  crew.share((n_queries + JOB - 1) / JOB, [&](std::size_t job, std::size_t member) {
    auto& search = searches[member];
    if (!search) search = std::make_unique<Search>(corpus, k, weights);
    for (auto query = job * JOB; query < std::min(n_queries, (job + 1) * JOB) && !crew.failed(); ++query)
      work(*search, query);
  });
}

class Distances {
 public:
  explicit Distances(const Corpus& corpus)
      : texts_only_(corpus.texts_only()),
        n_texts_(static_cast<double>(corpus.n_texts)),
        widest_(texts_only_ ? 1.0 : std::sqrt(n_texts_ + static_cast<double>(corpus.n_numbers + corpus.n_codes))) {}

  double of(double score) const {
    if (texts_only_) {
      const double far = std::max(0.0, 1 - score / n_texts_);
      return far <= EQUAL_TEXTS ? 0.0 : far;
    }
    return -score <= EQUAL_TEXTS * n_texts_ ? 0.0 : std::sqrt(-score);
  }

  double similarity(double distance) const { return widest_ > 0 ? std::max(0.0, 1 - distance / widest_) : 1.0; }

 private:
  bool texts_only_;
  double n_texts_, widest_;
};

}  // namespace

void nearest_rows(const Corpus& corpus, const Measured& queries, std::span<std::int32_t> found,
                  std::span<double> scores, Crew& crew) {
  const auto n_queries = queries.size();
  if (!n_queries) return;
  const auto k = found.size() / n_queries;
  for_all(corpus, static_cast<double>(k), {}, n_queries, crew, [&](Search& search, std::size_t query) {
    const auto nearest = search.nearest(queries, query);
    for (std::size_t i = 0; i < k; ++i) {
      found[query * k + i] = nearest[i].row;
      scores[query * k + i] = nearest[i].score;
    }
  });
}

void vote(const Corpus& corpus, const Voters& voters, const Measured& queries, std::span<double> votes,
          std::span<double> far, Crew& crew) {
  const Distances distances(corpus);
  const auto weight = [&](std::int32_t row) {
    return voters.weights.empty() ? 1.0 : voters.weights[static_cast<std::size_t>(row)];
  };
  const auto n_queries = queries.size();
  for_all(corpus, voters.k, voters.weights, n_queries, crew, [&](Search& search, std::size_t query) {
    const auto nearest = search.nearest(queries, query);
    if (nearest.empty()) return;
    // The weights of those that are as near as the last, and of those that are nearer.
    double group = 0, before = 0;
    for (const auto& one : nearest) (one.score == nearest.back().score ? group : before) += weight(one.row);
    const double share = std::min(1.0, (voters.k - before) / group);
    const bool some_equal = distances.of(nearest.front().score) == 0;
    for (const auto& one : nearest) {
      const double distance = distances.of(one.score);
      const double own = one.score == nearest.back().score ? weight(one.row) * share : weight(one.row);
      const auto label = voters.classes[static_cast<std::size_t>(one.row)];
      const auto at = query * voters.n_classes + static_cast<std::size_t>(label);
      double closeness = 1;
      if (voters.closeness == Closeness::DISTANCE)
        closeness = some_equal ? (distance == 0 ? 1.0 : 0.0) : 1 / distance;
      else if (voters.closeness == Closeness::SIMILARITY)
        closeness = distances.similarity(distance);
      votes[at] += own * closeness;
      far[at] += own * distance;
    }
  });
}

}  // namespace hedgerow

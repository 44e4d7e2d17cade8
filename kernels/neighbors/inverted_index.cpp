#include "neighbors/inverted_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/target_avx2.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t BLOCK = 1 << 16;  // rows whose sums are at hand
constexpr std::size_t RUN = 64;         // of sums that are looked at together
constexpr std::size_t MOST_BEST = 64;   // rows that are scored early to know what is near

std::size_t find_frequency_level(std::size_t count) {
  return count ? static_cast<std::size_t>(std::bit_width(count)) - 1 : 0;
}

// How many rows may still reach `minimum`.
HEDGEROW_AVX2_CLONES std::size_t count_candidates(const float* sums, const float* norms, std::size_t n, float length,
                                                  float minimum) {
  std::size_t total = 0;
  for (std::size_t from = 0; from < n; from += 4096) {
    const auto to = std::min(n, from + 4096);
    std::int32_t count = 0;
    for (auto i = from; i < to; ++i) count += sums[i] + length * norms[i] >= minimum ? 1 : 0;
    total += static_cast<std::size_t>(count);
  }
  return total;
}

// Whether a run of sums has one above `minimum`.
HEDGEROW_AVX2_CLONES bool has_any_above(const float* sums, std::size_t n, float minimum) {
  std::int32_t any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= sums[i] > minimum ? 1 : 0;
  return any != 0;
}

HEDGEROW_AVX2_CLONES bool has_candidate(const float* sums, const float* norms, std::size_t n, float length,
                                        float minimum) {
  std::int32_t any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= sums[i] + length * norms[i] >= minimum ? 1 : 0;
  return any != 0;
}

// Adds the weights of a term, which no row has twice, to the sums of the rows from `first` on.
void add_weights(float own, const std::int32_t* rows, const float* weights, std::size_t n, std::size_t first,
                 float* sums) {
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(rows[i]) - first; };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const float a = sums[at(i)] + own * weights[i], b = sums[at(i + 1)] + own * weights[i + 1];
    const float c = sums[at(i + 2)] + own * weights[i + 2], d = sums[at(i + 3)] + own * weights[i + 3];
    sums[at(i)] = a;
    sums[at(i + 1)] = b;
    sums[at(i + 2)] = c;
    sums[at(i + 3)] = d;
  }
  for (; i < n; ++i) sums[at(i)] += own * weights[i];
}

}  // namespace

OwnedPostings build_postings(const SparseVectors& rows, std::size_t n_terms) {
  OwnedPostings out;
  const auto n_rows = rows.size();
  out.starts.assign(n_terms + 1, 0);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const auto own = rows.row(row);
    for (std::size_t i = 0; i < own.ids.size(); ++i)
      if (own.values[i] != 0) ++out.starts[static_cast<std::size_t>(own.ids[i]) + 1];
  }
  std::size_t maximum = 0;
  for (std::size_t term = 0; term < n_terms; ++term) {
    maximum = std::max(maximum, static_cast<std::size_t>(out.starts[term + 1]));
    out.starts[term + 1] += out.starts[term];
  }
  out.levels = find_frequency_level(maximum) + 1;
  out.rows.resize(static_cast<std::size_t>(out.starts[n_terms]));
  out.values.resize(out.rows.size());
  out.rough.resize(out.rows.size());
  auto next = out.starts;
  std::vector<double> squares(out.levels);
  out.norms.assign(out.levels * n_rows, 0.0f);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const auto own = rows.row(row);
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::size_t i = 0; i < own.ids.size(); ++i) {
      if (own.values[i] == 0) continue;
      const auto term = static_cast<std::size_t>(own.ids[i]);
      const auto position = static_cast<std::size_t>(next[term]++);
      out.rows[position] = static_cast<std::int32_t>(row);
      out.values[position] = own.values[i];
      out.rough[position] = static_cast<float>(own.values[i]);
      const auto count = static_cast<std::size_t>(out.starts[term + 1] - out.starts[term]);
      squares[find_frequency_level(count)] += own.values[i] * own.values[i];
    }
    double sum = 0;
    for (auto level = out.levels; level-- > 0;) {
      sum += squares[level];
      out.norms[level * n_rows + row] = static_cast<float>(std::sqrt(sum) * (1 + 1e-6));
    }
  }
  return out;
}

InvertedIndexSearch::InvertedIndexSearch(const SparseVectors& rows, const Postings& postings, std::size_t n_terms)
    : rows_(rows),
      postings_(postings),
      row_cost_(20 + 1.2 * static_cast<double>(rows.ids.size()) / std::max(1.0, static_cast<double>(rows.size()))),
      dense_(n_terms, 0.0),
      sums_(std::min(BLOCK, rows.size())),
      scored_for_query_(rows.size(), -1) {
  for (std::size_t row = 0; row < rows.size() && !postings.norms.empty(); ++row)
    longest_ = std::max(longest_, static_cast<double>(postings.norms[row]));
}

void InvertedIndexSearch::prepare_query(const SparseVectors& query) {
  terms_.clear();
  for (std::size_t i = 0; i < query.ids.size(); ++i) {
    const auto id = static_cast<std::size_t>(query.ids[i]);
    if (const auto count = postings_.count(id); count && query.values[i] != 0)
      terms_.push_back({id, find_frequency_level(count), query.values[i]});
  }
  std::sort(terms_.begin(), terms_.end(), [](const QueryTerm& one, const QueryTerm& other) {
    return one.level != other.level ? one.level < other.level : one.id < other.id;
  });
  lengths_.assign(terms_.size() + 1, 0.0);
  double squares = 0;
  for (auto i = terms_.size(); i-- > 0;) {
    squares += terms_[i].value * terms_[i].value;
    lengths_[i] = std::sqrt(squares) * (1 + 1e-6);
  }
  // Of every product, of every sum and of what is compared in the end.
  margin_ = (static_cast<double>(terms_.size()) + 16) * 0x1p-23 * lengths_[0] * longest_ + 1e-30;
}

const float* InvertedIndexSearch::get_norms_from(std::size_t next) const {
  return postings_.norms.data() + terms_[next].level * rows_.size();
}

double InvertedIndexSearch::compute_exact_score(std::size_t row) const {
  const auto own = rows_.row(row);
  double sum = 0;
  for (std::size_t i = 0; i < own.ids.size(); ++i) sum += dense_[static_cast<std::size_t>(own.ids[i])] * own.values[i];
  return sum;
}

bool InvertedIndexSearch::is_new(std::size_t row) {
  if (scored_for_query_[row] == query_number_) return false;
  scored_for_query_[row] = query_number_;
  return true;
}

void InvertedIndexSearch::rescore(std::size_t row, NearestRows& nearest) {
  if (is_new(row)) nearest.offer(compute_exact_score(row), static_cast<std::int32_t>(row));
}

// Adds the weights of `maximum` postings or a few more; returns the first term that was not added.
std::size_t InvertedIndexSearch::add_terms(std::size_t next, std::size_t first, std::size_t last, std::size_t maximum) {
  const bool whole = first == 0 && last == rows_.size();
  for (std::size_t added = 0; next < terms_.size() && added < maximum; ++next) {
    const auto& term = terms_[next];
    auto begin = static_cast<std::size_t>(postings_.starts[term.id]);
    auto end = static_cast<std::size_t>(postings_.starts[term.id + 1]);
    const auto* rows = postings_.rows.data();
    if (!whole) {
      const auto edge = [&](std::size_t row) {
        const auto* found = std::lower_bound(rows + begin, rows + end, static_cast<std::int32_t>(row));
        return static_cast<std::size_t>(found - rows);
      };
      begin = edge(first);
      end = edge(last);
    }
    add_weights(static_cast<float>(term.value), rows + begin, postings_.rough.data() + begin, end - begin, first,
                sums_.data());
    added += end - begin + 8;
  }
  return next;
}

// Scores the rows with the largest sums, as many as are wanted, so that it is known how near the nearest are.
void InvertedIndexSearch::rescore_best(std::size_t first, std::size_t last, NearestRows& nearest) {
  const auto wanted = std::min({static_cast<std::size_t>(std::min(nearest.k(), 1e6)), MOST_BEST, last - first});
  chosen_.clear();
  const auto later = [](const ScoredRow& one, const ScoredRow& other) { return one.score > other.score; };
  float minimum = 0;
  for (auto from = first; from < last; from += RUN) {
    const auto to = std::min(last, from + RUN);
    const auto* sums = sums_.data() + (from - first);
    if (!has_any_above(sums, to - from, minimum)) continue;
    for (auto row = from; row < to; ++row) {
      const float sum = sums[row - from];
      if (!(sum > minimum)) continue;
      chosen_.push_back({sum, static_cast<std::int32_t>(row)});
      std::push_heap(chosen_.begin(), chosen_.end(), later);
      if (chosen_.size() > wanted) {
        std::pop_heap(chosen_.begin(), chosen_.end(), later);
        chosen_.pop_back();
      }
      if (chosen_.size() == wanted) minimum = static_cast<float>(chosen_.front().score);
    }
  }
  for (const auto& one : chosen_) rescore(static_cast<std::size_t>(one.row), nearest);
  nearest.trim();
}

// Scores the rows that may still be among the nearest, the most hopeful first.
void InvertedIndexSearch::rescore_rest(std::size_t first, std::size_t last, const float* norms, double length,
                                       NearestRows& nearest) {
  const auto own = static_cast<float>(length);
  const auto minimum = static_cast<float>(nearest.min_score() - margin_);
  chosen_.clear();
  for (auto from = first; from < last; from += RUN) {
    const auto to = std::min(last, from + RUN);
    const auto* sums = sums_.data() + (from - first);
    if (!has_candidate(sums, norms + from, to - from, own, minimum)) continue;
    for (auto row = from; row < to; ++row) {
      const float maximum = sums[row - from] + own * norms[row];
      if (maximum >= minimum && scored_for_query_[row] != query_number_)
        chosen_.push_back({maximum, static_cast<std::int32_t>(row)});
    }
  }
  std::sort(chosen_.begin(), chosen_.end(), is_nearer);
  for (const auto& one : chosen_) {
    if (one.score < nearest.min_score() - margin_) break;
    rescore(static_cast<std::size_t>(one.row), nearest);
  }
  nearest.trim();
}

void InvertedIndexSearch::search_block(std::size_t first, std::size_t last, NearestRows& nearest) {
  const auto n = last - first;
  std::fill_n(sums_.begin(), n, 0.0f);
  std::size_t next = 0;
  auto step = 2 * n;  // postings that are added before it is looked which rows are left
  while (next < terms_.size()) {
    next = add_terms(next, first, last, step);
    if (next == terms_.size()) break;
    rescore_best(first, last, nearest);
    const auto minimum = static_cast<float>(nearest.min_score() - margin_);
    const auto length = static_cast<float>(lengths_[next]);
    const auto candidates = count_candidates(sums_.data(), get_norms_from(next) + first, n, length, minimum);
    if (static_cast<double>(candidates) * row_cost_ <= static_cast<double>(step)) {
      rescore_rest(first, last, get_norms_from(next), lengths_[next], nearest);
      return;
    }
    step += step / 2;
  }
  rescore_best(first, last, nearest);
  rescore_rest(first, last, postings_.norms.data(), 0.0, nearest);
}

void InvertedIndexSearch::search(const SparseVectors& query, NearestRows& nearest) {
  prepare_query(query);
  ++query_number_;
  for (const auto& term : terms_) dense_[term.id] = term.value;
  const auto n_rows = rows_.size();
  for (std::size_t first = 0; first < n_rows && !terms_.empty(); first += BLOCK)
    search_block(first, std::min(n_rows, first + BLOCK), nearest);
  for (const auto& term : terms_) dense_[term.id] = 0;
  // Rows that share nothing may be among the nearest: then all count.
  if (!(nearest.min_score() > margin_)) offer_all(query, nearest);
}

void InvertedIndexSearch::score_all(const SparseVectors& query, std::span<double> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0);
  for (std::size_t i = 0; i < query.ids.size(); ++i) {
    const auto id = static_cast<std::size_t>(query.ids[i]);
    const auto begin = static_cast<std::size_t>(postings_.starts[id]), end = begin + postings_.count(id);
    for (auto p = begin; p < end; ++p)
      scores[static_cast<std::size_t>(postings_.rows[p])] += query.values[i] * postings_.values[p];
  }
}

// Rows of one sign after those of another, so that the many of score 0 need not be sorted.
void InvertedIndexSearch::offer_all(const SparseVectors& query, NearestRows& nearest) {
  scores_.resize(rows_.size());
  score_all(query, scores_);
  nearest.clear();
  for (const int sign : {1, 0, -1}) {
    for (std::size_t row = 0; row < scores_.size(); ++row) {
      const auto own = scores_[row] > 0 ? 1 : scores_[row] < 0 ? -1 : 0;
      if (own == sign) nearest.offer(scores_[row], static_cast<std::int32_t>(row));
    }
    nearest.trim();
    if (std::isfinite(nearest.min_score())) return;
  }
}

}  // namespace hedgerow

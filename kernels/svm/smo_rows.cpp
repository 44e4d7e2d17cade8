// Rows of kernel values as the steps of sequential minimal optimisation ask for them: kept, or made, some of them
// ahead.
#include <algorithm>
#include <utility>

#include "svm/smo.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kSharedProducts = std::size_t{1} << 22;  // products from which on two threads are faster than one
constexpr std::size_t kLikelyColumns = 64;                     // rows looked for at a time, to be made ahead
constexpr std::int64_t kTrialRows = 512;                       // rows made ahead before it is known how many are used,
constexpr std::int64_t kMinUsed = 5;                           // of which one in so many must be,
constexpr std::int64_t kMinUsedFar = 20;  // or in so many, where points are read from far away for any row
constexpr std::size_t kCachedNumbers = std::size_t{1} << 20;  // numbers of all points that a core has at hand

}  // namespace

template <class T>
void SmoSolver<T>::fill_rows(std::span<const std::int32_t> columns, std::size_t from, std::size_t to, T* const* out) {
  solution_.rows_made += static_cast<std::int64_t>(columns.size());
  const auto part = [&](std::size_t begin, std::size_t end) {
    T* at[kMaxBlock];
    for (std::size_t a = 0; a < columns.size(); ++a) at[a] = out[a] + begin;
    rows_.fill_rows(columns.data(), columns.size(), begin, end, at);
  };
  if (pool_.size() < 2 || columns.size() * (to - from) * options_.products_per_value < kSharedProducts) {
    part(from, to);
    return;
  }
  const std::size_t piece = padded((to - from) / pool_.size() / 2 + 1);
  pool_.parallel_for((to - from + piece - 1) / piece, [&](std::size_t number, std::size_t) {
    part(from + number * piece, std::min(from + (number + 1) * piece, to));
  });
}

// The row of a column, known for all that are active. Where it is not, the likeliest rows to be wanted next are made
// with it: several in one go take little longer than one.
template <class T>
const T* SmoSolver<T>::get_row(std::size_t b) {
  const std::size_t point = point_of(b);
  if (cache_.length(point) >= active_) {
    cache_.touch(point);
    solution_.rows_used += made_ahead_[point];
    made_ahead_[point] = 0;
    return cache_.row(point);
  }
  pool_.check_interrupt();
  const auto column = static_cast<std::int32_t>(b);
  if (cache_.has(point)) {
    T* out = cache_.row(point);
    cache_.touch(point);
    fill_rows({&column, 1}, cache_.length(point) / kPassStep * kPassStep, active_, &out);
    cache_.set_length(point, active_);
    return out;
  }
  std::int32_t columns[kMaxBlock];
  T* out[kMaxBlock];
  const std::int64_t minimum = active_ * options_.products_per_value > kCachedNumbers ? kMinUsedFar : kMinUsed;
  const bool pays = solution_.rows_made_ahead < kTrialRows || solution_.rows_used * minimum > solution_.rows_made_ahead;
  std::size_t m = pays && block_ > 1 ? take_likely_columns(column, columns, block_ - 1) : 0;
  columns[m++] = column;  // the one asked for is made last: it is the newest
  for (std::size_t a = 0; a < m; ++a) {
    const std::size_t one = point_of(static_cast<std::size_t>(columns[a]));
    out[a] = cache_.insert(one);
    made_ahead_[one] = a + 1 < m;
  }
  solution_.rows_made_ahead += static_cast<std::int64_t>(m) - 1;
  fill_rows({columns, m}, 0, active_, out);
  for (std::size_t a = 0; a < m; ++a) cache_.set_length(point_of(static_cast<std::size_t>(columns[a])), active_);
  return out[m - 1];
}

// Columns that break the conditions most, those at the ends of F, whose rows are not kept.
template <class T>
void SmoSolver<T>::find_likely_columns() {
  std::vector<std::pair<double, std::int32_t>> found;
  const double middle = (extremes_.up + extremes_.low) / 2;
  for (std::size_t b = 0; b < active_; ++b) {
    const double off = F_[b] - middle;
    const double broken = std::max(up_[b] == 0 ? off : 0.0, low_[b] == 0 ? -off : 0.0);
    if (broken > 0 && !cache_.has(point_of(b))) found.emplace_back(broken, static_cast<std::int32_t>(b));
  }
  const std::size_t maximum = std::min(kLikelyColumns, found.size());
  std::partial_sort(
      found.begin(), found.begin() + static_cast<std::ptrdiff_t>(maximum), found.end(),
      [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  likely_columns_.clear();
  for (std::size_t a = maximum; a-- > 0;) likely_columns_.push_back(found[a].second);
}

// Some of them, but not `excluded`.
template <class T>
std::size_t SmoSolver<T>::take_likely_columns(std::int32_t excluded, std::int32_t* out, std::size_t maximum) {
  if (likely_columns_.empty()) find_likely_columns();
  std::size_t m = 0;
  while (m < maximum && !likely_columns_.empty()) {
    const std::int32_t column = likely_columns_.back();
    likely_columns_.pop_back();
    if (column != excluded && !cache_.has(point_of(static_cast<std::size_t>(column)))) out[m++] = column;
  }
  return m;
}

template void SmoSolver<float>::fill_rows(std::span<const std::int32_t>, std::size_t, std::size_t, float* const*);
template void SmoSolver<double>::fill_rows(std::span<const std::int32_t>, std::size_t, std::size_t, double* const*);
template const float* SmoSolver<float>::get_row(std::size_t);
template const double* SmoSolver<double>::get_row(std::size_t);

}  // namespace hedgerow

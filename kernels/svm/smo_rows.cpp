// Rows of kernel values as the steps of sequential minimal optimisation ask for them: kept, or made, some of them
// ahead.
#include <algorithm>
#include <utility>

#include "svm/smo.hpp"

namespace hedgerow {

namespace {

constexpr std::size_t kShared = std::size_t{1} << 22;  // products from which on two threads are faster than one
constexpr std::size_t kLikely = 64;                    // rows looked for at a time, to be made ahead
constexpr std::int64_t kTrial = 512;                   // rows made ahead before it is known how many are used,
constexpr std::int64_t kLeastUsed = 5;                 // of which one in so many must be,
constexpr std::int64_t kLeastUsedFar = 20;             // or in so many, where points are read from far away for any row
constexpr std::size_t kNear = std::size_t{1} << 20;    // numbers of all points that a core has at hand

}  // namespace

template <class T>
void Smo<T>::fill(std::span<const std::int32_t> columns, std::size_t from, std::size_t to, T* const* out) {
  state_.made += static_cast<std::int64_t>(columns.size());
  const auto part = [&](std::size_t begin, std::size_t end) {
    T* at[kMostBlock];
    for (std::size_t a = 0; a < columns.size(); ++a) at[a] = out[a] + begin;
    rows_.rows(columns.data(), columns.size(), begin, end, at);
  };
  if (crew_.size() < 2 || columns.size() * (to - from) * options_.work < kShared) {
    part(from, to);
    return;
  }
  const std::size_t piece = padded((to - from) / crew_.size() / 2 + 1);
  crew_.parallel_for((to - from + piece - 1) / piece, [&](std::size_t number, std::size_t) {
    part(from + number * piece, std::min(from + (number + 1) * piece, to));
  });
}

// The row of a column, known for all that are active. Where it is not, the likeliest rows to be wanted next are made
// with it: several in one go take little longer than one.
template <class T>
const T* Smo<T>::row(std::size_t b) {
  const std::size_t point = point_of(b);
  if (cache_.length(point) >= active_) {
    cache_.touch(point);
    state_.used += is_ahead_[point];
    is_ahead_[point] = 0;
    return cache_.row(point);
  }
  crew_.check_interrupt();
  const auto column = static_cast<std::int32_t>(b);
  if (cache_.has(point)) {
    T* out = cache_.row(point);
    cache_.touch(point);
    fill({&column, 1}, cache_.length(point) / kPassStep * kPassStep, active_, &out);
    cache_.set_length(point, active_);
    return out;
  }
  std::int32_t columns[kMostBlock];
  T* out[kMostBlock];
  const std::int64_t least = active_ * options_.work > kNear ? kLeastUsedFar : kLeastUsed;
  const bool pays = state_.ahead < kTrial || state_.used * least > state_.ahead;
  std::size_t m = pays && block_ > 1 ? next_likely(column, columns, block_ - 1) : 0;
  columns[m++] = column;  // the one asked for is made last: it is the newest
  for (std::size_t a = 0; a < m; ++a) {
    const std::size_t one = point_of(static_cast<std::size_t>(columns[a]));
    out[a] = cache_.make(one);
    is_ahead_[one] = a + 1 < m;
  }
  state_.ahead += static_cast<std::int64_t>(m) - 1;
  fill({columns, m}, 0, active_, out);
  for (std::size_t a = 0; a < m; ++a) cache_.set_length(point_of(static_cast<std::size_t>(columns[a])), active_);
  return out[m - 1];
}

// Columns that break the conditions most, those at the ends of F, whose rows are not kept.
template <class T>
void Smo<T>::find_likely() {
  std::vector<std::pair<double, std::int32_t>> found;
  const double middle = (ends_.up + ends_.low) / 2;
  for (std::size_t b = 0; b < active_; ++b) {
    const double off = F_[b] - middle;
    const double broken = std::max(up_[b] == 0 ? off : 0.0, low_[b] == 0 ? -off : 0.0);
    if (broken > 0 && !cache_.has(point_of(b))) found.emplace_back(broken, static_cast<std::int32_t>(b));
  }
  const std::size_t most = std::min(kLikely, found.size());
  std::partial_sort(
      found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
      [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  likely_.clear();
  for (std::size_t a = most; a-- > 0;) likely_.push_back(found[a].second);
}

// Some of them, but not `but`.
template <class T>
std::size_t Smo<T>::next_likely(std::int32_t but, std::int32_t* out, std::size_t most) {
  if (likely_.empty()) find_likely();
  std::size_t m = 0;
  while (m < most && !likely_.empty()) {
    const std::int32_t column = likely_.back();
    likely_.pop_back();
    if (column != but && !cache_.has(point_of(static_cast<std::size_t>(column)))) out[m++] = column;
  }
  return m;
}

template void Smo<float>::fill(std::span<const std::int32_t>, std::size_t, std::size_t, float* const*);
template void Smo<double>::fill(std::span<const std::int32_t>, std::size_t, std::size_t, double* const*);
template const float* Smo<float>::row(std::size_t);
template const double* Smo<double>::row(std::size_t);

}  // namespace hedgerow

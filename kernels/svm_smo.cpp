#include "svm_smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hedgerow {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kShrinkSteps = 1000;  // after which to look for rows to set aside, or half as many as there are rows
constexpr double kWorthShrinking = 0.2;     // share of rows set aside that is worth putting all rows in a new order
constexpr std::size_t kShared = std::size_t{1} << 22;  // products from which on two threads are faster than one
constexpr std::size_t kLookSteps = 64;                 // after which to look up
constexpr std::size_t kLikely = 64;                    // rows looked for at a time, to be made ahead
constexpr std::int64_t kTrial = 512;                   // rows made ahead before it is known how many are used,
constexpr std::int64_t kLeastUsed = 5;                 // of which one in so many must be,
constexpr std::int64_t kLeastUsedFar = 20;             // or in so many, where points are read from far away for any row
constexpr std::size_t kNear = std::size_t{1} << 20;    // numbers of all points that a core has at hand

std::size_t padded(std::size_t n) { return (n + 63) / 64 * 64; }

template <class V>
void put_in_order(V& values, std::span<const std::int32_t> from) {
  V spare(from.size());
  for (std::size_t b = 0; b < from.size(); ++b) spare[b] = values[static_cast<std::size_t>(from[b])];
  std::copy(spare.begin(), spare.end(), values.begin());
}

}  // namespace

template <class T>
Smo<T>::Smo(KernelRows& rows, const SvmProblem& problem, const SvmOptions& options, std::span<const double> alpha, Crew& crew)
    : rows_(rows),
      options_(options),
      crew_(crew),
      n_(rows.size()),
      active_(n_),
      cache_(n_, options.cache_bytes),
      order_(n_),
      y_(problem.signs.begin(), problem.signs.end()),
      alpha_(alpha.begin(), alpha.end()),
      bound_(problem.bounds.begin(), problem.bounds.end()),
      ridge_(problem.ridge.begin(), problem.ridge.end()),
      p_(problem.linear.begin(), problem.linear.end()),
      F_(padded(n_)),
      up_(padded(n_), static_cast<T>(kInf)),
      low_(padded(n_), static_cast<T>(kInf)),
      diagonal_(padded(n_), T{1}),
      is_ahead_(n_),
      block_(std::clamp<std::size_t>(options.block, 1, kMostBlock)) {
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t b = 0; b < n_; ++b) {
    const double k = rows_.diagonal(b);
    longest_ = std::max(longest_, k);
    diagonal_[b] = static_cast<T>(k + ridge_[b]);
    hard_ = hard_ || is_hard(b);
    mark(b);
  }
  make_up(0);
}

template <class T>
bool Smo<T>::is_hard(std::size_t b) const {
  return std::isinf(bound_[b]) && ridge_[b] == 0;
}

template <class T>
void Smo<T>::mark(std::size_t b) {
  up_[b] = room_up(b) > 0 ? T{0} : static_cast<T>(kInf);
  low_[b] = room_down(b) > 0 ? T{0} : static_cast<T>(kInf);
}

template <class T>
Ends Smo<T>::look() {
  const T* some = diagonal_.data();  // twice the same: F stays as it is
  return passes_.advance(F_.data(), some, some, 0.0, up_.data(), low_.data(), active_);
}

template <class T>
void Smo<T>::run(double tolerance) {
  ends_ = look();
  state_.settled = false;
  std::size_t until_shrink = std::max(active_ / 2, kShrinkSteps), until_look = kLookSteps;
  for (;;) {
    const double violation = ends_.at < 0 || ends_.low == kInf ? 0.0 : ends_.up - ends_.low;
    if (!(violation > tolerance)) {
      if (active_ == n_) {
        state_.settled = true;
        break;
      }
      unshrink();
      continue;
    }
    if (state_.steps >= options_.most) break;
    if (options_.shrink && --until_shrink == 0) {
      until_shrink = std::max(active_ / 2, kShrinkSteps);
      if (!has_unshrunk_ && violation <= 10 * tolerance && active_ < n_) {
        has_unshrunk_ = true;
        unshrink();
        continue;
      }
      shrink();
    }
    if (--until_look == 0) {
      until_look = kLookSteps;
      crew_.pause();
      if (options_.progress) options_.progress(state_.steps, violation);
      if (hard_ && is_endless()) {
        state_.separable = false;
        break;
      }
    }
    const auto i = static_cast<std::size_t>(ends_.at);
    const T* row_i = row(i);
    const std::int64_t partner =
        passes_.partner(F_.data(), row_i, low_.data(), diagonal_.data(), ends_.up, diagonal_[i], active_);
    if (partner < 0) break;  // values that are no numbers
    const auto j = static_cast<std::size_t>(partner);
    step(i, j, row_i, row(j));
    ++state_.steps;
  }
  if (active_ < n_) unshrink();
  state_.violation = ends_.at < 0 || ends_.low == kInf ? 0.0 : std::max(ends_.up - ends_.low, 0.0);
}

template <class T>
SvmState Smo<T>::state() const {
  SvmState out = state_;
  out.alpha.resize(n_);
  out.F.resize(n_);
  for (std::size_t b = 0; b < n_; ++b) {
    out.alpha[point_of(b)] = alpha_[b];
    out.F[point_of(b)] = F_[b];
  }
  return out;
}

template <class T>
void Smo<T>::restore_rows() {
  std::vector<std::int32_t> back(n_);
  for (std::size_t b = 0; b < n_; ++b) back[point_of(b)] = static_cast<std::int32_t>(b);
  rows_.reorder(back.data());
}

// y a of i rises as far as that of j falls, until F of both is the same, or one can go no further.
template <class T>
void Smo<T>::step(std::size_t i, std::size_t j, const T* row_i, const T* row_j) {
  const double k = static_cast<double>(row_i[j]);
  double curve = (static_cast<double>(diagonal_[i]) - k) + (static_cast<double>(diagonal_[j]) - k);
  if (!(curve > kFlat)) curve = kFlat;
  const double rise = room_up(i), fall = room_down(j);
  const double t = std::min({(F_[i] - F_[j]) / curve, rise, fall});
  const auto moved = [&](std::size_t b, double by, bool all) {
    if (all) {
      alpha_[b] = by > 0 ? bound_[b] : 0.0;
    } else {
      alpha_[b] = std::clamp(alpha_[b] + by, 0.0, bound_[b]);
    }
    mark(b);
  };
  moved(i, y_[i] * t, t == rise);
  moved(j, -y_[j] * t, t == fall);
  F_[i] -= t * ridge_[i];
  F_[j] += t * ridge_[j];
  ends_ = passes_.advance(F_.data(), row_i, row_j, t, up_.data(), low_.data(), active_);
}

// -- rows --------------------------------------------------------------------------------------------------------

template <class T>
void Smo<T>::fill(std::span<const std::int32_t> columns, std::size_t from, std::size_t to, T* const* out) {
  state_.made += static_cast<std::int64_t>(columns.size());
  const auto part = [&](std::size_t begin, std::size_t end) {
    T* at[kMostBlock];
    for (std::size_t a = 0; a < columns.size(); ++a) at[a] = out[a] + begin;
    rows_.rows(columns.data(), columns.size(), begin, end, at);
  };
  if (crew_.members() < 2 || columns.size() * (to - from) * options_.work < kShared) {
    part(from, to);
    return;
  }
  const std::size_t piece = padded((to - from) / crew_.members() / 2 + 1);
  crew_.share((to - from + piece - 1) / piece, [&](std::size_t number, std::size_t) {
    part(from + number * piece, std::min(from + (number + 1) * piece, to));
  });
}

// The row of a column, known for all that are active. Where it is not, the likeliest rows to be wanted next are made with it:
// several in one go take little longer than one.
template <class T>
const T* Smo<T>::row(std::size_t b) {
  const std::size_t point = point_of(b);
  if (cache_.length(point) >= active_) {
    cache_.touch(point);
    state_.used += is_ahead_[point];
    is_ahead_[point] = 0;
    return cache_.row(point);
  }
  crew_.pause();
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
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
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

// -- rows set aside ----------------------------------------------------------------------------------------------

// A row that may only rise, and lies below all that may fall, or the other way round, will hardly be chosen again.
template <class T>
void Smo<T>::shrink() {
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> aside;
  from.reserve(active_);
  for (std::size_t b = 0; b < active_; ++b) {
    const bool out = (up_[b] != 0 && F_[b] > ends_.up) || (low_[b] != 0 && F_[b] < ends_.low);
    (out ? aside : from).push_back(static_cast<std::int32_t>(b));
  }
  if (static_cast<double>(aside.size()) < kWorthShrinking * static_cast<double>(active_) || from.size() < 2) return;
  const std::size_t left = from.size();
  from.insert(from.end(), aside.begin(), aside.end());
  cache_.reorder(from, left);
  put_in_order(order_, from);
  put_in_order(y_, from);
  put_in_order(alpha_, from);
  put_in_order(bound_, from);
  put_in_order(ridge_, from);
  put_in_order(p_, from);
  put_in_order(F_, from);
  put_in_order(up_, from);
  put_in_order(low_, from);
  put_in_order(diagonal_, from);
  const std::size_t before = active_;
  active_ = left;
  for (std::size_t b = left; b < before; ++b) up_[b] = low_[b] = static_cast<T>(kInf);
  likely_.clear();
  from.resize(n_);
  std::iota(from.begin() + static_cast<std::ptrdiff_t>(before), from.end(), static_cast<std::int32_t>(before));
  rows_.reorder(from.data());
  ends_ = look();
}

template <class T>
void Smo<T>::unshrink() {
  const std::size_t from = active_;
  active_ = n_;
  for (std::size_t b = from; b < n_; ++b) mark(b);
  make_up(from);
  ends_ = look();
}

// F of the columns from `from` on, by all rows with an alpha, and of the few before it that passes take with them.
template <class T>
void Smo<T>::make_up(std::size_t from) {
  from = from / kPassStep * kPassStep;
  for (std::size_t b = from; b < n_; ++b) F_[b] = -y_[b] * (p_[b] + ridge_[b] * alpha_[b]);
  std::vector<std::size_t> support;
  for (std::size_t b = 0; b < n_; ++b) {
    if (alpha_[b] != 0) support.push_back(b);
  }
  if (support.empty()) return;
  const std::size_t stride = padded(n_);
  std::vector<T> spare(kMostBlock * stride + 64);
  T* room = spare.data() + (64 - reinterpret_cast<std::uintptr_t>(spare.data()) % 64) % 64 / sizeof(T);
  for (std::size_t at = 0; at < support.size(); at += kMostBlock) {
    crew_.pause();
    const std::size_t some = std::min(kMostBlock, support.size() - at);
    const T* lines[kMostBlock];
    std::int32_t columns[kMostBlock];
    T* out[kMostBlock];
    std::size_t m = 0;
    for (std::size_t a = 0; a < some; ++a) {
      const std::size_t b = support[at + a], point = point_of(b);
      if (cache_.length(point) >= n_) {
        lines[a] = cache_.row(point) + from;
        continue;
      }
      // what is missing goes to the cache, if the row is kept as far as here, or if there is room at the start
      T* whole = nullptr;
      if (cache_.has(point) && cache_.length(point) >= from) {
        whole = cache_.row(point);
      } else if (from == 0 && at + kMostBlock < cache_.capacity() / 2) {
        whole = cache_.has(point) ? cache_.row(point) : cache_.make(point);
      }
      if (whole) cache_.set_length(point, n_);
      columns[m] = static_cast<std::int32_t>(b);
      out[m] = whole ? whole : room + a * stride;
      lines[a] = out[m++] + from;
    }
    if (m) fill({columns, m}, from, n_, out);
    for (std::size_t a = 0; a < some; ++a) {  // always in the same order: the sums do not depend on what is kept
      const std::size_t b = support[at + a];
      passes_.add(F_.data() + from, lines[a], y_[b] * alpha_[b], n_ - from);
    }
  }
}

// Alphas of a hard margin are shares of two points, one in the hull of each class, times half their sum: |w| over that is the
// distance of these points, which no margin exceeds.
template <class T>
bool Smo<T>::is_endless() const {
  double sum = 0.0, squares = 0.0;
  for (std::size_t b = 0; b < n_; ++b) {
    if (alpha_[b] == 0) continue;
    sum += alpha_[b];
    squares -= y_[b] * alpha_[b] * (F_[b] + y_[b] * (p_[b] + ridge_[b] * alpha_[b]));
  }
  return 2 * std::sqrt(std::max(squares, 0.0)) < options_.touching * std::sqrt(std::max(longest_, 0.0)) * sum;
}

template class Smo<float>;
template class Smo<double>;

}  // namespace hedgerow

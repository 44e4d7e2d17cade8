// Rows that sequential minimal optimisation sets aside, and takes back.
#include <algorithm>
#include <numeric>

#include "svm/smo.hpp"

namespace hedgerow {

namespace {

constexpr double kWorthShrinking = 0.2;  // share of rows set aside that is worth putting all rows in a new order

template <class V>
void permute(V& values, std::span<const std::int32_t> from) {
  V spare(from.size());
  for (std::size_t b = 0; b < from.size(); ++b) spare[b] = values[static_cast<std::size_t>(from[b])];
  std::copy(spare.begin(), spare.end(), values.begin());
}

}  // namespace

// A row that may only rise, and lies below all that may fall, or the other way round, will hardly be chosen again.
template <class T>
void SmoSolver<T>::shrink() {
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> shrunk;
  from.reserve(active_);
  for (std::size_t b = 0; b < active_; ++b) {
    const bool out = (up_[b] != 0 && F_[b] > extremes_.up) || (low_[b] != 0 && F_[b] < extremes_.low);
    (out ? shrunk : from).push_back(static_cast<std::int32_t>(b));
  }
  if (static_cast<double>(shrunk.size()) < kWorthShrinking * static_cast<double>(active_) || from.size() < 2) return;
  const std::size_t left = from.size();
  from.insert(from.end(), shrunk.begin(), shrunk.end());
  cache_.reorder(from, left);
  permute(order_, from);
  permute(y_, from);
  permute(alpha_, from);
  permute(bound_, from);
  permute(ridge_, from);
  permute(p_, from);
  permute(F_, from);
  permute(up_, from);
  permute(low_, from);
  permute(diagonal_, from);
  const std::size_t before = active_;
  active_ = left;
  for (std::size_t b = left; b < before; ++b) up_[b] = low_[b] = kInf;
  likely_columns_.clear();
  from.resize(n_);
  std::iota(from.begin() + static_cast<std::ptrdiff_t>(before), from.end(), static_cast<std::int32_t>(before));
  rows_.reorder(from.data());
  extremes_ = find_extremes();
}

template <class T>
void SmoSolver<T>::unshrink() {
  const std::size_t from = active_;
  active_ = n_;
  for (std::size_t b = from; b < n_; ++b) mark_bounds(b);
  recompute_F_from(from);
  extremes_ = find_extremes();
}

// F of the columns from `from` on, by all rows with an alpha, and of the few before it that passes take with them.
template <class T>
void SmoSolver<T>::recompute_F_from(std::size_t from) {
  from = from / kPassStep * kPassStep;
  for (std::size_t b = from; b < n_; ++b) F_[b] = -y_[b] * (p_[b] + ridge_[b] * alpha_[b]);
  std::vector<std::size_t> support;
  for (std::size_t b = 0; b < n_; ++b) {
    if (alpha_[b] != 0) support.push_back(b);
  }
  if (support.empty()) return;
  const std::size_t stride = padded(n_);
  std::vector<T> spare(kMaxBlock * stride + 64);
  T* buffer = spare.data() + (64 - reinterpret_cast<std::uintptr_t>(spare.data()) % 64) % 64 / sizeof(T);
  for (std::size_t at = 0; at < support.size(); at += kMaxBlock) {
    pool_.check_interrupt();
    const std::size_t some = std::min(kMaxBlock, support.size() - at);
    const T* lines[kMaxBlock];
    std::int32_t columns[kMaxBlock];
    T* out[kMaxBlock];
    std::size_t m = 0;
    for (std::size_t a = 0; a < some; ++a) {
      const std::size_t b = support[at + a], point = point_of(b);
      if (cache_.length(point) >= n_) {
        cache_.touch(point);  // so that no row of this block takes its room
        lines[a] = cache_.row(point) + from;
        continue;
      }
      // what is missing goes to the cache, if the row is kept as far as here, or if there is room at the start
      T* whole = nullptr;
      if (cache_.has(point) && cache_.length(point) >= from) {
        whole = cache_.row(point);
      } else if (from == 0 && at + kMaxBlock < cache_.capacity() / 2) {
        whole = cache_.has(point) ? cache_.row(point) : cache_.insert(point);
      }
      if (whole) {
        cache_.set_length(point, n_);
        cache_.touch(point);
      }
      columns[m] = static_cast<std::int32_t>(b);
      out[m] = whole ? whole : buffer + a * stride;
      lines[a] = out[m++] + from;
    }
    if (m) fill_rows({columns, m}, from, n_, out);
    for (std::size_t a = 0; a < some; ++a) {  // always in the same order: the sums do not depend on what is kept
      const std::size_t b = support[at + a];
      passes_.add(F_.data() + from, lines[a], y_[b] * alpha_[b], n_ - from);
    }
  }
}

template void SmoSolver<float>::shrink();
template void SmoSolver<double>::shrink();
template void SmoSolver<float>::unshrink();
template void SmoSolver<double>::unshrink();
template void SmoSolver<float>::recompute_F_from(std::size_t);
template void SmoSolver<double>::recompute_F_from(std::size_t);

}  // namespace hedgerow

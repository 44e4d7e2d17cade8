// Rows that sequential minimal optimisation sets aside, and takes back.
#include <algorithm>
#include <numeric>

#include "svm/smo.hpp"

namespace hedgerow {

namespace {

constexpr double kWorthShrinking = 0.2;  // share of rows set aside that is worth putting all rows in a new order

template <class V>
void put_in_order(V& values, std::span<const std::int32_t> from) {
  V spare(from.size());
  for (std::size_t b = 0; b < from.size(); ++b) spare[b] = values[static_cast<std::size_t>(from[b])];
  std::copy(spare.begin(), spare.end(), values.begin());
}

}  // namespace

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
  for (std::size_t b = left; b < before; ++b) up_[b] = low_[b] = kInf;
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
    crew_.check_interrupt();
    const std::size_t some = std::min(kMostBlock, support.size() - at);
    const T* lines[kMostBlock];
    std::int32_t columns[kMostBlock];
    T* out[kMostBlock];
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
      } else if (from == 0 && at + kMostBlock < cache_.capacity() / 2) {
        whole = cache_.has(point) ? cache_.row(point) : cache_.make(point);
      }
      if (whole) {
        cache_.set_length(point, n_);
        cache_.touch(point);
      }
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

template void Smo<float>::shrink();
template void Smo<double>::shrink();
template void Smo<float>::unshrink();
template void Smo<double>::unshrink();
template void Smo<float>::make_up(std::size_t);
template void Smo<double>::make_up(std::size_t);

}  // namespace hedgerow

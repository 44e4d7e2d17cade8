#include "rules/description_length.hpp"

#include <algorithm>
#include <cmath>

namespace hedgerow::rules {
namespace {

constexpr double rounding = 1e-9;  // fewer bits are none

// An expected share that excludes nothing: what is not expected at all would take endless bits to tell.
double within(double share, double n) {
  const double least = 0.5 / (n + 1);
  return std::clamp(share, least, 1 - least);
}

class Shortening {
 public:
  explicit Shortening(const RuleBook& book) : book_(book), depth_(book.positive.size(), 0) {
    for (const auto& rows : book.rows) {
      add(covered_, rows, [this](std::uint32_t row) { return depth_[row]++ == 0; });
    }
    for (const double bits : book.bits) theory_ += bits;
  }

  Description result(bool shorten) {
    Description out{theory_ + exceptions(covered_), std::vector<std::uint8_t>(book_.rows.size(), 1)};
    for (std::size_t number = book_.rows.size(); shorten && number-- > 0;) {
      Weight alone;
      add(alone, book_.rows[number], [this](std::uint32_t row) { return depth_[row] == 1; });
      const Weight rest{covered_.p - alone.p, covered_.n - alone.n};
      const double bits = theory_ - book_.bits[number] + exceptions(rest);
      if (bits >= out.bits - rounding) continue;
      out.bits = bits;
      out.stays[number] = 0;
      theory_ -= book_.bits[number];
      covered_ = rest;
      for (const std::uint32_t row : book_.rows[number]) --depth_[row];
    }
    return out;
  }

 private:
  template <typename Counted>
  void add(Weight& sum, std::span<const std::uint32_t> rows, Counted&& counted) const {
    weigh(sum, rows, book_.positive, book_.weight, counted);
  }

  double exceptions(Weight covered) const {
    const Weight inside{std::max(covered.p, 0.0), std::max(covered.n, 0.0)};
    const Weight left{std::max(book_.all.p - covered.p, 0.0), std::max(book_.all.n - covered.n, 0.0)};
    return exception_bits(inside, left, book_.false_positives);
  }

  const RuleBook& book_;
  std::vector<std::uint16_t> depth_;  // how many rules cover each row
  Weight covered_;
  double theory_ = 0;
};

}  // namespace

double subset_bits(double n, double k, double share) {
  const double chosen = k > 0 ? -k * std::log2(share) : 0.0;
  return chosen - (n > k ? (n - k) * std::log2(1 - share) : 0.0);
}

double exception_bits(Weight covered, Weight left, double false_positives) {
  const double inside = covered.p + covered.n, outside = left.p + left.n, wrong = covered.n + left.p;
  const double bits = std::log2(inside + outside + 1);
  if (inside > outside) {
    const double found = subset_bits(inside, covered.n, within(false_positives * wrong / inside, inside));
    return bits + found + (outside > 0 ? subset_bits(outside, left.p, left.p / outside) : 0.0);
  }
  if (outside <= 0) return bits;
  const double missed = subset_bits(outside, left.p, within((1 - false_positives) * wrong / outside, outside));
  return bits + missed + (inside > 0 ? subset_bits(inside, covered.n, covered.n / inside) : 0.0);
}

Description described(const RuleBook& book, bool shorten) { return Shortening(book).result(shorten); }

}  // namespace hedgerow::rules

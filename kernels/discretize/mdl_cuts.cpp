#include "discretize/mdl_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace hedgerow {

namespace {

constexpr double kEqual = 1e-12;               // bits by which gains may differ and still be equal
constexpr std::size_t kMostTabled = 1u << 20;  // logarithms of whole weights are looked up

// x log2 x, of whole numbers from a table.
class Products {
 public:
  explicit Products(double total) {
    table_.resize(static_cast<std::size_t>(std::min(total, static_cast<double>(kMostTabled))) + 1);
    for (std::size_t x = 1; x < table_.size(); ++x)
      table_[x] = static_cast<double>(x) * std::log2(static_cast<double>(x));
  }

  double operator()(double x) const {
    if (x <= 0) return 0.0;
    if (x < static_cast<double>(table_.size())) {
      const auto whole = static_cast<std::size_t>(x);
      if (static_cast<double>(whole) == x) return table_[whole];
    }
    return x * std::log2(x);
  }

 private:
  std::vector<double> table_;
};

// The weight of some rows by class.
struct Side {
  std::vector<double> weights;
  double total = 0.0;

  explicit Side(std::size_t classes) : weights(classes) {}

  // Bits of all rows together: the entropy times their weight.
  double bits(const Products& product) const {
    double sum = 0.0;
    for (const double weight : weights) sum += product(weight);
    return std::max(product(total) - sum, 0.0);
  }

  double entropy(const Products& product) const { return total > 0 ? bits(product) / total : 0.0; }

  double classes_present() const {
    return static_cast<double>(std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }));
  }
};

class Cutter {
 public:
  Cutter(std::span<const double> weight, std::size_t classes)
      : weight_(weight), classes_(classes), product_(std::accumulate(weight.begin(), weight.end(), 0.0)) {}

  void cut(std::size_t begin, std::size_t end, std::vector<std::int64_t>& ends) {
    if (end - begin < 2) return;
    const Side whole = side(begin, end);
    if (whole.total <= 1) return;
    const std::size_t place = best_cut(begin, end, whole);
    const Side left = side(begin, place), right = side(place, end);
    const double before = whole.entropy(product_), e1 = left.entropy(product_), e2 = right.entropy(product_);
    const double gain = before - (left.total * e1 + right.total * e2) / whole.total;
    const double k = whole.classes_present();
    const double delta =
        std::log2(std::pow(3.0, k) - 2) - (k * before - left.classes_present() * e1 - right.classes_present() * e2);
    if (!(gain > (std::log2(whole.total - 1) + delta) / whole.total)) return;
    cut(begin, place, ends);
    ends.push_back(static_cast<std::int64_t>(place));
    cut(place, end, ends);
  }

 private:
  Side side(std::size_t begin, std::size_t end) const {
    Side made(classes_);
    for (std::size_t value = begin; value < end; ++value) add(made, value, 1.0);
    for (const double weight : made.weights) made.total += weight;
    return made;
  }

  void add(Side& to, std::size_t value, double sign) const {
    const double* row = weight_.data() + value * classes_;
    for (std::size_t klass = 0; klass < classes_; ++klass) to.weights[klass] += sign * row[klass];
  }

  // The first value of the right side of the cut that leaves the fewest bits.
  std::size_t best_cut(std::size_t begin, std::size_t end, const Side& whole) {
    Side left(classes_);
    left_bits_.resize(end - begin - 1);
    double least = 0.0;
    for (std::size_t value = begin; value + 1 < end; ++value) {
      add(left, value, 1.0);
      double sum = 0.0, on_left = 0.0;
      for (std::size_t klass = 0; klass < classes_; ++klass) {
        const double weight = left.weights[klass];
        on_left += weight;
        sum += product_(weight) + product_(whole.weights[klass] - weight);
      }
      const double bits = product_(on_left) + product_(whole.total - on_left) - sum;
      left_bits_[value - begin] = bits;
      if (value == begin || bits < least) least = bits;
    }
    const double equal = least + kEqual * whole.total;
    const auto first =
        std::find_if(left_bits_.begin(), left_bits_.end(), [equal](double bits) { return bits < equal; });
    return begin + static_cast<std::size_t>(first - left_bits_.begin()) + 1;
  }

  std::span<const double> weight_;
  std::size_t classes_;
  Products product_;
  std::vector<double> left_bits_;
};

}  // namespace

std::vector<std::int64_t> find_mdl_cuts(std::span<const double> weight, std::size_t classes) {
  std::vector<std::int64_t> ends;
  Cutter(weight, classes).cut(0, weight.size() / classes, ends);
  return ends;
}

}  // namespace hedgerow

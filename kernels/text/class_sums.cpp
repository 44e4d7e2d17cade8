#include "text/class_sums.hpp"

#include <numeric>

namespace hedgerow {
namespace {

struct TermClassSum {
  std::int32_t term;
  double value;
};

// What a thread sums a class in: zero between the classes.
struct ClassSumScratch {
  std::vector<double> sums;
  std::vector<std::int32_t> touched;
};

template <typename Value>
std::vector<TermClassSum> sum_class(const TermValueRows<Value>& rows, const ClassRows& members, std::size_t klass,
                                    std::size_t n_terms, ClassSumScratch& scratch) {
  scratch.sums.resize(n_terms, 0.0);
  scratch.touched.clear();
  for (auto at = members.starts[klass]; at < members.starts[klass + 1]; ++at) {
    const auto row = members.rows[at];
    const auto share = members.shares[at];
    for (auto entry = rows.starts[row]; entry < rows.starts[row + 1]; ++entry) {
      const auto term = rows.ids[entry];
      const auto value = share * static_cast<double>(rows.values[entry]);
      if (value == 0) continue;
      if (scratch.sums[term] == 0) scratch.touched.push_back(term);  // a sum that comes back to 0 is touched twice
      scratch.sums[term] += value;
    }
  }
  std::vector<TermClassSum> out;
  out.reserve(scratch.touched.size());
  for (const auto term : scratch.touched) {
    if (scratch.sums[term] != 0) out.push_back({term, scratch.sums[term]});
    scratch.sums[term] = 0;
  }
  return out;
}

}  // namespace

template <typename Value>
ClassSums sum_by_class(const TermValueRows<Value>& rows, const ClassRows& members, std::size_t n_terms,
                       ThreadPool& pool) {
  const auto n_classes = members.starts.size() - 1;
  std::vector<std::vector<TermClassSum>> found(n_classes);
  std::vector<ClassSumScratch> scratches(pool.size());
  pool.parallel_for(n_classes, [&](std::size_t klass, std::size_t thread) {
    found[klass] = sum_class(rows, members, klass, n_terms, scratches[thread]);
  });
  scratches.clear();
  ClassSums out;
  out.starts.assign(n_terms + 1, 0);
  for (const auto& of_class : found)
    for (const auto& sum : of_class) ++out.starts[sum.term + 1];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  out.classes.resize(static_cast<std::size_t>(out.starts.back()));
  out.sums.resize(out.classes.size());
  std::vector<std::int64_t> next(out.starts.begin(), out.starts.end() - 1);
  for (std::size_t klass = 0; klass < n_classes; ++klass) {
    for (const auto& [term, value] : found[klass]) {
      const auto to = next[term]++;
      out.classes[to] = static_cast<std::int32_t>(klass);
      out.sums[to] = value;
    }
    found[klass] = {};
  }
  return out;
}

template ClassSums sum_by_class(const TermValueRows<double>&, const ClassRows&, std::size_t, ThreadPool&);
template ClassSums sum_by_class(const TermValueRows<std::int32_t>&, const ClassRows&, std::size_t, ThreadPool&);

ClassSums add_class_sums(const ClassSumsView& one, std::span<const std::int64_t> positions, const ClassSumsView& other,
                         std::span<const std::int64_t> other_positions, double factor, std::size_t n_terms) {
  ClassSums out;
  out.starts.reserve(n_terms + 1);
  out.starts.push_back(0);
  out.classes.reserve(one.classes.size() + other.classes.size());
  out.sums.reserve(one.classes.size() + other.classes.size());
  const auto put = [&](std::int32_t klass, double sum) {
    if (sum == 0) return;
    out.classes.push_back(klass);
    out.sums.push_back(sum);
  };
  std::size_t i = 0, j = 0;  // the next terms of the two
  for (std::size_t term = 0; term < n_terms; ++term) {
    const bool in_one = i < positions.size() && positions[i] == static_cast<std::int64_t>(term);
    const bool in_other = j < other_positions.size() && other_positions[j] == static_cast<std::int64_t>(term);
    auto a = in_one ? one.starts[i] : 0, a_end = in_one ? one.starts[i + 1] : 0;
    auto b = in_other ? other.starts[j] : 0, b_end = in_other ? other.starts[j + 1] : 0;
    while (a < a_end || b < b_end) {
      if (b == b_end || (a < a_end && one.classes[a] < other.classes[b])) {
        put(one.classes[a], one.sums[a]);
        ++a;
      } else if (a == a_end || other.classes[b] < one.classes[a]) {
        put(other.classes[b], factor * other.sums[b]);
        ++b;
      } else {
        put(one.classes[a], one.sums[a] + factor * other.sums[b]);
        ++a;
        ++b;
      }
    }
    i += in_one;
    j += in_other;
    out.starts.push_back(static_cast<std::int64_t>(out.classes.size()));
  }
  return out;
}

}  // namespace hedgerow

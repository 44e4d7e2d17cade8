#include "rules/grow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/decimals.hpp"
#include "rules/foil_gain.hpp"

namespace hedgerow::rules {
namespace {

constexpr std::size_t bundle = 16;          // small columns counted together
constexpr std::size_t few_cells = 1 << 16;  // of rows and columns: not worth waking other threads
constexpr std::size_t most_codes = trees::TreeColumns::kMaxSmallCode + 1;  // of a small column, missing included

// A covered row and whether it is of the class, in 32 bits: rows are fewer than 2^31.
using Case = std::uint32_t;

constexpr std::uint32_t row_of(Case one) { return one >> 1; }
constexpr std::size_t side_of(Case one) { return one & 1; }  // 1 if of the class

// Columns that are counted together: small ones side by side, or one other.
struct Job {
  std::size_t begin, end;
};

struct Found {
  double gain = 0;
  Condition condition{-1, Test::is, 0};
};

// A row of a block that is searched.
struct Member {
  double value;
  Case at;
};

// Sorts by value. Values of a block mostly lie evenly, so that many are first dealt into buckets of a few.
void sort_members(std::span<Member> all, std::vector<Member>& spare) {
  const auto lower = [](const Member& a, const Member& b) { return a.value < b.value; };
  constexpr std::size_t few = 32, most = 512;
  if (all.size() < few) return std::sort(all.begin(), all.end(), lower);
  const auto [least, greatest] = std::minmax_element(all.begin(), all.end(), lower);
  const double low = least->value, width = greatest->value - low;
  if (width == 0) return;
  if (!(width <= std::numeric_limits<double>::max())) return std::sort(all.begin(), all.end(), lower);
  const std::size_t buckets = std::min(most, all.size() / 4);
  const auto bucket_of = [&](const Member& one) {
    return std::min(buckets - 1, static_cast<std::size_t>((one.value - low) / width * static_cast<double>(buckets)));
  };
  std::array<std::uint32_t, most + 1> ends{};
  for (const Member& one : all) ++ends[bucket_of(one) + 1];
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) ends[bucket + 1] += ends[bucket];
  spare.assign(all.begin(), all.end());
  for (const Member& one : spare) all[ends[bucket_of(one)]++] = one;
  for (std::size_t bucket = 0, begin = 0; bucket < buckets; begin = ends[bucket++]) {
    std::sort(all.data() + begin, all.data() + ends[bucket], lower);
  }
}

// What a thread writes to.
template <typename Count>
struct Scratch {
  std::vector<Count> counts;
  std::vector<std::pair<Case, std::uint32_t>> found;  // rows of blocks that are searched, and their blocks
  std::vector<Member> sorted, spare;                  // the same by value
};

// `Count` is double for rows with weights; rows that weigh 1 are counted in whole numbers.
template <typename Count>
class Grower {
 public:
  Grower(const RuleColumns& columns, const GrowTask& task, ThreadPool& crew)
      : columns_(columns),
        task_(task),
        crew_(crew),
        starts_(columns.stride + 1),
        found_(columns.size()),
        edges_(columns.size()),
        scratch_(crew.size()) {
    cases_.reserve(task.rows.size());
    for (const std::uint32_t row : task.rows) {
      const Case one = row << 1 | (task.positive[row] != 0);
      if (weight(one) > 0) cases_.push_back(one);
    }
    make_jobs();
  }

  std::vector<Condition> grown() {
    std::vector<Condition> rule;
    Weight left = total();
    while (rule.size() < task_.max_length && left.n > 0 && left.p > 0) {
      look(left);
      Found best;
      for (const Found& one : found_) {
        if (one.condition.column >= 0 && one.gain > best.gain * (1 + equal_gains)) best = one;
      }
      if (best.condition.column < 0) break;
      rule.push_back(best.condition);
      keep(best.condition);
      left = total();
    }
    return rule;
  }

 private:
  Count weight(Case one) const {
    if constexpr (std::is_same_v<Count, double>) {
      return task_.weight[row_of(one)];
    } else {
      return 1;
    }
  }

  Weight total() const {
    std::array<Count, 2> sums{};
    if constexpr (std::is_same_v<Count, double>) {
      for (const Case one : cases_) sums[side_of(one)] += weight(one);
    } else {
      for (const Case one : cases_) sums[1] += one & 1;
      sums[0] = static_cast<Count>(cases_.size()) - sums[1];
    }
    return weight_at(sums.data());
  }

  // Goes on with the rows that pass.
  void keep(const Condition& condition) {
    with_test(columns_, condition, [this](auto&& passes) {
      std::size_t kept = 0;
      for (const Case one : cases_) {
        cases_[kept] = one;
        kept += passes(row_of(one));
      }
      cases_.resize(kept);
    });
  }

  // Counts stand in pairs: others, then rows of the class.
  static Weight weight_at(const Count* pair) { return {static_cast<double>(pair[1]), static_cast<double>(pair[0])}; }

  void make_jobs() {
    for (std::size_t number = 0; number < columns_.size(); ++number) {
      const bool is_small = number < columns_.dense.size() && columns_.dense[number].slot >= 0;
      if (is_small) {
        const auto codes = static_cast<std::size_t>(columns_.dense[number].bins) + 1;
        starts_[small_.size() + 1] = starts_[small_.size()] + 2 * codes;
        small_.push_back(number);
        if (columns_.dense[number].blocks && task_.allowed[number]) in_blocks_.push_back(number);
      } else if (task_.allowed[number]) {
        others_.push_back(number);
      }
    }
    for (std::size_t begin = 0; begin < small_.size(); begin += bundle) {
      bundles_.push_back({begin, std::min(begin + bundle, small_.size())});
    }
  }

  // Finds the best condition of every column, but for those of blocks that others surpass.
  void look(Weight left) {
    left_ = left;
    std::fill(found_.begin(), found_.end(), Found{});
    const bool alone = cases_.size() * columns_.size() < few_cells;
    // Sums of whole numbers do not depend on who adds them up; those of weights do.
    parts_ = alone || std::is_same_v<Count, double> ? 1 : crew_.size();
    counts_.assign(parts_ * starts_.back(), 0);
    const std::size_t counting = bundles_.size() * parts_;
    share(alone, counting + others_.size(), [&](std::size_t number, std::size_t member) {
      if (number < counting) {
        count_small(bundles_[number / parts_], number % parts_);
      } else {
        take_other(others_[number - counting], scratch_[member]);
      }
    });
    share(alone, bundles_.size(), [this](std::size_t number, std::size_t) { take_small(bundles_[number]); });
    BestGain floor(left_, task_.min_weight);
    for (const Weight& after : edges_) floor.improves(after);
    share(alone, in_blocks_.size(),
          [&](std::size_t number, std::size_t member) { take_blocks(in_blocks_[number], floor, scratch_[member]); });
  }

  template <typename Work>
  void share(bool alone, std::size_t jobs, Work&& work) {
    if (alone) {
      crew_.check_interrupt();
      for (std::size_t number = 0; number < jobs; ++number) work(number, 0);
    } else {
      crew_.parallel_for(jobs, work);
    }
  }

  // -- counting ---------------------------------------------------------------------------------------------

  // Counts a part of the covered rows.
  void count_small(Job job, std::size_t part) {
    const std::size_t begin = cases_.size() * part / parts_, end = cases_.size() * (part + 1) / parts_;
    Count* counts = counts_.data() + part * starts_.back();
    std::array<Count*, bundle> cells;
    const std::size_t many = job.end - job.begin;
    for (std::size_t i = 0; i < many; ++i) cells[i] = counts + starts_[job.begin + i];
    for (const Case one : std::span(cases_).subspan(begin, end - begin)) {
      const std::uint8_t* codes = columns_.codes(row_of(one)) + job.begin;
      const std::size_t side = side_of(one);
      const Count w = weight(one);
      for (std::size_t i = 0; i < many; ++i) cells[i][2 * std::size_t{codes[i]} + side] += w;
    }
  }

  // Levels that are many, or terms.
  void take_other(std::size_t number, Scratch<Count>& scratch) {
    const bool is_dense = number < columns_.dense.size();
    const TermColumn terms = is_dense ? TermColumn{} : columns_.terms[number - columns_.dense.size()];
    const auto cells = static_cast<std::size_t>(is_dense ? columns_.dense[number].bins : terms.vocabulary);
    scratch.counts.assign(2 * cells, 0);
    const auto add = [&](Case one, std::int32_t cell) {
      scratch.counts[2 * static_cast<std::size_t>(cell) + side_of(one)] += weight(one);
    };
    if (is_dense) {
      const std::int32_t* codes = columns_.dense[number].raw.codes;
      for (const Case one : cases_) {
        if (codes[row_of(one)] >= 0) add(one, codes[row_of(one)]);
      }
    } else {
      for (const Case one : cases_) {
        const std::size_t row = row_of(one);
        for (std::int64_t at = terms.starts[row]; at < terms.starts[row + 1]; ++at) add(one, terms.terms[at]);
      }
    }
    take_level(number, scratch.counts.data(), cells, is_dense ? Test::is : Test::contains);
  }

  void take_small(Job job) {
    const std::size_t cells = starts_.back();
    for (std::size_t part = 1; part < parts_; ++part) {
      for (std::size_t cell = starts_[job.begin]; cell < starts_[job.end]; ++cell) {
        counts_[cell] += counts_[part * cells + cell];
      }
    }
    for (std::size_t at = job.begin; at < job.end; ++at) {
      const std::size_t number = small_[at];
      const RuleColumn& column = columns_.dense[number];
      edges_[number] = {};
      if (!task_.allowed[number]) continue;
      if (column.nominal) {
        take_level(number, counts_.data() + starts_[at], static_cast<std::size_t>(column.bins), Test::is);
      } else {
        take_edges(number, column);
      }
    }
  }

  // Tries the cuts between codes. Those of blocks tell what is to be surpassed.
  void take_edges(std::size_t number, const RuleColumn& column) {
    BestCut cut = best_cut(number);
    std::size_t low = most_codes;
    for_codes(number, [&](std::size_t code, Weight below, Weight) {
      if (low < most_codes && cut.improves(below) && !column.blocks) {
        take_cut(number, cut, column.values[low], column.values[code]);
      }
      low = code;
    });
    edges_[number] = cut.best.best;
  }

  void take_level(std::size_t number, const Count* counts, std::size_t levels, Test test) {
    BestGain best(left_, task_.min_weight);
    for (std::size_t level = 0; level < levels; ++level) {
      if (!best.improves(weight_at(counts + 2 * level))) continue;
      found_[number] = {best.gain, {static_cast<std::int32_t>(number), test, static_cast<double>(level)}};
    }
    edges_[number] = best.best;
  }

  void take_cut(std::size_t number, const BestCut& cut, double low, double high) {
    const Test test = cut.above ? Test::above : Test::at_most;
    found_[number] = {cut.best.gain, {static_cast<std::int32_t>(number), test, choose_threshold(low, high)}};
  }

  // -- cuts -------------------------------------------------------------------------------------------------

  BestCut best_cut(std::size_t number) const {
    Weight all;
    for_codes(number, [&](std::size_t, Weight below, Weight own) { all = {below.p + own.p, below.n + own.n}; });
    return {left_, task_.min_weight, all, task_.allowed[number]};
  }

  // Calls look(code, below, own) for the codes that are there, with the weight of lower ones and their own.
  template <typename Look>
  void for_codes(std::size_t number, Look&& look) const {
    const RuleColumn& column = columns_.dense[number];
    const Count* counts = counts_.data() + starts_[static_cast<std::size_t>(column.slot)];
    Weight below;
    for (std::size_t code = 0; code < static_cast<std::size_t>(column.bins); ++code) {
      const Weight own = weight_at(counts + 2 * code);
      if (own.p + own.n <= 0) continue;
      look(code, below, own);
      below.p += own.p;
      below.n += own.n;
    }
  }

  // Tries every cut of a column of blocks that may gain as much as the best known. Where no cut within a block may,
  // none at its ends may either.
  void take_blocks(std::size_t number, const BestGain& floor, Scratch<Count>& scratch) {
    const RuleColumn& column = columns_.dense[number];
    BestCut cut = best_cut(number);
    std::array<bool, most_codes> near{}, searched{};
    bool any = false;
    for_codes(number, [&](std::size_t code, Weight below, Weight own) {
      near[code] = cut.may_near(floor, below, own);
      searched[code] = near[code] && std::isnan(column.values[code]);
      any |= near[code];
    });
    if (!any) return;
    const std::array<std::size_t, most_codes + 1> starts = sort_blocks(number, searched, scratch);
    const double* last = nullptr;  // value, if that is near
    const auto look = [&](const double& value, Weight below) {
      if (last && *last != value && cut.improves(below)) take_cut(number, cut, *last, value);
      last = &value;
    };
    for_codes(number, [&](std::size_t code, Weight below, Weight) {
      if (!near[code]) last = nullptr;
      if (near[code] && !searched[code]) look(column.values[code], below);
      for (std::size_t at = starts[code]; at < starts[code + 1]; ++at) {
        const Member& one = scratch.sorted[at];
        look(one.value, below);
        (side_of(one.at) ? below.p : below.n) += static_cast<double>(weight(one.at));
      }
    });
  }

  // Sorts the covered rows of some blocks, and returns where each block begins.
  std::array<std::size_t, most_codes + 1> sort_blocks(std::size_t number, const std::array<bool, most_codes>& searched,
                                                      Scratch<Count>& scratch) const {
    const RuleColumn& column = columns_.dense[number];
    const std::uint8_t* codes = columns_.bytes.data() + column.slot;
    std::array<std::size_t, most_codes + 1> starts{};
    if (scratch.found.size() <= cases_.size()) scratch.found.resize(cases_.size() + 1);
    std::size_t many = 0;
    for (const Case one : cases_) {
      const std::uint32_t code = codes[row_of(one) * columns_.stride];
      scratch.found[many] = {one, code};
      many += searched[code];
    }
    const std::span found(scratch.found.data(), many);
    for (const auto& [one, code] : found) ++starts[code + 1];
    for (std::size_t code = 0; code < most_codes; ++code) starts[code + 1] += starts[code];
    std::array<std::size_t, most_codes + 1> next = starts;
    if (scratch.sorted.size() < many) scratch.sorted.resize(many);
    for (const auto& [one, code] : found) scratch.sorted[next[code]++] = {column.raw.numbers[row_of(one)], one};
    for (std::size_t code = 0; code < most_codes; ++code) {
      sort_members(std::span(scratch.sorted).subspan(starts[code], starts[code + 1] - starts[code]), scratch.spare);
    }
    return starts;
  }

  const RuleColumns& columns_;
  const GrowTask& task_;
  ThreadPool& crew_;
  std::vector<Case> cases_;              // covered so far
  std::vector<std::size_t> small_;       // columns by their slot
  std::vector<std::size_t> starts_;      // of their counts, by slot
  std::vector<std::size_t> others_;      // columns that are not small
  std::vector<std::size_t> in_blocks_;   // columns that are
  std::vector<Job> bundles_;             // of slots
  std::size_t parts_ = 1;                // that covered rows are counted in
  std::vector<Count> counts_;            // by part, slot, code and side
  std::vector<Found> found_;             // by column
  std::vector<Weight> edges_;            // by column: what its best condition leaves; of blocks, the best between them
  std::vector<Scratch<Count>> scratch_;  // by member of the crew
  Weight left_;
};

}  // namespace

std::vector<Condition> grow_rule(const RuleColumns& columns, const GrowTask& task, ThreadPool& crew) {
  if (task.weight.empty()) return Grower<std::uint32_t>(columns, task, crew).grown();
  return Grower<double>(columns, task, crew).grown();
}

}  // namespace hedgerow::rules

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

constexpr std::size_t kBundleColumns = 16;  // small columns counted together
constexpr std::size_t kFewCells = 1 << 16;  // of rows and columns: not worth waking other threads
constexpr std::size_t kMaxCodes = trees::TreeColumns::kMaxSmallCode + 1;  // of a small column, missing included

// A covered row and whether it is of the class, in 32 bits: rows are fewer than 2^31.
using Case = std::uint32_t;

constexpr std::uint32_t row_of(Case one) { return one >> 1; }
constexpr std::size_t side_of(Case one) { return one & 1; }  // 1 if of the class

// Columns that are counted together: small ones side by side, or one other.
struct ColumnRange {
  std::size_t begin, end;
};

struct BestCondition {
  double gain = 0;
  Condition condition{-1, ConditionKind::is, 0};
};

// A row of a block that is searched.
struct BlockRow {
  double value;
  Case row_case;
};

// Sorts by value. Values of a block mostly lie evenly, so that many are first distributed into buckets of a few.
void sort_block_rows(std::span<BlockRow> all, std::vector<BlockRow>& spare) {
  const auto lower = [](const BlockRow& a, const BlockRow& b) { return a.value < b.value; };
  constexpr std::size_t few = 32, maximum = 512;
  if (all.size() < few) return std::sort(all.begin(), all.end(), lower);
  const auto [minimum, greatest] = std::minmax_element(all.begin(), all.end(), lower);
  const double low = minimum->value, width = greatest->value - low;
  if (width == 0) return;
  if (!(width <= std::numeric_limits<double>::max())) return std::sort(all.begin(), all.end(), lower);
  const std::size_t buckets = std::min(maximum, all.size() / 4);
  const auto bucket_of = [&](const BlockRow& one) {
    return std::min(buckets - 1, static_cast<std::size_t>((one.value - low) / width * static_cast<double>(buckets)));
  };
  std::array<std::uint32_t, maximum + 1> ends{};
  for (const BlockRow& one : all) ++ends[bucket_of(one) + 1];
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) ends[bucket + 1] += ends[bucket];
  spare.assign(all.begin(), all.end());
  for (const BlockRow& one : spare) all[ends[bucket_of(one)]++] = one;
  for (std::size_t bucket = 0, begin = 0; bucket < buckets; begin = ends[bucket++]) {
    std::sort(all.data() + begin, all.data() + ends[bucket], lower);
  }
}

// What a thread writes to.
template <typename Count>
struct GrowScratch {
  std::vector<Count> counts;
  std::vector<std::pair<Case, std::uint32_t>> block_cases;  // rows of blocks that are searched, and their blocks
  std::vector<BlockRow> sorted, sort_buffer;                // the same by value
};

// `Count` is double for rows with weights; rows that weigh 1 are counted in whole numbers.
template <typename Count>
class RuleGrower {
 public:
  RuleGrower(const RuleColumns& columns, const GrowTask& task, ThreadPool& pool)
      : columns_(columns),
        task_(task),
        pool_(pool),
        starts_(columns.stride + 1),
        best_conditions_(columns.size()),
        weights_after_(columns.size()),
        scratch_(pool.size()) {
    cases_.reserve(task.rows.size());
    for (const std::uint32_t row : task.rows) {
      const Case one = row << 1 | (task.positive[row] != 0);
      if (weight(one) > 0) cases_.push_back(one);
    }
    make_jobs();
  }

  std::vector<Condition> grow() {
    std::vector<Condition> rule;
    ClassWeights remaining = total();
    while (rule.size() < task_.max_length && remaining.n > 0 && remaining.p > 0) {
      evaluate_columns(remaining);
      BestCondition best;
      for (const BestCondition& one : best_conditions_) {
        if (one.condition.column >= 0 && one.gain > best.gain * (1 + kEqualGains)) best = one;
      }
      if (best.condition.column < 0) break;
      rule.push_back(best.condition);
      keep_passing(best.condition);
      remaining = total();
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

  ClassWeights total() const {
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
  void keep_passing(const Condition& condition) {
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
  static ClassWeights weight_at(const Count* pair) {
    return {static_cast<double>(pair[1]), static_cast<double>(pair[0])};
  }

  void make_jobs() {
    for (std::size_t number = 0; number < columns_.size(); ++number) {
      const bool is_small = number < columns_.dense.size() && columns_.dense[number].slot >= 0;
      if (is_small) {
        const auto codes = static_cast<std::size_t>(columns_.dense[number].bins) + 1;
        starts_[small_.size() + 1] = starts_[small_.size()] + 2 * codes;
        small_.push_back(number);
        if (columns_.dense[number].in_blocks && task_.allowed[number]) in_blocks_.push_back(number);
      } else if (task_.allowed[number]) {
        others_.push_back(number);
      }
    }
    for (std::size_t begin = 0; begin < small_.size(); begin += kBundleColumns) {
      bundles_.push_back({begin, std::min(begin + kBundleColumns, small_.size())});
    }
  }

  // Finds the best condition of every column, but for those of blocks that others surpass.
  void evaluate_columns(ClassWeights remaining) {
    remaining_ = remaining;
    std::fill(best_conditions_.begin(), best_conditions_.end(), BestCondition{});
    const bool single_threaded = cases_.size() * columns_.size() < kFewCells;
    // Sums of whole numbers do not depend on who adds them up; those of weights do.
    n_parts_ = single_threaded || std::is_same_v<Count, double> ? 1 : pool_.size();
    counts_.assign(n_parts_ * starts_.back(), 0);
    const std::size_t counting = bundles_.size() * n_parts_;
    run_jobs(single_threaded, counting + others_.size(), [&](std::size_t number, std::size_t thread) {
      if (number < counting) {
        count_small_columns(bundles_[number / n_parts_], number % n_parts_);
      } else {
        evaluate_other(others_[number - counting], scratch_[thread]);
      }
    });
    run_jobs(single_threaded, bundles_.size(),
             [this](std::size_t number, std::size_t) { evaluate_small(bundles_[number]); });
    BestGain floor(remaining_, task_.min_weight);
    for (const ClassWeights& after : weights_after_) floor.improves(after);
    run_jobs(single_threaded, in_blocks_.size(), [&](std::size_t number, std::size_t thread) {
      evaluate_blocks(in_blocks_[number], floor, scratch_[thread]);
    });
  }

  template <typename Work>
  void run_jobs(bool single_threaded, std::size_t jobs, Work&& work) {
    if (single_threaded) {
      pool_.check_interrupt();
      for (std::size_t number = 0; number < jobs; ++number) work(number, 0);
    } else {
      pool_.parallel_for(jobs, work);
    }
  }

  // -- counting ---------------------------------------------------------------------------------------------

  // Counts a part of the covered rows.
  void count_small_columns(ColumnRange job, std::size_t part) {
    const std::size_t begin = cases_.size() * part / n_parts_, end = cases_.size() * (part + 1) / n_parts_;
    Count* counts = counts_.data() + part * starts_.back();
    std::array<Count*, kBundleColumns> cells;
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
  void evaluate_other(std::size_t number, GrowScratch<Count>& scratch) {
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
    evaluate_levels(number, scratch.counts.data(), cells, is_dense ? ConditionKind::is : ConditionKind::contains);
  }

  void evaluate_small(ColumnRange job) {
    const std::size_t cells = starts_.back();
    for (std::size_t part = 1; part < n_parts_; ++part) {
      for (std::size_t cell = starts_[job.begin]; cell < starts_[job.end]; ++cell) {
        counts_[cell] += counts_[part * cells + cell];
      }
    }
    for (std::size_t at = job.begin; at < job.end; ++at) {
      const std::size_t number = small_[at];
      const RuleColumn& column = columns_.dense[number];
      weights_after_[number] = {};
      if (!task_.allowed[number]) continue;
      if (column.nominal) {
        evaluate_levels(number, counts_.data() + starts_[at], static_cast<std::size_t>(column.bins), ConditionKind::is);
      } else {
        evaluate_edges(number, column);
      }
    }
  }

  // Tries the cuts between codes. Those of blocks tell what is to be surpassed.
  void evaluate_edges(std::size_t number, const RuleColumn& column) {
    BestCut cut = start_cut(number);
    std::size_t low = kMaxCodes;
    for_each_code(number, [&](std::size_t code, ClassWeights below, ClassWeights) {
      if (low < kMaxCodes && cut.improves(below) && !column.in_blocks) {
        record_cut(number, cut, column.values[low], column.values[code]);
      }
      low = code;
    });
    weights_after_[number] = cut.best.best;
  }

  void evaluate_levels(std::size_t number, const Count* counts, std::size_t levels, ConditionKind test) {
    BestGain best(remaining_, task_.min_weight);
    for (std::size_t level = 0; level < levels; ++level) {
      if (!best.improves(weight_at(counts + 2 * level))) continue;
      best_conditions_[number] = {best.gain, {static_cast<std::int32_t>(number), test, static_cast<double>(level)}};
    }
    weights_after_[number] = best.best;
  }

  void record_cut(std::size_t number, const BestCut& cut, double low, double high) {
    const ConditionKind test = cut.above ? ConditionKind::above : ConditionKind::at_most;
    best_conditions_[number] = {cut.best.gain, {static_cast<std::int32_t>(number), test, choose_threshold(low, high)}};
  }

  // -- cuts -------------------------------------------------------------------------------------------------

  BestCut start_cut(std::size_t number) const {
    ClassWeights all;
    for_each_code(number,
                  [&](std::size_t, ClassWeights below, ClassWeights own) { all = {below.p + own.p, below.n + own.n}; });
    return {remaining_, task_.min_weight, all, task_.allowed[number]};
  }

  // Calls look(code, below, own) for the codes that are there, with the weight of lower ones and their own.
  template <typename Visit>
  void for_each_code(std::size_t number, Visit&& look) const {
    const RuleColumn& column = columns_.dense[number];
    const Count* counts = counts_.data() + starts_[static_cast<std::size_t>(column.slot)];
    ClassWeights below;
    for (std::size_t code = 0; code < static_cast<std::size_t>(column.bins); ++code) {
      const ClassWeights own = weight_at(counts + 2 * code);
      if (own.p + own.n <= 0) continue;
      look(code, below, own);
      below.p += own.p;
      below.n += own.n;
    }
  }

  // Tries every cut of a column of blocks that may gain as much as the best known. Where no cut within a block may,
  // none at its ends may either.
  void evaluate_blocks(std::size_t number, const BestGain& floor, GrowScratch<Count>& scratch) {
    const RuleColumn& column = columns_.dense[number];
    BestCut cut = start_cut(number);
    std::array<bool, kMaxCodes> near{}, searched{};
    bool any = false;
    for_each_code(number, [&](std::size_t code, ClassWeights below, ClassWeights own) {
      near[code] = cut.may_reach(floor, below, own);
      searched[code] = near[code] && std::isnan(column.values[code]);
      any |= near[code];
    });
    if (!any) return;
    const std::array<std::size_t, kMaxCodes + 1> starts = sort_blocks(number, searched, scratch);
    const double* last = nullptr;  // value, if that is near
    const auto look = [&](const double& value, ClassWeights below) {
      if (last && *last != value && cut.improves(below)) record_cut(number, cut, *last, value);
      last = &value;
    };
    for_each_code(number, [&](std::size_t code, ClassWeights below, ClassWeights) {
      if (!near[code]) last = nullptr;
      if (near[code] && !searched[code]) look(column.values[code], below);
      for (std::size_t at = starts[code]; at < starts[code + 1]; ++at) {
        const BlockRow& one = scratch.sorted[at];
        look(one.value, below);
        (side_of(one.row_case) ? below.p : below.n) += static_cast<double>(weight(one.row_case));
      }
    });
  }

  // Sorts the covered rows of some blocks, and returns where each block begins.
  std::array<std::size_t, kMaxCodes + 1> sort_blocks(std::size_t number, const std::array<bool, kMaxCodes>& searched,
                                                     GrowScratch<Count>& scratch) const {
    const RuleColumn& column = columns_.dense[number];
    const std::uint8_t* codes = columns_.bytes.data() + column.slot;
    std::array<std::size_t, kMaxCodes + 1> starts{};
    if (scratch.block_cases.size() <= cases_.size()) scratch.block_cases.resize(cases_.size() + 1);
    std::size_t many = 0;
    for (const Case one : cases_) {
      const std::uint32_t code = codes[row_of(one) * columns_.stride];
      scratch.block_cases[many] = {one, code};
      many += searched[code];
    }
    const std::span found(scratch.block_cases.data(), many);
    for (const auto& [one, code] : found) ++starts[code + 1];
    for (std::size_t code = 0; code < kMaxCodes; ++code) starts[code + 1] += starts[code];
    std::array<std::size_t, kMaxCodes + 1> next = starts;
    if (scratch.sorted.size() < many) scratch.sorted.resize(many);
    for (const auto& [one, code] : found) scratch.sorted[next[code]++] = {column.raw.numbers[row_of(one)], one};
    for (std::size_t code = 0; code < kMaxCodes; ++code) {
      sort_block_rows(std::span(scratch.sorted).subspan(starts[code], starts[code + 1] - starts[code]),
                      scratch.sort_buffer);
    }
    return starts;
  }

  const RuleColumns& columns_;
  const GrowTask& task_;
  ThreadPool& pool_;
  std::vector<Case> cases_;                     // covered so far
  std::vector<std::size_t> small_;              // columns by their slot
  std::vector<std::size_t> starts_;             // of their counts, by slot
  std::vector<std::size_t> others_;             // columns that are not small
  std::vector<std::size_t> in_blocks_;          // columns that are
  std::vector<ColumnRange> bundles_;            // of slots
  std::size_t n_parts_ = 1;                     // that covered rows are counted in
  std::vector<Count> counts_;                   // by part, slot, code and side
  std::vector<BestCondition> best_conditions_;  // by column
  std::vector<ClassWeights>
      weights_after_;  // by column: what its best condition leaves; of blocks, the best between them
  std::vector<GrowScratch<Count>> scratch_;  // by thread
  ClassWeights remaining_;
};

}  // namespace

std::vector<Condition> grow_rule(const RuleColumns& columns, const GrowTask& task, ThreadPool& pool) {
  if (task.weight.empty()) return RuleGrower<std::uint32_t>(columns, task, pool).grow();
  return RuleGrower<double>(columns, task, pool).grow();
}

}  // namespace hedgerow::rules

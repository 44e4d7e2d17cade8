#include "rule_grow.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "decimals.hpp"
#include "rule_gain.hpp"

namespace hedgerow::rules {
namespace {

using trees::Item;
using trees::TreeColumn;

constexpr std::size_t bundle = 16;          // small coded columns counted together
constexpr std::size_t few_cells = 1 << 16;  // of rows and columns: not worth waking other threads
constexpr std::uint8_t out = 0, other = 1, own = 2;
constexpr std::uint32_t is_own = 1u << 31, at_row = is_own - 1;  // of the `at` in a list: rows are fewer than 2^31

// Columns that are looked at together: one, or a bundle of small coded ones.
struct Job {
  std::vector<std::size_t> columns;
};

struct Found {
  double gain = 0;
  Condition condition{-1, Test::is, 0};
};

// What a thread writes to.
struct Scratch {
  std::vector<Weight> weights;
  std::vector<std::uint32_t> counts;
};

class Grower {
 public:
  Grower(const RuleColumns& columns, const GrowTask& task, Crew& crew)
      : columns_(columns), task_(task), crew_(crew), rows_(task.rows.begin(), task.rows.end()),
        side_(columns.dense.rows, out), lists_(columns.dense.columns.size()), found_(columns.size()),
        scratch_(crew.members()) {
    for (const std::uint32_t row : rows_) side_[row] = task.positive[row] ? own : other;
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
  double weight(std::uint32_t row) const { return task_.weight.empty() ? 1.0 : task_.weight[row]; }

  Weight total() const {
    Weight sum;
    for (const std::uint32_t row : rows_) (side_[row] == own ? sum.p : sum.n) += weight(row);
    return sum;
  }

  void make_jobs() {
    Job small;
    for (std::size_t number = 0; number < columns_.size(); ++number) {
      if (!task_.allowed[number]) continue;
      const bool is_small = number < columns_.dense.columns.size() && columns_.dense.columns[number].slot >= 0;
      if (!is_small) {
        jobs_.push_back({{number}});
        continue;
      }
      small.columns.push_back(number);
      if (small.columns.size() == bundle) jobs_.push_back(std::exchange(small, {}));
    }
    if (!small.columns.empty()) jobs_.push_back(small);
  }

  // Finds the best condition of every column.
  void look(Weight left) {
    left_ = left;
    std::fill(found_.begin(), found_.end(), Found{});
    const auto job = [this](std::size_t number, std::size_t member) {
      if (task_.weight.empty()) {
        do_job<false>(jobs_[number], scratch_[member]);
      } else {
        do_job<true>(jobs_[number], scratch_[member]);
      }
    };
    if (rows_.size() * columns_.size() < few_cells) {
      crew_.pause();
      for (std::size_t number = 0; number < jobs_.size(); ++number) job(number, 0);
    } else {
      crew_.share(jobs_.size(), job);
    }
    listed_ = true;
  }

  template <bool weighted>
  void do_job(const Job& job, Scratch& scratch) {
    const std::size_t number = job.columns.front(), dense = columns_.dense.columns.size();
    if (number >= dense) {
      const TermColumn& column = columns_.terms[number - dense];
      count<weighted>(scratch, static_cast<std::size_t>(column.vocabulary), [&](std::uint32_t row, auto&& add) {
        for (std::int64_t at = column.starts[row]; at < column.starts[row + 1]; ++at) {
          add(static_cast<std::size_t>(column.terms[at]));
        }
      });
      take_level(number, scratch.weights.data(), static_cast<std::size_t>(column.vocabulary), Test::contains);
    } else if (columns_.dense.columns[number].listed) {
      take_listed<weighted>(number);
    } else if (columns_.dense.columns[number].slot >= 0) {
      take_small<weighted>(job, scratch);
    } else {
      const TreeColumn& column = columns_.dense.columns[number];
      const auto bins = static_cast<std::size_t>(column.bins);
      count<weighted>(scratch, bins, [&](std::uint32_t row, auto&& add) {
        if (column.raw.codes[row] >= 0) add(static_cast<std::size_t>(column.raw.codes[row]));
      });
      take_level(number, scratch.weights.data(), bins, Test::is);
    }
  }

  // Adds up the weight of the covered rows by cell: `cells_of(row, add)` calls `add` for each cell of a row.
  template <bool weighted, typename Cells>
  void count(Scratch& scratch, std::size_t cells, Cells&& cells_of) {
    scratch.weights.assign(cells, {});
    if constexpr (weighted) {
      for (const std::uint32_t row : rows_) {
        const double w = task_.weight[row];
        const bool is_own = side_[row] == own;
        cells_of(row, [&](std::size_t cell) { (is_own ? scratch.weights[cell].p : scratch.weights[cell].n) += w; });
      }
    } else {
      scratch.counts.assign(2 * cells, 0);
      for (const std::uint32_t row : rows_) {
        const std::size_t side = side_[row] - other;
        cells_of(row, [&](std::size_t cell) { ++scratch.counts[2 * cell + side]; });
      }
      for (std::size_t cell = 0; cell < cells; ++cell) {
        scratch.weights[cell] = {double(scratch.counts[2 * cell + 1]), double(scratch.counts[2 * cell])};
      }
    }
  }

  template <bool weighted>
  void take_small(const Job& job, Scratch& scratch) {
    std::array<std::size_t, bundle> starts, slots;
    std::size_t cells = 0;
    const std::size_t many = job.columns.size();
    for (std::size_t i = 0; i < many; ++i) {
      const TreeColumn& column = columns_.dense.columns[job.columns[i]];
      starts[i] = cells;
      slots[i] = static_cast<std::size_t>(column.slot);
      cells += static_cast<std::size_t>(column.bins) + 1;  // the last for missing
    }
    const std::uint8_t* bytes = columns_.dense.bytes.data();
    const std::size_t stride = columns_.dense.stride;
    count<weighted>(scratch, cells, [&](std::uint32_t row, auto&& add) {
      const std::uint8_t* codes = bytes + row * stride;
      for (std::size_t i = 0; i < many; ++i) add(starts[i] + codes[slots[i]]);
    });
    for (std::size_t i = 0; i < many; ++i) {
      const std::size_t number = job.columns[i];
      const TreeColumn& column = columns_.dense.columns[number];
      const Weight* weights = scratch.weights.data() + starts[i];
      const auto bins = static_cast<std::size_t>(column.bins);
      if (column.nominal) {
        take_level(number, weights, bins, Test::is);
        continue;
      }
      take_few_values(number, column, weights);
    }
  }

  // Tries every cut of a column of few different values, whose weights are counted.
  void take_few_values(std::size_t number, const TreeColumn& column, const Weight* weights) {
    std::array<std::size_t, trees::TreeColumns::most_small> codes;  // that are there
    std::size_t many = 0;
    Weight all, below;
    for (std::size_t code = 0; code < static_cast<std::size_t>(column.bins); ++code) {
      if (weights[code].p + weights[code].n <= 0) continue;
      codes[many++] = code;
      all.p += weights[code].p;
      all.n += weights[code].n;
    }
    BestGain best(left_, task_.min_weight);
    BestCut cut(best, all, task_.allowed[number]);
    for (std::size_t at = 0; at + 1 < many; ++at) {
      below.p += weights[codes[at]].p;
      below.n += weights[codes[at]].n;
      cut.look(at, below);
    }
    if (cut.found) take_cut(number, best, cut, column.values[codes[cut.after]], column.values[codes[cut.after + 1]]);
  }

  void take_level(std::size_t number, const Weight* weights, std::size_t levels, Test test) {
    BestGain best(left_, task_.min_weight);
    for (std::size_t level = 0; level < levels; ++level) {
      if (!best.improves(weights[level])) continue;
      found_[number] = {best.gain, {static_cast<std::int32_t>(number), test, static_cast<double>(level)}};
    }
  }

  void take_cut(std::size_t number, const BestGain& best, const BestCut& cut, double low, double high) {
    const Test test = cut.above ? Test::above : Test::at_most;
    found_[number] = {best.gain, {static_cast<std::int32_t>(number), test, halfway(low, high)}};
  }

  // Cuts the list of a column down to the covered rows, then tries every cut of it.
  template <bool weighted>
  void take_listed(std::size_t number) {
    const TreeColumn& column = columns_.dense.columns[number];
    const std::vector<Item>& list = cut_down(column.items, lists_[number]);
    const auto weighed = [&](Weight& sum, Item item) {
      const double w = weighted ? task_.weight[item.at & at_row] : 1.0;
      const double own_weight = item.at & is_own ? w : 0.0;
      sum.p += own_weight;
      sum.n += w - own_weight;
    };
    Weight all = left_, below;
    if (list.size() < rows_.size()) {
      all = {};
      for (const Item item : list) weighed(all, item);
    }
    BestGain best(left_, task_.min_weight);
    BestCut cut(best, all, task_.allowed[number]);
    for (std::size_t at = 0; at + 1 < list.size(); ++at) {
      weighed(below, list[at]);
      if (list[at].rank != list[at + 1].rank) cut.look(at, below);
    }
    const auto value = [&](std::size_t at) { return column.raw.numbers[list[at].at & at_row]; };
    if (cut.found) take_cut(number, best, cut, value(cut.after), value(cut.after + 1));
  }

  // The list at first has all known values of the column, and then marks the rows of the class.
  const std::vector<Item>& cut_down(const std::vector<Item>& items, std::vector<Item>& list) {
    std::size_t kept = 0;
    if (!listed_) {
      list.resize(std::min(rows_.size(), items.size()) + 1);
      for (const Item item : items) {
        const std::uint8_t side = side_[item.at];
        list[kept] = {item.rank, item.at | (side == own ? is_own : 0)};
        kept += side != out;
      }
    } else {
      for (const Item item : list) {
        list[kept] = item;
        kept += side_[item.at & at_row] != out;
      }
    }
    list.resize(kept);
    return list;
  }

  // Goes on with the rows that pass.
  void keep(const Condition& condition) {
    with_test(columns_, condition, [this](auto&& passes) {
      std::erase_if(rows_, [&](std::uint32_t row) {
        if (passes(row)) return false;
        side_[row] = out;
        return true;
      });
    });
  }

  const RuleColumns& columns_;
  const GrowTask& task_;
  Crew& crew_;
  std::vector<std::uint32_t> rows_;       // covered so far
  std::vector<std::uint8_t> side_;        // by row of the table
  std::vector<std::vector<Item>> lists_;  // of listed columns: covered rows by value
  bool listed_ = false;                   // whether the lists are there
  std::vector<Found> found_;              // by column
  std::vector<Scratch> scratch_;          // by member of the crew
  std::vector<Job> jobs_;
  Weight left_;
};

}  // namespace

std::vector<Condition> grow_rule(const RuleColumns& columns, const GrowTask& task, Crew& crew) {
  return Grower(columns, task, crew).grown();
}

}  // namespace hedgerow::rules

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
  std::vector<Block> blocks;
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
    ++passes_;
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
      take_listed<weighted>(number, scratch);
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
      scratch.blocks.clear();
      for (std::uint32_t code = 0; code < bins; ++code) {
        if (weights[code].p > 0 || weights[code].n > 0) append(scratch.blocks, {weights[code], code, code});
      }
      take_cut(number, scratch.blocks, [&](std::uint32_t code) { return column.values[code]; });
    }
  }

  void take_level(std::size_t number, const Weight* weights, std::size_t levels, Test test) {
    BestGain best(left_, task_.min_weight);
    found_[number] = {};
    for (std::size_t level = 0; level < levels; ++level) {
      if (!best.improves(weights[level])) continue;
      found_[number] = {best.gain, {static_cast<std::int32_t>(number), test, static_cast<double>(level)}};
    }
  }

  template <typename ValueOf>
  void take_cut(std::size_t number, const std::vector<Block>& blocks, ValueOf&& value_of) {
    BestGain best(left_, task_.min_weight);
    const Cut cut = best_cut(blocks, task_.allowed[number], best);
    found_[number] = {};
    if (!cut.found) return;
    const double threshold = halfway(value_of(blocks[cut.after].last), value_of(blocks[cut.after + 1].first));
    const Test test = cut.above ? Test::above : Test::at_most;
    found_[number] = {best.gain, {static_cast<std::int32_t>(number), test, threshold}};
  }

  // Passes over the sorted values of the covered rows. The first pass reads the whole column and writes nothing; later
  // ones cut the list down to the covered rows on the way.
  template <bool weighted>
  void take_listed(std::size_t number, Scratch& scratch) {
    const TreeColumn& column = columns_.dense.columns[number];
    std::vector<Item>& list = lists_[number];
    scratch.blocks.clear();
    if (passes_ == 0) {
      gather<weighted>(column.items, scratch.blocks, [](Item) {});
    } else {
      const std::vector<Item>& source = passes_ == 1 ? column.items : list;
      if (passes_ == 1) list.resize(std::min(rows_.size(), source.size()));
      Item* kept = list.data();
      gather<weighted>(source, scratch.blocks, [&kept](Item item) { *kept++ = item; });
      list.resize(static_cast<std::size_t>(kept - list.data()));
    }
    take_cut(number, scratch.blocks, [&](std::uint32_t row) { return column.raw.numbers[row]; });
  }

  template <bool weighted, typename Keep>
  void gather(const std::vector<Item>& source, std::vector<Block>& blocks, Keep&& keep) {
    Block value;
    std::uint32_t rank = std::numeric_limits<std::uint32_t>::max();
    bool begun = false;
    for (const Item item : source) {
      const std::uint8_t side = side_[item.at];
      if (side == out) continue;
      keep(item);
      if (item.rank != rank) {
        if (begun) append(blocks, value);
        begun = true;
        value = {{}, item.at, item.at};
        rank = item.rank;
      }
      const double w = weighted ? task_.weight[item.at] : 1.0;
      value.weight.p += side == own ? w : 0.0;
      value.weight.n += side == own ? 0.0 : w;
    }
    if (begun) append(blocks, value);
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
  std::size_t passes_ = 0;                // over the columns
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

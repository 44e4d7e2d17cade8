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
constexpr std::size_t piece = 2048;         // items of a list passed over at a time
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
  Grower(const RuleColumns& columns, const GrowTask& task, GrowSpace& space, Crew& crew)
      : columns_(columns), task_(task), crew_(crew), rows_(space.rows), side_(space.side), lists_(space.lists),
        sizes_(columns.dense.columns.size()), found_(columns.size()), scratch_(crew.members()) {
    rows_.assign(task.rows.begin(), task.rows.end());
    side_.assign(columns.dense.rows, out);
    lists_.resize(columns.dense.columns.size());
    for (const std::uint32_t row : rows_) side_[row] = task.positive[row] ? own : other;
    few_ = rows_.size() < columns.dense.rows / 4;
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
    listed_ = looks_++ > 0 || few_;
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
    std::array<std::uint32_t, trees::TreeColumns::most_small> codes;  // that are there
    std::size_t many = 0;
    Weight all, below;
    for (std::uint32_t code = 0; code < static_cast<std::uint32_t>(column.bins); ++code) {
      if (weights[code].p + weights[code].n <= 0) continue;
      codes[many++] = code;
      all.p += weights[code].p;
      all.n += weights[code].n;
    }
    BestCut cut(left_, task_.min_weight, all, task_.allowed[number]);
    for (std::size_t at = 0; at + 1 < many; ++at) {
      below.p += weights[codes[at]].p;
      below.n += weights[codes[at]].n;
      cut.look(codes[at], codes[at + 1], below);
    }
    if (cut.found) take_cut(number, cut, column.values[cut.low], column.values[cut.high]);
  }

  void take_level(std::size_t number, const Weight* weights, std::size_t levels, Test test) {
    BestGain best(left_, task_.min_weight);
    for (std::size_t level = 0; level < levels; ++level) {
      if (!best.improves(weights[level])) continue;
      found_[number] = {best.gain, {static_cast<std::int32_t>(number), test, static_cast<double>(level)}};
    }
  }

  void take_cut(std::size_t number, const BestCut& cut, double low, double high) {
    const Test test = cut.above ? Test::above : Test::at_most;
    found_[number] = {cut.gain(), {static_cast<std::int32_t>(number), test, halfway(low, high)}};
  }

  // Tries every cut of the sorted values of the covered rows, a piece at a time: what is covered is packed together, then
  // passed over while it is at hand. As soon as the rows are few, at the second look at the latest, a list of the column
  // is kept, and cut down by later looks; its items tell by a bit whether they are of the class.
  template <bool weighted>
  void take_listed(std::size_t number) {
    const TreeColumn& column = columns_.dense.columns[number];
    std::vector<Item>& list = lists_[number];
    const std::span<const Item> source = listed_ ? std::span(list.data(), sizes_[number]) : std::span(column.items);
    const bool keeps = looks_ > 0 || few_;
    if (keeps && list.size() <= rows_.size()) list.resize(rows_.size() + 1);
    const Weight all = column.lacking ? known<weighted>(source) : left_;
    BestCut cut(left_, task_.min_weight, all, task_.allowed[number]);
    std::array<Item, piece> packed;
    std::size_t kept = 0;
    Weight below;
    Item last{0, 0};
    bool begun = false;
    for (std::size_t begin = 0; begin < source.size(); begin += piece) {
      Item* to = keeps ? list.data() + kept : packed.data();
      const std::size_t many = pack(source.subspan(begin, std::min(piece, source.size() - begin)), to);
      for (std::size_t at = 0; at < many; ++at) {
        const Item item = to[at];
        if (item.rank != last.rank && begun) cut.look(last.at & at_row, item.at & at_row, below);
        add<weighted>(below, item.at & at_row, item.at & is_own);
        last = item;
        begun = true;
      }
      kept += many;
    }
    sizes_[number] = kept;
    if (cut.found) take_cut(number, cut, column.raw.numbers[cut.low], column.raw.numbers[cut.high]);
  }

  // Writes the items of covered rows one after the other and returns how many.
  std::size_t pack(std::span<const Item> items, Item* to) const {
    std::size_t kept = 0;
    for (const Item item : items) {
      const std::uint8_t side = side_[item.at & at_row];
      to[kept] = {item.rank, item.at | (side == own ? is_own : 0)};
      kept += side != out;
    }
    return kept;
  }

  // The weight of the covered rows whose value is known.
  template <bool weighted>
  Weight known(std::span<const Item> items) const {
    Weight sum;
    for (const Item item : items) {
      const std::uint32_t row = item.at & at_row;
      if (side_[row] != out) add<weighted>(sum, row, side_[row] == own);
    }
    return sum;
  }

  template <bool weighted>
  void add(Weight& sum, std::uint32_t row, bool of_class) const {
    const double w = weighted ? task_.weight[row] : 1.0, own_weight = of_class ? w : 0.0;
    sum.p += own_weight;
    sum.n += w - own_weight;
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
  std::vector<std::uint32_t>& rows_;       // covered so far
  std::vector<std::uint8_t>& side_;        // by row of the table
  std::vector<std::vector<Item>>& lists_;  // of listed columns: covered rows by value
  std::vector<std::size_t> sizes_;         // of the lists
  std::size_t looks_ = 0;                  // at all columns
  bool few_ = false;                       // rows at first
  bool listed_ = false;                    // whether the lists are there
  std::vector<Found> found_;              // by column
  std::vector<Scratch> scratch_;          // by member of the crew
  std::vector<Job> jobs_;
  Weight left_;
};

}  // namespace

std::vector<Condition> grow_rule(const RuleColumns& columns, const GrowTask& task, GrowSpace& space, Crew& crew) {
  return Grower(columns, task, space, crew).grown();
}

}  // namespace hedgerow::rules

#include "rules/prism.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace hedgerow::prism {
namespace {

constexpr std::size_t kFewRows = 64;       // are counted anew whenever they are needed
constexpr std::size_t kMaxKept = 1 << 25;  // row numbers and counts kept for a class
constexpr int slack_bits = 40;

// p and t in one word where every row counts once.
struct UnitTally {
  std::uint64_t both = 0;
  static UnitTally of(bool right, std::int64_t) { return {(static_cast<std::uint64_t>(right) << 32) | 1}; }
  void add(UnitTally other) { both += other.both; }
  void subtract(UnitTally other) { both -= other.both; }
  std::int64_t p() const { return static_cast<std::int64_t>(both >> 32); }
  std::int64_t t() const { return static_cast<std::int64_t>(both & 0xFFFFFFFF); }
};

struct WeightedTally {
  std::int64_t class_weight = 0, total_weight = 0;
  static WeightedTally of(bool right, std::int64_t weight) { return {right ? weight : 0, weight}; }
  void add(WeightedTally other) { class_weight += other.class_weight, total_weight += other.total_weight; }
  void subtract(WeightedTally other) { class_weight -= other.class_weight, total_weight -= other.total_weight; }
  std::int64_t p() const { return class_weight; }
  std::int64_t t() const { return total_weight; }
};

// Every level of every column is a cell; a column's last cell is for missing values.
template <typename Cell>
struct CellTable {
  explicit CellTable(const PrismRows& rows)
      : columns(rows.columns.size()), first{0}, cells(rows.label.size() * columns) {
    for (const Column& column : rows.columns)
      first.push_back(first.back() + static_cast<std::uint32_t>(column.levels) + 1);
    for (std::size_t c = 0; c < columns; ++c) {
      const Column& column = rows.columns[c];
      for (std::size_t row = 0; row < rows.label.size(); ++row) {
        const std::int32_t code = column.codes[row] < 0 ? column.levels : column.codes[row];
        cells[row * columns + c] = static_cast<Cell>(first[c] + static_cast<std::uint32_t>(code));
      }
    }
  }

  const Cell* row(std::size_t row) const { return cells.data() + row * columns; }
  std::size_t size() const { return first.back(); }

  std::size_t columns;
  std::vector<std::uint32_t> first;
  std::vector<Cell> cells;
};

struct PrismTest {
  std::size_t column = 0;
  std::uint32_t cell = 0;
  std::int64_t p = 0, t = 0;
};

// Whether a has the larger share, or an equal one of a larger p. Nothing at all has p = 0.
bool is_better(const PrismTest& a, const PrismTest& b, bool rounded) {
  if (!b.p) return a.p > 0;
  const auto left = static_cast<__int128>(a.p) * b.t, right = static_cast<__int128>(b.p) * a.t;
  const __int128 slack = rounded ? (left > right ? left : right) >> slack_bits : 0;
  if (left > right + slack) return true;
  return left + slack >= right && a.p > b.p;
}

// The rows that pass some tests, dead or alive, and the counts of those alive.
template <typename Tally>
struct PassingRows {
  struct NextTest {
    std::size_t column;
    std::uint32_t cell;
    std::unique_ptr<PassingRows> part;
  };
  std::vector<std::uint32_t> rows;
  std::vector<Tally> counts;
  std::vector<NextTest> next;
  bool is_kept = false;  // for later rules
};

template <typename Cell, typename Tally>
class PrismClassLearner {
 public:
  PrismClassLearner(const PrismRows& rows, const CellTable<Cell>& cells, const PrismOptions& options,
                    std::int32_t wanted)
      : rows_(rows),
        cells_(cells),
        options_(options),
        wanted_class_(wanted),
        alive_(rows.label.size(), 1),
        used_(cells.columns) {
    root_.rows.resize(alive_.size());
    for (std::size_t row = 0; row < alive_.size(); ++row) {
      root_.rows[row] = static_cast<std::uint32_t>(row);
      if (!rows.taken.empty()) alive_[row] = !rows.taken[static_cast<std::size_t>(wanted) * alive_.size() + row];
    }
    root_.is_kept = true;
    count(root_);
  }

  // Adds one more rule to `out`; false if there is none.
  bool learn_rule(PrismRules& out) {
    std::fill(used_.begin(), used_.end(), 0);
    PassingRows<Tally>* passing = &root_;
    std::size_t length = 0;
    while (length < std::min(options_.max_tests, cells_.columns)) {
      const PrismTest test = choose_test(*passing);
      if (!test.p) break;
      used_[test.column] = 1;
      out.columns.push_back(static_cast<std::int32_t>(test.column));
      out.codes.push_back(static_cast<std::int32_t>(test.cell - cells_.first[test.column]));
      passing = find_passing(*passing, test, length++, test.p < test.t);
      if (test.p == test.t) break;
    }
    if (!length) return false;
    out.starts.push_back(static_cast<std::int32_t>(out.columns.size()));
    out.decisions.push_back(wanted_class_);
    append_rule(*passing, out);
    for (const std::uint32_t row : passing->rows) remove(row);
    return true;
  }

 private:
  std::int64_t weight(std::size_t row) const { return rows_.weight.empty() ? 1 : rows_.weight[row]; }
  Tally make_tally(std::size_t row) const { return Tally::of(rows_.label[row] == wanted_class_, weight(row)); }

  void count(PassingRows<Tally>& passing) {
    passing.counts.assign(cells_.size(), Tally{});
    for (const std::uint32_t row : passing.rows) {
      if (!alive_[row]) continue;
      const Tally one = make_tally(row);
      const Cell* cell = cells_.row(row);
      for (std::size_t c = 0; c < cells_.columns; ++c) passing.counts[cell[c]].add(one);
    }
  }

  PrismTest choose_test(const PassingRows<Tally>& passing) const {
    PrismTest best;
    for (std::size_t c = 0; c < cells_.columns; ++c) {
      if (used_[c]) continue;
      for (std::uint32_t cell = cells_.first[c]; cell + 1 < cells_.first[c + 1]; ++cell) {
        const PrismTest one{c, cell, passing.counts[cell].p(), passing.counts[cell].t()};
        if (one.p && is_better(one, best, options_.rounded)) best = one;
      }
    }
    return best;
  }

  // The rows of a part that pass one more test: kept from an earlier rule, or found now.
  PassingRows<Tally>* find_passing(PassingRows<Tally>& passing, const PrismTest& test, std::size_t depth,
                                   bool counted) {
    for (auto& next : passing.next) {
      if (next.cell == test.cell) return next.part.get();
    }
    while (scratch_.size() <= depth) scratch_.push_back(std::make_unique<PassingRows<Tally>>());
    PassingRows<Tally>& passing_rows = *scratch_[depth];
    passing_rows.rows.clear();
    passing_rows.next.clear();
    for (const std::uint32_t row : passing.rows) {
      if (cells_.row(row)[test.column] == test.cell) passing_rows.rows.push_back(row);
    }
    if (!counted) return &passing_rows;
    count(passing_rows);
    const std::size_t size = passing_rows.rows.size() + cells_.size();
    if (!passing.is_kept || passing_rows.rows.size() < kFewRows || n_kept_ + size > kMaxKept) return &passing_rows;
    n_kept_ += size;
    passing_rows.is_kept = true;
    passing.next.push_back({test.column, test.cell, std::move(scratch_[depth])});
    scratch_[depth] = std::make_unique<PassingRows<Tally>>();
    return passing.next.back().part.get();
  }

  void append_rule(const PassingRows<Tally>& passing, PrismRules& out) const {
    const std::size_t at = out.covered.size();
    out.covered.resize(at + static_cast<std::size_t>(rows_.classes));
    for (const std::uint32_t row : passing.rows)
      out.covered[at + static_cast<std::size_t>(rows_.label[row])] += weight(row);
  }

  void remove(std::uint32_t row) {
    if (!alive_[row]) return;
    alive_[row] = 0;
    remove(root_, cells_.row(row), make_tally(row));
  }

  void remove(PassingRows<Tally>& passing, const Cell* cell, Tally one) {
    for (std::size_t c = 0; c < cells_.columns; ++c) passing.counts[cell[c]].subtract(one);
    for (auto& next : passing.next) {
      if (cell[next.column] == next.cell) remove(*next.part, cell, one);
    }
  }

  const PrismRows& rows_;
  const CellTable<Cell>& cells_;
  const PrismOptions& options_;
  const std::int32_t wanted_class_;
  std::vector<std::uint8_t> alive_, used_;
  PassingRows<Tally> root_;
  std::vector<std::unique_ptr<PassingRows<Tally>>> scratch_;
  std::size_t n_kept_ = 0;
};

void append_rules(PrismRules& out, const PrismRules& more) {
  const std::int32_t shift = out.starts.back();
  for (std::size_t i = 1; i < more.starts.size(); ++i) out.starts.push_back(shift + more.starts[i]);
  const auto joined = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  joined(out.columns, more.columns);
  joined(out.codes, more.codes);
  joined(out.decisions, more.decisions);
  joined(out.covered, more.covered);
}

template <typename Cell, typename Tally>
PrismRules learn_by_class(const PrismRows& rows, const PrismOptions& options, ThreadPool& pool) {
  const CellTable<Cell> cells(rows);
  std::vector<PrismRules> rules_by_class(static_cast<std::size_t>(rows.classes));
  pool.parallel_for(rules_by_class.size(), [&](std::size_t wanted, std::size_t thread) {
    PrismClassLearner<Cell, Tally> learner(rows, cells, options, static_cast<std::int32_t>(wanted));
    std::size_t made = 0;
    while (!pool.has_failed() && made < options.max_rules && learner.learn_rule(rules_by_class[wanted])) {
      ++made;
      if (thread == 0) pool.check_interrupt();
    }
  });
  PrismRules out;
  for (const PrismRules& rules : rules_by_class) append_rules(out, rules);
  return out;
}

template <typename Tally>
PrismRules learn_with_cell_size(const PrismRows& rows, const PrismOptions& options, ThreadPool& pool) {
  std::size_t cells = 0;
  for (const Column& column : rows.columns) cells += static_cast<std::size_t>(column.levels) + 1;
  if (cells <= std::numeric_limits<std::uint16_t>::max())
    return learn_by_class<std::uint16_t, Tally>(rows, options, pool);
  return learn_by_class<std::uint32_t, Tally>(rows, options, pool);
}

}  // namespace

PrismRules learn_rules(const PrismRows& rows, const PrismOptions& options, ThreadPool& pool) {
  return rows.weight.empty() ? learn_with_cell_size<UnitTally>(rows, options, pool)
                             : learn_with_cell_size<WeightedTally>(rows, options, pool);
}

}  // namespace hedgerow::prism

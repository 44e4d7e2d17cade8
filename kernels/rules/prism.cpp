#include "rules/prism.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace hedgerow::prism {
namespace {

constexpr std::size_t few_rows = 64;        // are counted anew whenever they are needed
constexpr std::size_t most_kept = 1 << 25;  // row numbers and counts kept for a class
constexpr int slack_bits = 40;

// p and t in one word where every row counts once.
struct Once {
  std::uint64_t both = 0;
  static Once of(bool right, std::int64_t) { return {(static_cast<std::uint64_t>(right) << 32) | 1}; }
  void add(Once other) { both += other.both; }
  void take(Once other) { both -= other.both; }
  std::int64_t p() const { return static_cast<std::int64_t>(both >> 32); }
  std::int64_t t() const { return static_cast<std::int64_t>(both & 0xFFFFFFFF); }
};

struct Weighed {
  std::int64_t right = 0, all = 0;
  static Weighed of(bool right, std::int64_t weight) { return {right ? weight : 0, weight}; }
  void add(Weighed other) { right += other.right, all += other.all; }
  void take(Weighed other) { right -= other.right, all -= other.all; }
  std::int64_t p() const { return right; }
  std::int64_t t() const { return all; }
};

// Every level of every column is a cell; a column's last cell is for missing values.
template <typename Cell>
struct Cells {
  explicit Cells(const Rows& rows) : columns(rows.columns.size()), first{0}, of(rows.label.size() * columns) {
    for (const Column& column : rows.columns)
      first.push_back(first.back() + static_cast<std::uint32_t>(column.levels) + 1);
    for (std::size_t c = 0; c < columns; ++c) {
      const Column& column = rows.columns[c];
      for (std::size_t row = 0; row < rows.label.size(); ++row) {
        const std::int32_t code = column.codes[row] < 0 ? column.levels : column.codes[row];
        of[row * columns + c] = static_cast<Cell>(first[c] + static_cast<std::uint32_t>(code));
      }
    }
  }

  const Cell* row(std::size_t row) const { return of.data() + row * columns; }
  std::size_t size() const { return first.back(); }

  std::size_t columns;
  std::vector<std::uint32_t> first;
  std::vector<Cell> of;
};

struct Choice {
  std::size_t column = 0;
  std::uint32_t cell = 0;
  std::int64_t p = 0, t = 0;
};

// Whether a has the larger share, or an equal one of a larger p. Nothing at all has p = 0.
bool better(const Choice& a, const Choice& b, bool rounded) {
  if (!b.p) return a.p > 0;
  const auto left = static_cast<__int128>(a.p) * b.t, right = static_cast<__int128>(b.p) * a.t;
  const __int128 slack = rounded ? (left > right ? left : right) >> slack_bits : 0;
  if (left > right + slack) return true;
  return left + slack >= right && a.p > b.p;
}

// The rows that pass some tests, dead or alive, and the counts of those alive.
template <typename Tally>
struct Part {
  struct Next {
    std::size_t column;
    std::uint32_t cell;
    std::unique_ptr<Part> part;
  };
  std::vector<std::uint32_t> rows;
  std::vector<Tally> counts;
  std::vector<Next> next;
  bool kept = false;  // for later rules
};

template <typename Cell, typename Tally>
class Learner {
 public:
  Learner(const Rows& rows, const Cells<Cell>& cells, const Options& options, std::int32_t wanted)
      : rows_(rows),
        cells_(cells),
        options_(options),
        wanted_(wanted),
        alive_(rows.label.size(), 1),
        used_(cells.columns) {
    root_.rows.resize(alive_.size());
    for (std::size_t row = 0; row < alive_.size(); ++row) {
      root_.rows[row] = static_cast<std::uint32_t>(row);
      if (!rows.taken.empty()) alive_[row] = !rows.taken[static_cast<std::size_t>(wanted) * alive_.size() + row];
    }
    root_.kept = true;
    count(root_);
  }

  // Adds one more rule to `out`; false if there is none.
  bool learn(Rules& out) {
    std::fill(used_.begin(), used_.end(), 0);
    Part<Tally>* part = &root_;
    std::size_t length = 0;
    while (length < std::min(options_.most_tests, cells_.columns)) {
      const Choice found = choice(*part);
      if (!found.p) break;
      used_[found.column] = 1;
      out.columns.push_back(static_cast<std::int32_t>(found.column));
      out.codes.push_back(static_cast<std::int32_t>(found.cell - cells_.first[found.column]));
      part = passing(*part, found, length++, found.p < found.t);
      if (found.p == found.t) break;
    }
    if (!length) return false;
    out.starts.push_back(static_cast<std::int32_t>(out.columns.size()));
    out.decisions.push_back(wanted_);
    tell(*part, out);
    for (const std::uint32_t row : part->rows) remove(row);
    return true;
  }

 private:
  std::int64_t weight(std::size_t row) const { return rows_.weight.empty() ? 1 : rows_.weight[row]; }
  Tally tally(std::size_t row) const { return Tally::of(rows_.label[row] == wanted_, weight(row)); }

  void count(Part<Tally>& part) {
    part.counts.assign(cells_.size(), Tally{});
    for (const std::uint32_t row : part.rows) {
      if (!alive_[row]) continue;
      const Tally one = tally(row);
      const Cell* cell = cells_.row(row);
      for (std::size_t c = 0; c < cells_.columns; ++c) part.counts[cell[c]].add(one);
    }
  }

  Choice choice(const Part<Tally>& part) const {
    Choice best;
    for (std::size_t c = 0; c < cells_.columns; ++c) {
      if (used_[c]) continue;
      for (std::uint32_t cell = cells_.first[c]; cell + 1 < cells_.first[c + 1]; ++cell) {
        const Choice one{c, cell, part.counts[cell].p(), part.counts[cell].t()};
        if (one.p && better(one, best, options_.rounded)) best = one;
      }
    }
    return best;
  }

  // The rows of a part that pass one more test: kept from an earlier rule, or found now.
  Part<Tally>* passing(Part<Tally>& part, const Choice& test, std::size_t depth, bool counted) {
    for (auto& next : part.next) {
      if (next.cell == test.cell) return next.part.get();
    }
    while (scratch_.size() <= depth) scratch_.push_back(std::make_unique<Part<Tally>>());
    Part<Tally>& found = *scratch_[depth];
    found.rows.clear();
    found.next.clear();
    for (const std::uint32_t row : part.rows) {
      if (cells_.row(row)[test.column] == test.cell) found.rows.push_back(row);
    }
    if (!counted) return &found;
    count(found);
    const std::size_t size = found.rows.size() + cells_.size();
    if (!part.kept || found.rows.size() < few_rows || kept_ + size > most_kept) return &found;
    kept_ += size;
    found.kept = true;
    part.next.push_back({test.column, test.cell, std::move(scratch_[depth])});
    scratch_[depth] = std::make_unique<Part<Tally>>();
    return part.next.back().part.get();
  }

  void tell(const Part<Tally>& part, Rules& out) const {
    const std::size_t at = out.covered.size();
    out.covered.resize(at + static_cast<std::size_t>(rows_.classes));
    for (const std::uint32_t row : part.rows)
      out.covered[at + static_cast<std::size_t>(rows_.label[row])] += weight(row);
  }

  void remove(std::uint32_t row) {
    if (!alive_[row]) return;
    alive_[row] = 0;
    remove(root_, cells_.row(row), tally(row));
  }

  void remove(Part<Tally>& part, const Cell* cell, Tally one) {
    for (std::size_t c = 0; c < cells_.columns; ++c) part.counts[cell[c]].take(one);
    for (auto& next : part.next) {
      if (cell[next.column] == next.cell) remove(*next.part, cell, one);
    }
  }

  const Rows& rows_;
  const Cells<Cell>& cells_;
  const Options& options_;
  const std::int32_t wanted_;
  std::vector<std::uint8_t> alive_, used_;
  Part<Tally> root_;
  std::vector<std::unique_ptr<Part<Tally>>> scratch_;
  std::size_t kept_ = 0;
};

void append(Rules& out, const Rules& more) {
  const std::int32_t shift = out.starts.back();
  for (std::size_t i = 1; i < more.starts.size(); ++i) out.starts.push_back(shift + more.starts[i]);
  const auto joined = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  joined(out.columns, more.columns);
  joined(out.codes, more.codes);
  joined(out.decisions, more.decisions);
  joined(out.covered, more.covered);
}

template <typename Cell, typename Tally>
Rules by_class(const Rows& rows, const Options& options, ThreadPool& crew) {
  const Cells<Cell> cells(rows);
  std::vector<Rules> found(static_cast<std::size_t>(rows.classes));
  crew.parallel_for(found.size(), [&](std::size_t wanted, std::size_t member) {
    Learner<Cell, Tally> learner(rows, cells, options, static_cast<std::int32_t>(wanted));
    std::size_t made = 0;
    while (!crew.has_failed() && made < options.most_rules && learner.learn(found[wanted])) {
      ++made;
      if (member == 0) crew.check_interrupt();
    }
  });
  Rules out;
  for (const Rules& rules : found) append(out, rules);
  return out;
}

template <typename Tally>
Rules by_size(const Rows& rows, const Options& options, ThreadPool& crew) {
  std::size_t cells = 0;
  for (const Column& column : rows.columns) cells += static_cast<std::size_t>(column.levels) + 1;
  if (cells <= std::numeric_limits<std::uint16_t>::max()) return by_class<std::uint16_t, Tally>(rows, options, crew);
  return by_class<std::uint32_t, Tally>(rows, options, crew);
}

}  // namespace

Rules learned(const Rows& rows, const Options& options, ThreadPool& crew) {
  return rows.weight.empty() ? by_size<Once>(rows, options, crew) : by_size<Weighed>(rows, options, crew);
}

}  // namespace hedgerow::prism

#include "rules/beam.hpp"

#include <limits>
#include <tuple>

#include "core/decimals.hpp"
#include "rules/beam_columns.hpp"
#include "rules/beam_value.hpp"

namespace hedgerow::beam {
namespace {

constexpr std::size_t few_values = 20000;  // are looked at by one thread

struct Candidate {
  std::vector<Test> tests;
  std::shared_ptr<Part> part;
};

// A candidate specialized by one more test.
struct Entry {
  std::int64_t key = 0, n = 0;
  double value = 0;
  Test test;
  std::size_t parent = 0;
  std::vector<std::int64_t> counts;

  bool before(const Entry& other) const {
    if (key != other.key) return key > other.key;
    if (n != other.n) return n > other.n;
    const auto order = [](const Entry& e) {
      return std::tuple(e.test.column, e.test.level, e.test.threshold, e.test.kind, e.parent);
    };
    return order(*this) < order(other);
  }
};

// The best specializations of one candidate by one column, in order, and the best one that is significant.
struct Top {
  std::vector<Entry> entries;
  Entry best;
  bool has_best = false;
  double floor = no_floor;  // what is worth less changes nothing

  static constexpr double no_floor = -std::numeric_limits<double>::infinity();

  void clear() {
    entries.clear();
    has_best = false;
    floor = no_floor;
  }
};

class Search {
 public:
  Search(const Rows& rows, const Options& options, ThreadPool& crew)
      : rows_(rows),
        options_(options),
        crew_(crew),
        classes_(static_cast<std::size_t>(rows.classes)),
        ranked_(rows.columns.size()),
        judge_(options, classes_, total()),
        all_(std::make_shared<Part>()) {
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      if (rows.ways[c]) usable_.push_back(c);
    }
    all_->sorted.resize(rows.columns.size());
    crew.parallel_for(usable_.size(), [&](std::size_t at, std::size_t) {
      const std::size_t c = usable_[at];
      if (!rows.columns[c].numbers) return;
      ranked_[c] = std::make_unique<Ranked>(rows.columns[c].numbers, rows.label.size());
      all_->sorted[c] = std::move(ranked_[c]->sorted);
    });
    all_->rows.resize(rows.label.size());
    std::iota(all_->rows.begin(), all_->rows.end(), 0u);
    recount(*all_);
  }

  Found all_rules() {
    Found out;
    while (static_cast<std::size_t>(out.rules.starts.size()) - 1 < options_.most_rules && !all_->rows.empty()) {
      if (!one_rule(out)) break;
    }
    out.left = all_->counts;
    return out;
  }

 private:
  std::int64_t weight(std::size_t row) const { return rows_.weight.empty() ? 1 : rows_.weight[row]; }
  Counts of(const Part& part) const { return {part.counts.data(), part.n}; }
  Counts of(const Entry& entry) const { return {entry.counts.data(), entry.n}; }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < rows_.label.size(); ++row) sum += weight(row);
    return sum;
  }

  void recount(Part& part) const {
    part.counts.assign(classes_, 0);
    for (const std::uint32_t row : part.rows) part.counts[static_cast<std::size_t>(rows_.label[row])] += weight(row);
    part.n = std::accumulate(part.counts.begin(), part.counts.end(), std::int64_t{0});
  }

  bool one_rule(Found& out) {
    judge_.remain(of(*all_));
    const double empty = judge_.value(of(*all_));
    best_key_ = Judge::key(empty);
    best_ = {};
    std::vector<Test> best_tests;
    std::vector<Candidate> beam{{{}, all_}};
    if (options_.traced) tell(out.trace, {}, of(*all_), 0, out.rules);
    for (std::int32_t round = 1; !beam.empty(); ++round) {
      crew_.check_interrupt();
      specialize(beam);
      if (const Entry* best = best_of_round()) {
        best_ = *best;
        best_key_ = best->key;
        best_tests = joined(beam[best->parent].tests, best->test);
      }
      beam = next_beam(beam);
      if (options_.traced) {
        for (const Candidate& one : beam) tell(out.trace, one.tests, of(*one.part), round, out.rules);
      }
      const auto hopeful = [&](const Candidate& one) { return judge_.may_exceed(of(*one.part), best_key_); };
      if (std::none_of(beam.begin(), beam.end(), hopeful)) break;
    }
    if (best_tests.empty() || !(best_.value - empty > options_.threshold)) return false;
    tell(out.rules, best_tests, of(best_), 0, out.rules);
    remove(best_tests);
    return true;
  }

  // Fills `tops_`: a Top for each candidate and usable column.
  void specialize(std::vector<Candidate>& beam) {
    const std::size_t jobs = beam.size() * usable_.size();
    if (tops_.size() < jobs) tops_.resize(jobs);
    n_tops_ = jobs;
    std::size_t values = 0;
    for (const Candidate& one : beam) values += one.part->rows.size() * usable_.size();
    const auto job = [&](std::size_t number, std::size_t) {
      tops_[number].clear();
      look(beam[number / usable_.size()], number / usable_.size(), usable_[number % usable_.size()], tops_[number]);
    };
    if (values < few_values) {
      for (std::size_t number = 0; number < jobs; ++number) job(number, 0);
    } else {
      crew_.parallel_for(jobs, job);
    }
    for (Candidate& one : beam) one.part->parent.reset();
  }

  void look(Candidate& one, std::size_t parent, std::size_t c, Top& top) const {
    const bool numeric = rows_.columns[c].numbers != nullptr;
    if (numeric && one.part->parent) inherit(*one.part, c, *ranked_[c], rows_.columns[c].numbers);
    if (one.tests.size() >= options_.most_tests) return;
    if (!numeric) return levels(*one.part, parent, c, top);
    std::uint8_t ways = rows_.ways[c];
    for (const Test& test : one.tests) {
      if (static_cast<std::size_t>(test.column) == c) ways &= test.kind == Kind::at_most ? 2 : 1;
    }
    if (ways) thresholds(*one.part, parent, c, ways, top);
  }

  void levels(const Part& part, std::size_t parent, std::size_t c, Top& top) const {
    const trees::RawColumn& column = rows_.columns[c];
    std::vector<std::int64_t> counts(static_cast<std::size_t>(column.levels) * classes_);
    for (const std::uint32_t row : part.rows) {
      const std::int32_t code = column.codes[row];
      if (code >= 0)
        counts[static_cast<std::size_t>(code) * classes_ + static_cast<std::size_t>(rows_.label[row])] += weight(row);
    }
    for (std::int32_t level = 0; level < column.levels; ++level) {
      const std::int64_t* by_class = counts.data() + static_cast<std::size_t>(level) * classes_;
      const std::int64_t n = std::accumulate(by_class, by_class + classes_, std::int64_t{0});
      if (n < part.n)
        consider({by_class, n}, top, parent, [&] { return Test{static_cast<std::int32_t>(c), Kind::is, level, 0}; });
    }
  }

  void thresholds(const Part& part, std::size_t parent, std::size_t c, std::uint8_t ways, Top& top) const {
    const Keys& list = part.sorted[c];
    const Ranked& column = *ranked_[c];
    std::vector<std::int64_t> left(classes_), right(classes_);
    if (list.size() == part.rows.size()) {
      right = part.counts;  // no value is missing
    } else {
      for (const std::uint64_t key : list)
        right[static_cast<std::size_t>(rows_.label[row_of(key)])] += weight(row_of(key));
    }
    std::int64_t n_left = 0, n_right = std::accumulate(right.begin(), right.end(), std::int64_t{0});
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      const std::uint32_t row = row_of(list[i]), rank = rank_of(list[i]), next = rank_of(list[i + 1]);
      const std::int64_t w = weight(row);
      const auto label = static_cast<std::size_t>(rows_.label[row]);
      left[label] += w, right[label] -= w, n_left += w, n_right -= w;
      if (rank == next || no_cut(column.values[rank], column.values[next])) continue;
      const auto test = [&](Kind kind) {
        return Test{static_cast<std::int32_t>(c), kind, 0, choose_threshold(column.values[rank], column.values[next])};
      };
      const Counts below{left.data(), n_left}, above{right.data(), n_right};
      if ((ways & 1) && !judge_.falls_short(below, top.floor))
        consider(below, top, parent, [&] { return test(Kind::at_most); });
      if ((ways & 2) && !judge_.falls_short(above, top.floor))
        consider(above, top, parent, [&] { return test(Kind::above); });
    }
  }

  // Only an infinite threshold would lie between the two.
  static bool no_cut(double low, double high) {
    return std::isinf(low) && high == std::numeric_limits<double>::lowest();
  }

  template <typename Make>
  void consider(Counts counts, Top& top, std::size_t parent, const Make& test) const {
    if (counts.n < options_.least || counts.n <= 0) return;
    const double value = judge_.value(counts);
    const std::int64_t key = Judge::key(value);
    const auto beaten = [&](const Entry& by) { return by.key > key || (by.key == key && by.n >= counts.n); };
    const auto entry = [&] {
      return Entry{key, counts.n, value, test(), parent, {counts.by_class, counts.by_class + classes_}};
    };
    auto& entries = top.entries;
    if (entries.size() < options_.width || !beaten(entries.back())) {
      if (entries.size() == options_.width) entries.pop_back();
      const auto place = std::find_if(entries.begin(), entries.end(), [&](const Entry& by) { return !beaten(by); });
      entries.insert(place, entry());
    }
    if (key > best_key_ && !(top.has_best && beaten(top.best)) && judge_.suits(counts) && judge_.significant(counts)) {
      top.best = entry();
      top.has_best = true;
    }
    if (entries.size() == options_.width) {
      top.floor = Judge::clearly_below(std::min(entries.back().key, top.has_best ? top.best.key : best_key_));
    }
  }

  const Entry* best_of_round() const {
    const Entry* best = nullptr;
    for (std::size_t i = 0; i < n_tops_; ++i) {
      if (tops_[i].has_best && (!best || tops_[i].best.before(*best))) best = &tops_[i].best;
    }
    return best;
  }

  std::vector<Candidate> next_beam(const std::vector<Candidate>& beam) {
    std::vector<const Entry*> order;
    for (std::size_t i = 0; i < n_tops_; ++i) {
      for (const Entry& entry : tops_[i].entries) order.push_back(&entry);
    }
    std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->before(*b); });
    std::vector<Candidate> out;
    for (const Entry* entry : order) {
      if (out.size() == options_.width) break;
      const auto part = specialized(*beam[entry->parent].part, *entry);
      const auto same = [&](const Candidate& other) {
        return other.part->counts == part->counts && other.part->rows == part->rows;
      };
      if (std::any_of(out.begin(), out.end(), same)) continue;
      part->has.assign(rows_.label.size(), 0);
      for (const std::uint32_t row : part->rows) part->has[row] = 1;
      part->sorted.resize(rows_.columns.size());
      part->parent = beam[entry->parent].part;
      out.push_back({joined(beam[entry->parent].tests, entry->test), part});
    }
    return out;
  }

  std::shared_ptr<Part> specialized(const Part& part, const Entry& entry) const {
    auto out = std::make_shared<Part>();
    const trees::RawColumn& column = rows_.columns[static_cast<std::size_t>(entry.test.column)];
    for (const std::uint32_t row : part.rows) {
      if (passes(column, entry.test, row)) out->rows.push_back(row);
    }
    out->counts = entry.counts;
    out->n = entry.n;
    return out;
  }

  static std::vector<Test> joined(std::vector<Test> tests, const Test& test) {
    tests.push_back(test);
    return tests;
  }

  void remove(const std::vector<Test>& tests) {
    std::vector<std::uint8_t> gone(rows_.label.size());
    for (const std::uint32_t row : all_->rows) {
      const auto passed = [&](const Test& test) {
        return passes(rows_.columns[static_cast<std::size_t>(test.column)], test, row);
      };
      if (options_.wanted >= 0 && rows_.label[row] != options_.wanted) continue;
      gone[row] = std::all_of(tests.begin(), tests.end(), passed);
    }
    const auto is_gone = [&](std::uint32_t row) { return gone[row] != 0; };
    std::erase_if(all_->rows, is_gone);
    for (const std::size_t c : usable_)
      std::erase_if(all_->sorted[c], [&](std::uint64_t key) { return is_gone(row_of(key)); });
    recount(*all_);
  }

  void tell(Listing& to, const std::vector<Test>& tests, Counts counts, std::int32_t round,
            const Listing& rules) const {
    for (const Test& test : tests) {
      to.columns.push_back(test.column);
      to.kinds.push_back(static_cast<std::uint8_t>(test.kind));
      to.levels.push_back(test.level);
      to.thresholds.push_back(test.threshold);
    }
    to.rules.push_back(static_cast<std::int32_t>(rules.starts.size()) - 1);
    to.rounds.push_back(round);
    to.starts.push_back(static_cast<std::int32_t>(to.columns.size()));
    to.values.push_back(judge_.value(counts));
    to.ratios.push_back(judge_.ratio(counts));
    to.counts.insert(to.counts.end(), counts.by_class, counts.by_class + classes_);
  }

  const Rows& rows_;
  const Options& options_;
  ThreadPool& crew_;
  const std::size_t classes_;
  std::vector<std::size_t> usable_;
  std::vector<std::unique_ptr<Ranked>> ranked_;
  Judge judge_;
  std::shared_ptr<Part> all_;
  std::vector<Top> tops_;
  std::size_t n_tops_ = 0;
  Entry best_;
  std::int64_t best_key_ = 0;
};

}  // namespace

Found learned(const Rows& rows, const Options& options, ThreadPool& crew) {
  return Search(rows, options, crew).all_rules();
}

}  // namespace hedgerow::beam

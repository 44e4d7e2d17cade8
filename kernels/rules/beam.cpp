#include "rules/beam.hpp"

#include <limits>
#include <tuple>

#include "core/decimals.hpp"
#include "rules/beam_columns.hpp"
#include "rules/beam_value.hpp"

namespace hedgerow::beam {
namespace {

constexpr std::size_t few_values = 20000;  // are looked at by one thread

struct BeamCandidate {
  std::vector<BeamTest> tests;
  std::shared_ptr<CandidateRows> covered;
};

// A candidate specialized by one more test.
struct Specialization {
  std::int64_t key = 0, n = 0;
  double value = 0;
  BeamTest test;
  std::size_t parent = 0;
  std::vector<std::int64_t> counts;

  bool precedes(const Specialization& other) const {
    if (key != other.key) return key > other.key;
    if (n != other.n) return n > other.n;
    const auto order = [](const Specialization& e) {
      return std::tuple(e.test.column, e.test.level, e.test.threshold, e.test.kind, e.parent);
    };
    return order(*this) < order(other);
  }
};

// The best specializations of one candidate by one column, in order, and the best one that is significant.
struct BestSpecializations {
  std::vector<Specialization> entries;
  Specialization best;
  bool has_best = false;
  double floor = no_floor;  // what is worth less changes nothing

  static constexpr double no_floor = -std::numeric_limits<double>::infinity();

  void clear() {
    entries.clear();
    has_best = false;
    floor = no_floor;
  }
};

class BeamSearch {
 public:
  BeamSearch(const BeamRows& rows, const BeamOptions& options, ThreadPool& pool)
      : rows_(rows),
        options_(options),
        pool_(pool),
        classes_(static_cast<std::size_t>(rows.classes)),
        ranked_(rows.columns.size()),
        evaluator_(options, classes_, total()),
        remaining_(std::make_shared<CandidateRows>()) {
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      if (rows.allowed_tests[c]) usable_.push_back(c);
    }
    remaining_->sorted.resize(rows.columns.size());
    pool.parallel_for(usable_.size(), [&](std::size_t at, std::size_t) {
      const std::size_t c = usable_[at];
      if (!rows.columns[c].numbers) return;
      ranked_[c] = std::make_unique<RankedColumn>(rows.columns[c].numbers, rows.label.size());
      remaining_->sorted[c] = std::move(ranked_[c]->sorted);
    });
    remaining_->rows.resize(rows.label.size());
    std::iota(remaining_->rows.begin(), remaining_->rows.end(), 0u);
    recount(*remaining_);
  }

  BeamResult learn_all() {
    BeamResult out;
    while (static_cast<std::size_t>(out.rules.starts.size()) - 1 < options_.max_rules && !remaining_->rows.empty()) {
      if (!learn_one_rule(out)) break;
    }
    out.remaining_counts = remaining_->counts;
    return out;
  }

 private:
  std::int64_t weight(std::size_t row) const { return rows_.weight.empty() ? 1 : rows_.weight[row]; }
  ClassCounts counts_of(const CandidateRows& candidate) const { return {candidate.counts.data(), candidate.n}; }
  ClassCounts counts_of(const Specialization& specialization) const {
    return {specialization.counts.data(), specialization.n};
  }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < rows_.label.size(); ++row) sum += weight(row);
    return sum;
  }

  void recount(CandidateRows& candidate) const {
    candidate.counts.assign(classes_, 0);
    for (const std::uint32_t row : candidate.rows)
      candidate.counts[static_cast<std::size_t>(rows_.label[row])] += weight(row);
    candidate.n = std::accumulate(candidate.counts.begin(), candidate.counts.end(), std::int64_t{0});
  }

  bool learn_one_rule(BeamResult& out) {
    evaluator_.set_remaining(counts_of(*remaining_));
    const double empty = evaluator_.value(counts_of(*remaining_));
    best_key_ = RuleEvaluator::make_key(empty);
    best_ = {};
    std::vector<BeamTest> best_tests;
    std::vector<BeamCandidate> beam{{{}, remaining_}};
    if (options_.traced) append_to_listing(out.trace, {}, counts_of(*remaining_), 0, out.rules);
    for (std::int32_t round = 1; !beam.empty(); ++round) {
      pool_.check_interrupt();
      specialize(beam);
      if (const Specialization* best = best_of_round()) {
        best_ = *best;
        best_key_ = best->key;
        best_tests = append_test(beam[best->parent].tests, best->test);
      }
      beam = choose_next_beam(beam);
      if (options_.traced) {
        for (const BeamCandidate& one : beam)
          append_to_listing(out.trace, one.tests, counts_of(*one.covered), round, out.rules);
      }
      const auto hopeful = [&](const BeamCandidate& one) {
        return evaluator_.may_exceed(counts_of(*one.covered), best_key_);
      };
      if (std::none_of(beam.begin(), beam.end(), hopeful)) break;
    }
    if (best_tests.empty() || !(best_.value - empty > options_.threshold)) return false;
    append_to_listing(out.rules, best_tests, counts_of(best_), 0, out.rules);
    remove_covered(best_tests);
    return true;
  }

  // Fills `best_by_column_`: one for each candidate and usable column.
  void specialize(std::vector<BeamCandidate>& beam) {
    const std::size_t jobs = beam.size() * usable_.size();
    if (best_by_column_.size() < jobs) best_by_column_.resize(jobs);
    n_best_ = jobs;
    std::size_t values = 0;
    for (const BeamCandidate& one : beam) values += one.covered->rows.size() * usable_.size();
    const auto job = [&](std::size_t number, std::size_t) {
      best_by_column_[number].clear();
      evaluate_column(beam[number / usable_.size()], number / usable_.size(), usable_[number % usable_.size()],
                      best_by_column_[number]);
    };
    if (values < few_values) {
      for (std::size_t number = 0; number < jobs; ++number) job(number, 0);
    } else {
      pool_.parallel_for(jobs, job);
    }
    for (BeamCandidate& one : beam) one.covered->parent.reset();
  }

  void evaluate_column(BeamCandidate& one, std::size_t parent, std::size_t c, BestSpecializations& best) const {
    const bool numeric = rows_.columns[c].numbers != nullptr;
    if (numeric && one.covered->parent) inherit_order(*one.covered, c, *ranked_[c], rows_.columns[c].numbers);
    if (one.tests.size() >= options_.max_tests) return;
    if (!numeric) return evaluate_levels(*one.covered, parent, c, best);
    std::uint8_t allowed = rows_.allowed_tests[c];
    for (const BeamTest& test : one.tests) {
      if (static_cast<std::size_t>(test.column) == c) allowed &= test.kind == TestKind::at_most ? 2 : 1;
    }
    if (allowed) evaluate_thresholds(*one.covered, parent, c, allowed, best);
  }

  void evaluate_levels(const CandidateRows& candidate, std::size_t parent, std::size_t c,
                       BestSpecializations& best) const {
    const trees::RawColumn& column = rows_.columns[c];
    std::vector<std::int64_t> counts(static_cast<std::size_t>(column.levels) * classes_);
    for (const std::uint32_t row : candidate.rows) {
      const std::int32_t code = column.codes[row];
      if (code >= 0)
        counts[static_cast<std::size_t>(code) * classes_ + static_cast<std::size_t>(rows_.label[row])] += weight(row);
    }
    for (std::int32_t level = 0; level < column.levels; ++level) {
      const std::int64_t* by_class = counts.data() + static_cast<std::size_t>(level) * classes_;
      const std::int64_t n = std::accumulate(by_class, by_class + classes_, std::int64_t{0});
      if (n < candidate.n)
        consider({by_class, n}, best, parent,
                 [&] { return BeamTest{static_cast<std::int32_t>(c), TestKind::is, level, 0}; });
    }
  }

  void evaluate_thresholds(const CandidateRows& candidate, std::size_t parent, std::size_t c, std::uint8_t allowed,
                           BestSpecializations& best) const {
    const RankedRows& list = candidate.sorted[c];
    const RankedColumn& column = *ranked_[c];
    std::vector<std::int64_t> left(classes_), right(classes_);
    if (list.size() == candidate.rows.size()) {
      right = candidate.counts;  // no value is missing
    } else {
      for (const std::uint64_t key : list)
        right[static_cast<std::size_t>(rows_.label[get_row(key)])] += weight(get_row(key));
    }
    std::int64_t n_left = 0, n_right = std::accumulate(right.begin(), right.end(), std::int64_t{0});
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      const std::uint32_t row = get_row(list[i]), rank = get_rank(list[i]), next = get_rank(list[i + 1]);
      const std::int64_t w = weight(row);
      const auto label = static_cast<std::size_t>(rows_.label[row]);
      left[label] += w, right[label] -= w, n_left += w, n_right -= w;
      if (rank == next || has_no_threshold(column.values[rank], column.values[next])) continue;
      const auto test = [&](TestKind kind) {
        return BeamTest{static_cast<std::int32_t>(c), kind, 0,
                        choose_threshold(column.values[rank], column.values[next])};
      };
      const ClassCounts below{left.data(), n_left}, above{right.data(), n_right};
      if ((allowed & 1) && !evaluator_.falls_short(below, best.floor))
        consider(below, best, parent, [&] { return test(TestKind::at_most); });
      if ((allowed & 2) && !evaluator_.falls_short(above, best.floor))
        consider(above, best, parent, [&] { return test(TestKind::above); });
    }
  }

  // Only an infinite threshold would lie between the two.
  static bool has_no_threshold(double low, double high) {
    return std::isinf(low) && high == std::numeric_limits<double>::lowest();
  }

  template <typename Make>
  void consider(ClassCounts counts, BestSpecializations& best, std::size_t parent, const Make& test) const {
    if (counts.n < options_.min_weight || counts.n <= 0) return;
    const double value = evaluator_.value(counts);
    const std::int64_t key = RuleEvaluator::make_key(value);
    const auto beaten = [&](const Specialization& by) { return by.key > key || (by.key == key && by.n >= counts.n); };
    const auto specialization = [&] {
      return Specialization{key, counts.n, value, test(), parent, {counts.by_class, counts.by_class + classes_}};
    };
    auto& entries = best.entries;
    if (entries.size() < options_.width || !beaten(entries.back())) {
      if (entries.size() == options_.width) entries.pop_back();
      const auto position =
          std::find_if(entries.begin(), entries.end(), [&](const Specialization& by) { return !beaten(by); });
      entries.insert(position, specialization());
    }
    if (key > best_key_ && !(best.has_best && beaten(best.best)) && evaluator_.exceeds_remaining_share(counts) &&
        evaluator_.is_significant(counts)) {
      best.best = specialization();
      best.has_best = true;
    }
    if (entries.size() == options_.width) {
      best.floor =
          RuleEvaluator::clearly_below(std::min(entries.back().key, best.has_best ? best.best.key : best_key_));
    }
  }

  const Specialization* best_of_round() const {
    const Specialization* best = nullptr;
    for (std::size_t i = 0; i < n_best_; ++i) {
      if (best_by_column_[i].has_best && (!best || best_by_column_[i].best.precedes(*best)))
        best = &best_by_column_[i].best;
    }
    return best;
  }

  std::vector<BeamCandidate> choose_next_beam(const std::vector<BeamCandidate>& beam) {
    std::vector<const Specialization*> order;
    for (std::size_t i = 0; i < n_best_; ++i) {
      for (const Specialization& specialization : best_by_column_[i].entries) order.push_back(&specialization);
    }
    std::sort(order.begin(), order.end(),
              [](const Specialization* a, const Specialization* b) { return a->precedes(*b); });
    std::vector<BeamCandidate> out;
    for (const Specialization* specialization : order) {
      if (out.size() == options_.width) break;
      const auto candidate = restrict_rows(*beam[specialization->parent].covered, *specialization);
      const auto same = [&](const BeamCandidate& other) {
        return other.covered->counts == candidate->counts && other.covered->rows == candidate->rows;
      };
      if (std::any_of(out.begin(), out.end(), same)) continue;
      candidate->contains.assign(rows_.label.size(), 0);
      for (const std::uint32_t row : candidate->rows) candidate->contains[row] = 1;
      candidate->sorted.resize(rows_.columns.size());
      candidate->parent = beam[specialization->parent].covered;
      out.push_back({append_test(beam[specialization->parent].tests, specialization->test), candidate});
    }
    return out;
  }

  std::shared_ptr<CandidateRows> restrict_rows(const CandidateRows& candidate,
                                               const Specialization& specialization) const {
    auto out = std::make_shared<CandidateRows>();
    const trees::RawColumn& column = rows_.columns[static_cast<std::size_t>(specialization.test.column)];
    for (const std::uint32_t row : candidate.rows) {
      if (passes(column, specialization.test, row)) out->rows.push_back(row);
    }
    out->counts = specialization.counts;
    out->n = specialization.n;
    return out;
  }

  static std::vector<BeamTest> append_test(std::vector<BeamTest> tests, const BeamTest& test) {
    tests.push_back(test);
    return tests;
  }

  void remove_covered(const std::vector<BeamTest>& tests) {
    std::vector<std::uint8_t> covered(rows_.label.size());
    for (const std::uint32_t row : remaining_->rows) {
      const auto passed = [&](const BeamTest& test) {
        return passes(rows_.columns[static_cast<std::size_t>(test.column)], test, row);
      };
      if (options_.wanted_class >= 0 && rows_.label[row] != options_.wanted_class) continue;
      covered[row] = std::all_of(tests.begin(), tests.end(), passed);
    }
    const auto is_gone = [&](std::uint32_t row) { return covered[row] != 0; };
    std::erase_if(remaining_->rows, is_gone);
    for (const std::size_t c : usable_)
      std::erase_if(remaining_->sorted[c], [&](std::uint64_t key) { return is_gone(get_row(key)); });
    recount(*remaining_);
  }

  void append_to_listing(RuleListing& to, const std::vector<BeamTest>& tests, ClassCounts counts, std::int32_t round,
                         const RuleListing& rules) const {
    for (const BeamTest& test : tests) {
      to.columns.push_back(test.column);
      to.kinds.push_back(static_cast<std::uint8_t>(test.kind));
      to.levels.push_back(test.level);
      to.thresholds.push_back(test.threshold);
    }
    to.rules.push_back(static_cast<std::int32_t>(rules.starts.size()) - 1);
    to.rounds.push_back(round);
    to.starts.push_back(static_cast<std::int32_t>(to.columns.size()));
    to.values.push_back(evaluator_.value(counts));
    to.ratios.push_back(evaluator_.likelihood_ratio(counts));
    to.counts.insert(to.counts.end(), counts.by_class, counts.by_class + classes_);
  }

  const BeamRows& rows_;
  const BeamOptions& options_;
  ThreadPool& pool_;
  const std::size_t classes_;
  std::vector<std::size_t> usable_;
  std::vector<std::unique_ptr<RankedColumn>> ranked_;
  RuleEvaluator evaluator_;
  std::shared_ptr<CandidateRows> remaining_;
  std::vector<BestSpecializations> best_by_column_;
  std::size_t n_best_ = 0;
  Specialization best_;
  std::int64_t best_key_ = 0;
};

}  // namespace

BeamResult learn_rules(const BeamRows& rows, const BeamOptions& options, ThreadPool& pool) {
  return BeamSearch(rows, options, pool).learn_all();
}

}  // namespace hedgerow::beam

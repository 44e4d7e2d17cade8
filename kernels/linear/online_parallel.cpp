#include "linear/online_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <exception>
#include <latch>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "linear/online_losses.hpp"

namespace hedgerow {
namespace {

using online::SlotEntry;

constexpr std::size_t kCacheLineFloats = 16;  // floats of a line of the cache
constexpr std::size_t kFewRows = 256;         // that are not worth a second thread

// A row of a block after the first part.
struct DelayedRow {
  double h = 1, spread = 0, size = 0, eta = 0;
  double shrunk_before = 0;  // E when its turn comes
  bool moves = false;
  std::vector<SlotEntry> entries;  // those of the first thread's slots, then of the second's ...
  std::vector<std::size_t> ends;   // of each thread's
};

// What a thread needs for itself.
struct DelayedScratch {
  std::vector<SlotEntry> entries;
  std::vector<float> p;
  std::vector<double> q;
};

class DelayedLearner {
 public:
  DelayedLearner(const OnlineRule& rule, const SlotColumns& rows, std::span<const std::int64_t> order,
                 std::span<const double> target, std::span<const std::int32_t> codes,
                 std::span<const std::int32_t> classes, std::span<const double> weight, OnlineCells cells,
                 OnlineSums& sums, std::span<double> predictions)
      : rule_(rule),
        order_(order),
        target_(target),
        codes_(codes),
        classes_(classes),
        weight_(weight),
        cells_(cells),
        sums_(sums),
        predictions_(predictions),
        reader_(rows, cells.stride),
        loss_{rule},
        regularization_(rule, cells.functions),
        n_(cells.functions),
        power_(rule.adaptive ? rule.power : 0.0) {
    const std::size_t block = std::min(rule.delay + 1, std::max<std::size_t>(order.size(), 1));
    block_rows_.resize(block);
    gains_.resize(block * n_);
    steps_.resize(block * n_);
  }

  std::size_t block() const { return block_rows_.size(); }

  // The first part, for the rows of a thread: nothing of the state is changed.
  void compute_updates(std::size_t from, std::size_t thread, std::size_t n_threads, DelayedScratch& scratch) {
    double t = sums_.t;
    const std::size_t rows = std::min(block(), order_.size() - from);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = static_cast<std::size_t>(order_[from + i]);
      const double h = weight_.empty() ? 1.0 : weight_[row];
      t += h;
      if (i % n_threads == thread) compute_row_update(from + i, i, h, t, n_threads, scratch);
    }
  }

  // Between the parts, by one thread: returns how many rows of the block can be learned.
  std::size_t accept_block(std::size_t from) {
    const std::size_t rows = std::min(block(), order_.size() - from);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t f = 0; f < n_; ++f) {
        if (!(std::abs(predictions_[(from + i) * n_ + f]) < online::kMaxPrediction)) return i;
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      auto& row = block_rows_[i];
      row.shrunk_before = sums_.shrunk;
      sums_.shrunk += row.eta * row.h;
      sums_.t += row.h;
      sums_.n += row.h * row.spread;
      sums_.largest = std::max(sums_.largest, row.size);
    }
    return rows;
  }

  // The second part, for the slots of a thread.
  void apply_updates(std::size_t from, std::size_t thread) {
    const std::size_t rows = std::min(block(), order_.size() - from);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto& row = block_rows_[i];
      const float* const gains = gains_.data() + i * n_;
      const float* const steps = steps_.data() + i * n_;
      for (std::size_t e = thread ? row.ends[thread - 1] : 0; e < row.ends[thread]; ++e) {
        const auto [at, x] = row.entries[e];
        float* const cell = cells_.cells.data() + at;
        catch_up(cell, at, row.shrunk_before);
        if (rule_.normal) rescale_cell(cell, std::abs(x));
        if (!row.moves) continue;
        const double own = own_rate(rule_.normal ? cell[2 * n_] : 1.0f);
        for (std::size_t f = 0; f < n_; ++f) {
          if (rule_.adaptive) cell[n_ + f] += gains[f] * x * x;
          cell[f] += steps[f] * static_cast<float>(rate(own, cell[n_ + f])) * x;
        }
      }
    }
  }

 private:
  double target_of(std::size_t row, std::size_t f) const {
    if (classes_.empty()) return target_[row];
    return codes_[row] == classes_[f] ? 1.0 : -1.0;
  }

  // s^(2a - 2), and r with it.
  double own_rate(float s) const { return power_ == 0.5 ? 1.0 / s : std::pow(static_cast<double>(s), 2 * power_ - 2); }
  double rate(double own, float g) const {
    if (!rule_.adaptive) return own;
    if (!(g > 0)) return 0;
    return power_ == 0.5 ? own / std::sqrt(g) : own * std::pow(static_cast<double>(g), -power_);
  }
  float shrunk_by(float s, float size) const {
    return power_ == 0.5 ? s / size : static_cast<float>(std::pow(s / size, 2 - 2 * power_));
  }

  void compute_row_update(std::size_t entry, std::size_t i, double h, double t, std::size_t n_threads,
                          DelayedScratch& scratch) {
    auto& row = block_rows_[i];
    const auto number = static_cast<std::size_t>(order_[entry]);
    scratch.entries.clear();
    reader_.read(number, scratch.entries);
    scratch.p.assign(n_, 0.0f);
    scratch.q.assign(n_, 0.0);
    row.h = h;
    row.spread = row.size = 0;
    for (const auto& [at, x] : scratch.entries) {
      const float* const cell = cells_.cells.data() + at;
      const float s = cell[2 * n_], size = std::abs(x);
      const float value = rule_.normal && size > s && s > 0 ? x * shrunk_by(s, size) : x;
      const double more =
          cells_.shrunk_before.empty() || at == 0 ? 0.0 : sums_.shrunk - cells_.shrunk_before[at / cells_.stride];
      if (more > 0) {
        for (std::size_t f = 0; f < n_; ++f) scratch.p[f] += regularization_(cell, f, more) * value;
      } else {
        for (std::size_t f = 0; f < n_; ++f) scratch.p[f] += cell[f] * value;
      }
      const double share = x / std::max(s, size);
      row.spread += rule_.normal ? share * share : 0.0;
      row.size += static_cast<double>(x) * static_cast<double>(x);
    }
    std::copy(scratch.p.begin(), scratch.p.end(), predictions_.data() + entry * n_);
    const double base = rule_.adaptive ? rule_.rate : rule_.rate * std::pow(t, -rule_.power);
    const double n = sums_.n + h * row.spread;
    row.eta = rule_.normal && n > 0 ? base * std::pow((sums_.t + h) / n, 1 - power_) : base;
    compute_steps(row, number, gains_.data() + i * n_, steps_.data() + i * n_, scratch);
    assign_entries(row, n_threads, scratch);
  }

  void compute_steps(DelayedRow& row, std::size_t number, float* gains, float* steps, DelayedScratch& scratch) const {
    row.moves = false;
    for (std::size_t f = 0; f < n_; ++f) {
      const double slope = loss_.slope(scratch.p[f], target_of(number, f));
      gains[f] = static_cast<float>(row.h * slope * slope);
      row.moves |= slope != 0;
    }
    if (!row.moves) return;
    for (const auto& [at, x] : scratch.entries) {
      const float* const cell = cells_.cells.data() + at;
      const double own = own_rate(rule_.normal ? std::max(cell[2 * n_], std::abs(x)) : 1.0f);
      const float square = x * x;
      for (std::size_t f = 0; f < n_; ++f) scratch.q[f] += square * rate(own, cell[n_ + f] + gains[f] * square);
    }
    for (std::size_t f = 0; f < n_; ++f) {
      steps[f] = static_cast<float>(loss_.step(scratch.p[f], target_of(number, f), row.eta * row.h, scratch.q[f]));
    }
  }

  // Puts the entries in the order of the threads that learn them.
  void assign_entries(DelayedRow& row, std::size_t n_threads, const DelayedScratch& scratch) const {
    row.entries.clear();
    row.ends.clear();
    for (std::size_t thread = 0; thread < n_threads; ++thread) {
      for (const auto& entry : scratch.entries) {
        if (entry.cell / kCacheLineFloats % n_threads == thread) row.entries.push_back(entry);
      }
      row.ends.push_back(row.entries.size());
    }
  }

  void catch_up(float* cell, std::size_t at, double shrunk) {
    if (cells_.shrunk_before.empty()) return;
    double& seen = cells_.shrunk_before[at / cells_.stride];
    const double more = shrunk - seen;
    if (at != 0 && more > 0) {
      for (std::size_t f = 0; f < n_; ++f) cell[f] = regularization_(cell, f, more);
    }
    seen = shrunk;
  }

  void rescale_cell(float* cell, float size) const {
    float& s = cell[2 * n_];
    if (!(size > s)) return;
    if (s > 0) {
      const float less = shrunk_by(s, size);
      for (std::size_t f = 0; f < n_; ++f) cell[f] *= less;
    }
    s = size;
  }

  const OnlineRule& rule_;
  std::span<const std::int64_t> order_;
  std::span<const double> target_;
  std::span<const std::int32_t> codes_, classes_;
  std::span<const double> weight_;
  OnlineCells cells_;
  OnlineSums& sums_;
  std::span<double> predictions_;
  online::RowEntryReader reader_;
  online::OnlineLossFunction loss_;
  online::LazyRegularization regularization_;
  std::size_t n_;
  double power_;  // a
  std::vector<DelayedRow> block_rows_;
  std::vector<float> gains_, steps_;  // h l'(p)^2 and u of every row and function
};

// Threads that go through all blocks together.
class BlockThreads {
 public:
  BlockThreads(DelayedLearner& learner, std::size_t rows, const std::function<void()>& pause)
      : learner_(learner), rows_(rows), pause_(pause) {}

  std::size_t run(std::size_t threads) {
    std::latch begin(1);
    std::vector<std::thread> others;
    try {
      for (std::size_t thread = 1; thread < threads; ++thread) {
        others.emplace_back([this, thread, &begin] {
          begin.wait();
          run_thread(thread);
        });
      }
    } catch (const std::system_error&) {  // the system gives fewer
    }
    n_threads_ = others.size() + 1;
    computed_.emplace(static_cast<std::ptrdiff_t>(n_threads_), BarrierCompletion{this});
    applied_.emplace(static_cast<std::ptrdiff_t>(n_threads_));
    begin.count_down();
    run_thread(0);
    for (auto& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return done_;
  }

 private:
  struct BarrierCompletion {
    BlockThreads* threads;
    void operator()() noexcept { threads->complete_phase(); }
  };

  void run_thread(std::size_t thread) {
    DelayedScratch scratch;
    for (std::size_t from = 0; from < rows_; from += learner_.block()) {
      try {
        if (thread == 0 && pause_) pause_();
        learner_.compute_updates(from, thread, n_threads_, scratch);
      } catch (...) {
        record_failure();
      }
      computed_->arrive_and_wait();
      if (stop_) return;
      learner_.apply_updates(from, thread);
      applied_->arrive_and_wait();
    }
  }

  void complete_phase() noexcept {
    if (failed_) {
      stop_ = true;
      return;
    }
    const std::size_t wanted = std::min(learner_.block(), rows_ - done_), found = learner_.accept_block(done_);
    done_ += found;
    stop_ = found < wanted;
  }

  void record_failure() {
    std::lock_guard lock(mutex_);
    failed_ = true;
    if (!failure_) failure_ = std::current_exception();
  }

  DelayedLearner& learner_;
  std::size_t rows_, n_threads_ = 1, done_ = 0;
  const std::function<void()>& pause_;
  std::optional<std::barrier<BarrierCompletion>> computed_;
  std::optional<std::barrier<>> applied_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  bool failed_ = false, stop_ = false;  // read where all have arrived
};

}  // namespace

std::size_t learn_with_delay(const OnlineRule& rule, const SlotColumns& rows, std::span<const std::int64_t> order,
                             std::span<const double> target, std::span<const std::int32_t> codes,
                             std::span<const std::int32_t> classes, std::span<const double> weight, OnlineCells cells,
                             OnlineSums& sums, std::span<double> predictions, std::size_t threads,
                             const std::function<void()>& pause) {
  DelayedLearner learner(rule, rows, order, target, codes, classes, weight, cells, sums, predictions);
  BlockThreads block_threads(learner, order.size(), pause);
  return block_threads.run(order.size() < kFewRows ? 1 : std::min(std::max<std::size_t>(threads, 1), learner.block()));
}

}  // namespace hedgerow

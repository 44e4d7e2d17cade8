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

using online::Entry;

constexpr std::size_t LINE = 16;       // floats of a line of the cache
constexpr std::size_t FEW_ROWS = 256;  // that are not worth a second thread

// A row of a block after the first part.
struct LateRow {
  double h = 1, spread = 0, size = 0, eta = 0;
  double before = 0;  // E when its turn comes
  bool moves = false;
  std::vector<Entry> entries;     // those of the first thread's slots, then of the second's ...
  std::vector<std::size_t> ends;  // of each thread's
};

// What a thread needs for itself.
struct Desk {
  std::vector<Entry> entries;
  std::vector<float> p;
  std::vector<double> q;
};

class Delayed {
 public:
  Delayed(const OnlineRule& rule, const SlotRows& rows, std::span<const std::int64_t> order,
          std::span<const double> target, std::span<const std::int32_t> codes, std::span<const std::int32_t> classes,
          std::span<const double> weight, OnlineCells cells, OnlineSums& sums, std::span<double> said)
      : rule_(rule),
        order_(order),
        target_(target),
        codes_(codes),
        classes_(classes),
        weight_(weight),
        cells_(cells),
        sums_(sums),
        said_(said),
        reader_(rows, cells.stride),
        loss_{rule},
        shrinking_(rule, cells.functions),
        n_(cells.functions),
        power_(rule.adaptive ? rule.power : 0.0) {
    const std::size_t block = std::min(rule.delay + 1, std::max<std::size_t>(order.size(), 1));
    late_.resize(block);
    gains_.resize(block * n_);
    steps_.resize(block * n_);
  }

  std::size_t block() const { return late_.size(); }

  // The first part, for the rows of a member: nothing of the state is changed.
  void look(std::size_t from, std::size_t member, std::size_t members, Desk& desk) {
    double t = sums_.t;
    const std::size_t rows = std::min(block(), order_.size() - from);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = static_cast<std::size_t>(order_[from + i]);
      const double h = weight_.empty() ? 1.0 : weight_[row];
      t += h;
      if (i % members == member) look_at(from + i, i, h, t, members, desk);
    }
  }

  // Between the parts, by one thread: returns how many rows of the block can be learned.
  std::size_t turn(std::size_t from) {
    const std::size_t rows = std::min(block(), order_.size() - from);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t f = 0; f < n_; ++f) {
        if (!(std::abs(said_[(from + i) * n_ + f]) < online::BEYOND)) return i;
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      auto& row = late_[i];
      row.before = sums_.shrunk;
      sums_.shrunk += row.eta * row.h;
      sums_.t += row.h;
      sums_.n += row.h * row.spread;
      sums_.largest = std::max(sums_.largest, row.size);
    }
    return rows;
  }

  // The second part, for the slots of a member.
  void move(std::size_t from, std::size_t member) {
    const std::size_t rows = std::min(block(), order_.size() - from);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto& row = late_[i];
      const float* const gains = gains_.data() + i * n_;
      const float* const steps = steps_.data() + i * n_;
      for (std::size_t e = member ? row.ends[member - 1] : 0; e < row.ends[member]; ++e) {
        const auto [at, x] = row.entries[e];
        float* const cell = cells_.cells.data() + at;
        catch_up(cell, at, row.before);
        if (rule_.normal) grow(cell, std::abs(x));
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

  void look_at(std::size_t place, std::size_t i, double h, double t, std::size_t members, Desk& desk) {
    auto& row = late_[i];
    const auto number = static_cast<std::size_t>(order_[place]);
    desk.entries.clear();
    reader_.read(number, desk.entries);
    desk.p.assign(n_, 0.0f);
    desk.q.assign(n_, 0.0);
    row.h = h;
    row.spread = row.size = 0;
    for (const auto& [at, x] : desk.entries) {
      const float* const cell = cells_.cells.data() + at;
      const float s = cell[2 * n_], size = std::abs(x);
      const float value = rule_.normal && size > s && s > 0 ? x * shrunk_by(s, size) : x;
      const double more = cells_.seen.empty() || at == 0 ? 0.0 : sums_.shrunk - cells_.seen[at / cells_.stride];
      if (more > 0) {
        for (std::size_t f = 0; f < n_; ++f) desk.p[f] += shrinking_(cell, f, more) * value;
      } else {
        for (std::size_t f = 0; f < n_; ++f) desk.p[f] += cell[f] * value;
      }
      const double share = x / std::max(s, size);
      row.spread += rule_.normal ? share * share : 0.0;
      row.size += static_cast<double>(x) * static_cast<double>(x);
    }
    std::copy(desk.p.begin(), desk.p.end(), said_.data() + place * n_);
    const double base = rule_.adaptive ? rule_.rate : rule_.rate * std::pow(t, -rule_.power);
    const double n = sums_.n + h * row.spread;
    row.eta = rule_.normal && n > 0 ? base * std::pow((sums_.t + h) / n, 1 - power_) : base;
    fit_steps(row, number, gains_.data() + i * n_, steps_.data() + i * n_, desk);
    deal(row, members, desk);
  }

  void fit_steps(LateRow& row, std::size_t number, float* gains, float* steps, Desk& desk) const {
    row.moves = false;
    for (std::size_t f = 0; f < n_; ++f) {
      const double slope = loss_.slope(desk.p[f], target_of(number, f));
      gains[f] = static_cast<float>(row.h * slope * slope);
      row.moves |= slope != 0;
    }
    if (!row.moves) return;
    for (const auto& [at, x] : desk.entries) {
      const float* const cell = cells_.cells.data() + at;
      const double own = own_rate(rule_.normal ? std::max(cell[2 * n_], std::abs(x)) : 1.0f);
      const float square = x * x;
      for (std::size_t f = 0; f < n_; ++f) desk.q[f] += square * rate(own, cell[n_ + f] + gains[f] * square);
    }
    for (std::size_t f = 0; f < n_; ++f) {
      steps[f] = static_cast<float>(loss_.step(desk.p[f], target_of(number, f), row.eta * row.h, desk.q[f]));
    }
  }

  // Puts the entries in the order of the threads that learn them.
  void deal(LateRow& row, std::size_t members, const Desk& desk) const {
    row.entries.clear();
    row.ends.clear();
    for (std::size_t member = 0; member < members; ++member) {
      for (const auto& entry : desk.entries) {
        if (entry.at / LINE % members == member) row.entries.push_back(entry);
      }
      row.ends.push_back(row.entries.size());
    }
  }

  void catch_up(float* cell, std::size_t at, double shrunk) {
    if (cells_.seen.empty()) return;
    double& seen = cells_.seen[at / cells_.stride];
    const double more = shrunk - seen;
    if (at != 0 && more > 0) {
      for (std::size_t f = 0; f < n_; ++f) cell[f] = shrinking_(cell, f, more);
    }
    seen = shrunk;
  }

  void grow(float* cell, float size) const {
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
  std::span<double> said_;
  online::RowEntries reader_;
  online::LossAt loss_;
  online::Shrinking shrinking_;
  std::size_t n_;
  double power_;  // a
  std::vector<LateRow> late_;
  std::vector<float> gains_, steps_;  // h l'(p)^2 and u of every row and function
};

// Threads that go through all blocks together.
class Together {
 public:
  Together(Delayed& learner, std::size_t rows, const std::function<void()>& pause)
      : learner_(learner), rows_(rows), pause_(pause) {}

  std::size_t run(std::size_t threads) {
    std::latch begin(1);
    std::vector<std::thread> others;
    try {
      for (std::size_t member = 1; member < threads; ++member) {
        others.emplace_back([this, member, &begin] {
          begin.wait();
          work(member);
        });
      }
    } catch (const std::system_error&) {  // the system gives fewer
    }
    members_ = others.size() + 1;
    looked_.emplace(static_cast<std::ptrdiff_t>(members_), Turn{this});
    moved_.emplace(static_cast<std::ptrdiff_t>(members_));
    begin.count_down();
    work(0);
    for (auto& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return done_;
  }

 private:
  struct Turn {
    Together* all;
    void operator()() noexcept { all->turn(); }
  };

  void work(std::size_t member) {
    Desk desk;
    for (std::size_t from = 0; from < rows_; from += learner_.block()) {
      try {
        if (member == 0 && pause_) pause_();
        learner_.look(from, member, members_, desk);
      } catch (...) {
        fail();
      }
      looked_->arrive_and_wait();
      if (stop_) return;
      learner_.move(from, member);
      moved_->arrive_and_wait();
    }
  }

  void turn() noexcept {
    if (failed_) {
      stop_ = true;
      return;
    }
    const std::size_t wanted = std::min(learner_.block(), rows_ - done_), found = learner_.turn(done_);
    done_ += found;
    stop_ = found < wanted;
  }

  void fail() {
    std::lock_guard lock(mutex_);
    failed_ = true;
    if (!failure_) failure_ = std::current_exception();
  }

  Delayed& learner_;
  std::size_t rows_, members_ = 1, done_ = 0;
  const std::function<void()>& pause_;
  std::optional<std::barrier<Turn>> looked_;
  std::optional<std::barrier<>> moved_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  bool failed_ = false, stop_ = false;  // read where all have arrived
};

}  // namespace

std::size_t learn_delayed(const OnlineRule& rule, const SlotRows& rows, std::span<const std::int64_t> order,
                          std::span<const double> target, std::span<const std::int32_t> codes,
                          std::span<const std::int32_t> classes, std::span<const double> weight, OnlineCells cells,
                          OnlineSums& sums, std::span<double> said, std::size_t threads,
                          const std::function<void()>& pause) {
  Delayed learner(rule, rows, order, target, codes, classes, weight, cells, sums, said);
  Together all(learner, order.size(), pause);
  return all.run(order.size() < FEW_ROWS ? 1 : std::min(std::max<std::size_t>(threads, 1), learner.block()));
}

}  // namespace hedgerow

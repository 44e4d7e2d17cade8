#include "items/item_sets.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>

#include "items/closed_sets.hpp"
#include "items/frequent_sets.hpp"
#include "items/search_prefix.hpp"
#include "items/time_limit.hpp"
#include "items/whole_weights.hpp"

namespace hedgerow::items {
namespace {

// Ticks from a count that is given as a number; what only rounding keeps from a tick is that tick.
Count ticks_from(double count, double scale) {
  const double ticks = count * scale;
  if (!(ticks < 9e18)) return INT64_MAX;
  return std::max<Count>(1, static_cast<Count>(std::ceil(ticks - 1e-12 * std::abs(ticks))));
}

Count spread_from(double spread, double scale) {
  const double ticks = spread * scale;
  return ticks < 9e18 ? static_cast<Count>(std::floor(ticks + 1e-12 * std::abs(ticks))) : INT64_MAX;
}

class Mining {
 public:
  Mining(const Table& table, const Options& options, ThreadPool& crew)
      : table_(table), options_(options), crew_(crew), guard_(crew, options.seconds), ticks_(table.weights) {}

  Found found() {
    count_items();
    for (;;) {
      choose_items();
      prepare();
      crew_.check_interrupt();
      Store store(limits());
      if (options_.which == Which::all)
        run<Search>(store);
      else
        run<ClosedSearch>(store);
      if (guard_.is_late())
        return {in_order({}, codes_, crew_), ticks_.number(lowest_), ticks_.scale(), Ended::out_of_time};
      if (store.is_full()) {
        const Count highest = *std::max_element(counts_.begin(), counts_.end());
        floor_ = lowest_ + std::max<Count>(1, std::min(lowest_, highest - lowest_) / 2);
        continue;
      }
      auto walks = store.finished();
      const bool rose = store.rose() || floor_ > 0;
      return {in_order(std::move(walks), codes_, crew_), ticks_.number(std::max(lowest_, store.bound())),
              ticks_.scale(), rose ? Ended::bound_rose : Ended::done};
    }
  }

 private:
  void count_items() {
    counts_.assign(table_.n_items, 0);
    for (std::size_t row = 0; row + 1 < table_.offsets.size(); ++row) {
      const Count weight = ticks_.of_row(row);
      for (auto at = table_.offsets[row]; at < table_.offsets[row + 1]; ++at) {
        counts_[static_cast<std::size_t>(table_.codes[static_cast<std::size_t>(at)])] += weight;
      }
    }
  }

  // Items that may be in a set, in the order of the search.
  void choose_items() {
    bounds_.resize(table_.n_items);
    lowest_ = INT64_MAX;
    for (std::size_t item = 0; item < table_.n_items; ++item) {
      bounds_[item] = std::max(floor_, ticks_from(options_.bounds[item], ticks_.scale()));
      lowest_ = std::min(lowest_, bounds_[item]);
    }
    if (lowest_ == INT64_MAX) lowest_ = 1;
    codes_.clear();
    for (std::size_t item = 0; item < table_.n_items; ++item) {
      if (bounds_[item] != INT64_MAX && counts_[item] >= lowest_) codes_.push_back(static_cast<std::int32_t>(item));
    }
    std::sort(codes_.begin(), codes_.end(), [&](std::int32_t a, std::int32_t b) { return place(a) < place(b); });
  }

  std::tuple<Count, bool, Count, std::int32_t> place(std::int32_t code) const {
    const auto item = static_cast<std::size_t>(code);
    const bool other = !options_.required.empty() && !options_.required[item];
    return {bounds_[item], other, counts_[item], code};
  }

  void prepare() {
    problem_ = {};
    problem_.maximal = options_.which == Which::maximal;
    std::vector<std::uint32_t> renamed(table_.n_items, UINT32_MAX);
    for (std::uint32_t at = 0; at < codes_.size(); ++at) {
      const auto item = static_cast<std::size_t>(codes_[at]);
      renamed[item] = at;
      problem_.counts.push_back(counts_[item]);
      problem_.bounds.push_back(bounds_[item]);
      if (!options_.required.empty()) problem_.required.push_back(options_.required[item]);
      if (!options_.group.empty()) problem_.group.push_back(options_.group[item]);
    }
    problem_.most_of_group.assign(options_.most_of_group.begin(), options_.most_of_group.end());
    problem_.max_length = options_.max_length;
    problem_.spread = spread_from(options_.spread, ticks_.scale());
    problem_.rows =
        row_list(table_.offsets, table_.codes, renamed, static_cast<std::uint32_t>(codes_.size()), ticks_.rows(), 2);
    problem_.pairs = PairCounts(problem_.rows, crew_);
  }

  // The rows in the order of the search, and about as much again for projections, are not for sets.
  Limits limits() const {
    const bool rises = options_.which != Which::maximal;
    if (options_.memory == SIZE_MAX) return {options_.most_sets, SIZE_MAX, rises};
    const std::size_t rows = 4 * (problem_.rows.codes.size() + problem_.rows.places.size());
    const std::size_t held = rows + rows / 2 + (1 << 20);
    return {options_.most_sets, std::max(options_.memory / 4, options_.memory > held ? options_.memory - held : 0),
            rises};
  }

  // The most frequent items first: their classes are small, and lift the bound where it is to rise.
  template <typename OneSearch>
  void run(Store& store) {
    const std::size_t n = codes_.size();
    std::deque<OneSearch> searches;
    for (std::size_t member = 0; member < crew_.size(); ++member)
      searches.emplace_back(problem_, store, guard_, member);
    crew_.parallel_for(n, [&](std::size_t number, std::size_t member) {
      searches[member].search(static_cast<std::uint32_t>(n - 1 - number));
    });
    for (OneSearch& search : searches) search.finish();
  }

  const Table& table_;
  const Options& options_;
  ThreadPool& crew_;
  Guard guard_;
  Ticks ticks_;
  std::vector<Count> counts_, bounds_;  // by code
  Count lowest_ = 1, floor_ = 0;        // the lowest of all bounds; none is lower than the floor
  std::vector<std::int32_t> codes_;     // in the order of the search
  Problem problem_;
};

}  // namespace

Found item_sets(const Table& table, const Options& options, ThreadPool& crew) {
  return Mining(table, options, crew).found();
}

}  // namespace hedgerow::items

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
Count count_to_ticks(double count, double scale) {
  const double ticks = count * scale;
  if (!(ticks < 9e18)) return INT64_MAX;
  return std::max<Count>(1, static_cast<Count>(std::ceil(ticks - 1e-12 * std::abs(ticks))));
}

Count spread_to_ticks(double spread, double scale) {
  const double ticks = spread * scale;
  return ticks < 9e18 ? static_cast<Count>(std::floor(ticks + 1e-12 * std::abs(ticks))) : INT64_MAX;
}

class ItemSetMiner {
 public:
  ItemSetMiner(const ItemTable& table, const ItemSetOptions& options, ThreadPool& pool)
      : table_(table), options_(options), pool_(pool), time_limit_(pool, options.seconds), ticks_(table.weights) {}

  ItemSetResult mine() {
    count_items();
    for (;;) {
      choose_items();
      prepare();
      pool_.check_interrupt();
      SetStore store(make_limits());
      if (options_.kind == SetKind::all)
        search_all_classes<FrequentSearch>(store);
      else
        search_all_classes<ClosedSearch>(store);
      if (time_limit_.is_over())
        return {order_sets({}, codes_, pool_), ticks_.to_weight(lowest_bound_), ticks_.scale(), SearchEnd::out_of_time};
      if (store.is_full()) {
        const Count highest = *std::max_element(counts_.begin(), counts_.end());
        bound_floor_ = lowest_bound_ + std::max<Count>(1, std::min(lowest_bound_, highest - lowest_bound_) / 2);
        continue;
      }
      auto paths = store.take_paths();
      const bool has_risen = store.has_risen() || bound_floor_ > 0;
      return {order_sets(std::move(paths), codes_, pool_), ticks_.to_weight(std::max(lowest_bound_, store.bound())),
              ticks_.scale(), has_risen ? SearchEnd::bound_rose : SearchEnd::done};
    }
  }

 private:
  void count_items() {
    counts_.assign(table_.n_items, 0);
    for (std::size_t row = 0; row + 1 < table_.offsets.size(); ++row) {
      const Count weight = ticks_.ticks_of_row(row);
      for (auto at = table_.offsets[row]; at < table_.offsets[row + 1]; ++at) {
        counts_[static_cast<std::size_t>(table_.codes[static_cast<std::size_t>(at)])] += weight;
      }
    }
  }

  // Items that may be in a set, in the order of the search.
  void choose_items() {
    bounds_.resize(table_.n_items);
    lowest_bound_ = INT64_MAX;
    for (std::size_t item = 0; item < table_.n_items; ++item) {
      bounds_[item] = std::max(bound_floor_, count_to_ticks(options_.bounds[item], ticks_.scale()));
      lowest_bound_ = std::min(lowest_bound_, bounds_[item]);
    }
    if (lowest_bound_ == INT64_MAX) lowest_bound_ = 1;
    codes_.clear();
    for (std::size_t item = 0; item < table_.n_items; ++item) {
      if (bounds_[item] != INT64_MAX && counts_[item] >= lowest_bound_)
        codes_.push_back(static_cast<std::int32_t>(item));
    }
    std::sort(codes_.begin(), codes_.end(),
              [&](std::int32_t a, std::int32_t b) { return make_sort_key(a) < make_sort_key(b); });
  }

  std::tuple<Count, bool, Count, std::int32_t> make_sort_key(std::int32_t code) const {
    const auto item = static_cast<std::size_t>(code);
    const bool other = !options_.required.empty() && !options_.required[item];
    return {bounds_[item], other, counts_[item], code};
  }

  void prepare() {
    problem_ = {};
    problem_.maximal = options_.kind == SetKind::maximal;
    std::vector<std::uint32_t> new_names(table_.n_items, UINT32_MAX);
    for (std::uint32_t at = 0; at < codes_.size(); ++at) {
      const auto item = static_cast<std::size_t>(codes_[at]);
      new_names[item] = at;
      problem_.counts.push_back(counts_[item]);
      problem_.bounds.push_back(bounds_[item]);
      if (!options_.required.empty()) problem_.required.push_back(options_.required[item]);
      if (!options_.group.empty()) problem_.group.push_back(options_.group[item]);
    }
    problem_.max_of_group.assign(options_.max_of_group.begin(), options_.max_of_group.end());
    problem_.max_length = options_.max_length;
    problem_.spread = spread_to_ticks(options_.spread, ticks_.scale());
    problem_.rows = make_row_list(table_.offsets, table_.codes, new_names, static_cast<std::uint32_t>(codes_.size()),
                                  ticks_.row_ticks(), 2);
    problem_.pairs = PairCounts(problem_.rows, pool_);
  }

  // The rows in the order of the search, and about as much again for projections, are not for sets.
  StoreLimits make_limits() const {
    const bool rises = options_.kind != SetKind::maximal;
    if (options_.memory == SIZE_MAX) return {options_.max_sets, SIZE_MAX, rises};
    const std::size_t rows = 4 * (problem_.rows.codes.size() + problem_.rows.positions.size());
    const std::size_t held = rows + rows / 2 + (1 << 20);
    return {options_.max_sets, std::max(options_.memory / 4, options_.memory > held ? options_.memory - held : 0),
            rises};
  }

  // The most frequent items first: their classes are small, and lift the bound where it is to rise.
  template <typename ClassSearch>
  void search_all_classes(SetStore& store) {
    const std::size_t n = codes_.size();
    std::deque<ClassSearch> searches;
    for (std::size_t thread = 0; thread < pool_.size(); ++thread)
      searches.emplace_back(problem_, store, time_limit_, thread);
    pool_.parallel_for(n, [&](std::size_t number, std::size_t thread) {
      searches[thread].search_class(static_cast<std::uint32_t>(n - 1 - number));
    });
    for (ClassSearch& search : searches) search.finish();
  }

  const ItemTable& table_;
  const ItemSetOptions& options_;
  ThreadPool& pool_;
  TimeLimit time_limit_;
  TickWeights ticks_;
  std::vector<Count> counts_, bounds_;        // by code
  Count lowest_bound_ = 1, bound_floor_ = 0;  // the lowest of all bounds; none is lower than the floor
  std::vector<std::int32_t> codes_;           // in the order of the search
  SearchProblem problem_;
};

}  // namespace

ItemSetResult mine_item_sets(const ItemTable& table, const ItemSetOptions& options, ThreadPool& pool) {
  return ItemSetMiner(table, options, pool).mine();
}

}  // namespace hedgerow::items

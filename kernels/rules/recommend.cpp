#include "rules/recommend.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hedgerow {

namespace {

constexpr std::size_t kBlockBaskets = 1024;  // baskets of a job
constexpr std::size_t kScanFraction =
    16;  // of all rules: so many are looked at in their order, if not fewer are in question
constexpr std::int32_t kNoRule = std::numeric_limits<std::int32_t>::max();

// Numbers filed under others: those of `key` are values[starts[key] .. starts[key + 1]), ascending.
struct InvertedLists {
  std::vector<std::size_t> starts;
  std::vector<std::int32_t> values;

  std::span<const std::int32_t> operator[](std::size_t key) const {
    return std::span(values).subspan(starts[key], starts[key + 1] - starts[key]);
  }
};

// keys[i] is the key of number i; negative: it is not filed.
InvertedLists invert_keys(std::span<const std::int32_t> keys, std::size_t n_keys) {
  InvertedLists out{std::vector<std::size_t>(n_keys + 1), {}};
  for (const std::int32_t key : keys) {
    if (key >= 0) ++out.starts[static_cast<std::size_t>(key) + 1];
  }
  for (std::size_t key = 0; key < n_keys; ++key) out.starts[key + 1] += out.starts[key];
  out.values.resize(out.starts[n_keys]);
  auto next = out.starts;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] >= 0) out.values[next[static_cast<std::size_t>(keys[i])]++] = static_cast<std::int32_t>(i);
  }
  return out;
}

// What all threads look into.
struct RuleIndex {
  const ItemSetList& sets;
  std::span<const std::int32_t> left, right, group;
  InvertedLists by_item;                       // antecedents under their rarest item
  InvertedLists by_set;                        // rules under their antecedent
  std::vector<std::int32_t> always;            // rules without an antecedent
  std::vector<std::uint8_t> recommended;       // items that are a rule's consequent
  std::vector<std::size_t> group_recommended;  // how many of them each group has
  std::size_t n_recommended = 0;
};

RuleIndex build_rule_index(const ItemSetList& baskets, const ItemSetList& sets, std::span<const std::int32_t> left,
                           std::span<const std::int32_t> right, std::span<const std::int32_t> group) {
  std::vector<std::int64_t> frequency(group.size());
  for (const std::int32_t item : baskets.codes) ++frequency[static_cast<std::size_t>(item)];
  std::vector<std::uint8_t> used(sets.size());
  for (const std::int32_t set : left) used[static_cast<std::size_t>(set)] = 1;
  std::vector<std::int32_t> rarest(sets.size(), -1);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    if (!used[set] || sets[set].empty()) continue;
    rarest[set] = *std::ranges::min_element(
        sets[set], {}, [&](std::int32_t item) { return frequency[static_cast<std::size_t>(item)]; });
  }
  RuleIndex out{sets, left, right, group, invert_keys(rarest, group.size()), invert_keys(left, sets.size()),
                {},   {},   {},    0};
  for (std::size_t rule = 0; rule < left.size(); ++rule) {
    if (sets[static_cast<std::size_t>(left[rule])].empty()) out.always.push_back(static_cast<std::int32_t>(rule));
  }
  out.recommended.resize(group.size());
  for (const std::int32_t set : right) {
    for (const std::int32_t item : sets[static_cast<std::size_t>(set)]) {
      out.recommended[static_cast<std::size_t>(item)] = 1;
    }
  }
  std::size_t n_groups = 0;
  for (const std::int32_t one : group) n_groups = std::max(n_groups, static_cast<std::size_t>(one + 1));
  out.group_recommended.resize(n_groups);
  for (std::size_t item = 0; item < group.size(); ++item) {
    out.n_recommended += out.recommended[item];
    if (group[item] >= 0) out.group_recommended[static_cast<std::size_t>(group[item])] += out.recommended[item];
  }
  return out;
}

// One thread's work space: what the basket at hand holds, and the first rule for each item that it lacks.
class BasketRecommender {
 public:
  explicit BasketRecommender(const RuleIndex& index)
      : index_(index),
        holds_(index.group.size()),
        group_settled_(index.group_recommended.size()),
        first_(index.group.size(), kNoRule) {}

  void recommend(std::span<const std::int32_t> basket, std::size_t maximum, Recommendations& out) {
    const std::size_t open = mark_basket(basket);
    std::size_t sets = 0;
    for (const std::int32_t item : basket) sets += index_.by_item[static_cast<std::size_t>(item)].size();
    const std::size_t few = index_.left.size() / kScanFraction;
    if (sets < few || !scan_rules(few, maximum, open, out)) {
      look_up_rules(basket);
      write_items(maximum, out);
    }
    unmark_basket(basket);
    out.starts.push_back(static_cast<std::int64_t>(out.items.size()));
  }

 private:
  // Looks only at antecedents whose rarest item the basket holds; in no order.
  void look_up_rules(std::span<const std::int32_t> basket) {
    for (const std::int32_t rule : index_.always) add_rule(rule);
    for (const std::int32_t item : basket) {
      for (const std::int32_t set : index_.by_item[static_cast<std::size_t>(item)]) {
        if (!holds_all(index_.sets[static_cast<std::size_t>(set)])) continue;
        for (const std::int32_t rule : index_.by_set[static_cast<std::size_t>(set)]) add_rule(rule);
      }
    }
  }

  // Looks at the first rules in their order. Whether nothing is left to be told; if something is, nothing was.
  bool scan_rules(std::size_t rules, std::size_t maximum, std::size_t open, Recommendations& out) {
    const std::size_t before = out.items.size();
    for (std::size_t rule = 0; rule < rules && maximum && open; ++rule) {
      const auto antecedent = static_cast<std::size_t>(index_.left[rule]);
      if (!holds_all(index_.sets[antecedent])) continue;
      for (const std::int32_t item : index_.sets[static_cast<std::size_t>(index_.right[rule])]) {
        std::int32_t& first = first_[static_cast<std::size_t>(item)];
        if (!maximum || first != kNoRule || holds_[static_cast<std::size_t>(item)] || is_group_settled(item)) continue;
        out.items.push_back(item);
        out.rules.push_back(static_cast<std::int32_t>(rule));
        found_items_.push_back(item);
        first = static_cast<std::int32_t>(rule);
        open -= count_excluded(item);
        set_group_settled(item, 1);
        --maximum;
      }
    }
    clear_rules();
    if (!maximum || !open) return true;
    out.items.resize(before);
    out.rules.resize(before);
    return false;
  }

  // How many items of consequents can no longer be told once a basket has an item.
  std::size_t count_excluded(std::int32_t item) const {
    const std::int32_t group = index_.group[static_cast<std::size_t>(item)];
    return group < 0 ? index_.recommended[static_cast<std::size_t>(item)]
                     : index_.group_recommended[static_cast<std::size_t>(group)];
  }

  // How many items of consequents a basket, whose items are marked here, lacks and may be told.
  std::size_t mark_basket(std::span<const std::int32_t> basket) {
    std::size_t open = index_.n_recommended;
    for (const std::int32_t item : basket) {
      if (!is_group_settled(item)) open -= count_excluded(item);
      holds_[static_cast<std::size_t>(item)] = 1;
      set_group_settled(item, 1);
    }
    return open;
  }

  void unmark_basket(std::span<const std::int32_t> basket) {
    for (const std::int32_t item : basket) {
      holds_[static_cast<std::size_t>(item)] = 0;
      set_group_settled(item, 0);
    }
  }

  void set_group_settled(std::int32_t item, std::uint8_t value) {
    const std::int32_t group = index_.group[static_cast<std::size_t>(item)];
    if (group >= 0) group_settled_[static_cast<std::size_t>(group)] = value;
  }

  bool is_group_settled(std::int32_t item) const {
    const std::int32_t group = index_.group[static_cast<std::size_t>(item)];
    return group >= 0 && group_settled_[static_cast<std::size_t>(group)];
  }

  bool holds_all(std::span<const std::int32_t> set) const {
    return std::ranges::all_of(set, [&](std::int32_t item) { return holds_[static_cast<std::size_t>(item)] != 0; });
  }

  void add_rule(std::int32_t rule) {
    const auto consequent = static_cast<std::size_t>(index_.right[static_cast<std::size_t>(rule)]);
    for (const std::int32_t item : index_.sets[consequent]) {
      std::int32_t& first = first_[static_cast<std::size_t>(item)];
      if (rule >= first || holds_[static_cast<std::size_t>(item)] || is_group_settled(item)) continue;
      if (first == kNoRule) found_items_.push_back(item);
      first = rule;
    }
  }

  void write_items(std::size_t maximum, Recommendations& out) {
    const auto rank = [&](std::int32_t item) { return std::pair(first_[static_cast<std::size_t>(item)], item); };
    std::ranges::sort(found_items_, {}, rank);
    std::size_t n_written = 0;
    for (const std::int32_t item : found_items_) {
      if (n_written < maximum && !is_group_settled(item)) {
        out.items.push_back(item);
        out.rules.push_back(first_[static_cast<std::size_t>(item)]);
        set_group_settled(item, 1);
        ++n_written;
      }
    }
    clear_rules();
  }

  void clear_rules() {
    for (const std::int32_t item : found_items_) {
      first_[static_cast<std::size_t>(item)] = kNoRule;
      set_group_settled(item, 0);  // `unmark_basket` does the same for what the basket holds
    }
    found_items_.clear();
  }

  const RuleIndex& index_;
  std::vector<std::uint8_t> holds_, group_settled_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> found_items_;
};

}  // namespace

Recommendations recommend_items(const ItemSetList& baskets, const ItemSetList& sets, std::span<const std::int32_t> left,
                                std::span<const std::int32_t> right, std::span<const std::int32_t> group,
                                std::size_t maximum, ThreadPool& pool) {
  const RuleIndex index = build_rule_index(baskets, sets, left, right, group);
  const std::size_t jobs = (baskets.size() + kBlockBaskets - 1) / kBlockBaskets;
  std::vector<BasketRecommender> recommenders(pool.size(), BasketRecommender(index));
  std::vector<Recommendations> parts(jobs);
  pool.parallel_for(jobs, [&](std::size_t job, std::size_t thread) {
    const std::size_t end = std::min(baskets.size(), (job + 1) * kBlockBaskets);
    for (std::size_t row = job * kBlockBaskets; row < end; ++row)
      recommenders[thread].recommend(baskets[row], maximum, parts[job]);
  });
  Recommendations out;
  out.starts.reserve(baskets.size() + 1);
  out.starts.push_back(0);
  for (const Recommendations& part : parts) {
    const auto before = static_cast<std::int64_t>(out.items.size());
    for (const std::int64_t end : part.starts) out.starts.push_back(before + end);
    out.items.insert(out.items.end(), part.items.begin(), part.items.end());
    out.rules.insert(out.rules.end(), part.rules.begin(), part.rules.end());
  }
  return out;
}

}  // namespace hedgerow

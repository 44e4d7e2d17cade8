#include "rules/recommend.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hedgerow {

namespace {

constexpr std::size_t block = 1024;  // baskets of a job
constexpr std::size_t part = 16;     // of all rules: so many are looked at in their order, if not fewer are in question
constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

// Numbers filed under others: those of `key` are values[starts[key] .. starts[key + 1]), ascending.
struct Filed {
  std::vector<std::size_t> starts;
  std::vector<std::int32_t> values;

  std::span<const std::int32_t> operator[](std::size_t key) const {
    return std::span(values).subspan(starts[key], starts[key + 1] - starts[key]);
  }
};

// keys[i] is the key of number i; negative: it is not filed.
Filed filed(std::span<const std::int32_t> keys, std::size_t n_keys) {
  Filed out{std::vector<std::size_t>(n_keys + 1), {}};
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
struct Index {
  const ItemSetList& sets;
  std::span<const std::int32_t> left, right, group;
  Filed by_item;                               // antecedents under their rarest item
  Filed by_set;                                // rules under their antecedent
  std::vector<std::int32_t> always;            // rules without an antecedent
  std::vector<std::uint8_t> recommended;       // items that are a rule's consequent
  std::vector<std::size_t> group_recommended;  // how many of them each group has
  std::size_t n_recommended = 0;
};

Index indexed(const ItemSetList& baskets, const ItemSetList& sets, std::span<const std::int32_t> left,
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
  Index out{sets, left, right, group, filed(rarest, group.size()), filed(left, sets.size()), {}, {}, {}, 0};
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
class Seeker {
 public:
  explicit Seeker(const Index& index)
      : index_(index),
        holds_(index.group.size()),
        settled_(index.group_recommended.size()),
        first_(index.group.size(), none) {}

  void seek(std::span<const std::int32_t> basket, std::size_t most, RuleHits& out) {
    const std::size_t open = marked(basket);
    std::size_t sets = 0;
    for (const std::int32_t item : basket) sets += index_.by_item[static_cast<std::size_t>(item)].size();
    const std::size_t few = index_.left.size() / part;
    if (sets < few || !scan(few, most, open, out)) {
      look_up(basket);
      tell(most, out);
    }
    unmark(basket);
    out.starts.push_back(static_cast<std::int64_t>(out.items.size()));
  }

 private:
  // Looks only at antecedents whose rarest item the basket holds; in no order.
  void look_up(std::span<const std::int32_t> basket) {
    for (const std::int32_t rule : index_.always) add(rule);
    for (const std::int32_t item : basket) {
      for (const std::int32_t set : index_.by_item[static_cast<std::size_t>(item)]) {
        if (!holds_all(index_.sets[static_cast<std::size_t>(set)])) continue;
        for (const std::int32_t rule : index_.by_set[static_cast<std::size_t>(set)]) add(rule);
      }
    }
  }

  // Looks at the first rules in their order. Whether nothing is left to be told; if something is, nothing was.
  bool scan(std::size_t rules, std::size_t most, std::size_t open, RuleHits& out) {
    const std::size_t before = out.items.size();
    for (std::size_t rule = 0; rule < rules && most && open; ++rule) {
      const auto antecedent = static_cast<std::size_t>(index_.left[rule]);
      if (!holds_all(index_.sets[antecedent])) continue;
      for (const std::int32_t item : index_.sets[static_cast<std::size_t>(index_.right[rule])]) {
        std::int32_t& first = first_[static_cast<std::size_t>(item)];
        if (!most || first != none || holds_[static_cast<std::size_t>(item)] || is_settled(item)) continue;
        out.items.push_back(item);
        out.rules.push_back(static_cast<std::int32_t>(rule));
        found_.push_back(item);
        first = static_cast<std::int32_t>(rule);
        open -= closed_by(item);
        settle(item, 1);
        --most;
      }
    }
    clear();
    if (!most || !open) return true;
    out.items.resize(before);
    out.rules.resize(before);
    return false;
  }

  // How many items of consequents can no longer be told once a basket has an item.
  std::size_t closed_by(std::int32_t item) const {
    const std::int32_t group = index_.group[static_cast<std::size_t>(item)];
    return group < 0 ? index_.recommended[static_cast<std::size_t>(item)]
                     : index_.group_recommended[static_cast<std::size_t>(group)];
  }

  // How many items of consequents a basket, whose items are marked here, lacks and may be told.
  std::size_t marked(std::span<const std::int32_t> basket) {
    std::size_t open = index_.n_recommended;
    for (const std::int32_t item : basket) {
      if (!is_settled(item)) open -= closed_by(item);
      holds_[static_cast<std::size_t>(item)] = 1;
      settle(item, 1);
    }
    return open;
  }

  void unmark(std::span<const std::int32_t> basket) {
    for (const std::int32_t item : basket) {
      holds_[static_cast<std::size_t>(item)] = 0;
      settle(item, 0);
    }
  }

  void settle(std::int32_t item, std::uint8_t value) {
    const std::int32_t group = index_.group[static_cast<std::size_t>(item)];
    if (group >= 0) settled_[static_cast<std::size_t>(group)] = value;
  }

  bool is_settled(std::int32_t item) const {
    const std::int32_t group = index_.group[static_cast<std::size_t>(item)];
    return group >= 0 && settled_[static_cast<std::size_t>(group)];
  }

  bool holds_all(std::span<const std::int32_t> set) const {
    return std::ranges::all_of(set, [&](std::int32_t item) { return holds_[static_cast<std::size_t>(item)] != 0; });
  }

  void add(std::int32_t rule) {
    const auto consequent = static_cast<std::size_t>(index_.right[static_cast<std::size_t>(rule)]);
    for (const std::int32_t item : index_.sets[consequent]) {
      std::int32_t& first = first_[static_cast<std::size_t>(item)];
      if (rule >= first || holds_[static_cast<std::size_t>(item)] || is_settled(item)) continue;
      if (first == none) found_.push_back(item);
      first = rule;
    }
  }

  void tell(std::size_t most, RuleHits& out) {
    const auto rank = [&](std::int32_t item) { return std::pair(first_[static_cast<std::size_t>(item)], item); };
    std::ranges::sort(found_, {}, rank);
    std::size_t told = 0;
    for (const std::int32_t item : found_) {
      if (told < most && !is_settled(item)) {
        out.items.push_back(item);
        out.rules.push_back(first_[static_cast<std::size_t>(item)]);
        settle(item, 1);
        ++told;
      }
    }
    clear();
  }

  void clear() {
    for (const std::int32_t item : found_) {
      first_[static_cast<std::size_t>(item)] = none;
      settle(item, 0);  // `unmark` does the same for what the basket holds
    }
    found_.clear();
  }

  const Index& index_;
  std::vector<std::uint8_t> holds_, settled_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> found_;
};

}  // namespace

RuleHits rule_hits(const ItemSetList& baskets, const ItemSetList& sets, std::span<const std::int32_t> left,
                   std::span<const std::int32_t> right, std::span<const std::int32_t> group, std::size_t most,
                   ThreadPool& crew) {
  const Index index = indexed(baskets, sets, left, right, group);
  const std::size_t jobs = (baskets.size() + block - 1) / block;
  std::vector<Seeker> seekers(crew.size(), Seeker(index));
  std::vector<RuleHits> parts(jobs);
  crew.parallel_for(jobs, [&](std::size_t job, std::size_t member) {
    const std::size_t end = std::min(baskets.size(), (job + 1) * block);
    for (std::size_t row = job * block; row < end; ++row) seekers[member].seek(baskets[row], most, parts[job]);
  });
  RuleHits out;
  out.starts.reserve(baskets.size() + 1);
  out.starts.push_back(0);
  for (const RuleHits& part : parts) {
    const auto before = static_cast<std::int64_t>(out.items.size());
    for (const std::int64_t end : part.starts) out.starts.push_back(before + end);
    out.items.insert(out.items.end(), part.items.begin(), part.items.end());
    out.rules.insert(out.rules.end(), part.rules.begin(), part.rules.end());
  }
  return out;
}

}  // namespace hedgerow

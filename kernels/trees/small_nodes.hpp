// Growing a branch of few cases, all of it at once.
//
// Most nodes of a deep tree are small, and what a node costs besides its cases then matters most. Here the columns of a
// branch are turned once into codes of two bytes, those of a listed column being the ranks of its values among the
// cases of the branch. A node is a stretch of the cases in an order of its own. A column is counted by code, a map of
// bits tells in ascending order which codes occur, so that nothing is sorted, and nothing but the order is rearranged.
// A node costs O(cases x columns tried); a branch takes no memory that the one before has not left.
//
// Takes classes whose columns have no missing values, codes beyond 255 or surrogates. Splits, the rule for ties (the
// first of equals) and the columns drawn are those of the Grower.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/decimals.hpp"
#include "trees/case_lists.hpp"
#include "trees/columns.hpp"
#include "trees/counts.hpp"
#include "trees/growing_tree.hpp"
#include "trees/split_choice.hpp"
#include "trees/splits.hpp"
#include "trees/two_class_cut.hpp"

namespace hedgerow::trees {

template <class Target>
class SmallBranchGrower {
 public:
  using Case = typename Target::Case;
  using Count = typename Target::Count;
  using NodeTask = trees::NodeTask<Case>;

  static constexpr std::size_t max_cases = 1024;
  static constexpr std::size_t max_cells = 4 * max_cases;  // cases x classes

  SmallBranchGrower(const TreeColumns& columns, const Target& target, const GrowOptions& options,
                    const CaseLists<Case>& lists, const ColumnChooser& choice, double n_classes)
      : columns_(columns),
        target_(target),
        options_(options),
        lists_(lists),
        choice_(choice),
        splitter_(target, options, n_classes),
        cuts_(target),
        codes_(columns.columns.size()) {
    for (const TreeColumn& column : columns.columns) listed_ = listed_ || column.listed;
  }

  // Whether branches of a tree can be grown here at all.
  static bool supports(const TreeColumns& columns, const GrowOptions& options) {
    return options.missing_policy != MissingPolicy::surrogate &&
           std::all_of(columns.columns.begin(), columns.columns.end(), [](const TreeColumn& column) {
             return !column.has_missing && (column.listed || column.slot >= 0);
           });
  }

  // Whether a branch of so many cases of so many classes is grown here. Sums of squares of its weight must be exact;
  // and more than two classes are swept quicker case by case where columns are listed.
  bool accepts(std::size_t cases, std::size_t classes, double weight) const {
    return cases <= max_cases && cases * classes <= max_cells && weight <= 0x1p26 && (classes == 2 || !listed_);
  }

  // Grows all that is below a node which is not a leaf.
  void grow(const NodeTask& task, GrowingTree& subtree) {
    begin(task);
    open_.assign(1, {task.node, 0, task.m, task.depth, task.seed});
    while (!open_.empty()) {
      const SmallNode node = open_.back();
      open_.pop_back();
      split_node(node, subtree);
    }
    if (!options_.list_rows) return;
    std::uint32_t* rows = task.storage->rows.data() + task.begin;
    rows_.assign(rows, rows + task.m);
    for (std::size_t i = 0; i < task.m; ++i) rows[i] = rows_[order_[i]];
  }

 private:
  using Code = std::uint16_t;
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::array<std::uint64_t, kWordBits> kBits = [] {  // quicker than to shift
    std::array<std::uint64_t, kWordBits> all{};
    for (std::size_t i = 0; i < kWordBits; ++i) all[i] = std::uint64_t{1} << i;
    return all;
  }();
  static_assert(max_cases <= kWordBits * kWordBits && TreeColumns::kMaxSmallCode < max_cases);

  // A node to split: its cases are a stretch of `order_`.
  struct SmallNode {
    std::size_t node, begin, m;
    std::int32_t depth;
    std::uint64_t seed;
  };

  // The codes of a column in the branch, by case.
  struct BranchCodes {
    std::vector<Code> by_case;
    std::vector<std::uint32_t> rows;  // of a listed column: a row that has a code
    std::size_t n = 0;                // how many different ones there may be
    std::uint64_t branch = 0;         // that they were made for
  };

  void begin(const NodeTask& task) {
    task_ = &task;
    ++branch_;
    order_.resize(task.m);
    std::iota(order_.begin(), order_.end(), Code{0});
    order_buffer_.resize(task.m);
    weights_.resize(task.m);
    labels_.resize(task.m);
  }

  const BranchCodes& get_codes(std::size_t number) {
    BranchCodes& codes = codes_[number];
    if (codes.branch == branch_) return codes;
    const TreeColumn& column = columns_.columns[number];
    const std::uint32_t* rows = task_->rows();
    codes.branch = branch_;
    codes.by_case.resize(task_->m);
    if (column.listed) {
      const std::span<const RankedCase> items = lists_.known_items(*task_, number, items_);
      codes.rows.resize(task_->m);
      Code code = 0;
      for (std::size_t i = 0; i < items.size(); ++i) {
        code = static_cast<Code>(code + (i > 0 && items[i].rank != items[i - 1].rank));
        codes.by_case[items[i].case_index] = code;
        codes.rows[code] = rows[items[i].case_index];
      }
      codes.n = std::size_t{code} + 1;
    } else {
      const std::uint8_t* bytes = columns_.bytes.data() + column.slot;
      for (std::size_t i = 0; i < task_->m; ++i) codes.by_case[i] = bytes[rows[i] * columns_.stride];
      codes.n = static_cast<std::size_t>(column.bins);
    }
    return codes;
  }

  void split_node(const SmallNode& node, GrowingTree& subtree) {
    const auto tally = subtree.tallies.begin() + static_cast<std::ptrdiff_t>(node.node * target_.width);
    tally_.assign(tally, tally + static_cast<std::ptrdiff_t>(target_.width));
    slots_.assign(tally_);
    const Code* order = order_.data() + node.begin;
    const Case* cases = task_->cases();
    for (std::size_t i = 0; i < node.m; ++i) {
      const Case one = cases[order[i]];
      weights_[i] = one.weight;
      labels_[i] = static_cast<Code>(slots_.slot_of[one.label]);
    }
    splitter_.begin(slots_.count, cases, tally_.data(), kNoClass);
    const std::size_t cells = std::max(task_->m, std::size_t{TreeColumns::kMaxSmallCode}) * slots_.count;
    if (counts_.size() < cells) counts_.resize(cells);
    const std::int32_t column = choice_(node.seed, choice_scratch_, [&](std::span<const std::size_t> which) {
      for (const std::size_t number : which) find_split(node, number);
    });
    if (column >= 0) divide_node(node, static_cast<std::size_t>(column), subtree);
  }

  // Finds the best split of one column.
  void find_split(const SmallNode& node, std::size_t number) {
    const TreeColumn& column = columns_.columns[number];
    ColumnSplit& found = choice_scratch_.splits[number];
    count_codes(node, get_codes(number));
    if (slots_.count == 2 && !column.nominal) {
      found.clear();
      auto cumulative = cuts_.begin(codes_[number].n);
      for_each_code([&](std::size_t code, Count* tally) {
        cumulative.add(code, tally[0], tally[1]);
        tally[0] = tally[1] = 0;
      });
      CutSearch search = splitter_.initial_search();
      cuts_.find_cut(cumulative, search);
      splitter_.finish_split(search, found);
      if (found.valid) {
        found.last = cuts_.code(search.position - 1);
        found.next = cuts_.code(search.position);
      }
      return;
    }
    if constexpr (!Target::separable && !std::is_floating_point_v<Count>) {
      if (slots_.count == 2 && column.nominal && options_.branching == Branching::binary) {
        find_level_groups(found);
        return;
      }
    }
    fill_bins(std::min(codes_[number].n, node.m));
    if (column.nominal) {
      splitter_.split_counted(bins_, true, column.bins, {}, found);
    } else {
      splitter_.split_numeric(bins_, found);
    }
  }

  // Finds the best two groups of levels between two classes: in order by the share of one class levels are cut as
  // numbers are. The same as Splitter::binary, without bins.
  void find_level_groups(ColumnSplit& found) {
    found.clear();
    levels_.clear();
    for_each_code([&](std::size_t code, Count* tally) {
      const Count weight = tally[0] + tally[1];
      if (weight > 0) {
        const double share = static_cast<double>(tally[0]) / static_cast<double>(weight);
        levels_.push_back({share, static_cast<std::uint32_t>(code), tally[0], tally[1]});
      }
      tally[0] = tally[1] = 0;
    });
    const std::size_t n = levels_.size();
    if (n < 2) return;
    const std::uint32_t first_code = levels_[0].code;
    std::sort(levels_.begin(), levels_.end(), [](const LevelShare& a, const LevelShare& b) {
      return a.share < b.share || (a.share == b.share && a.code < b.code);
    });
    auto cumulative = cuts_.begin(n);
    for (std::size_t i = 0; i < n; ++i) cumulative.add(i, levels_[i].first, levels_[i].second);
    CutSearch search = splitter_.initial_search();
    cuts_.find_cut(cumulative, search);
    splitter_.finish_split(search, found);
    if (!found.valid) return;
    Count weight[2] = {0, 0};
    bool has_first = false;  // those before the cut have the first level
    for (std::size_t i = 0; i < n; ++i) {
      weight[i >= search.position] += levels_[i].first + levels_[i].second;
      has_first = has_first || (i < search.position && levels_[i].code == first_code);
    }
    // Child 0 is the group with fewer levels, of equals that with the first; levels not seen join the heavier one.
    const std::size_t before = 2 * search.position > n || (2 * search.position == n && !has_first);
    found.rest = weight[1 - before] > weight[before] ? 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto child = static_cast<std::int32_t>(i < search.position ? before : 1 - before);
      if (child != found.rest) found.listed.push_back({static_cast<std::int32_t>(levels_[i].code), child});
    }
  }

  // Counts the cases of a node by code.
  void count_codes(const SmallNode& node, const BranchCodes& codes) {
    n_codes_ = codes.n <= 2 * node.m ? codes.n : 0;
    n_codes_ > 0 ? count_codes<false>(node, codes.by_case.data()) : count_codes<true>(node, codes.by_case.data());
  }

  template <bool mapped>
  void count_codes(const SmallNode& node, const Code* codes) {
    const Code *order = order_.data() + node.begin, *labels = labels_.data();
    const Count* weights = weights_.data();
    Count* cells = counts_.data();
    std::uint64_t *words = occurring_codes_.data(), used = 0;
    const std::size_t m = node.m;
    const auto count = [&](std::size_t width) {
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t code = codes[order[i]];
        cells[code * width + labels[i]] += weights[i];
        if constexpr (mapped) {
          words[code / kWordBits] |= kBits[code % kWordBits];
          used |= kBits[code / kWordBits];
        }
      }
    };
    slots_.count == 2 ? count(2) : count(slots_.count);
    occurring_words_ = used;
  }

  // Calls visit(code, tally) for every code counted, ascending, which is to set the tally to 0; if most codes occur,
  // for those that do not as well.
  template <class Visit>
  void for_each_code(const Visit& visit) {
    Count* cells = counts_.data();
    const std::size_t width = slots_.count, n = n_codes_;
    for (std::size_t code = 0; code < n; ++code) visit(code, cells + code * width);
    for (std::uint64_t used = occurring_words_; used; used &= used - 1) {
      const auto number = static_cast<std::size_t>(std::countr_zero(used));
      for (std::uint64_t rest = std::exchange(occurring_codes_[number], 0); rest; rest &= rest - 1) {
        const std::size_t code = number * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
        visit(code, cells + code * width);
      }
    }
  }

  // Turns the counts of at most `maximum` codes into bins.
  void fill_bins(std::size_t maximum) {
    const std::size_t width = slots_.count;
    bins_.codes.resize(maximum + 1);  // one that does not count
    bins_.weights.resize(maximum + 1);
    bins_.tallies.resize((maximum + 1) * width);
    bins_.known.assign(width, 0);
    bins_.missing.assign(width, 0);
    std::size_t n = 0;
    for_each_code([&](std::size_t code, Count* tally) {
      const Count weight = Target::weight(tally, width);
      bins_.codes[n] = static_cast<std::uint32_t>(code);
      bins_.weights[n] = weight;
      for (std::size_t c = 0; c < width; ++c) {
        bins_.tallies[n * width + c] = tally[c];
        bins_.known[c] += tally[c];
        tally[c] = 0;
      }
      n += weight > 0;
    });
    bins_.codes.resize(n);
    bins_.weights.resize(n);
    bins_.tallies.resize(n * width);
  }

  void divide_node(const SmallNode& node, std::size_t number, GrowingTree& subtree) {
    ColumnSplit& chosen = choice_scratch_.splits[number];
    const TreeColumn& column = columns_.columns[number];
    const auto k = static_cast<std::size_t>(chosen.children);
    const std::size_t width = target_.width, first = subtree.nodes.size();
    const double threshold = column.nominal ? 0 : this->find_threshold(number);
    send_cases(node, number);
    shares_.resize(k);
    double all = 0;
    for (std::size_t c = 0; c < k; ++c)
      all += shares_[c] = static_cast<double>(Target::weight(&tallies_[c * width], width));
    for (double& share : shares_) share /= all;
    if (options_.missing_policy == MissingPolicy::direction)
      chosen.missing = static_cast<std::int32_t>(find_heaviest(shares_, all));
    GrowingTree::GrowingNode& split = subtree.nodes[node.node];
    split.column = static_cast<std::int32_t>(number);
    split.first = static_cast<std::int32_t>(first);
    split.children = chosen.children;
    split.missing = chosen.missing;
    split.threshold = threshold;
    subtree.set_levels(split, chosen.rest, chosen.listed);
    subtree.add_nodes(k);
    subtree.tallies.insert(subtree.tallies.end(), tallies_.begin(), tallies_.end());
    std::size_t end = node.begin + node.m;
    for (std::size_t c = k; c-- > 0;) {
      const std::size_t begin = end - sizes_[c];
      subtree.nodes[first + c].begin = static_cast<std::uint32_t>(task_->begin + begin);
      subtree.nodes[first + c].count = static_cast<std::uint32_t>(sizes_[c]);
      if (sizes_[c] > 1 && !is_leaf(target_, options_, &tallies_[c * width], node.depth + 1)) {
        open_.push_back({first + c, begin, sizes_[c], node.depth + 1, make_child_seed(node.seed, c)});
      }
      end = begin;
    }
  }

  // The threshold between the neighbors of a cut.
  double find_threshold(std::size_t number) const {
    const TreeColumn& column = columns_.columns[number];
    const ColumnSplit& cut = choice_scratch_.splits[number];
    const auto value = [&](std::uint32_t code) {
      return column.listed ? column.raw.numbers[codes_[number].rows[code]] : column.values[code];
    };
    const double low = value(cut.last), high = value(cut.next);
    return options_.branching == Branching::binary ? choose_threshold(low, high) : choose_midpoint(low, high);
  }

  // Puts the cases of a node in order by child, each child's own in their old order, and counts the children.
  void send_cases(const SmallNode& node, std::size_t number) {
    const ColumnSplit& chosen = choice_scratch_.splits[number];
    const auto k = static_cast<std::size_t>(chosen.children);
    tallies_.assign(k * target_.width, 0);
    sizes_.assign(k, 0);
    const Code* codes = codes_[number].by_case.data();
    if (!columns_.columns[number].nominal) {
      const std::uint32_t last = chosen.last;
      send_two(node, [&](Code at) -> std::size_t { return codes[at] > last; });
    } else if (chosen.rest == kNoChild) {
      send_many(node, [&](Code at) -> std::size_t { return codes[at]; });
    } else {
      level_child_.assign(static_cast<std::size_t>(columns_.columns[number].bins), chosen.rest);
      for (const LevelChild one : chosen.listed) level_child_[static_cast<std::size_t>(one.code)] = one.child;
      const std::int32_t* children = level_child_.data();
      const auto child = [&](Code at) { return static_cast<std::size_t>(children[codes[at]]); };
      k == 2 ? send_two(node, child) : send_many(node, child);
    }
  }

  template <class Child>
  void send_two(const SmallNode& node, const Child& child) {
    if constexpr (!std::is_floating_point_v<Count>) {
      if (slots_.count == 2) {
        send_two_classes(node, child);
        return;
      }
    }
    const Case* cases = task_->cases();
    const std::size_t width = target_.width;
    Count* tallies = tallies_.data();
    partition_cases(node, child,
                    [&](std::size_t, Code at, std::size_t side) { target_.add(tallies + side * width, cases[at]); });
  }

  // With whole counts of two classes it is enough to count the right side, without a trip to memory.
  template <class Child>
  void send_two_classes(const SmallNode& node, const Child& child) {
    const Count* weights = weights_.data();
    const Code* labels = labels_.data();
    Count both = 0, second = 0;
    partition_cases(node, child, [&](std::size_t i, Code, std::size_t side) {
      const Count weight = weights[i] * static_cast<Count>(side);
      both += weight;
      second += weight * labels[i];
    });
    const std::size_t width = target_.width;
    Count *left = tallies_.data(), *right = left + width;
    for (std::size_t c = 0; c < width; ++c) {
      if (tally_[c] == 0) continue;
      right[c] = slots_.slot_of[c] ? second : both - second;
      left[c] = tally_[c] - right[c];
    }
  }

  // Parts the cases of a node stably; calls also(number, case, side) for each in its old order.
  template <class Child, class Also>
  void partition_cases(const SmallNode& node, const Child& child, const Also& also) {
    Code *order = order_.data() + node.begin, *spare = order_buffer_.data();
    std::size_t left = 0, right = 0;
    for (std::size_t i = 0; i < node.m; ++i) {
      const Code at = order[i];
      const std::size_t side = child(at);
      order[left] = spare[right] = at;
      left += 1 - side;
      right += side;
      also(i, at, side);
    }
    std::copy_n(spare, right, order + left);
    sizes_[0] = left;
    sizes_[1] = right;
  }

  template <class Child>
  void send_many(const SmallNode& node, const Child& child) {
    Code *order = order_.data() + node.begin, *spare = order_buffer_.data();
    const Case* cases = task_->cases();
    for (std::size_t i = 0; i < node.m; ++i) {
      const std::size_t c = child(order[i]);
      ++sizes_[c];
      target_.add(&tallies_[c * target_.width], cases[order[i]]);
    }
    next_.resize(sizes_.size());
    std::exclusive_scan(sizes_.begin(), sizes_.end(), next_.begin(), std::size_t{0});
    for (std::size_t i = 0; i < node.m; ++i) spare[next_[child(order[i])]++] = order[i];
    std::copy_n(spare, node.m, order);
  }

  const TreeColumns& columns_;
  const Target& target_;
  const GrowOptions& options_;
  const CaseLists<Case>& lists_;
  const ColumnChooser& choice_;
  Splitter<Target> splitter_;
  TwoClassCuts<Target> cuts_;
  ColumnChooser::ChoiceScratch choice_scratch_;
  bool listed_ = false;  // some column is

  const NodeTask* task_ = nullptr;  // the branch
  std::uint64_t branch_ = 0;
  std::vector<BranchCodes> codes_;  // by column
  std::vector<Code> order_;         // cases of the branch, those of a node together
  std::vector<SmallNode> open_;
  std::vector<RankedCase> items_;
  std::vector<std::uint32_t> rows_;

  std::vector<Count> tally_;    // of a node
  ClassSlots slots_;            // its classes
  std::vector<Count> weights_;  // of its cases
  std::vector<Code> labels_;    // the slots of their classes
  std::vector<Count> counts_;   // [(code, slot)], all 0 between columns
  std::size_t n_codes_ = 0;     // how many to go through if most occur; else 0, and there is
  std::array<std::uint64_t, kWordBits> occurring_codes_{};  // a bit for every code that occurs,
  std::uint64_t occurring_words_ = 0;                       // and one for every word that is not 0
  CodeBins<Count> bins_;
  struct LevelShare {
    double share;  // of the first class
    std::uint32_t code;
    Count first, second;
  };
  std::vector<LevelShare> levels_;
  std::vector<std::int32_t> level_child_;  // of the chosen split

  std::vector<Count> tallies_;  // of its children
  std::vector<std::size_t> sizes_, next_;
  std::vector<double> shares_;
  std::vector<Code> order_buffer_;
};

}  // namespace hedgerow::trees

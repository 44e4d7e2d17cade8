#include "kd_tree.hpp"

#include <cmath>
#include <memory>
#include <numeric>

#include "wide.hpp"

namespace hedgerow {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t job_queries = 64;

using Lanes = double __attribute__((vector_size(32)));
using Loose = double __attribute__((vector_size(32), aligned(8), may_alias));
using Ints = std::int32_t __attribute__((vector_size(16), aligned(4), may_alias));
using Longs = std::int64_t __attribute__((vector_size(32)));

// Vectors are handed on by reference: how they are returned would depend on the machine.
[[gnu::always_inline]] inline const Loose& lanes(const double* from) { return *reinterpret_cast<const Loose*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Lanes& from) { *reinterpret_cast<Loose*>(to) = from; }

// Adds the squared difference of four numbers, or the gap where one is missing.
[[gnu::always_inline]] inline void add_numbers(Lanes& sum, double own, double gap, bool has_gaps, const double* at) {
  const Lanes apart = own - lanes(at);
  if (has_gaps)
    sum += apart == apart ? apart * apart : Lanes{} + gap;
  else
    sum += apart * apart;
}

// Adds 1 where four codes differ.
[[gnu::always_inline]] inline void add_codes(Lanes& sum, std::int32_t own, const std::int32_t* at) {
  const Longs codes = __builtin_convertvector(*reinterpret_cast<const Ints*>(at), Longs);
  sum += codes == std::int64_t{own} ? Lanes{} : Lanes{} + 1.0;
}

// Adds the squared distance to four sides, no more than the caps if there are any.
[[gnu::always_inline]] inline void add_sides(Lanes& sum, double own, const double* low, const double* high,
                                             const double* caps) {
  const Lanes under = lanes(low) - own, over = own - lanes(high);
  Lanes apart = under > over ? under : over;
  apart = apart > 0.0 ? apart : Lanes{};
  apart *= apart;
  if (caps) apart = apart < lanes(caps) ? apart : lanes(caps);
  sum += apart;
}

// Adds 1 where a code is outside of four ranges.
[[gnu::always_inline]] inline void add_ranges(Lanes& sum, std::int32_t own, const std::int32_t* least,
                                              const std::int32_t* most) {
  const Longs from = __builtin_convertvector(*reinterpret_cast<const Ints*>(least), Longs);
  const Longs to = __builtin_convertvector(*reinterpret_cast<const Ints*>(most), Longs);
  sum += (from <= std::int64_t{own}) & (to >= std::int64_t{own}) ? Lanes{} : Lanes{} + 1.0;
}

}  // namespace

KdShape KdShape::of(std::size_t rows, std::size_t numbers, std::size_t codes) {
  KdShape out;
  out.rows = rows, out.numbers = numbers, out.codes = codes;
  while ((rows + (std::size_t{1} << out.halvings) - 1) >> out.halvings > kd_block) ++out.halvings;
  const std::size_t largest = (rows + out.blocks() - 1) >> out.halvings;
  out.room = (largest + 7) / 8 * 8;
  out.first_bits = out.halvings % 3 ? out.halvings % 3 : 3;
  for (std::size_t left = out.halvings, level_nodes = 1; left > 0; ++out.depth) {
    const std::size_t bits = out.bits(out.depth);
    out.starts[out.depth] = out.nodes;
    out.nodes += level_nodes;
    level_nodes <<= bits;
    left -= bits;
  }
  return out;
}

// -- distances --------------------------------------------------------------------------------------------------------

HEDGEROW_WIDE void kd_squares(const KdTree& tree, std::size_t block, const KdQuery& query, double* squares) {
  const auto& shape = tree.shape;
  const std::size_t room = shape.room, numbers = shape.numbers, codes = shape.codes;
  const double* own = tree.numbers.data() + block * numbers * room;
  const std::int32_t* own_codes = tree.codes.data() + block * codes * room;
  const bool has_gaps = !tree.caps.empty();
  for (std::size_t i = 0; i < room; i += 8) {
    Lanes one{}, other{};
    for (std::size_t d = 0; d < numbers; ++d) {
      const double q = query.numbers[d], gap = tree.gaps[d];
      const double* at = own + d * room + i;
      if (q == q) {
        add_numbers(one, q, gap, has_gaps, at);
        add_numbers(other, q, gap, has_gaps, at + 4);
      } else {
        one += gap, other += gap;
      }
    }
    for (std::size_t c = 0; c < codes; ++c) {
      const std::int32_t* at = own_codes + c * room + i;
      if (query.codes[c] >= 0) {
        add_codes(one, query.codes[c], at);
        add_codes(other, query.codes[c], at + 4);
      } else {
        one += 1.0, other += 1.0;
      }
    }
    store(squares + i, one);
    store(squares + i + 4, other);
  }
}

HEDGEROW_WIDE void kd_bounds(const KdTree& tree, std::size_t node, const KdQuery& query, double* bounds) {
  const auto& shape = tree.shape;
  const double* low = tree.low.data() + node * shape.numbers * kd_fan;
  const double* high = tree.high.data() + node * shape.numbers * kd_fan;
  const double* caps = tree.caps.empty() ? nullptr : tree.caps.data() + node * shape.numbers * kd_fan;
  Lanes one{}, other{};
  for (std::size_t d = 0; d < shape.numbers; ++d) {
    const double q = query.numbers[d];
    const std::size_t at = d * kd_fan;
    if (q == q) {
      add_sides(one, q, low + at, high + at, caps ? caps + at : nullptr);
      add_sides(other, q, low + at + 4, high + at + 4, caps ? caps + at + 4 : nullptr);
    } else {
      one += tree.gaps[d], other += tree.gaps[d];
    }
  }
  const std::int32_t* least = tree.least.data() + node * shape.codes * kd_fan;
  const std::int32_t* most = tree.most.data() + node * shape.codes * kd_fan;
  for (std::size_t c = 0; c < shape.codes; ++c) {
    const std::size_t at = c * kd_fan;
    if (query.codes[c] >= 0) {
      add_ranges(one, query.codes[c], least + at, most + at);
      add_ranges(other, query.codes[c], least + at + 4, most + at + 4);
    } else {
      one += 1.0, other += 1.0;
    }
  }
  store(bounds, one);
  store(bounds + 4, other);
}

// -- building ---------------------------------------------------------------------------------------------------------

namespace {

struct Keyed {
  double key;
  std::int32_t row;
};

inline bool before(const Keyed& one, const Keyed& other) {
  return one.key != other.key ? one.key < other.key : one.row < other.row;
}

// The span of known values in a column among some rows.
template <typename T>
struct Span {
  T low, high;
  bool missing = false;
};

class Builder {
 public:
  Builder(std::span<const double> numbers, std::span<const std::int32_t> codes, std::span<const double> gaps,
          std::size_t rows)
      : numbers_(numbers), codes_(codes), rows_(rows) {
    out_.shape = KdShape::of(rows, gaps.size(), rows ? codes.size() / rows : 0);
    out_.gaps.assign(gaps.begin(), gaps.end());
    out_.order.resize(rows);
    std::iota(out_.order.begin(), out_.order.end(), 0);
  }

  OwnedKdTree build(Crew& crew) {
    const auto& shape = out_.shape;
    for (std::size_t halving = 0; halving < shape.halvings; ++halving)
      crew.share(std::size_t{1} << halving, [&](std::size_t job, std::size_t) {
        const std::size_t across = shape.halvings - halving;
        halve(job << across, (job + 1) << across);
      });
    lay(crew);
    frame(crew);
    return std::move(out_);
  }

 private:
  const double* number(std::size_t column) const { return numbers_.data() + column * rows_; }
  const std::int32_t* code(std::size_t column) const { return codes_.data() + column * rows_; }

  Span<double> numbers_among(std::size_t column, std::size_t begin, std::size_t end) const {
    const double* values = number(column);
    Span<double> out{infinite, -infinite};
    for (std::size_t i = begin; i < end; ++i) {
      const double value = values[out_.order[i]];
      if (value < out.low) out.low = value;
      if (value > out.high) out.high = value;
      if (!(value == value)) out.missing = true;
    }
    return out;
  }

  Span<std::int32_t> codes_among(std::size_t column, std::size_t begin, std::size_t end) const {
    const std::int32_t* values = code(column);
    Span<std::int32_t> out{std::numeric_limits<std::int32_t>::max(), -1};
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t value = values[out_.order[i]];
      if (value < 0) {
        out.missing = true;
        continue;
      }
      out.low = std::min(out.low, value);
      out.high = std::max(out.high, value);
    }
    return out;
  }

  // The column that tells rows farthest apart; the first of several.
  std::size_t widest(std::size_t begin, std::size_t end) const {
    const auto& shape = out_.shape;
    std::size_t best = 0;
    double width = 0;
    for (std::size_t column = 0; column < shape.numbers + shape.codes; ++column) {
      double own = 0;
      if (column < shape.numbers) {
        const auto span = numbers_among(column, begin, end);
        own = span.high > span.low ? span.high - span.low : 0.0;
        if (own == 0 && span.missing && span.low <= span.high) own = std::sqrt(out_.gaps[column]);
      } else {
        const auto span = codes_among(column - shape.numbers, begin, end);
        own = span.high > span.low || (span.missing && span.high >= 0) ? 1.0 : 0.0;
      }
      if (own > width) width = own, best = column;
    }
    return best;
  }

  double key(std::size_t column, std::int32_t row) const {
    const auto& shape = out_.shape;
    if (column < shape.numbers) {
      const double value = number(column)[row];
      return value == value ? value : infinite;
    }
    return shape.codes ? static_cast<double>(code(column - shape.numbers)[row]) : 0.0;
  }

  // Brings the rows of some blocks to their half.
  void halve(std::size_t first, std::size_t last) {
    const auto& shape = out_.shape;
    const auto begin = shape.begin(first), middle = shape.begin((first + last) / 2), end = shape.begin(last);
    const auto column = widest(begin, end);
    std::vector<Keyed> keyed(end - begin);
    for (std::size_t i = begin; i < end; ++i) keyed[i - begin] = {key(column, out_.order[i]), out_.order[i]};
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(middle - begin), keyed.end(), before);
    for (std::size_t i = begin; i < end; ++i) out_.order[i] = keyed[i - begin].row;
  }

  // Lays out the blocks, rows of each in ascending order.
  void lay(Crew& crew) {
    const auto& shape = out_.shape;
    out_.numbers.assign(shape.blocks() * shape.numbers * shape.room, infinite);
    out_.codes.assign(shape.blocks() * shape.codes * shape.room, -1);
    crew.share(shape.blocks(), [&](std::size_t block, std::size_t) {
      const auto begin = shape.begin(block), end = shape.begin(block + 1);
      std::sort(out_.order.begin() + static_cast<std::ptrdiff_t>(begin),
                out_.order.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::size_t d = 0; d < shape.numbers; ++d)
        for (std::size_t i = begin; i < end; ++i)
          out_.numbers[(block * shape.numbers + d) * shape.room + i - begin] = number(d)[out_.order[i]];
      for (std::size_t c = 0; c < shape.codes; ++c)
        for (std::size_t i = begin; i < end; ++i)
          out_.codes[(block * shape.codes + c) * shape.room + i - begin] = code(c)[out_.order[i]];
    });
  }

  // The boxes of all children. Those that are not there are infinitely far.
  void frame(Crew& crew) {
    const auto& shape = out_.shape;
    bool has_gaps = false;
    for (const double value : numbers_)
      if (!(value == value)) has_gaps = true;
    out_.low.assign(shape.nodes * shape.numbers * kd_fan, infinite);
    out_.high.assign(shape.nodes * shape.numbers * kd_fan, -infinite);
    // Without nodes too: whether there are caps says whether numbers are missing.
    if (has_gaps) out_.caps.assign(std::max<std::size_t>(1, shape.nodes * shape.numbers * kd_fan), infinite);
    out_.least.assign(shape.nodes * shape.codes * kd_fan, std::numeric_limits<std::int32_t>::max());
    out_.most.assign(shape.nodes * shape.codes * kd_fan, -1);
    out_.first.assign(shape.nodes * kd_fan, std::numeric_limits<std::int32_t>::max());
    std::size_t below = shape.halvings;
    for (std::size_t level = 0, count = 1; level < shape.depth; ++level) {
      const auto bits = shape.bits(level);
      below -= bits;
      crew.share(count, [&](std::size_t number, std::size_t) {
        for (std::size_t child = 0; child < std::size_t{1} << bits; ++child) {
          const std::size_t block = ((number << bits) + child) << below;
          frame_child(shape.starts[level] + number, child, shape.begin(block),
                      shape.begin(block + (std::size_t{1} << below)), has_gaps);
        }
      });
      count <<= bits;
    }
  }

  void frame_child(std::size_t node, std::size_t child, std::size_t begin, std::size_t end, bool has_gaps) {
    const auto& shape = out_.shape;
    for (std::size_t d = 0; d < shape.numbers; ++d) {
      const auto span = numbers_among(d, begin, end);
      const auto at = (node * shape.numbers + d) * kd_fan + child;
      out_.low[at] = span.low, out_.high[at] = span.high;
      if (has_gaps && span.missing) out_.caps[at] = out_.gaps[d];
    }
    for (std::size_t c = 0; c < shape.codes; ++c) {
      const auto span = codes_among(c, begin, end);
      const auto at = (node * shape.codes + c) * kd_fan + child;
      out_.least[at] = span.low, out_.most[at] = span.high;
    }
    for (std::size_t i = begin; i < end; ++i)
      out_.first[node * kd_fan + child] = std::min(out_.first[node * kd_fan + child], out_.order[i]);
  }

  std::span<const double> numbers_;
  std::span<const std::int32_t> codes_;
  std::size_t rows_;
  OwnedKdTree out_;
};

// Where the way to the nearest child ends.
std::size_t home_of(const KdTree& tree, const KdQuery& query) {
  std::size_t number = 0;
  alignas(64) double bounds[kd_fan];
  for (std::size_t level = 0; level < tree.shape.depth; ++level) {
    kd_bounds(tree, tree.shape.starts[level] + number, query, bounds);
    const auto fan = std::size_t{1} << tree.shape.bits(level);
    std::size_t best = 0;
    for (std::size_t child = 1; child < fan; ++child)
      if (bounds[child] < bounds[best]) best = child;
    number = (number << tree.shape.bits(level)) + best;
  }
  return number;
}

// Calls work(state, query, number) for all queries, those near to each other one after the other.
template <typename State, typename Make, typename Work>
void for_all(const KdTree& tree, const KdQueries& queries, Crew& crew, Make&& make, Work&& work) {
  const auto order = kd_order(tree, queries, crew);
  struct Member {
    Member(const KdQueries& asked, const KdShape& shape, Make& made) : row(asked, shape), state(made()) {}
    KdRow row;
    State state;
  };
  std::vector<std::unique_ptr<Member>> members(crew.members());
  crew.share((queries.size + job_queries - 1) / job_queries, [&](std::size_t job, std::size_t number) {
    auto& member = members[number];
    if (!member) member = std::make_unique<Member>(queries, tree.shape, make);
    const auto end = std::min(queries.size, (job + 1) * job_queries);
    for (auto i = job * job_queries; i < end && !crew.failed(); ++i) {
      const auto query = static_cast<std::size_t>(order[i]);
      work(member->state, member->row(query), query);
    }
  });
}

}  // namespace

OwnedKdTree kd_build(std::span<const double> numbers, std::span<const std::int32_t> codes, std::span<const double> gaps,
                     std::size_t rows, Crew& crew) {
  return Builder(numbers, codes, gaps, rows).build(crew);
}

// -- searching --------------------------------------------------------------------------------------------------------

std::vector<std::int32_t> kd_order(const KdTree& tree, const KdQueries& queries, Crew& crew) {
  std::vector<std::int32_t> order(queries.size), home(queries.size);
  std::iota(order.begin(), order.end(), 0);
  if (queries.size < 2 * job_queries || !tree.shape.depth) return order;
  std::vector<std::unique_ptr<KdRow>> rows(crew.members());
  constexpr std::size_t many = 1024;
  crew.share((queries.size + many - 1) / many, [&](std::size_t job, std::size_t member) {
    if (!rows[member]) rows[member] = std::make_unique<KdRow>(queries, tree.shape);
    for (auto query = job * many; query < std::min(queries.size, (job + 1) * many); ++query)
      home[query] = static_cast<std::int32_t>(home_of(tree, (*rows[member])(query)));
  });
  std::vector<std::int32_t> starts(tree.shape.blocks() + 1);
  for (const auto block : home) ++starts[static_cast<std::size_t>(block) + 1];
  for (std::size_t block = 1; block < starts.size(); ++block) starts[block] += starts[block - 1];
  for (std::size_t query = 0; query < queries.size; ++query)
    order[static_cast<std::size_t>(starts[static_cast<std::size_t>(home[query])]++)] = static_cast<std::int32_t>(query);
  return order;
}

void kd_nearest(const KdTree& tree, const KdQueries& queries, std::span<std::int32_t> found, std::span<double> squares,
                Crew& crew) {
  if (found.empty()) return;
  const auto k = found.size() / queries.size;
  for_all<KdNearest>(
      tree, queries, crew, [&] { return KdNearest(k); },
      [&](KdNearest& nearest, const KdQuery& query, std::size_t number) {
        nearest.clear();
        KdSearch(tree, nearest).search(query);
        std::size_t at = number * k;
        for (const auto& one : nearest.in_order()) {
          found[at] = one.row;
          squares[at++] = one.square;
        }
      });
}

KdAll kd_within(const KdTree& tree, const KdQueries& queries, std::span<const double> limits, Crew& crew) {
  std::vector<std::vector<KdFound>> found(queries.size);
  for_all<KdWithin>(
      tree, queries, crew, [] { return KdWithin(); },
      [&](KdWithin& within, const KdQuery& query, std::size_t number) {
        within.clear(limits[number]);
        KdSearch(tree, within).search(query);
        std::sort(within.found().begin(), within.found().end(), kd_nearer);
        found[number] = within.found();
      });
  KdAll out;
  out.starts.push_back(0);
  for (const auto& own : found) out.starts.push_back(out.starts.back() + static_cast<std::int64_t>(own.size()));
  out.rows.reserve(static_cast<std::size_t>(out.starts.back()));
  out.squares.reserve(static_cast<std::size_t>(out.starts.back()));
  for (const auto& own : found) {
    for (const auto& one : own) {
      out.rows.push_back(one.row);
      out.squares.push_back(one.square);
    }
  }
  return out;
}

}  // namespace hedgerow

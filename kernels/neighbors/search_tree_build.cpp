// How a search tree is packed, and how it grows.
#include <cmath>

#include "neighbors/search_tree.hpp"

namespace hedgerow {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t room_of(std::size_t leaf) { return (leaf + 7) / 8 * 8; }

bool any_missing(const MixedRows& rows) {
  return std::any_of(rows.numbers.begin(), rows.numbers.end(), [](double value) { return !(value == value); });
}

// Makes blocks, nodes and what surrounds their children.
class Packer {
 public:
  Packer(OwnedTree& out, const MixedRows& rows) : out_(out), rows_(rows) {}

  // Puts rows into a block that is there.
  void fill(std::size_t block, std::span<const std::int32_t> some, std::int32_t depth) {
    const auto room = out_.shape.room;
    out_.counts[block] = static_cast<std::int32_t>(some.size());
    out_.depths[block] = depth;
    for (std::size_t i = 0; i < room; ++i) out_.order[block * room + i] = i < some.size() ? some[i] : -1;
    for (std::size_t d = 0; d < rows_.n_numbers; ++d) {
      double* to = out_.numbers.data() + (block * rows_.n_numbers + d) * room;
      for (std::size_t i = 0; i < room; ++i) to[i] = i < some.size() ? rows_.number(d)[some[i]] : infinite;
    }
    for (std::size_t c = 0; c < rows_.n_codes; ++c) {
      std::int32_t* to = out_.codes.data() + (block * rows_.n_codes + c) * room;
      for (std::size_t i = 0; i < room; ++i) to[i] = i < some.size() ? rows_.code(c)[some[i]] : -1;
    }
  }

  std::size_t add_block() {
    const auto room = out_.shape.room, block = out_.counts.size();
    out_.counts.push_back(0), out_.depths.push_back(0);
    out_.order.resize((block + 1) * room, -1);
    out_.numbers.resize((block + 1) * rows_.n_numbers * room, infinite);
    out_.codes.resize((block + 1) * rows_.n_codes * room, -1);
    return block;
  }

  std::size_t add_node() {
    const std::size_t node = out_.children.size() / tree_fan, numbers = rows_.n_numbers * tree_fan,
                      codes = rows_.n_codes * tree_fan;
    out_.children.resize((node + 1) * tree_fan, no_child);
    out_.first.resize((node + 1) * tree_fan, std::numeric_limits<std::int32_t>::max());
    out_.low.resize((node + 1) * numbers, out_.shape.balls ? 0.0 : infinite);
    out_.least.resize((node + 1) * codes, std::numeric_limits<std::int32_t>::max());
    if (!out_.caps.empty()) out_.caps.resize(std::max<std::size_t>(1, (node + 1) * numbers), infinite);
    if (out_.shape.balls) {
      out_.radii.resize((node + 1) * tree_fan, 0.0);
    } else {
      out_.high.resize((node + 1) * numbers, -infinite);
      out_.most.resize((node + 1) * codes, -1);
    }
    return node;
  }

  // Puts a child into its place, with the box or ball around its rows.
  void place(std::size_t node, std::size_t child, std::int32_t number, std::span<const std::int32_t> some) {
    out_.children[node * tree_fan + child] = number;
    out_.first[node * tree_fan + child] = *std::min_element(some.begin(), some.end());
    for (std::size_t d = 0; d < rows_.n_numbers; ++d) {
      const auto at = (node * rows_.n_numbers + d) * tree_fan + child;
      if (!out_.caps.empty()) out_.caps[at] = infinite;
      if (!out_.shape.balls) out_.low[at] = infinite, out_.high[at] = -infinite;
    }
    for (std::size_t c = 0; c < rows_.n_codes && !out_.shape.balls; ++c) {
      const auto at = (node * rows_.n_codes + c) * tree_fan + child;
      out_.least[at] = std::numeric_limits<std::int32_t>::max(), out_.most[at] = -1;
    }
    if (out_.shape.balls) set_center(node, child, some);
    for (const auto row : some) reach(node, child, static_cast<std::size_t>(row));
    if (out_.shape.balls) set_radius(node, child, some);
  }

  // Widens what surrounds a child so that a row is inside.
  void reach(std::size_t node, std::size_t child, std::size_t row) {
    const auto distance = out_.distance();
    for (std::size_t d = 0; d < rows_.n_numbers; ++d) {
      const auto at = (node * rows_.n_numbers + d) * tree_fan + child;
      const double value = rows_.number(d)[row];
      if (!(value == value)) {
        out_.caps[at] = out_.shape.balls ? distance.missing_distances[d] * (distance.squared ? 4 : 2)
                                         : distance.missing_distances[d];
      } else if (!out_.shape.balls) {
        out_.low[at] = std::min(out_.low[at], value), out_.high[at] = std::max(out_.high[at], value);
      }
    }
    for (std::size_t c = 0; c < rows_.n_codes && !out_.shape.balls; ++c) {
      const auto at = (node * rows_.n_codes + c) * tree_fan + child;
      const auto code = rows_.code(c)[row];
      if (code >= 0) out_.least[at] = std::min(out_.least[at], code), out_.most[at] = std::max(out_.most[at], code);
    }
    out_.first[node * tree_fan + child] = std::min(out_.first[node * tree_fan + child], static_cast<std::int32_t>(row));
  }

  // How far a row is from the center of a ball.
  double from_center(std::size_t node, std::size_t child, std::int32_t row) {
    compute_distances(rows_, out_.distance(), {&row, 1}, center(node, child).row(), true, distances_);
    return root(distances_.front());
  }

 private:
  double root(double distance) const { return out_.squares ? std::sqrt(distance) : distance; }

  void set_center(std::size_t node, std::size_t child, std::span<const std::int32_t> some) {
    const auto made = compute_center(rows_, some);
    for (std::size_t d = 0; d < rows_.n_numbers; ++d)
      out_.low[(node * rows_.n_numbers + d) * tree_fan + child] = made.numbers[d];
    for (std::size_t c = 0; c < rows_.n_codes; ++c)
      out_.least[(node * rows_.n_codes + c) * tree_fan + child] = made.codes[c];
  }

  void set_radius(std::size_t node, std::size_t child, std::span<const std::int32_t> some) {
    compute_distances(rows_, out_.distance(), some, center(node, child).row(), true, distances_);
    out_.radii[node * tree_fan + child] = root(*std::max_element(distances_.begin(), distances_.end()));
  }

  MixedCenter center(std::size_t node, std::size_t child) const {
    MixedCenter out;
    for (std::size_t d = 0; d < rows_.n_numbers; ++d)
      out.numbers.push_back(out_.low[(node * rows_.n_numbers + d) * tree_fan + child]);
    for (std::size_t c = 0; c < rows_.n_codes; ++c)
      out.codes.push_back(out_.least[(node * rows_.n_codes + c) * tree_fan + child]);
    return out;
  }

  OwnedTree& out_;
  const MixedRows& rows_;
  std::vector<double> distances_;
};

OwnedTree empty_tree(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& how) {
  OwnedTree out;
  out.shape = {
      how.rule == PartitionRule::FARTHEST, rows.size, rows.n_numbers, rows.n_codes, how.leaf, room_of(how.leaf)};
  out.squares = distance.squared;
  out.gaps.assign(distance.missing_distances.begin(), distance.missing_distances.end());
  out.steps.assign(distance.mismatch_distances.begin(), distance.mismatch_distances.end());
  if (any_missing(rows)) out.caps.assign(1, infinite);  // whether there are any says whether numbers are missing
  return out;
}

// The nodes that become the children of one: three levels below, or so few at the root that three fit below it.
std::vector<std::size_t> children_of(const Partition& partition, std::size_t top) {
  std::vector<std::size_t> found{top};
  const auto height = static_cast<std::size_t>(partition.nodes[top].height);
  for (std::size_t level = 0; level < (height % 3 ? height % 3 : 3); ++level) {
    std::vector<std::size_t> next;
    for (const auto one : found) {
      const auto& node = partition.nodes[one];
      if (node.is_leaf()) {
        next.push_back(one);
      } else {
        next.push_back(static_cast<std::size_t>(node.left));
        next.push_back(static_cast<std::size_t>(node.right));
      }
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace

OwnedTree::OwnedTree(const SearchTree& tree) : shape(tree.shape), squares(tree.distance.squared) {
  const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
  copy(gaps, tree.distance.missing_distances), copy(steps, tree.distance.mismatch_distances);
  copy(order, tree.order), copy(counts, tree.counts), copy(depths, tree.depths);
  copy(numbers, tree.numbers), copy(codes, tree.codes), copy(children, tree.children), copy(first, tree.first);
  copy(low, tree.low), copy(high, tree.high), copy(caps, tree.caps);
  copy(least, tree.least), copy(most, tree.most), copy(radii, tree.radii);
}

OwnedTree build_tree(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& how,
                     ThreadPool& crew) {
  auto out = empty_tree(rows, distance, how);
  Packer packer(out, rows);
  if (!rows.size) {
    packer.add_node();
    return out;
  }
  const auto partition = partition_rows(rows, distance, how, crew);
  // Nodes and blocks are numbered from the top, so that they can be filled in any order.
  std::vector<std::size_t> tops{0}, blocks;
  std::vector<std::vector<std::size_t>> children;
  for (std::size_t i = 0; i < tops.size(); ++i) {
    packer.add_node();
    children.push_back(children_of(partition, tops[i]));
    for (const auto one : children.back())
      if (!partition.nodes[one].is_leaf()) tops.push_back(one);
  }
  std::vector<std::int32_t> number(partition.nodes.size(), no_child);
  for (std::size_t i = 1; i < tops.size(); ++i) number[tops[i]] = static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < partition.nodes.size(); ++i)
    if (partition.nodes[i].is_leaf()) blocks.push_back(i);
  std::sort(blocks.begin(), blocks.end(),
            [&](std::size_t a, std::size_t b) { return partition.nodes[a].begin < partition.nodes[b].begin; });
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    packer.add_block();
    number[blocks[block]] = -2 - static_cast<std::int32_t>(block);
  }
  const auto some = [&](std::size_t one) {
    const auto& node = partition.nodes[one];
    return std::span<const std::int32_t>(partition.order).subspan(node.begin, node.end - node.begin);
  };
  crew.parallel_for(blocks.size(), [&](std::size_t block, std::size_t) {
    Packer(out, rows).fill(block, some(blocks[block]), partition.nodes[blocks[block]].depth);
  });
  crew.parallel_for(tops.size(), [&](std::size_t node, std::size_t) {
    Packer own(out, rows);
    for (std::size_t child = 0; child < children[node].size(); ++child)
      own.place(node, child, number[children[node][child]], some(children[node][child]));
  });
  return out;
}

// -- growing --------------------------------------------------------------------------------------------------------

namespace {

// Adds one row after the other.
class Grower {
 public:
  Grower(OwnedTree& out, const MixedRows& rows, ThreadPool& crew)
      : out_(out), rows_(rows), crew_(crew), packer_(out, rows), reader_(rows) {}

  void add(std::int32_t row) {
    const auto query = reader_(static_cast<std::size_t>(row));
    for (std::size_t node = 0;;) {
      const auto child = nearest(node, row, query);
      const auto next = out_.children[node * tree_fan + child];
      if (next < no_child) {
        store(node, child, static_cast<std::size_t>(-2 - next), row);
        return;
      }
      widen(node, child, row);
      node = static_cast<std::size_t>(next);
    }
  }

 private:
  // The child to which a row belongs: of boxes the nearest, of balls that with the nearest center; the first of
  // several.
  std::size_t nearest(std::size_t node, std::int32_t row, const MixedRow& query) {
    alignas(64) double far[tree_fan];
    if (out_.shape.balls) {
      for (std::size_t child = 0; child < tree_fan; ++child) far[child] = packer_.from_center(node, child, row);
    } else {
      tree_bounds(out_.view(), node, query, far);
    }
    std::size_t best = 0;
    for (std::size_t child = 1; child < tree_fan; ++child)
      if (out_.children[node * tree_fan + child] != no_child && far[child] < far[best]) best = child;
    return best;
  }

  void widen(std::size_t node, std::size_t child, std::int32_t row) {
    packer_.reach(node, child, static_cast<std::size_t>(row));
    if (out_.shape.balls) {
      auto& radius = out_.radii[node * tree_fan + child];
      radius = std::max(radius, packer_.from_center(node, child, row));
    }
  }

  // Puts a row into a block, or divides a full one.
  void store(std::size_t node, std::size_t child, std::size_t block, std::int32_t row) {
    const auto count = static_cast<std::size_t>(out_.counts[block]);
    const auto* own = out_.order.data() + block * out_.shape.room;
    std::vector<std::int32_t> some(own, own + count);
    some.push_back(row);
    const auto depth = out_.depths[block];
    if (some.size() <= out_.shape.leaf) {
      packer_.fill(block, some, depth);
      widen(node, child, row);
      return;
    }
    const auto first = divide(some);
    const auto other = packer_.add_block();
    const std::span<const std::int32_t> left(some.data(), first), right(some.data() + first, some.size() - first);
    packer_.fill(block, left, depth + 1);
    packer_.fill(other, right, depth + 1);
    const auto place = free_place(node, child, some);
    packer_.place(place.node, place.left, -2 - static_cast<std::int32_t>(block), left);
    packer_.place(place.node, place.right, -2 - static_cast<std::int32_t>(other), right);
  }

  std::size_t divide(std::vector<std::int32_t>& some) {
    MixedRows few;
    few.size = some.size(), few.n_numbers = rows_.n_numbers, few.n_codes = rows_.n_codes;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
    for (std::size_t d = 0; d < rows_.n_numbers; ++d)
      for (const auto row : some) numbers.push_back(rows_.number(d)[row]);
    for (std::size_t c = 0; c < rows_.n_codes; ++c)
      for (const auto row : some) codes.push_back(rows_.code(c)[row]);
    few.numbers = numbers, few.codes = codes;
    const PartitionOptions how{out_.shape.balls ? PartitionRule::FARTHEST : PartitionRule::LONGEST_SIDE, false,
                               some.size() - 1};
    const auto partition = partition_rows(few, out_.distance(), how, crew_);
    std::vector<std::int32_t> sorted;
    for (const auto at : partition.order) sorted.push_back(some[static_cast<std::size_t>(at)]);
    some = std::move(sorted);
    return partition.nodes[1].end;
  }

  struct Place {
    std::size_t node, left, right;
  };

  // Where the two halves of a child go: beside each other if there is room, else below it.
  Place free_place(std::size_t node, std::size_t child, std::span<const std::int32_t> some) {
    for (std::size_t other = 0; other < tree_fan; ++other)
      if (out_.children[node * tree_fan + other] == no_child) return {node, child, other};
    const auto below = packer_.add_node();
    packer_.place(node, child, static_cast<std::int32_t>(below), some);
    return {below, 0, 1};
  }

  OwnedTree& out_;
  const MixedRows& rows_;
  ThreadPool& crew_;
  Packer packer_;
  MixedRowReader reader_;
};

}  // namespace

OwnedTree grow_tree(const SearchTree& tree, const MixedRows& rows, ThreadPool& crew) {
  OwnedTree out(tree);
  const auto before = tree.shape.rows;
  out.shape.rows = rows.size;
  if (out.caps.empty() && any_missing(rows)) out.caps.assign(std::max<std::size_t>(1, out.low.size()), infinite);
  Grower grower(out, rows, crew);
  for (auto row = before; row < rows.size; ++row) {
    if (row % 256 == 0) crew.check_interrupt();
    grower.add(static_cast<std::int32_t>(row));
  }
  return out;
}

}  // namespace hedgerow

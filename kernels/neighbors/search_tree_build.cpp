// How a search tree is packed, and how it grows.
#include <cmath>

#include "neighbors/search_tree.hpp"

namespace hedgerow {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t round_up_capacity(std::size_t leaf) { return (leaf + 7) / 8 * 8; }

bool any_missing(const MixedRows& rows) {
  return std::any_of(rows.numbers.begin(), rows.numbers.end(), [](double value) { return !(value == value); });
}

// Makes blocks, nodes and what surrounds their children.
class TreePacker {
 public:
  TreePacker(OwnedSearchTree& out, const MixedRows& rows) : out_(out), rows_(rows) {}

  // Puts rows into a block that is there.
  void fill_block(std::size_t block, std::span<const std::int32_t> rows_of_child, std::int32_t depth) {
    const auto capacity = out_.shape.block_capacity;
    out_.counts[block] = static_cast<std::int32_t>(rows_of_child.size());
    out_.depths[block] = depth;
    for (std::size_t i = 0; i < capacity; ++i)
      out_.order[block * capacity + i] = i < rows_of_child.size() ? rows_of_child[i] : -1;
    for (std::size_t d = 0; d < rows_.n_numbers; ++d) {
      double* to = out_.numbers.data() + (block * rows_.n_numbers + d) * capacity;
      for (std::size_t i = 0; i < capacity; ++i)
        to[i] = i < rows_of_child.size() ? rows_.number(d)[rows_of_child[i]] : kInfinity;
    }
    for (std::size_t c = 0; c < rows_.n_codes; ++c) {
      std::int32_t* to = out_.codes.data() + (block * rows_.n_codes + c) * capacity;
      for (std::size_t i = 0; i < capacity; ++i)
        to[i] = i < rows_of_child.size() ? rows_.code(c)[rows_of_child[i]] : -1;
    }
  }

  std::size_t add_block() {
    const auto capacity = out_.shape.block_capacity, block = out_.counts.size();
    out_.counts.push_back(0), out_.depths.push_back(0);
    out_.order.resize((block + 1) * capacity, -1);
    out_.numbers.resize((block + 1) * rows_.n_numbers * capacity, kInfinity);
    out_.codes.resize((block + 1) * rows_.n_codes * capacity, -1);
    return block;
  }

  std::size_t add_node() {
    const std::size_t node = out_.children.size() / kTreeFan, numbers = rows_.n_numbers * kTreeFan,
                      codes = rows_.n_codes * kTreeFan;
    out_.children.resize((node + 1) * kTreeFan, kNoTreeChild);
    out_.first.resize((node + 1) * kTreeFan, std::numeric_limits<std::int32_t>::max());
    out_.low.resize((node + 1) * numbers, out_.shape.balls ? 0.0 : kInfinity);
    out_.min_codes.resize((node + 1) * codes, std::numeric_limits<std::int32_t>::max());
    if (!out_.caps.empty()) out_.caps.resize(std::max<std::size_t>(1, (node + 1) * numbers), kInfinity);
    if (out_.shape.balls) {
      out_.radii.resize((node + 1) * kTreeFan, 0.0);
    } else {
      out_.high.resize((node + 1) * numbers, -kInfinity);
      out_.max_codes.resize((node + 1) * codes, -1);
    }
    return node;
  }

  // Puts a child into its place, with the box or ball around its rows.
  void place_child(std::size_t node, std::size_t child, std::int32_t number,
                   std::span<const std::int32_t> rows_of_child) {
    out_.children[node * kTreeFan + child] = number;
    out_.first[node * kTreeFan + child] = *std::min_element(rows_of_child.begin(), rows_of_child.end());
    for (std::size_t d = 0; d < rows_.n_numbers; ++d) {
      const auto at = (node * rows_.n_numbers + d) * kTreeFan + child;
      if (!out_.caps.empty()) out_.caps[at] = kInfinity;
      if (!out_.shape.balls) out_.low[at] = kInfinity, out_.high[at] = -kInfinity;
    }
    for (std::size_t c = 0; c < rows_.n_codes && !out_.shape.balls; ++c) {
      const auto at = (node * rows_.n_codes + c) * kTreeFan + child;
      out_.min_codes[at] = std::numeric_limits<std::int32_t>::max(), out_.max_codes[at] = -1;
    }
    if (out_.shape.balls) set_center(node, child, rows_of_child);
    for (const auto row : rows_of_child) extend_bounds(node, child, static_cast<std::size_t>(row));
    if (out_.shape.balls) set_radius(node, child, rows_of_child);
  }

  // Widens what surrounds a child so that a row is inside.
  void extend_bounds(std::size_t node, std::size_t child, std::size_t row) {
    const auto distance = out_.distance();
    for (std::size_t d = 0; d < rows_.n_numbers; ++d) {
      const auto at = (node * rows_.n_numbers + d) * kTreeFan + child;
      const double value = rows_.number(d)[row];
      if (!(value == value)) {
        out_.caps[at] = out_.shape.balls ? distance.missing_distances[d] * (distance.squared ? 4 : 2)
                                         : distance.missing_distances[d];
      } else if (!out_.shape.balls) {
        out_.low[at] = std::min(out_.low[at], value), out_.high[at] = std::max(out_.high[at], value);
      }
    }
    for (std::size_t c = 0; c < rows_.n_codes && !out_.shape.balls; ++c) {
      const auto at = (node * rows_.n_codes + c) * kTreeFan + child;
      const auto code = rows_.code(c)[row];
      if (code >= 0)
        out_.min_codes[at] = std::min(out_.min_codes[at], code),
        out_.max_codes[at] = std::max(out_.max_codes[at], code);
    }
    out_.first[node * kTreeFan + child] = std::min(out_.first[node * kTreeFan + child], static_cast<std::int32_t>(row));
  }

  // How far a row is from the center of a ball.
  double distance_from_center(std::size_t node, std::size_t child, std::int32_t row) {
    compute_distances(rows_, out_.distance(), {&row, 1}, get_center(node, child).row(), true, distances_);
    return root(distances_.front());
  }

 private:
  double root(double distance) const { return out_.squares ? std::sqrt(distance) : distance; }

  void set_center(std::size_t node, std::size_t child, std::span<const std::int32_t> rows_of_child) {
    const auto made = compute_center(rows_, rows_of_child);
    for (std::size_t d = 0; d < rows_.n_numbers; ++d)
      out_.low[(node * rows_.n_numbers + d) * kTreeFan + child] = made.numbers[d];
    for (std::size_t c = 0; c < rows_.n_codes; ++c)
      out_.min_codes[(node * rows_.n_codes + c) * kTreeFan + child] = made.codes[c];
  }

  void set_radius(std::size_t node, std::size_t child, std::span<const std::int32_t> rows_of_child) {
    compute_distances(rows_, out_.distance(), rows_of_child, get_center(node, child).row(), true, distances_);
    out_.radii[node * kTreeFan + child] = root(*std::max_element(distances_.begin(), distances_.end()));
  }

  MixedCenter get_center(std::size_t node, std::size_t child) const {
    MixedCenter out;
    for (std::size_t d = 0; d < rows_.n_numbers; ++d)
      out.numbers.push_back(out_.low[(node * rows_.n_numbers + d) * kTreeFan + child]);
    for (std::size_t c = 0; c < rows_.n_codes; ++c)
      out.codes.push_back(out_.min_codes[(node * rows_.n_codes + c) * kTreeFan + child]);
    return out;
  }

  OwnedSearchTree& out_;
  const MixedRows& rows_;
  std::vector<double> distances_;
};

OwnedSearchTree make_empty_tree(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& options) {
  OwnedSearchTree out;
  out.shape = {options.rule == PartitionRule::FARTHEST, rows.size, rows.n_numbers, rows.n_codes, options.leaf,
               round_up_capacity(options.leaf)};
  out.squares = distance.squared;
  out.missing_distances.assign(distance.missing_distances.begin(), distance.missing_distances.end());
  out.mismatch_distances.assign(distance.mismatch_distances.begin(), distance.mismatch_distances.end());
  if (any_missing(rows)) out.caps.assign(1, kInfinity);  // whether there are any says whether numbers are missing
  return out;
}

// The nodes that become the children of one: three levels below, or so few at the root that three fit below it.
std::vector<std::size_t> list_children(const Partition& partition, std::size_t top) {
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

OwnedSearchTree::OwnedSearchTree(const SearchTree& tree) : shape(tree.shape), squares(tree.distance.squared) {
  const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
  copy(missing_distances, tree.distance.missing_distances), copy(mismatch_distances, tree.distance.mismatch_distances);
  copy(order, tree.order), copy(counts, tree.counts), copy(depths, tree.depths);
  copy(numbers, tree.numbers), copy(codes, tree.codes), copy(children, tree.children), copy(first, tree.first);
  copy(low, tree.low), copy(high, tree.high), copy(caps, tree.caps);
  copy(min_codes, tree.min_codes), copy(max_codes, tree.max_codes), copy(radii, tree.radii);
}

OwnedSearchTree build_search_tree(const MixedRows& rows, const MixedDistance& distance, const PartitionOptions& options,
                                  ThreadPool& pool) {
  auto out = make_empty_tree(rows, distance, options);
  TreePacker packer(out, rows);
  if (!rows.size) {
    packer.add_node();
    return out;
  }
  const auto partition = partition_rows(rows, distance, options, pool);
  // Nodes and blocks are numbered from the top, so that they can be filled in any order.
  std::vector<std::size_t> tops{0}, blocks;
  std::vector<std::vector<std::size_t>> children;
  for (std::size_t i = 0; i < tops.size(); ++i) {
    packer.add_node();
    children.push_back(list_children(partition, tops[i]));
    for (const auto one : children.back())
      if (!partition.nodes[one].is_leaf()) tops.push_back(one);
  }
  std::vector<std::int32_t> number(partition.nodes.size(), kNoTreeChild);
  for (std::size_t i = 1; i < tops.size(); ++i) number[tops[i]] = static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < partition.nodes.size(); ++i)
    if (partition.nodes[i].is_leaf()) blocks.push_back(i);
  std::sort(blocks.begin(), blocks.end(),
            [&](std::size_t a, std::size_t b) { return partition.nodes[a].begin < partition.nodes[b].begin; });
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    packer.add_block();
    number[blocks[block]] = -2 - static_cast<std::int32_t>(block);
  }
  const auto rows_of = [&](std::size_t one) {
    const auto& node = partition.nodes[one];
    return std::span<const std::int32_t>(partition.order).subspan(node.begin, node.end - node.begin);
  };
  pool.parallel_for(blocks.size(), [&](std::size_t block, std::size_t) {
    TreePacker(out, rows).fill_block(block, rows_of(blocks[block]), partition.nodes[blocks[block]].depth);
  });
  pool.parallel_for(tops.size(), [&](std::size_t node, std::size_t) {
    TreePacker own(out, rows);
    for (std::size_t child = 0; child < children[node].size(); ++child)
      own.place_child(node, child, number[children[node][child]], rows_of(children[node][child]));
  });
  return out;
}

// -- growing --------------------------------------------------------------------------------------------------------

namespace {

// Adds one row after the other.
class TreeInserter {
 public:
  TreeInserter(OwnedSearchTree& out, const MixedRows& rows, ThreadPool& pool)
      : out_(out), rows_(rows), pool_(pool), packer_(out, rows), reader_(rows) {}

  void insert_row(std::int32_t row) {
    const auto query = reader_(static_cast<std::size_t>(row));
    for (std::size_t node = 0;;) {
      const auto child = choose_child(node, row, query);
      const auto next = out_.children[node * kTreeFan + child];
      if (next < kNoTreeChild) {
        store_row(node, child, static_cast<std::size_t>(-2 - next), row);
        return;
      }
      widen_bounds(node, child, row);
      node = static_cast<std::size_t>(next);
    }
  }

 private:
  // The child to which a row belongs: of boxes the nearest, of balls that with the nearest center; the first of
  // several.
  std::size_t choose_child(std::size_t node, std::int32_t row, const MixedRow& query) {
    alignas(64) double far[kTreeFan];
    if (out_.shape.balls) {
      for (std::size_t child = 0; child < kTreeFan; ++child)
        far[child] = packer_.distance_from_center(node, child, row);
    } else {
      fill_child_bounds(out_.view(), node, query, far);
    }
    std::size_t best = 0;
    for (std::size_t child = 1; child < kTreeFan; ++child)
      if (out_.children[node * kTreeFan + child] != kNoTreeChild && far[child] < far[best]) best = child;
    return best;
  }

  void widen_bounds(std::size_t node, std::size_t child, std::int32_t row) {
    packer_.extend_bounds(node, child, static_cast<std::size_t>(row));
    if (out_.shape.balls) {
      auto& radius = out_.radii[node * kTreeFan + child];
      radius = std::max(radius, packer_.distance_from_center(node, child, row));
    }
  }

  // Puts a row into a block, or divides a full one.
  void store_row(std::size_t node, std::size_t child, std::size_t block, std::int32_t row) {
    const auto count = static_cast<std::size_t>(out_.counts[block]);
    const auto* own = out_.order.data() + block * out_.shape.block_capacity;
    std::vector<std::int32_t> rows_of_child(own, own + count);
    rows_of_child.push_back(row);
    const auto depth = out_.depths[block];
    if (rows_of_child.size() <= out_.shape.leaf_rows) {
      packer_.fill_block(block, rows_of_child, depth);
      widen_bounds(node, child, row);
      return;
    }
    const auto first = split_block(rows_of_child);
    const auto other = packer_.add_block();
    const std::span<const std::int32_t> left(rows_of_child.data(), first),
        right(rows_of_child.data() + first, rows_of_child.size() - first);
    packer_.fill_block(block, left, depth + 1);
    packer_.fill_block(other, right, depth + 1);
    const auto position = find_free_positions(node, child, rows_of_child);
    packer_.place_child(position.node, position.left, -2 - static_cast<std::int32_t>(block), left);
    packer_.place_child(position.node, position.right, -2 - static_cast<std::int32_t>(other), right);
  }

  std::size_t split_block(std::vector<std::int32_t>& rows_of_child) {
    MixedRows few;
    few.size = rows_of_child.size(), few.n_numbers = rows_.n_numbers, few.n_codes = rows_.n_codes;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
    for (std::size_t d = 0; d < rows_.n_numbers; ++d)
      for (const auto row : rows_of_child) numbers.push_back(rows_.number(d)[row]);
    for (std::size_t c = 0; c < rows_.n_codes; ++c)
      for (const auto row : rows_of_child) codes.push_back(rows_.code(c)[row]);
    few.numbers = numbers, few.codes = codes;
    const PartitionOptions options{out_.shape.balls ? PartitionRule::FARTHEST : PartitionRule::LONGEST_SIDE, false,
                                   rows_of_child.size() - 1};
    const auto partition = partition_rows(few, out_.distance(), options, pool_);
    std::vector<std::int32_t> sorted;
    for (const auto at : partition.order) sorted.push_back(rows_of_child[static_cast<std::size_t>(at)]);
    rows_of_child = std::move(sorted);
    return partition.nodes[1].end;
  }

  struct HalfPositions {
    std::size_t node, left, right;
  };

  // Where the two halves of a child go: beside each other if there is room, else below it.
  HalfPositions find_free_positions(std::size_t node, std::size_t child, std::span<const std::int32_t> rows_of_child) {
    for (std::size_t other = 0; other < kTreeFan; ++other)
      if (out_.children[node * kTreeFan + other] == kNoTreeChild) return {node, child, other};
    const auto below = packer_.add_node();
    packer_.place_child(node, child, static_cast<std::int32_t>(below), rows_of_child);
    return {below, 0, 1};
  }

  OwnedSearchTree& out_;
  const MixedRows& rows_;
  ThreadPool& pool_;
  TreePacker packer_;
  MixedRowReader reader_;
};

}  // namespace

OwnedSearchTree insert_rows(const SearchTree& tree, const MixedRows& rows, ThreadPool& pool) {
  OwnedSearchTree out(tree);
  const auto before = tree.shape.rows;
  out.shape.rows = rows.size;
  if (out.caps.empty() && any_missing(rows)) out.caps.assign(std::max<std::size_t>(1, out.low.size()), kInfinity);
  TreeInserter inserter(out, rows, pool);
  for (auto row = before; row < rows.size; ++row) {
    if (row % 256 == 0) pool.check_interrupt();
    inserter.insert_row(static_cast<std::int32_t>(row));
  }
  return out;
}

}  // namespace hedgerow

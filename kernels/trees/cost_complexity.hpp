// Cost-complexity pruning: from which price of a leaf on a node is one (Breiman, Friedman, Olshen and Stone 1984).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hedgerow::trees {

// With the price alpha a tree costs its risk plus alpha for each leaf. Returns for each node the least price at which
// the best subtree has it as a leaf; minus infinity for leaves, infinity for nodes that only an ancestor takes away.
//   first     the first child of a node; nodes are breadth first, so that children are contiguous and after it
//   counts    its number of children, 0 or at least 2
//   risk      of each node as a leaf
//   nothing   savings of a leaf up to this are rounding: the price is 0. Prices are rounded to 12 digits, so that equal
//             ones are equal
// Nodes are settled from the leaves upward. At the price of a node the cuts below it that are dearer have not been made
// yet, and never will be; so each cut is taken back at most once: O(nodes log^2 nodes).
std::vector<double> compute_effective_alphas(std::span<const std::int32_t> first, std::span<const std::int32_t> counts,
                                             std::span<const double> risk, double rounding);

// The least value above each node: of its parent, its parent's parent and so on; infinity at the root.
//   parent   of each node, before it; that of the first is not looked at
std::vector<double> min_over_ancestors(std::span<const std::int32_t> parent, std::span<const double> value);

}  // namespace hedgerow::trees

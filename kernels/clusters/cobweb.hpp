// Cobweb: a tree of concepts that grows by one row after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "clusters/concept_sums.hpp"

namespace hedgerow {

// Rows one after the other, columns side by side; weights may be empty: all weigh 1.
struct ConceptRows {
  std::span<const double> numbers;
  std::span<const std::int32_t> codes;
  std::span<const double> weights;
  std::size_t size = 0;
};

// Utilities that differ by no more than `tie` are equal; the parts of a concept must be worth more than `cutoff`.
struct ConceptRule {
  double cutoff = 0;
  double tie = 0;
};

// D. H. Fisher: Knowledge acquisition via incremental conceptual clustering. Machine Learning 2 (1987). J. H. Gennari,
// P. Langley, D. Fisher: Models of incremental concept formation. Artificial Intelligence 40 (1989), for numbers.
class ConceptTree {
 public:
  ConceptTree(ConceptMeasures measure, ConceptRule rule);

  // A tree from its parts: parents come before their children, the root first; the children of each in their order.
  ConceptTree(ConceptMeasures measure, ConceptRule rule, std::span<const std::int32_t> parents,
              const ConceptSums::ConceptArrays& arrays);

  // Takes in rows, calling `pause` now and then; what that throws ends the work between two rows.
  void add_rows(const ConceptRows& rows, const std::function<void()>& pause);

  // The concept that each row ends in, by its number in `parents`; `stops` tells which are not left for their children.
  void sort_rows(const ConceptRows& rows, std::span<const std::uint8_t> stops, std::span<std::int32_t> out,
                 const std::function<void()>& pause);

  // The tree as its parts, concepts level by level.
  std::vector<std::int32_t> export_tree(ConceptSums::ConceptArrays& arrays) const;

 private:
  using Children = std::vector<std::int32_t>;
  enum class CobwebOperator { host, new_concept, merge, split };
  struct OperatorChoice {
    CobwebOperator operation = CobwebOperator::host;
    double utility = 0;
    std::size_t best = 0, second = 0;  // places among the children
    std::size_t merged = 0;
  };

  void add_row(const ConceptRow& row);
  void split_leaf(std::int32_t leaf);
  OperatorChoice choose_operator(std::int32_t node);
  void score_hosts(std::int32_t node);
  double compute_split_utility(std::int32_t node, std::int32_t host, double rest);
  std::int32_t merge_concepts(std::int32_t node, const OperatorChoice& choice);
  void split_concept(std::int32_t node, std::size_t at);
  void drop_children(std::int32_t node);
  std::int32_t make_leaf_of_row();
  std::int32_t add_concept(std::size_t concept_);
  ConceptRow row(const ConceptRows& rows, std::size_t at) const;

  ConceptSums sums_;
  ConceptRule rule_;
  std::vector<Children> children_;         // by concept
  std::vector<double> host_scores_;        // scores of the children with the row, of the concept that is looked at
  std::vector<double> grandchild_scores_;  // and of the children of the best of them
  double weight_ = 1;                      // of the row
  bool are_hosts_scored_ = false;          // whether hosted_ is known already
};

}  // namespace hedgerow

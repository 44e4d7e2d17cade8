"""C4.5rules: the paths of a C4.5 tree made into a short, ordered list of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from hedgerow.data.table.table import Table
from hedgerow.learn.classifier import Classifier
from hedgerow.learn.params import flag, integer, real
from hedgerow.learn.trees import options
from hedgerow.learn.trees.kernel_growth import TreeInput
from hedgerow.learn.trees.options import TreeOptions
from hedgerow.learn.trees.rules_from_tree.generalize import Estimator, RuleCandidate, candidates, find_paths, generalize
from hedgerow.learn.trees.rules_from_tree.order import class_order, default_class, drop_useless_rules
from hedgerow.learn.trees.rules_from_tree.row_bits import RowBits
from hedgerow.learn.trees.rules_from_tree.subset import Coding, choose
from hedgerow.learn.trees.rules_from_tree.work import RulesWork
from hedgerow.models.rules.rule_list import Rule, RuleList
from hedgerow.models.trees.tree import Tree


class C45Rules(Classifier):
    """C4.5rules: the paths of an unpruned C4.5 tree, generalized, selected by description length, and ordered.

    1. Each path to a leaf is a rule. It loses, one by one, the condition without which the lowest error rate is
       expected (C4.5's pessimistic estimate), as long as the rate does not rise. A missing value fails every condition.
    2. For each class, the rules are chosen that take the fewest bits: `theory` times the bits of the rules, plus
       log2(C(covered, false positives)) + log2(C(uncovered, false negatives)) of the exceptions. The bits of rules are
       those of `Coding`, less log2(m!) for the order of m rules. All subsets of up to 10 rules are tried; else rules
       are added and taken away, starting from none, all and the better half, while that saves bits.
    3. The class whose rules have the fewest false positives comes first, rows of earlier classes not counted; within a
       class the rule of the lowest expected error rate.
    4. The default is the most frequent class of the rows that no rule covers.
    5. With `drop`, rules go without which the list makes no more errors in training.

    The weights of a rule are those of the training rows that reach it and that it covers, as the list executes.
    A tree of more than `most_leaves` leaves is collapsed first, and pruned if it still has more.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for machine learning, chapter 5. Morgan Kaufmann (1993).

    Examples
    --------
    >>> from hedgerow import examples
    >>> print(C45Rules().train(examples.loan()))
    if Own_House = false and Has_Job = false then Class = No (6/0)  # support 40 %, confidence 100 %
    otherwise Class = Yes (9/0)  # support 60 %, confidence 100 %
    """

    name = "c45_rules"

    min_leaf: float = real(2.0, "minimum weight of two branches of a split", above=0)
    subset: bool = flag(False, "merge the levels of a nominal column into groups")
    mdl: bool = flag(True, "subtract log2(thresholds)/rows from the gain of numeric columns")
    max_depth: int | None = integer(None, "maximum depth of the tree", low=0, none=True)
    min_gain: float = real(0.0, "minimum gain of a split", low=0)
    confidence: float = real(
        0.25, "confidence of the upper limit of expected errors; lower drops more", above=0, high=0.5
    )
    theory: float = real(0.5, "weight of a bit of the rules relative to a bit of their exceptions", low=0, high=1e6)
    drop: bool = flag(True, "drop rules whose removal does not increase the training errors of the list")
    most_leaves: int = integer(
        1000, "a tree with more leaves is collapsed and then pruned before it is converted to rules", low=1
    )
    trace: bool = flag(False, "print the work: every dropped condition and every choice of rules", in_python=True)

    shows_work: ClassVar[bool] = True

    def learn(self, table: Table) -> RuleList:
        """Return the rules of a prepared table."""
        work = RulesWork(table.schema)
        rules = self._rules(table, work)
        if self.trace:
            print(work)  # what `trace` is for
        return rules

    def _work(self, table: Table) -> RulesWork:
        """Return the work of learning a prepared table: conditions dropped, and rules chosen with their bits."""
        work = RulesWork(table.schema)
        self._rules(table, work)
        return work

    def _options(self) -> TreeOptions:
        return replace(
            options.C45,
            min_leaf=float(self.min_leaf),
            max_depth=self.max_depth,
            min_gain=self.min_gain,
            mdl=bool(self.mdl),
            branching="groups" if self.subset else "multiway",
        )

    def _tree(self, table: Table) -> tuple[Tree, str]:
        """Return the tree whose paths become rules, and which one it is."""
        rows = TreeInput(table)
        parts, source = rows.grow(self._options()), "unpruned"
        if np.count_nonzero(parts["columns"] < 0) > self.most_leaves:
            parts, source = rows.collapse(parts), "collapsed"
        if np.count_nonzero(parts["columns"] < 0) > self.most_leaves:
            parts, source = rows.prune(parts, self.confidence, raising=True), "pruned"
        return rows.tree(rows.lower_thresholds(parts)), source

    def _rules(self, table: Table, work: RulesWork) -> RuleList:
        work.tree, work.source = self._tree(table)
        rows, expect = RowBits(table), Estimator(self.confidence)
        work.paths = find_paths(work.tree)
        work.steps = [generalize(path, rows, expect) for path in work.paths]
        work.candidates = candidates(work.paths, [steps[-1] for steps in work.steps], rows)
        coding, work.share = Coding(rows), float(self.theory)
        decisions = sorted({rule.decision for rule in work.candidates})
        work.choices = [choose(work.candidates, one, rows, coding, work.share) for one in decisions]
        return self._order_rules(rows, work)

    def _order_rules(self, rows: RowBits, work: RulesWork) -> RuleList:
        """Return the chosen rules in their order, with the weights of the rows that reach each of them."""
        chosen = [at for choice in work.choices for at in choice.chosen_rules]
        rules = [work.candidates[at] for at in chosen]
        positions = [rule.decision for rule in rules]
        cells = rows.cells([rule.bits for rule in rules])
        work.placed = class_order(cells, positions)
        order = [at for place in work.placed for at, one in enumerate(positions) if one == place.decision]
        if self.drop:
            order, dropped = drop_useless_rules(cells, order, positions)
            work.dropped = [replace(one, rule=chosen[one.rule]) for one in dropped]
        first = cells.deciders(order)
        reach = [cells.weights[first == at].sum(axis=0) for at in range(len(order) + 1)]
        default = Rule((), tuple(reach[-1].tolist()), default_class(reach[-1], cells.weights.sum(axis=0)))
        result_rules = tuple(_rule(rules[at], tuple(reach[place].tolist())) for place, at in enumerate(order))
        return RuleList(rows.schema, result_rules, default)


def _rule(candidate: RuleCandidate, weights: tuple[float, ...]) -> Rule:
    return Rule(candidate.conditions, weights, candidate.decision)

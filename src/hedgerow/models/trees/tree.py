"""Tree and NumberTree: the models of all tree learners. A row goes down by the tests to a leaf, which decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import ModelError
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.checked_parts import codes_part, expect_parts, numbers_part, weights_part
from hedgerow.models.base.decisions import Costs, DecisionRule, cheapest, decisions, reduce_rows
from hedgerow.models.base.model import About, ClassModel, Model, NumberModel, are_equal_parts
from hedgerow.models.base.reason import ComparedClasses, Reason
from hedgerow.models.base.rule import round_weights
from hedgerow.models.base.rule_figures import RuleCoverage, RuleFigures, figures_table, list_rules
from hedgerow.models.rules.base import JUST_HEAVIER
from hedgerow.models.rules.rule_list import RuleList
from hedgerow.models.trees.descent import Descent
from hedgerow.models.trees.first_levels import drawn_tree
from hedgerow.models.trees.level_maps import Order
from hedgerow.models.trees.nodes import LIST_PARTS, NODE_PARTS, Nodes, nodes_parts, read_nodes
from hedgerow.models.trees.paths import find_paths
from hedgerow.models.trees.reason import NumberPathReason, PathReason, nearest_leaf
from hedgerow.models.trees.to_rules import path_coverage, paths_to_rules

LARGEST = 1e150  # number that a tree predicts: its square is a number too
DIGITS = 6  # of what is added to leaves, of deviations, and of values beyond the deviation


@dataclass(frozen=True, eq=False)
class Tree(ClassModel):
    """A decision tree: tests at the inner nodes, training weight by class at every node.

    A leaf predicts its distribution of training weight, with `added` in each class; an empty leaf that of its nearest
    ancestor that is not empty. Where a tested value is missing, the row goes where the node says, or down
    all children by their share of the training weight; the distributions of the leaves reached are then averaged.

    Parameters
    ----------
    nodes
        The tests, in any numbering; the tree keeps them breadth first.
    weights
        Training weight by node and class, of which those of the leaves count; inner nodes have the sum of their
        children. They are kept as they print: whole numbers as they are, fractions to six digits.
    decisions
        The class of every leaf; None, or -1, takes the most probable class, with costs the cheapest one. A stated class
        that is not the most probable counts as just more probable, so that a tree predicts what it prints.
    added
        Virtual weight by class in every leaf: 1 each is Laplace's estimator, m times the prior the m-estimate.
    costs
        What it costs to say a class (columns) when it is another (rows); then the class of least expected cost is
        said, while the distribution stays that of the training weight.
    """

    nodes: Nodes
    weights: Numbers
    decisions: Codes = None  # type: ignore[assignment]  # arrays once the tree is made, as is `added`
    added: Numbers = None  # type: ignore[assignment]
    costs: Numbers | None = None

    kind: ClassVar[str] = "tree"
    rule_order: ClassVar[str] = "paths"

    def __post_init__(self) -> None:
        target = self.schema.target_column
        if target.kind is not Kind.NOMINAL or not target.levels:
            raise ModelError(f"a tree predicts a class, but the target {target.name!r} has no classes")
        n, k = len(self.nodes), len(target.levels)
        weights = _array(self.weights, (n, k), "weights")
        decided = np.full(n, -1) if self.decisions is None else np.asarray(self.decisions)
        if decided.shape != (n,) or decided.min() < -1 or decided.max() >= k:
            raise ModelError(f"the decisions of a tree must be {n} classes from 0 to {k - 1}")
        nodes, order = self.nodes.canonical()
        if order is not None:
            weights, decided = weights[order], decided[order]
        nodes.check(self.schema)
        added = np.zeros(k) if self.added is None else _array(self.added, (k,), "weights added to the leaves")
        self._set("nodes", nodes)
        self._set("weights", sum_to_inner_nodes(nodes, weights))
        self._set("added", np.array([round_digits(weight, DIGITS) for weight in added.tolist()]))
        self._set("costs", _check_costs(self.costs, k))
        self._set("decisions", np.where((decided < 0) | ~nodes.is_leaf, self._usual, decided).astype(np.int32))

    @classmethod
    def from_kernel(cls, schema: Schema, nodes: Nodes, weights: Numbers) -> Self:
        """Return the tree of `Nodes.from_kernel`, breadth first, and the weights that the kernel counted.

        It is the tree that the constructor would make, without its checks: forests make many of them.
        """
        tree = object.__new__(cls)
        shares = _kernels.compute_class_shares(weights)
        if shares is None:
            whole = weights[0].sum() < 1e15 and bool((weights == np.floor(weights)).all())  # then all sums are right
            weights = weights if whole else sum_to_inner_nodes(nodes, weights)
        parts = {"schema": schema, "about": About(), "nodes": nodes, "weights": weights}
        for name, value in (parts | {"added": np.zeros(weights.shape[1]), "costs": None}).items():
            tree._set(name, value)
        if shares is not None:  # the values of all properties, computed together
            totals, own, best = shares
            own = own.reshape(weights.shape)
            for name, value in {"totals": totals, "_own": own, "_usual": best, "leaf_shares": own}.items():
                tree._set(name, value)
        tree._set("decisions", tree._usual)
        return tree

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.nodes.n_leaves

    def _best(self, distribution: Numbers) -> Codes:
        """Return the class that a distribution decides for."""
        return decisions(distribution) if self.costs is None else cheapest(distribution, self.costs)

    @cached_property
    def totals(self) -> Numbers:
        """The training weight of each node."""
        return reduce_rows(np.add, self.weights)

    @cached_property
    def _node_distributions(self) -> Numbers:
        """The distribution of each node, from its nearest ancestor that is not empty; all equal if there is none."""
        filled = self.weights + self.added
        empty = self.totals == 0
        filled[empty] = 1.0
        filled /= reduce_rows(np.add, filled)[:, None]
        if not empty.any():
            return filled
        source = np.arange(len(self.nodes))
        for layer in self.nodes.layers[1:]:
            source[layer] = np.where(empty[layer], source[self.nodes.parents[layer]], source[layer])
        return filled[source]

    @cached_property
    def _usual(self) -> Codes:
        """The class that each node decides for unless another is stated."""
        return self._best(self._node_distributions)

    @cached_property
    def leaf_shares(self) -> Numbers:
        """The distribution that each node predicts when a row ends there; its own class is the most probable."""
        shares = self._node_distributions.copy()
        every = np.arange(len(shares))
        if not self.weights[0].any():  # written by hand: certain of its class
            shares[:] = 0.0
            shares[every, self.decisions] = 1.0
        elif self.costs is None:
            odd = every[self._usual != self.decisions]
            shares[odd, self.decisions[odd]] = shares[odd].max(axis=1) * JUST_HEAVIER
            shares[odd] /= shares[odd].sum(axis=1, keepdims=True)
        return shares

    @property
    def leaf_decisions(self) -> Codes:
        """The class that is predicted for a row that ends in each node."""
        return self.decisions if self.decides_by is None else self.decides_by.decide(self.leaf_shares)

    @property
    def decision_rule(self) -> DecisionRule | None:
        """The thresholds or costs that decide; None if none do."""
        own = None if self.costs is None else Costs.of(self.costs, self.classes)
        return own if self.decides_by is None else self.decides_by

    def decided_by(self, rule: DecisionRule | None) -> Self:
        """Return the same tree with another rule of decision; costs become the tree's own where nothing is stated."""
        plain = bool(self.weights[0].any()) and np.array_equal(self.decisions, self._usual)
        costs = rule.matrix if isinstance(rule, Costs) and plain else None
        if costs is None and self.costs is None:
            return super().decided_by(rule)
        decided = np.full_like(self.decisions, -1) if plain else self.decisions
        return replace(self, decisions=decided, costs=costs, decides_by=None if costs is not None else rule)

    @cached_property
    def routes(self) -> Numbers:
        """The share of each node in the rows of its parent whose tested value is missing."""
        return child_shares(self.nodes, self.totals)

    @property
    def missing_value_routes(self) -> Numbers:
        """The same, if a missing value may take them; if not, zeros that no row meets and that cost nothing."""
        return self.routes if self.nodes.divides else np.zeros(len(self.nodes))

    def columns_used(self) -> tuple[str, ...]:
        """Return the columns that some node or surrogate tests."""
        nodes = self.nodes
        used = np.unique(np.concatenate([nodes.columns[nodes.columns >= 0], nodes.surrogate_columns])).tolist()
        return tuple(self.schema.columns[position].name for position in used)

    @cached_property
    def split_shares(self) -> Numbers:
        """The share of each predictor, in the order of the schema, in the decrease of the Gini index by all splits."""
        total = self.totals
        mixed = total - (self.weights**2).sum(axis=1) / np.where(total > 0, total, 1)  # weight times the index
        lowered = mixed.copy()
        np.subtract.at(lowered, self.nodes.parents[1:], mixed[1:])
        inner = ~self.nodes.is_leaf
        sums = np.bincount(self.nodes.columns[inner], np.maximum(lowered[inner], 0.0), len(self.schema))
        sums = sums[list(self.schema.predictors)]
        return np.asarray(sums / sums.sum() if sums.any() else sums, dtype=np.float64)

    @cached_property
    def descent(self) -> Descent:
        """The tree as the kernel takes it."""
        return Descent.of(self.schema, [self.nodes], [self.missing_value_routes])

    def __str__(self) -> str:
        from hedgerow.models.trees.text import tree_text

        return tree_text(self)

    def outline(self, most_lines: int) -> str:
        """Return the tree or, if it has more than so many lines, its top: the tests that most training rows take."""
        from hedgerow.models.trees.text import tree_outline

        return tree_outline(self, most_lines)

    @classmethod
    def parse(cls, text: str, schema: Schema, about: About | None = None) -> Self:
        """Read a printed or hand-written tree; an unreadable line raises an error with its number.

        Blank lines and lines that begin with # are skipped, keywords may be in any case, and the counts in
        parentheses, like all lines below the tree, may be left out.
        """
        from hedgerow.models.trees.parse import read_tree

        return cls(schema, *read_tree(text, schema), about=about or About())

    def rules(self) -> RuleList:
        """Return one rule a leaf in the order of print, and the root's majority as the default.

        Several tests of a column on a path become one, the tightest. A rule list never covers a row by
        a missing value, so such rows may be decided otherwise than by the tree.
        """
        return paths_to_rules(self)

    def as_rules(self) -> RuleList:
        """Return the paths as rules; see `rules`."""
        return self.rules()

    def rule_rows(self) -> tuple[RuleFigures, ...]:
        """Return the paths as rules, with their statistics; no default, since every row ends in one of them."""
        rule_list = self.rules()
        totals = self.weights[0].tolist()
        return list_rules(
            rule_list.rules or (rule_list.default,), self.schema.target_column, totals, len(rule_list.rules)
        )

    def drawn_tree(self, most_nodes: int) -> tuple[Tree, str]:
        """Return the tree, or its first levels if it has more nodes, and a note on the omitted parts."""
        return drawn_tree(self, most_nodes)

    def with_first(self, nodes: Nodes) -> Tree:
        """Return the tree with its first nodes only, the last of which are leaves."""
        n = len(nodes)
        decided = np.where(self.nodes.is_leaf[:n], self.decisions[:n], -1)
        return replace(self, nodes=nodes, weights=self.weights[:n], decisions=decided)

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:
        """Return the path or paths to a leaf, and the nearest leaf that predicts the other class."""
        paths = tuple(find_paths(self, table))
        near = nearest_leaf(self, table, classes.against) if contrast and len(paths) == 1 else None
        return PathReason(self, paths, near)

    def importance(self) -> dict[str, float]:
        """Return the share of each predictor in the decrease of the Gini index by all splits."""
        return self.by_predictor(self.split_shares)

    def rule_coverage(self, table: Table) -> RuleCoverage:
        """Return which rows take each path; a missing value may divide a row among several, by shares."""
        return path_coverage(self, table)

    def to_arrow(self) -> Any:
        """Return an Arrow table of the paths, one row per leaf; see `RuleModel.to_arrow`."""
        return figures_table(self.rule_rows())

    def to_dict(self) -> dict[str, Any]:
        """Return the nodes' arrays, and those of the classes."""
        parts = {"weights": self.weights, "decisions": self.decisions, "added": self.added}
        costs = np.zeros((0, 0)) if self.costs is None else self.costs
        return {**nodes_parts(self.nodes), **parts, "costs": costs}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the tree from `to_dict`'s arrays, checking every one of them."""
        expect_parts(parts, *NODE_PARTS, "weights", "decisions", "added", "costs", may_have=LIST_PARTS)
        nodes, k = read_nodes(parts), len(schema.target_column.levels)
        weights = weights_part(parts, "weights", len(nodes), k)
        decided = codes_part(parts, "decisions", np.int32, len(nodes), k)
        added = weights_part(parts, "added", k)
        costs = weights_part(parts, "costs", None, None)
        tree = cls(schema, nodes, weights, decided, added, costs if costs.size else None, about=about)
        return check_round_trip(tree, parts)

    def scores(self, table: Table, rows: Rows | None = None) -> Numbers:
        """Return the distribution for a table that is aligned already, or for some of its rows."""
        return self.descent.sums(table, self.leaf_shares, rows)

    def leaves(self, table: Table, rows: Rows | None = None) -> Codes:
        """Return the leaf that each row of an aligned table ends in; -1 for a row that is divided among several."""
        return self.descent.leaves(table, rows)

    def own_decisions(self, table: Table, scores: Numbers | None = None, rows: Rows | None = None) -> Codes:
        """Return the class of each row's leaf; of a divided row the best class of its leaves together."""
        if scores is not None and self.costs is None:
            return decisions(scores)
        leaves = self.leaves(table, rows)
        codes: Codes = self.decisions.take(leaves, mode="wrap")  # -1 takes the last, and is decided below
        if leaves.min(initial=0) < 0:
            divided = np.flatnonzero(leaves < 0)
            mixed = (
                self.scores(table, divided if rows is None else rows[divided]) if scores is None else scores[divided]
            )
            codes[divided] = self._best(mixed)
        return codes


@dataclass(frozen=True, eq=False)
class NumberTree(NumberModel):
    """A regression tree: a number at every leaf.

    Parameters
    ----------
    nodes
        The tests, in any numbering; the tree keeps them breadth first.
    weights, numbers, deviations
        Training weight, predicted number and standard deviation by node, of which those of the leaves count; inner
        nodes have what their children make. They are kept as they print: numbers to a hundred thousandth of the
        deviation, deviations to six digits.
    """

    nodes: Nodes
    weights: Numbers
    numbers: Numbers
    deviations: Numbers

    kind: ClassVar[str] = "number_tree"

    def reason(self, table: Table, classes: ComparedClasses, *, contrast: bool = True) -> Reason:  # noqa: ARG002
        """Return the path to a leaf, or several paths."""
        return NumberPathReason(self, tuple(find_paths(self, table)))

    def drawn_tree(self, most_nodes: int) -> tuple[NumberTree, str]:
        """Return the tree, or its first levels if it has more nodes, and a note on the omitted parts."""
        return drawn_tree(self, most_nodes)

    def with_first(self, nodes: Nodes) -> NumberTree:
        """Return the tree with its first nodes only, the last of which are leaves."""
        n = len(nodes)
        kept = {name: getattr(self, name)[:n] for name in ("weights", "numbers", "deviations")}
        return replace(self, nodes=nodes, **kept)

    def no_rules(self) -> str:
        """Return the error message for a model without rules: the reason, and what to do."""
        return "this tree predicts numbers, and rules state a class; `hedgerow show FILE` prints the tree"

    def __post_init__(self) -> None:
        target = self.schema.target_column
        if target.kind is not Kind.NUMERIC:
            raise ModelError(f"a regression tree predicts a number, but the target {target.name!r} is {target.kind}")
        n = len(self.nodes)
        weights, deviations = _array(self.weights, (n,), "weights"), _array(self.deviations, (n,), "deviations")
        numbers = np.array(self.numbers, dtype=np.float64)
        if numbers.shape != (n,) or not (np.abs(numbers) <= LARGEST).all() or (deviations > LARGEST).any():
            raise ModelError(f"the numbers and deviations of a tree must be {n} each, none beyond {LARGEST:g}")
        nodes, order = self.nodes.canonical()
        if order is not None:
            weights, numbers, deviations = weights[order], numbers[order], deviations[order]
        nodes.check(self.schema)
        leaves = nodes.leaves
        weights = sum_to_inner_nodes(nodes, weights[:, None])
        deviations[leaves] = [round_digits(deviation, DIGITS) for deviation in deviations[leaves].tolist()]
        numbers[leaves] = [
            _round_leaf_number(*pair)
            for pair in zip(numbers[leaves].tolist(), deviations[leaves].tolist(), strict=True)
        ]
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "weights", weights[:, 0])
        self._pool(numbers, deviations)

    def _pool(self, numbers: Numbers, deviations: Numbers) -> None:
        """Set numbers and deviations, those of inner nodes from their children: means and spreads add up."""
        shares, nodes = self.routes, self.nodes
        for layer, parents, starts in _families(nodes):
            numbers[parents] = np.add.reduceat(shares[layer] * numbers[layer], starts)
            away = numbers[layer] - numbers[nodes.parents[layer]]
            squares = np.add.reduceat(shares[layer] * (deviations[layer] ** 2 + away**2), starts)
            deviations[parents] = np.sqrt(squares)
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "deviations", deviations)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.nodes.n_leaves

    @cached_property
    def routes(self) -> Numbers:
        """The share of each node in the rows of its parent whose tested value is missing."""
        return child_shares(self.nodes, self.weights)

    @cached_property
    def descent(self) -> Descent:
        """The tree as the kernel takes it."""
        return Descent.of(self.schema, [self.nodes], [self.routes])

    def __str__(self) -> str:
        from hedgerow.models.trees.text import number_tree_text

        return number_tree_text(self)

    def outline(self, most_lines: int) -> str:
        """Return the tree or, if it has more than so many lines, its top: the tests that most training rows take."""
        from hedgerow.models.trees.text import number_tree_outline

        return number_tree_outline(self, most_lines)

    @classmethod
    def parse(cls, text: str, schema: Schema, about: About | None = None) -> Self:
        """Read a printed or hand-written tree; see `Tree.parse`."""
        from hedgerow.models.trees.parse import read_number_tree

        return cls(schema, *read_number_tree(text, schema), about=about or About())

    def to_dict(self) -> dict[str, Any]:
        """Return the nodes' arrays, and the numbers."""
        parts = {"weights": self.weights, "numbers": self.numbers, "deviations": self.deviations}
        return {**nodes_parts(self.nodes), **parts}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the tree from `to_dict`'s arrays, checking every one of them."""
        expect_parts(parts, *NODE_PARTS, "weights", "numbers", "deviations", may_have=LIST_PARTS)
        nodes = read_nodes(parts)
        weights, deviations = (weights_part(parts, name, len(nodes)) for name in ("weights", "deviations"))
        tree = cls(schema, nodes, weights, numbers_part(parts, "numbers", len(nodes)), deviations, about=about)
        return check_round_trip(tree, parts)

    def values(self, table: Table) -> Numbers:
        """Return the numbers for a table that is aligned already."""
        return self.descent.sums(table, self.numbers[:, None])[:, 0]


M = TypeVar("M", bound=Model)


def check_round_trip(tree: M, parts: dict[str, Any]) -> M:
    """Return a tree built from a file's parts if they are exactly what it would write."""
    if not are_equal_parts(tree.to_dict(), parts):
        raise ModelError("its parts are inconsistent: its nodes are not in order, or its sums are incorrect")
    return tree


def round_weight_rows(weights: Numbers) -> Numbers:
    """Return the weights of each row as they print: the quick form of `round_weights` for many rows."""
    total = reduce_rows(np.add, weights)
    if total.max(initial=0.0) < 1e15 and (weights == np.floor(weights)).all():
        return weights
    odd = (weights != np.floor(weights)).any(axis=1) | (total >= 1e15)
    usual = np.flatnonzero(odd & (total > 1e-9) & (total < 1e14))
    rest = np.flatnonzero(odd & ~((total > 1e-9) & (total < 1e14)))
    kept = weights.copy()
    for row in rest.tolist():
        kept[row] = round_weights(weights[row].tolist())
    digits = _decimals(weights[usual])
    while len(usual):  # again, to a digit less, where rounding has lifted the total to the next power of ten
        kept[usual] = np.rint(weights[usual] * 10.0**digits) / 10.0**digits
        fewer = _decimals(kept[usual])
        lifted = (fewer < digits)[:, 0]
        usual, digits = usual[lifted], fewer[lifted]
    return kept


def _decimals(weights: Numbers) -> Numbers:
    """Return how many decimals the weights of each row have, as a column."""
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.maximum(DIGITS - 1 - np.floor(np.log10(np.where(total > 0, total, 1))), 0))


def sum_to_inner_nodes(nodes: Nodes, weights: Numbers) -> Numbers:
    """Return the weights of leaves as they print, and those of inner nodes as the sums of their children."""
    weights, leaves = weights.copy(), nodes.leaves
    weights[leaves] = round_weight_rows(weights[leaves])
    if len(nodes) == 1:
        return weights
    inner = np.flatnonzero(~nodes.is_leaf)
    if np.array_equal(np.add.reduceat(weights[1:], nodes.first[inner] - 1, axis=0), weights[inner]):
        return weights  # as learned from rows with whole weights
    for layer, parents, starts in _families(nodes):
        weights[parents] = np.add.reduceat(weights[layer], starts, axis=0)
    return weights


def child_shares(nodes: Nodes, weights: Numbers) -> Numbers:
    """Return the share of each node in its parent's weight; all children are equal if that is 0."""
    shares = np.ones(len(nodes))
    parents = nodes.parents[1:]
    above = weights[parents]
    shares[1:] = np.where(above > 0, weights[1:] / np.where(above > 0, above, 1), 1 / nodes.n_children[parents])
    return shares


def _families(nodes: Nodes) -> Iterator[tuple[slice, Order, Codes]]:
    """Yield the layers below the root, the lowest first, each with its parents and where their children start."""
    inner = np.flatnonzero(~nodes.is_leaf)
    for above, layer in reversed(list(pairwise(nodes.layers))):
        parents = inner[slice(*np.searchsorted(inner, (above.start, above.stop)))]
        yield layer, parents, nodes.first[parents] - np.int32(layer.start)


def _round_leaf_number(number: float, deviation: float) -> float:
    if not deviation:
        return round_digits(number, 2 * DIGITS)
    digits = DIGITS - 1 - Decimal(deviation).adjusted()
    return round(number, digits) + 0.0


def _array(values: Any, shape: tuple[int, ...], what: str) -> Numbers:
    array = np.array(values, dtype=np.float64)
    if array.shape != shape:
        raise ModelError(f"the {what} of a tree have the shape {array.shape} instead of {shape}")
    if not (array >= 0).all() or array.sum() > 1e300:
        raise ModelError(f"the {what} of a tree must be finite numbers of at least 0")
    return array


def _check_costs(costs: Any, k: int) -> Numbers | None:
    """Return the costs, or None if all are zero."""
    if costs is None:
        return None
    matrix = _array(costs, (k, k), "costs")
    if np.diagonal(matrix).any():
        raise ModelError("a correct prediction must cost nothing: the diagonal of the costs must be 0")
    return matrix if matrix.any() else None

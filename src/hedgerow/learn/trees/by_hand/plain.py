"""Trees as plain nodes that can be changed in place, and the paths of rows down their splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.learn.trees.by_hand.target import NodeRows
from hedgerow.models.base.condition import Condition, Operator

UNKNOWN = -1  # no child: the value is missing, or says nothing


@dataclass(frozen=True, slots=True)
class Test:
    """How one column sends rows on: a numeric one by its threshold, a nominal one by a child for each level."""

    column: int
    threshold: float | None = None
    children: tuple[int, ...] = ()
    low: int = 0  # the child of numbers up to the threshold, 0 or 1; the other child has those above

    def child(self, table: Table, rows: Rows) -> Codes:
        """Return the child that each row goes to; -1 when its value is missing."""
        if self.threshold is None:
            return np.array([*self.children, UNKNOWN], dtype=np.int32)[table.codes(self.column)[rows]]
        values = table.numbers(self.column)[rows]
        known = np.where(values <= self.threshold, self.low, 1 - self.low)
        return np.where(np.isnan(values), UNKNOWN, known).astype(np.int32)


@dataclass(frozen=True, slots=True)
class PlainSplit:
    """A test, its number of children, and what becomes of rows without the tested value.

    They follow the first of the surrogates that knows better, else they go to the child `missing`; where that
    is -1 they go to all children, in shares.
    """

    test: Test
    n_children: int
    missing: int = UNKNOWN
    surrogates: tuple[Test, ...] = ()

    def child(self, table: Table, rows: Rows) -> Codes:
        """Return the child that each row goes to; -1 when it goes to all of them."""
        child = self.test.child(table, rows)
        for other in self.surrogates:
            lost = child == UNKNOWN
            child[lost] = other.child(table, rows[lost])
        child[child == UNKNOWN] = self.missing
        return child

    def parts(self, table: Table, part: NodeRows, shares: Numbers | None = None) -> list[NodeRows]:
        """Return the rows of every child.

        Rows that go to all children are shared out by `shares`, or else as the other rows are; equally if
        there are no others. A child with a share of nothing gets none of them.
        """
        child = self.child(table, part.rows)
        if shares is None:
            known = child != UNKNOWN
            shares = np.bincount(child[known], part.weights[known], self.n_children).astype(np.float64)
        if not shares.any():
            shares = np.ones(self.n_children)
        factors = np.where(
            child == UNKNOWN, (shares / shares.sum())[:, None], child == np.arange(self.n_children)[:, None]
        )
        return [NodeRows(part.rows[factor > 0], (part.weights * factor)[factor > 0]) for factor in factors]

    def conditions(self, schema: Schema) -> list[Condition]:
        """Return the condition of every branch, as a reader would put it."""
        column, test = schema.columns[self.test.column], self.test
        if test.threshold is not None:
            return [Condition(column.name, op, test.threshold) for op in (Operator.AT_MOST, Operator.ABOVE)]
        groups: list[list[str]] = [[] for _ in range(self.n_children)]
        for level, child in zip(column.levels, test.children, strict=True):
            if child != UNKNOWN:
                groups[child].append(level)
        return [
            Condition(column.name, Operator.IS, group[0])
            if len(group) == 1
            else Condition(column.name, Operator.IN, tuple(group))
            for group in groups
        ]


@dataclass(eq=False, slots=True)
class PlainNode:
    """A node: what it keeps of its training rows, and its split unless it is a leaf."""

    summary: Numbers
    split: PlainSplit | None = None
    children: list[PlainNode] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """The weight of the node's rows, when it keeps weights by class."""
        return float(self.summary.sum())

    @property
    def errors(self) -> float:
        """The weight of all classes but the heaviest."""
        return float(self.summary.sum() - self.summary.max())

    def become_leaf(self) -> None:
        """Take the split away."""
        self.split, self.children = None, []

    def replace_with(self, other: PlainNode) -> None:
        """Take over the split and the children of another node."""
        self.split, self.children = other.split, other.children


@dataclass(frozen=True, slots=True)
class NodePlace:
    """A node in its tree: the rows that reach it and the conditions on the way."""

    node: PlainNode
    part: NodeRows
    path: tuple[Condition, ...] = ()


def walk(root: PlainNode) -> Iterator[PlainNode]:
    """Yield the nodes, a parent before its children."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def with_paths(root: PlainNode, schema: Schema) -> Iterator[tuple[PlainNode, tuple[Condition, ...]]]:
    """Yield the nodes with the conditions on the way to each, a parent before its children."""
    stack: list[tuple[PlainNode, tuple[Condition, ...]]] = [(root, ())]
    while stack:
        node, path = stack.pop()
        yield node, path
        ways = [] if node.split is None else node.split.conditions(schema)
        stack.extend((child, (*path, way)) for child, way in reversed(list(zip(node.children, ways, strict=True))))


def leaves(root: PlainNode) -> list[PlainNode]:
    """Return the leaves from left to right."""
    return [node for node in walk(root) if node.split is None]


def find_node_rows(table: Table, start: NodePlace, *, own_shares: bool = False) -> list[NodePlace]:
    """Return every node with the rows that reach it, a parent before its children.

    With `own_shares` rows of unknown value are shared out as the tree's training rows were, as in prediction;
    otherwise as the given rows are.
    """
    node_places, stack = [], [start]
    while stack:
        place = stack.pop()
        node_places.append(place)
        split = place.node.split
        if split is not None:
            shares = np.array([child.weight for child in place.node.children]) if own_shares else None
            parts = split.parts(table, place.part, shares)
            ways = split.conditions(table.schema)
            below = zip(place.node.children, parts, ways, strict=True)
            stack.extend(reversed([NodePlace(node, part, (*place.path, way)) for node, part, way in below]))
    return node_places


def is_nominal(schema: Schema, column: int) -> bool:
    """Return whether a column is nominal."""
    return schema.columns[column].kind is Kind.NOMINAL

"""Paths: the tests of a row from the root of a tree to a leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.data.rows.row_values import value_text
from hedgerow.data.table.table import Table
from hedgerow.models.base.condition import Condition, Operator
from hedgerow.models.trees.nodes import Nodes
from hedgerow.models.trees.text import branch, level_condition

if TYPE_CHECKING:
    from hedgerow.models.trees.tree import NumberTree, Tree


@dataclass(frozen=True)
class PathStep:
    """One test on a path: the condition, the tested value, and what decided if it was missing."""

    condition: Condition
    value: str
    instead: str = ""  # for a missing value: what decided instead

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        entries = {"test": str(self.condition), "column": self.condition.column, "value": self.value}
        return {**entries, "instead": self.instead} if self.instead else entries


@dataclass(frozen=True)
class TreePath:
    """A path to a leaf, and the share of the row that takes it: 1 unless a value is missing."""

    steps: tuple[PathStep, ...]
    leaf: int
    share: float


def find_paths(tree: Tree | NumberTree, table: Table) -> list[TreePath]:
    """Return the ways that the only row of an aligned table takes, those with the largest share first."""
    tree_paths = list(_descend(tree, table, 0, (), 1.0))
    return sorted(tree_paths, key=lambda path: -path.share)


def _descend(
    tree: Tree | NumberTree, table: Table, root: int, steps: tuple[PathStep, ...], share: float
) -> Iterator[TreePath]:
    """Yield the ways from a node; without recursion, as trees may be deep."""
    nodes, schema = tree.nodes, tree.schema
    waiting = [(root, steps, share)]
    while waiting:
        node, steps, share = waiting.pop()
        if nodes.columns[node] < 0:
            yield TreePath(steps, node, share)
            continue
        name = schema.columns[int(nodes.columns[node])].name
        value = value_text(table, name)
        for child, part, instead in reversed(_turns(tree, table, node)):
            step = PathStep(branch(nodes, schema, node, child), value, instead)
            waiting.append((int(nodes.first[node]) + child, (*steps, step), share * part))


def _turns(tree: Tree | NumberTree, table: Table, node: int) -> list[tuple[int, float, str]]:
    """Return the children that the row takes, each with its share and with the substitute if the value is missing."""
    nodes = tree.nodes
    levels = nodes.levels_of(node)
    turn = _turn(table, int(nodes.columns[node]), float(nodes.thresholds[node]), 0, levels)
    if turn is not None:
        return [(turn, 1.0, "")]
    for one in nodes.surrogates(node):
        column, first = int(nodes.surrogate_columns[one]), int(nodes.surrogate_first[one])
        threshold, inner = float(nodes.surrogate_thresholds[one]), nodes.surrogate_levels_of(one)
        turn = _turn(table, column, threshold, first, inner)
        if turn is not None:
            return [(turn, 1.0, f"replaced by the surrogate {_surrogate(nodes, tree, one, turn)}")]
    if nodes.missing[node] >= 0:
        return [(int(nodes.missing[node]), 1.0, "missing values follow this branch")]
    first_child = int(nodes.first[node])
    shares = [float(tree.routes[first_child + child]) for child in range(int(nodes.n_children[node]))]
    text = "missing values follow all branches, in proportion to the training rows"
    return [(child, share, text) for child, share in enumerate(shares) if share > 0]


def _turn(table: Table, column: int, threshold: float, first: int, levels: Any) -> int | None:
    """Return the child that a test leads to; None if unknown, as for a missing value."""
    values = table.values(column)
    assert isinstance(values, np.ndarray)
    if values.dtype == np.int32:
        code = int(values[0])
        child = -1 if code < 0 or code >= len(levels) else int(levels[code])
        return None if child < 0 else child
    number = float(values[0])
    if number != number:
        return None
    return first if number <= threshold else 1 - first


def _surrogate(nodes: Nodes, tree: Tree | NumberTree, one: int, turn: int) -> Condition:
    column = tree.schema.columns[int(nodes.surrogate_columns[one])]
    levels = nodes.surrogate_levels_of(one)
    if len(levels):
        return level_condition(column, levels == turn, may_deny=False)
    below = int(nodes.surrogate_first[one]) == turn
    return Condition(column.name, Operator.AT_MOST if below else Operator.ABOVE, float(nodes.surrogate_thresholds[one]))

"""The data of growing: the settings of all nodes, the best split of a column, and the rule for ties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.trees.by_hand.plain import PlainSplit, Test, is_nominal
from hedgerow.learn.trees.by_hand.target import NodeRows, Target
from hedgerow.learn.trees.options import EQUAL, TreeOptions

MANY_LEVELS = 0.3  # levels for each row: such a column may be an identifier


@dataclass(frozen=True, eq=False)
class GrowthContext:
    """The settings that are the same at all nodes while a tree grows."""

    table: Table
    target: Target
    options: TreeOptions

    def is_counted(self, column: int) -> bool:
        """Return whether a column counts in the average gain: its levels are not too many, or those of all are."""
        return not self._has_many_levels(column) or all(map(self._has_many_levels, self.table.schema.predictors))

    def _has_many_levels(self, column: int) -> bool:
        schema = self.table.schema
        return is_nominal(schema, column) and len(schema.columns[column].levels) >= MANY_LEVELS * self.table.n_rows


@dataclass(frozen=True, eq=False, slots=True)
class SplitCandidate:
    """The best split of one column.

    Parameters
    ----------
    summaries
        What each branch keeps of its rows: the weight by class, or weight, value and deviation.
    before, after
        The impurity of the rows whose value is known (all rows where missing ones take a side), before the split
        and on average over its branches.
    gain
        The share of these rows times the difference, less the penalty.
    cuts
        How many cuts of a numeric column were compared.
    refusal
        Why the column cannot be split on; empty if it can.
    """

    column: int
    split: PlainSplit | None = None
    summaries: tuple[Numbers, ...] = ()
    before: float = 0.0
    after: float = 0.0
    penalty: float = 0.0
    gain: float = 0.0
    split_info: float = 0.0
    ratio: float = 0.0
    cuts: int = 0
    refusal: str = ""


def levels_present(growing: GrowthContext, known: NodeRows, column: int) -> list[int]:
    """Return the levels that some row of the node has, ascending."""
    return [int(level) for level in np.unique(growing.table.codes(column)[known.rows])]


def group_levels(growing: GrowthContext, known: NodeRows, column: int, groups: Sequence[Iterable[int]]) -> PlainSplit:
    """Return the split by groups of the levels present; the other levels join the heaviest group."""
    codes = growing.table.codes(column)[known.rows]
    n_levels = len(growing.table.schema.columns[column].levels)
    weights = np.bincount(codes, known.weights, n_levels)
    heavy = first_best([float(weights[list(group)].sum()) for group in groups])
    children = [heavy] * n_levels
    for number, group in enumerate(groups):
        for level in group:
            children[level] = number
    return PlainSplit(Test(column, children=tuple(children)), len(groups))


def ratio(gain: float, info: float) -> float:
    """Return the gain ratio; 0 for a split that gains nothing or does not split."""
    return gain / info if gain > 0 and info > 0 else 0.0


def heaviest(parts: Sequence[NodeRows]) -> int:
    """Return the number of the heaviest part, the first of equals."""
    return first_best([part.weight for part in parts])


def first_best(values: Sequence[float], tolerance: float = EQUAL) -> int:
    """Return the position of the largest value; a later one must be larger by more than the tolerance.

    >>> first_best([1.0, 2.0, 2.0 + 1e-12])
    1
    """
    best = 0
    for position, value in enumerate(values):
        if value > values[best] + tolerance:
            best = position
    return best


def last_best(values: Sequence[float], tolerance: float = EQUAL) -> int:
    """Return the position of the largest value, the last of equals.

    >>> last_best([1.0, 2.0, 2.0 - 1e-12])
    2
    """
    return len(values) - 1 - first_best(values[::-1], tolerance)

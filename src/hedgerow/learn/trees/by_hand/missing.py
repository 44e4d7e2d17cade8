"""Surrogates: other columns that predict the side of a row whose tested value is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.table.table import Codes, Table
from hedgerow.layout.rounding import choose_threshold
from hedgerow.learn.trees.by_hand.growing import first_best, heaviest
from hedgerow.learn.trees.by_hand.plain import UNKNOWN, PlainSplit, Test, is_nominal
from hedgerow.learn.trees.by_hand.target import NodeRows
from hedgerow.learn.trees.options import EQUAL

MOST_SURROGATES = 5


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A test that stands in for another, and on how much of the weight of the rows where both are known they agree."""

    test: Test
    agreeing: float
    weight: float


def add_surrogates(table: Table, part: NodeRows, split: PlainSplit) -> PlainSplit:
    """Return a binary split with the tests of other columns that best agree with it.

    Rows that no surrogate can decide go to the heavier child.
    """
    part, child = _rows_with_known_side(table, part, split)
    heavy = heaviest([part.pick(child == number) for number in range(2)])
    return replace(split, missing=heavy, surrogates=tuple(one.test for one in _surrogates(table, part, child, split)))


def surrogates(table: Table, part: NodeRows, split: PlainSplit) -> tuple[Surrogate, ...]:
    """Return the tests of other columns that best agree with a binary split, the best one first.

    A surrogate must agree with the split on more weight than the rule "always the heavier child" does on the same
    rows.
    """
    return _surrogates(table, *_rows_with_known_side(table, part, split), split)


def _rows_with_known_side(table: Table, part: NodeRows, split: PlainSplit) -> tuple[NodeRows, Codes]:
    """Return the rows whose side the split knows, and that side."""
    child = split.test.child(table, part.rows)
    known = child != UNKNOWN
    return part.pick(known), child[known]


def _surrogates(table: Table, part: NodeRows, child: Codes, split: PlainSplit) -> tuple[Surrogate, ...]:
    surrogates = [
        offer
        for column in table.schema.predictors
        if column != split.test.column and (offer := _surrogate(table, part, child, column)) is not None
    ]
    chosen: list[Surrogate] = []
    while surrogates and len(chosen) < MOST_SURROGATES:
        chosen.append(surrogates.pop(first_best([one.agreeing for one in surrogates])))
    return tuple(chosen)


def _surrogate(table: Table, part: NodeRows, child: Codes, column: int) -> Surrogate | None:
    """Return the test of a column that agrees best; None if the majority does as well."""
    nominal = is_nominal(table.schema, column)
    known = table.codes(column)[part.rows] >= 0 if nominal else ~np.isnan(table.numbers(column)[part.rows])
    part, child = part.pick(known), child[known]
    test = _level_surrogate(table, part, child, column) if nominal else _threshold_surrogate(table, part, child, column)
    if test is None:
        return None
    agreeing = part.pick(test.child(table, part.rows) == child).weight
    majority = max(part.pick(child == number).weight for number in range(2))
    return Surrogate(test, agreeing, part.weight) if agreeing > majority + EQUAL else None


def _level_surrogate(table: Table, part: NodeRows, child: Codes, column: int) -> Test:
    """Return the test that sends each level where most of its weight is; levels not present say nothing."""
    codes = table.codes(column)[part.rows]
    children = [UNKNOWN] * len(table.schema.columns[column].levels)
    for level in np.unique(codes).tolist():
        here = codes == level
        children[level] = heaviest([part.pick(here & (child == number)) for number in range(2)])
    return Test(column, children=tuple(children))


def _threshold_surrogate(table: Table, part: NodeRows, child: Codes, column: int) -> Test | None:
    """Return the threshold and direction of most agreement, the first of equals."""
    values = table.numbers(column)[part.rows]
    order = np.argsort(values, kind="stable")
    values = values[order]
    ends = np.flatnonzero(values[:-1] < values[1:])
    if not len(ends):
        return None
    weight = np.array([np.where(child[order] == number, part.weights[order], 0.0) for number in range(2)])
    low = weight.cumsum(axis=1)[:, ends]
    high = weight.sum(axis=1, keepdims=True) - low
    agreeing = np.stack([low[0] + high[1], low[1] + high[0]], axis=1)  # `<=` to child 0, then to child 1
    best = first_best(agreeing.ravel().tolist(), EQUAL)
    end = int(ends[best // 2])
    return Test(column, choose_threshold(float(values[end]), float(values[end + 1])), low=best % 2)

"""Surrogates: which other columns tell the side of a row whose tested value is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.data.decimals import halfway
from hedgerow.data.table import Codes, Table
from hedgerow.learn.trees.by_hand.growing import first_best, heaviest
from hedgerow.learn.trees.by_hand.plain import UNKNOWN, Split, Test, is_nominal
from hedgerow.learn.trees.by_hand.target import Part
from hedgerow.learn.trees.options import EQUAL

MOST_SURROGATES = 5


def with_surrogates(table: Table, part: Part, split: Split) -> Split:
    """Return a binary split with the tests of other columns that best agree with it.

    A surrogate must agree with the split on more weight than the rule "always the heavier child" does on the same
    rows. What no surrogate knows goes to the heavier child.
    """
    child = split.test.child(table, part.rows)
    known = child != UNKNOWN
    part, child = part.pick(known), child[known]
    found = [
        offer
        for column in table.schema.predictors
        if column != split.test.column and (offer := _surrogate(table, part, child, column)) is not None
    ]
    chosen: list[Test] = []
    while found and len(chosen) < MOST_SURROGATES:
        best = first_best([agreeing for agreeing, _ in found])
        chosen.append(found.pop(best)[1])
    heavy = heaviest([part.pick(child == number) for number in range(2)])
    return replace(split, missing=heavy, surrogates=tuple(chosen))


def _surrogate(table: Table, part: Part, child: Codes, column: int) -> tuple[float, Test] | None:
    """Return the test of a column that agrees best, and on how much weight; None if the majority does as well."""
    nominal = is_nominal(table.schema, column)
    known = table.codes(column)[part.rows] >= 0 if nominal else ~np.isnan(table.numbers(column)[part.rows])
    part, child = part.pick(known), child[known]
    test = _by_level(table, part, child, column) if nominal else _by_number(table, part, child, column)
    if test is None:
        return None
    agreeing = part.pick(test.child(table, part.rows) == child).weight
    majority = max(part.pick(child == number).weight for number in range(2))
    return (agreeing, test) if agreeing > majority + EQUAL else None


def _by_level(table: Table, part: Part, child: Codes, column: int) -> Test:
    """Return the test that sends each level where most of its weight is; levels not present say nothing."""
    codes = table.codes(column)[part.rows]
    children = [UNKNOWN] * len(table.schema.columns[column].levels)
    for level in np.unique(codes).tolist():
        here = codes == level
        children[level] = heaviest([part.pick(here & (child == number)) for number in range(2)])
    return Test(column, children=tuple(children))


def _by_number(table: Table, part: Part, child: Codes, column: int) -> Test | None:
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
    return Test(column, halfway(float(values[end]), float(values[end + 1])), low=best % 2)

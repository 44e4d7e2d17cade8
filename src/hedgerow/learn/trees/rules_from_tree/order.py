"""Putting chosen rules in order: classes by false positives, a default, and no rule that does not help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.learn.trees.options import EQUAL
from hedgerow.learn.trees.rules_from_tree.row_bits import RowCells


@dataclass(frozen=True, slots=True)
class PlacedClass:
    """A class put next: the weight of rows that its rules cover and earlier ones do not, and how much is of others."""

    decision: int
    covered_weight: float
    false_positives: float


@dataclass(frozen=True, slots=True)
class DroppedRule:
    """A rule, by position, without which the list makes no more errors in training, and the errors before and after."""

    rule: int
    before: float
    after: float


def class_order(cells: RowCells, decisions: Sequence[int]) -> list[PlacedClass]:
    """Return the classes that have rules in their order: next is the one with the fewest false positives.

    Only rows that no class before covers count. Of equals the class whose rules cover most comes first, then the first
    class.
    """
    codes = np.asarray(decisions, dtype=np.int64)
    left = np.ones(len(cells.weights), dtype=np.bool_)
    waiting = sorted(set(decisions))
    covered_by = {one: cells.covers[codes == one].any(axis=0) for one in waiting}
    order: list[PlacedClass] = []
    while waiting:
        offers = []
        for one in waiting:
            own = cells.weights[covered_by[one] & left]
            offers.append(PlacedClass(one, float(own.sum()), float(own.sum() - own[:, one].sum())))
        best = min(offers, key=lambda offer: (round(offer.false_positives, 9), -round(offer.covered_weight, 9)))
        order.append(best)
        left &= ~covered_by[best.decision]
        waiting.remove(best.decision)
    return order


def default_class(uncovered: Numbers, totals: Numbers) -> int:
    """Return the heaviest class among rows that no rule covers; of equals the heavier one of all rows, the first."""
    heaviest = uncovered >= uncovered.max() - EQUAL
    return int(np.argmax(np.where(heaviest, totals, -1.0)))


def drop_useless_rules(
    cells: RowCells, order: list[int], decisions: Sequence[int]
) -> tuple[list[int], list[DroppedRule]]:
    """Return the rules, in their order, less those without which the list makes no more errors in training.

    Each time the rule goes whose loss takes away the most errors, of equals the last; then the default is determined
    again.
    """
    order = list(order)
    dropped: list[DroppedRule] = []
    codes = np.asarray(decisions, dtype=np.int64)
    total, totals = cells.weights.sum(axis=1), cells.weights.sum(axis=0)
    every = np.arange(len(total))
    errors = list_errors(cells, order, decisions)
    while order:
        covers = cells.covers[order]
        first = np.where(covers.any(axis=0), covers.argmax(axis=0), len(order))
        default = default_class(cells.weights[first == len(order)].sum(axis=0), totals)
        classes = np.append(codes[order], default)
        covers[first[first < len(order)], every[first < len(order)]] = False
        second = np.where(covers.any(axis=0), covers.argmax(axis=0), len(order))
        more = cells.weights[every, classes[first]] - cells.weights[every, classes[second]]
        change = np.bincount(first, more, len(order) + 1)[:-1]
        best = float(change.min())
        if best > EQUAL * max(1.0, float(totals.sum())):
            break
        at = int(np.flatnonzero(change <= best + EQUAL)[-1])
        rule = order.pop(at)
        after = list_errors(cells, order, decisions)
        dropped.append(DroppedRule(rule, errors, after))
        errors = after
    return order, dropped


def list_errors(cells: RowCells, order: Sequence[int], decisions: Sequence[int]) -> float:
    """Return the weight that the list with its default decides wrongly."""
    first = cells.deciders(order)
    totals = cells.weights.sum(axis=0)
    default = default_class(cells.weights[first == len(order)].sum(axis=0), totals)
    classes = np.append(np.asarray(decisions, dtype=np.int64)[np.asarray(order, dtype=np.int64)], default)
    right = cells.weights[np.arange(len(first)), classes[first]].sum()
    return float(totals.sum() - right)

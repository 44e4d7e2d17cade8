"""Thresholds of a class: its recall and precision if rows are given to it from a probability on (M305).

A row is given to the class if its probability of it is at least the threshold, otherwise to the most probable of the
other classes; the probabilities stay, and with them every curve and area. Thresholds are chosen among short decimals on
the very predictions that their figures are of, which makes these a little optimistic. Rows count by their weight, and
those without a prediction are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics.costs import mean_cost
from hedgerow.evaluate.metrics.measures import class_weights, confusion, need_classes, ratio
from hedgerow.evaluate.metrics.ranking import rank_rows
from hedgerow.evaluate.metrics.score_order import RankedRows
from hedgerow.evaluate.results import Results
from hedgerow.models.base.costs import cost_matrix
from hedgerow.models.base.decisions import TIE, Thresholds

MOST_DIGITS = 6  # significant ones of a threshold
RARE = 0.4  # a class is rare below this part of an even share: below 20 % of two classes


@dataclass(frozen=True)
class OperatingPoint:
    """What a decision does for a class: how many of its rows it finds, and how many of those it predicts are right.

    Parameters
    ----------
    threshold
        The probability from which on a row is given to the class; None for the decisions of the results themselves.
    recall, precision, f1
        Measures of the class; NaN where they are not defined.
    predicted
        The share of all rows that are given to the class.
    cost
        The mean cost per row; NaN if there are no costs.
    """

    threshold: float | None
    recall: float
    precision: float
    f1: float
    predicted: float
    cost: float = math.nan


def by_thresholds(results: Results, thresholds: Mapping[str, float]) -> Results:
    """Return the same results with classes decided by thresholds; rows without a prediction stay so."""
    need_classes(results)
    rule = Thresholds.of(thresholds, results.labels)
    said = np.where(results.has_answer, rule.decide(results.predicted), -1).astype(np.int32)
    return replace(results, said=said, decided_by=str(rule))


def point_as_decided(results: Results, label: str, costs: Any = None) -> OperatingPoint:
    """Return the operating point of the decisions of the results themselves."""
    code = results.code(label)
    table = confusion(results)
    cost = math.nan if costs is None else mean_cost(results, costs)
    predicted, total = float(table[:, code].sum()), float(table.sum())
    return _point(None, float(table[code, code]), predicted, float(table[code].sum()), total, cost)


def point_at(results: Results, label: str, threshold: float, costs: Any = None) -> OperatingPoint:
    """Return the operating point of a threshold."""
    curve = rank_rows(results.answered, label)
    at = int(np.searchsorted(-curve.threshold, -threshold * (1 - TIE), side="right")) - 1
    cost = math.nan if costs is None else mean_cost(by_thresholds(results, {label: threshold}), costs)
    found, predicted = float(curve.tp[at]), float(curve.total_weight[at])
    return _point(threshold, found, predicted, float(curve.tp[-1]), float(curve.total_weight[-1]), cost)


def threshold_for_recall(results: Results, label: str, recall: float) -> float | None:
    """Return the highest threshold with at least this recall; None if no threshold above 0 has it."""
    curve = rank_rows(results.answered, label)
    reached = curve.tp >= _share(recall, "recall") * curve.tp[-1] * (1 - TIE)
    return _short_threshold(curve, int(np.argmax(reached)))


def threshold_for_precision(results: Results, label: str, precision: float) -> float | None:
    """Return the threshold of the highest recall with at least this precision; None if there is none."""
    curve = rank_rows(results.answered, label)
    reached = curve.tp >= _share(precision, "precision") * curve.total_weight * (1 - TIE)
    return _short_threshold(curve, int(np.argmax(np.where(reached, curve.tp, -1.0))))


def threshold_of_best_f1(results: Results, label: str) -> float | None:
    """Return the threshold of the highest F1, of several the highest; None if no row of the class is found."""
    curve = rank_rows(results.answered, label)
    return _short_threshold(curve, _first_largest(ratio(2 * curve.tp, curve.total_weight + curve.tp[-1])))


def threshold_of_least_cost(results: Results, label: str, costs: Any) -> float | None:
    """Return the threshold of the least mean cost of two classes, of several the highest; None if it predicts none."""
    if len(results.labels) != 2:
        raise UsageError("a threshold of least cost is defined for two classes; by_expected_cost decides among several")
    matrix = cost_matrix(costs, results.labels)
    assert matrix is not None
    code = results.code(label)
    curve = rank_rows(results.answered, label)
    return _short_threshold(
        curve, _first_largest(-curve.fn * matrix[code, 1 - code] - curve.fp * matrix[1 - code, code])
    )


def rare_classes(results: Results, least: float = 10.0) -> list[str]:
    """Return the classes with less than 0.4 of an even share of the rows (below 20 % of two classes), rarest first.

    Classes of a smaller weight than `least` are left out: hardly anything is known about them.
    """
    weights = class_weights(results) / max(results.n_runs, 1)
    present = np.flatnonzero(weights > 0)
    limit = RARE * weights.sum() / max(len(present), 1)
    rare = present[(weights[present] < limit) & (weights[present] >= least)]
    return [results.labels[code] for code in rare[np.argsort(weights[rare], kind="stable")].tolist()]


def _point(
    threshold: float | None, found: float, predicted: float, actual: float, total: float, cost: float
) -> OperatingPoint:
    f1 = float(ratio(2 * found, actual + predicted))
    recall, precision = float(ratio(found, actual)), float(ratio(found, predicted))
    return OperatingPoint(threshold, recall, precision, f1, float(ratio(predicted, total)), cost)


def _first_largest(values: Numbers) -> int:
    known = np.nan_to_num(values, nan=-np.inf)
    most = known.max()
    return int(np.argmax(known >= most - TIE * abs(most)))


def _short_threshold(curve: RankedRows, at: int) -> float | None:
    """Return the shortest decimal that takes the same rows as a point of a curve; None if it takes none, or all at 0.

    Where neighboring scores differ by less than the sixth digit, it is rounded down to that, and takes a few rows more.
    """
    score = min(float(curve.threshold[at]), 1.0)
    if at == 0 or not score > 0:
        return None
    below = float(curve.threshold[at + 1]) if at + 1 < len(curve.threshold) else 0.0
    shorter = (_round_down(score, digits) for digits in range(1, MOST_DIGITS + 1))
    return next((value for value in shorter if value * (1 - TIE) > below), _round_down(score, MOST_DIGITS))


def _round_down(value: float, digits: int) -> float:
    """Return the largest decimal of so many significant digits that is at most `value`."""
    return float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(value)))


def _share(value: Any, what: str) -> float:
    known = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not known or not 0 < value <= 1:
        raise UsageError(f"a wanted {what} must be a number above 0 and at most 1, not {value!r}")
    return float(value)

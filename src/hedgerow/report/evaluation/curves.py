"""The curves of a test as plain points, simplified so that they can be stored and drawn without a visible difference.

Rows of equal score are processed together, so that curves do not depend on the order of rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.evaluate.metrics.abstaining import coverage
from hedgerow.evaluate.metrics.calibration import Calibration, calibration
from hedgerow.evaluate.metrics.lift import Lift, lift
from hedgerow.evaluate.metrics.measures import class_weights, ratio
from hedgerow.evaluate.metrics.ranking import precision_recall, roc
from hedgerow.evaluate.metrics.regression import differences
from hedgerow.evaluate.metrics.score_order import RankedRows
from hedgerow.evaluate.results import Results
from hedgerow.report.schema import CalibrationPart, ClassCurves, CurvesPart, LiftPart, Points

C = TypeVar("C", bound=RankedRows)

MOST_CLASSES = 7  # as many as there are colors
BINS = 10
CLOSE = 0.0008  # how far a drawn line may be from the true one, as a share of the axes
MOST_POINTS = 250
MOST_DOTS = 1000  # of numbers: predicted against actual


def curves(results: Results, label: str | None = None) -> CurvesPart:
    """Return the curves of a test.

    For classification they are those of the class `label` or, by default, of the rarer one of two classes or of the
    seven largest of more. For regression they are predicted and actual numbers, and the distribution of the errors.
    """
    if not results.has_classes:
        return _numbers(results)
    results = results.answered
    codes = [results.code(label)] if label is not None else shown_classes(results)
    return {"classes": [_class_curves(results, code) for code in codes], "coverage": _coverage(results)}


def shown_classes(results: Results) -> list[int]:
    """Return the codes of the classes whose curves are shown: the rarer one of two, else the largest, in order."""
    weights = class_weights(results)
    present = np.flatnonzero(weights > 0)
    if len(results.labels) == 2 and len(present) == 2:
        return [int(weights[0] > weights[1])] if weights[0] != weights[1] else [1]
    heaviest = present[np.argsort(-weights[present], kind="stable")][:MOST_CLASSES]
    return sorted(heaviest.tolist())


def _class_curves(results: Results, code: int) -> ClassCurves:
    label = results.labels[code]
    curve, ranks = roc(results, label), precision_recall(results, label)
    if results.only_priors:  # ranks nothing, though its scores differ from fold to fold
        curve, ranks = _ends(curve), _ends(ranks)
    recall, precision = ranks.recall, ranks.precision[1:]
    return {
        "label": label,
        "code": code,
        "share": float(ratio(curve.tp[-1], curve.total_weight[-1])),
        "area": curve.area,
        "average_precision": ranks.area,
        "roc": points(curve.fpr, curve.tpr),
        "precision_recall": points(np.repeat(recall, 2)[1:-1], np.repeat(precision, 2)),
        "gains": points(ratio(curve.total_weight, curve.total_weight[-1]), recall),
        "lift": _lift(lift(results, label, BINS)),
        "calibration": _calibration(calibration(results, label, BINS)),
    }


def _ends(curve: C) -> C:
    return replace(curve, threshold=curve.threshold[[0, -1]], tp=curve.tp[[0, -1]], fp=curve.fp[[0, -1]])


def _lift(found: Lift) -> list[LiftPart]:
    """Return ten equal parts of the rows, most probable first, with the number of positive rows in each."""
    columns = {
        "weight": found.weight,
        "positives": found.positives,
        "rate": found.rate,
        "lift": found.lift,
        "found": found.gains,
        "cumulative_lift": found.cumulative_lift,
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [
        cast("LiftPart", {"part": part, **dict(zip(columns, row, strict=True))}) for part, row in enumerate(values, 1)
    ]


def _calibration(found: Calibration) -> list[CalibrationPart]:
    """Return the mean predicted probability and the observed frequency for each non-empty range of probability."""
    edges, given = found.edges.tolist(), found.mean_probability.tolist()
    return [
        {
            "low": edges[part],
            "high": edges[part + 1],
            "weight": weight,
            "probability": given[part],
            "rate": rate.value,
            "rate_low": rate.low,
            "rate_high": rate.high,
        }
        for part, (weight, rate) in enumerate(zip(found.weight.tolist(), found.observed, strict=True))
        if weight > 0
    ]


def _coverage(results: Results) -> Points | None:
    """Return the accuracy if the least confident predictions are omitted: x the share predicted, y the accuracy.

    The curve begins at a twentieth of the rows, since it is mostly random before that.
    """
    if not len(results) or results.only_priors:
        return None
    found = coverage(results)
    enough = found.share >= 0.05
    return points(found.share[enough], found.accuracy[enough])


def _numbers(results: Results) -> CurvesPart:
    """Return a sample of predicted and actual numbers, and a histogram of the errors, whose mean is the bias."""
    apart = differences(results)
    step = max(len(results) // MOST_DOTS, 1)
    kept = np.argsort(results.actual, kind="stable")[::step]
    low, high = (float(end) for end in (apart.min(), apart.max())) if len(apart) else (0.0, 0.0)
    reach = max(abs(low), abs(high)) or 1.0
    counts, _ = np.histogram(apart, bins=21, range=(-reach, reach), weights=results.weight)
    return {
        "classes": [],
        "coverage": None,
        "numbers": {"predicted": results.predicted[kept].tolist(), "actual": results.actual[kept].tolist()},
        "errors": {"low": -reach, "high": reach, "counts": counts.tolist()},
    }


def points(x: Numbers, y: Numbers) -> Points:
    """Return a line as lists of x and y, without redundant points."""
    kept = thin_points(x, y)
    return {"x": [round(value, 5) for value in x[kept].tolist()], "y": [round(value, 5) for value in y[kept].tolist()]}


def thin_points(x: Numbers, y: Numbers, close: float = CLOSE, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Return the positions of points that draw the same line: no other point is further than `close` from it.

    Both axes must run from about 0 to 1. Douglas and Peucker (1973); the distance grows until few enough are left.
    """
    places = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(places) > 2:  # runs of points within half the distance first: what is left is quick to do
        cell = np.round(np.column_stack([x[places], y[places]]) * (2 / close)).astype(np.int64)
        turn = np.any(np.diff(cell, axis=0) != 0, axis=1)
        places = places[np.append(True, turn) | np.append(turn, True)]
    kept = places
    while len(places) > 2:
        kept = places[_peaks(x[places], y[places], close)]
        if len(kept) <= most:
            break
        close *= 1.5
    return kept


def _peaks(x: Numbers, y: Numbers, close: float) -> NDArray[np.bool_]:
    keep = np.zeros(len(x), dtype=np.bool_)
    keep[[0, -1]] = True
    open_parts = [(0, len(x) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        inner = slice(first + 1, last)
        dx, dy = x[last] - x[first], y[last] - y[first]
        ahead, up = x[inner] - x[first], y[inner] - y[first]
        along = np.clip((dx * ahead + dy * up) / max(dx * dx + dy * dy, 1e-300), 0, 1)  # the nearest point between
        away = np.hypot(ahead - along * dx, up - along * dy)
        peak = int(away.argmax())
        if away[peak] > close:
            keep[first + 1 + peak] = True
            open_parts += [(first, first + 1 + peak), (first + 1 + peak, last)]
    return keep

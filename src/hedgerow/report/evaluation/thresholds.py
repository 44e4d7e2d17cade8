"""The part of the report on a test about rare classes: what the decisions do for them, and thresholds for others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import thresholds as t
from hedgerow.evaluate.metrics.costs import by_expected_cost
from hedgerow.evaluate.metrics.measures import confusion
from hedgerow.evaluate.metrics.thresholds import OperatingPoint
from hedgerow.evaluate.results import Results
from hedgerow.layout.numbers import format_short
from hedgerow.models.base.condition import nearest
from hedgerow.report.schema import ThresholdClass, ThresholdPoint, ThresholdsPart

MOST_CLASSES = 3
USEFUL = 1.1  # how often as many rows of a class must be among those predicted as among all, to offer a threshold
RECALLS, PRECISIONS = (0.8, 0.95), (0.5, 0.8)  # offered if the decisions as they are do not reach them


@dataclass(frozen=True)
class WantedThresholds:
    """The recall and precision by class that thresholds are wanted for, the costs, and further classes to tell of."""

    recall: Mapping[str, float] = field(default_factory=dict)
    precision: Mapping[str, float] = field(default_factory=dict)
    costs: Any = None
    labels: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that are named."""
        return tuple(dict.fromkeys((*self.recall, *self.precision, *self.labels)))

    def check(self, target: str, labels: tuple[str, ...]) -> None:
        """Raise an error for classes that there are not."""
        for label in self.classes:
            if not labels:
                raise UsageError(f"{target!r} is a number, so there are no classes to choose thresholds for")
            if label not in labels:
                raise UsageError(
                    f"there is no class {label!r} to choose a threshold for; {nearest(label, labels, 'classes')}"
                )


def thresholds_part(results: Results, wanted: WantedThresholds | None = None) -> ThresholdsPart | None:
    """Return what the decisions do for rare classes, and thresholds to choose from; None without a rare class.

    Classes that are wanted are told of, too, as is the rarer of two classes if there are costs.
    """
    wanted = wanted or WantedThresholds()
    wanted.check(results.target, results.labels)
    labels = list(wanted.classes)
    labels += [label for label in t.rare_classes(results)[: max(MOST_CLASSES - len(labels), 0)] if label not in labels]
    if not labels and wanted.costs is not None and len(results.labels) == 2:
        weights = confusion(results).sum(axis=1)
        labels = [results.labels[int(weights[0] > weights[1])]]
    if not labels or not results.answered.weight.sum():
        return None
    return {
        "decided_by": results.decided_by,
        "costs": wanted.costs is not None,
        "classes": [_class(results, label, wanted, len(labels) > 1) for label in labels],
    }


def _class(results: Results, label: str, wanted: WantedThresholds, is_brief: bool) -> ThresholdClass:
    """Return what is told of a class; with several classes, costs or wanted thresholds only some thresholds."""
    code, table, runs = results.code(label), confusion(results), max(results.n_runs, 1)
    made: ThresholdClass = {
        "label": label,
        "weight": float(table[code].sum()) / runs,
        "share": float(table[code].sum() / table.sum()),
        "found": float(table[code, code]) / runs,
        "predicted": float(table[:, code].sum()) / runs,
        "ranked": not results.answered.only_priors,
        "points": [_point("as_decided", None, t.point_as_decided(results, label, wanted.costs))],
    }
    if not made["ranked"]:
        return made
    made["points"] += _wanted_points(results, label, wanted)
    is_brief = is_brief or wanted.costs is not None or len(made["points"]) > 1
    for point in _offered(results, label, wanted.costs, made["points"][0], made["share"], is_brief):
        if point["precision"] > USEFUL * made["share"] and not any(_is_same(point, one) for one in made["points"]):
            made["points"].append(point)
    made["points"][1:] = sorted(made["points"][1:], key=_falling)
    return made


def _wanted_points(results: Results, label: str, wanted: WantedThresholds) -> list[ThresholdPoint]:
    points = []
    for name, targets, find in (
        ("recall", wanted.recall, t.threshold_for_recall),
        ("precision", wanted.precision, t.threshold_for_precision),
    ):
        if label in targets:
            threshold = find(results, label, targets[label])
            point = None if threshold is None else t.point_at(results, label, threshold, wanted.costs)
            points.append(_point(name, targets[label], point, wanted=True))
    return points


def _offered(
    results: Results, label: str, costs: Any, decided: ThresholdPoint, share: float, is_brief: bool
) -> list[ThresholdPoint]:
    """Return the points that are offered without being wanted."""

    def at(name: str, threshold: float | None, target: float | None = None) -> list[ThresholdPoint]:
        return [] if threshold is None else [_point(name, target, t.point_at(results, label, threshold, costs))]

    points: list[ThresholdPoint] = []
    if costs is not None:
        by_costs = t.point_as_decided(by_expected_cost(results.answered, costs), label, costs)
        points.append(_point("expected_cost", None, by_costs))
        if len(results.labels) == 2:
            points += at("least_cost", t.threshold_of_least_cost(results, label, costs))
    points += at("best_f1", t.threshold_of_best_f1(results, label))
    if is_brief:
        return points
    points += at("share", float(format_short(share, 2)))
    for recall in RECALLS:
        if not decided["recall"] >= recall:
            points += at("recall", t.threshold_for_recall(results, label, recall), recall)
    for precision in PRECISIONS:
        if not decided["precision"] >= precision:
            points += at("precision", t.threshold_for_precision(results, label, precision), precision)
    return points


def _point(name: str, target: float | None, point: OperatingPoint | None, wanted: bool = False) -> ThresholdPoint:
    """Return a point as plain values; without one, nothing reaches the target."""
    point = point or OperatingPoint(None, *[math.nan] * 4)
    return {
        "name": name,
        "target": target,
        "wanted": wanted,
        "threshold": point.threshold,
        "recall": point.recall,
        "precision": point.precision,
        "f1": point.f1,
        "predicted": point.predicted,
        "mean_cost": point.cost,
    }


def _is_same(one: ThresholdPoint, other: ThresholdPoint) -> bool:
    """Return whether two points give the same rows to the class."""
    return one["predicted"] == other["predicted"] and one["recall"] == other["recall"]


def _falling(point: ThresholdPoint) -> tuple[bool, float]:
    """Return a key by which points that predict few rows come first, and those that are not reached last."""
    return math.isnan(point["predicted"]), point["predicted"]

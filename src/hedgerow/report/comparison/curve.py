"""The report on a curve over training sizes or a parameter."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from hedgerow.evaluate.learning_curve import Curve
from hedgerow.report.evaluation.build import brief_title
from hedgerow.report.schema import CurveReport, PointReport


def curve_report(curve: Curve) -> CurveReport:
    """Return the points of a curve and how they were computed."""
    points = [
        cast("PointReport", {**asdict(point), "label": label})
        for point, label in zip(curve.points, curve.labels, strict=True)
    ]
    return {
        "report": "curve",
        "version": 1,
        "learner": curve.learner,
        "target": curve.target,
        "over": curve.over,
        "measure": curve.measure,
        "title": brief_title(curve.measure),
        "method": curve.method,
        "seed": curve.seed,
        "points": points,
        "best": curve.points.index(curve.best),
        "notes": list(curve.notes),
    }

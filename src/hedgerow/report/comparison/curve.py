"""The report on a curve over training sizes or a parameter, and its text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hedgerow.evaluate.learning_curve import Curve
from hedgerow.layout.numbers import format_digits, format_fixed, format_short
from hedgerow.layout.terminal import clean_text
from hedgerow.layout.text_table import align_columns
from hedgerow.layout.wrapping import wrap_text
from hedgerow.report.evaluation.build import brief_title


def curve_report(curve: Curve) -> dict[str, Any]:
    """Return the points of a curve and how they came about."""
    points = [{**asdict(point), "label": label} for point, label in zip(curve.points, curve.labels, strict=True)]
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


def curve_lines(report: Mapping[str, Any], columns: int) -> list[str]:
    """Return a line a point: the measure on test rows with its interval, and on the rows learned from."""
    by_rows = report["over"] == "rows"
    kind = "learning curve" if by_rows else f"curve over {report['over']}"
    title = f"{report['learner']} for {clean_text(report['target'])}: {kind}, {report['method']}, seed {report['seed']}"
    points = report["points"]
    draw = format_fixed if all(0 <= abs(point["test"]["value"]) <= 1 for point in points) else format_digits
    rows = [[report["over"], report["title"], "95 %", "on training rows", "model size", "learned in"]]
    for number, point in enumerate(points):
        test = point["test"]
        ends = "" if math.isnan(test["low"]) else f"{draw(test['low'], 3)}-{draw(test['high'], 3)}"
        mark = "*" if number == report["best"] and len(points) > 1 else ""
        size = "" if math.isnan(point["size"]) else format_short(point["size"])
        seconds = f"{1e3 * point['seconds']:.3g} ms"
        rows.append([point["label"], draw(test["value"], 4) + mark, ends, draw(point["training"], 4), size, seconds])
    # The mark stands behind its number: the others make room for it.
    rows = [[row[0], row[1] if row[1].endswith("*") else f"{row[1]} ", *row[2:]] for row in rows]
    if all(not row[4] for row in rows[1:]):
        rows = [[*row[:4], row[5]] for row in rows]
    lines = align_columns(rows, "rrlrrr"[: len(rows[0])])
    told = [] if len(points) < 2 else ["", *wrap_text(_best(report), columns)]
    return [*wrap_text(title, columns), "", *lines, *told]


def _best(report: Mapping[str, Any]) -> str:
    text = "* best on the test rows"
    if report["over"] == "rows":
        return text
    return f"{text}, and chosen by them: `tune` chooses without them and tests the choice"

"""Plain values and charts of learning curves, parameter curves and learner comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from hedgerow.report.draw.charts import Series, line_chart
from hedgerow.report.draw.dots import Dot, dots_chart
from hedgerow.report.draw.scale import Axis, axis_for, number, percent
from hedgerow.report.draw.svg import Svg
from hedgerow.report.schema import (
    ComparedCell,
    ComparisonReport,
    CurveReport,
    CurveValues,
    PlainComparison,
    PlainCurve,
    PlainLearner,
    PlainSet,
)

FAR_APART = 30.0  # the largest by the smallest place from which on an axis is logarithmic


def learning_values(report: CurveReport | PlainCurve) -> CurveValues:
    """Return a curve as plain values: `title`, `x`, `x_title`, `y_title`, `series`, and `names` if places have such.

    `report` is a "curve" report or such values already: `x`, and `series` of `name`, `y` and maybe `low` and `high`.
    """
    if "points" in report:
        return _values(cast("CurveReport", report))
    plain = {"title": "Learning curve", "x_title": "training rows", "y_title": "error rate", "names": ()}
    return cast("CurveValues", {**plain, **report})


def _values(report: CurveReport) -> CurveValues:
    points, by_rows = report["points"], report["over"] == "rows"
    places = [point["rows"] if by_rows else point["at"] for point in points]
    names: Sequence[str] = ()
    if not all(isinstance(place, int | float) and not isinstance(place, bool) for place in places):
        names, places = [str(point["label"]) for point in points], list(range(len(points)))
    test = [point["test"] for point in points]
    low, high = [one["low"] for one in test], [one["high"] for one in test]
    return {
        "title": "Learning curve" if by_rows else f"Curve over {report['over']}",
        "x": places,
        "x_title": "training rows" if by_rows else report["over"],
        "y_title": report["title"],
        "names": names,
        "series": [
            {"name": "test rows", "y": [one["value"] for one in test], "low": low, "high": high},
            {"name": "training rows", "y": [point["training"] for point in points]},
        ],
    }


def learning_chart(report: CurveReport | PlainCurve) -> Svg:
    """Return the picture of a learning curve, or of a curve over a parameter; bands are 95 % intervals."""
    plain = learning_values(report)
    series = [
        Series(one["name"], plain["x"], one["y"], one.get("low", ()), one.get("high", ()), place, "linked")
        for place, one in enumerate(plain["series"])
    ]
    seen = [value for one in series for value in one.values if math.isfinite(value)]
    label = percent if all(0 <= value <= 1 for value in seen) else number
    y = axis_for(plain["y_title"], seen, label, zero=True)
    return line_chart(plain["title"], series, _places(plain), y)


def _places(plain: CurveValues) -> Axis:
    names, x = plain["names"], [float(place) for place in plain["x"]]
    if names:
        return Axis(plain["x_title"], -0.5, len(names) - 0.5, lambda place: _name(names, place))
    least = min((place for place in x if place > 0), default=0.0)
    is_far = len(x) > 1 and min(x) > 0 and max(x) / least > FAR_APART
    return axis_for(plain["x_title"], x, log=is_far)


def _name(names: Sequence[str], place: float) -> str:
    return names[int(place)] if place.is_integer() and 0 <= place < len(names) else ""


def comparison_values(report: ComparisonReport | PlainComparison) -> list[PlainSet]:
    """Return the `name` and the `learners` of every data set, each with `name`, `value`, `low`, `high` and `mark`.

    `report` is a "comparison" report or has `learners` of one set already.
    """
    if "sets" in report:
        sets = cast("ComparisonReport", report)["sets"]
        return [{"name": one["name"], "learners": list(map(_learner, one["cells"]))} for one in sets]
    return [{"name": report.get("set", ""), "learners": report["learners"]}]


def _learner(cell: ComparedCell) -> PlainLearner:
    found = cell["value"]
    ends = {"value": found["value"], "low": found["low"], "high": found["high"]}
    return cast("PlainLearner", {"name": cell["learner"], "mark": _mark(cell), **ends})


def _mark(cell: ComparedCell) -> str:
    if cell.get("failure"):
        return "failed"
    return {"v": "better", "*": "worse"}.get(str(cell["mark"]).strip(), "")


def comparison_charts(report: ComparisonReport | PlainComparison) -> list[Svg]:
    """Return one picture per data set: learners with 95 % intervals, the base marked."""
    measure = report.get("title") or report.get("measure") or "error rate"
    charts = []
    for one in comparison_values(report):
        dots = [
            Dot(
                cell["name"], cell["value"], cell.get("low", math.nan), cell.get("high", math.nan), cell.get("mark", "")
            )
            for cell in one["learners"]
        ]
        seen = [value for dot in dots for value in (dot.value, dot.low, dot.high) if math.isfinite(value)]
        label = percent if all(0 <= value <= 1 for value in seen) else number
        title = one["name"] or f"Learners by {measure}"
        charts.append(dots_chart(title, dots, axis=measure, label=label, base=report.get("base")))
    return charts

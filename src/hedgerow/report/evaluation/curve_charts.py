"""The charts of an evaluation, drawn from the plain values of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from hedgerow.errors import UsageError
from hedgerow.layout.numbers import format_fixed, format_share, format_weight
from hedgerow.report.draw.charts import Series, line_chart
from hedgerow.report.draw.scale import Axis, axis_for, percent, share_axis
from hedgerow.report.draw.svg import GRAY_HUE, Svg
from hedgerow.report.schema import CalibrationPart, ClassCurves, CurvesPart

Line = Literal["roc", "precision_recall", "gains"]
Area = Literal["area", "average_precision"]
CHANCE = Series("", (0, 1), (0, 1), look="dashed")


def hue_of(curves: CurvesPart, code: int) -> int:
    """Return the color of a class: its position, if there are few classes, else that among those shown."""
    codes = [one["code"] for one in curves["classes"]]
    return code if max(codes) < GRAY_HUE else codes.index(code)


def roc_chart(curves: CurvesPart) -> Svg:
    """Return the ROC curve of every class that has curves; the area is in the legend."""
    lines = _lines(curves, "roc", "area", "area")
    x, y = share_axis("false positive rate"), share_axis("true positive rate")
    return line_chart(
        _title("ROC", curves), lines, x, y, guides=[CHANCE], about=_describe_curves(curves, "area", "area")
    )


def precision_recall_chart(curves: CurvesPart) -> Svg:
    """Return the precision by recall; the dashed line is the share of the class, as for random predictions."""
    lines = _lines(curves, "precision_recall", "average_precision", "average")
    guides = [Series("", (0, 1), (one["share"],) * 2, look="dashed") for one in curves["classes"][:1]]
    guides = guides if len(curves["classes"]) == 1 else []
    x, y = share_axis("recall"), share_axis("precision")
    about = _describe_curves(curves, "average_precision", "average precision")
    return line_chart(_title("Precision and recall", curves), lines, x, y, guides=guides, about=about)


def gains_chart(curves: CurvesPart) -> Svg:
    """Return the share of a class that is found by the share of rows selected, most probable first."""
    lines = [_line(curves, one, "gains", one["label"]) for one in curves["classes"]]
    x, y = share_axis("share of rows selected"), share_axis("share of the class found")
    told = [
        f"{one['label']}: the first 10% of the rows contain {format_share(one['lift'][0]['found'])} of the class"
        for one in curves["classes"]
        if one["lift"]
    ]
    return line_chart(_title("Gains", curves), lines, x, y, guides=[CHANCE], about="\n".join(told))


def lift_chart(curves: CurvesPart) -> Svg:
    """Return the lift of the first rows compared with random selection."""
    series = [
        Series(
            one["label"],
            [part["part"] / len(one["lift"]) for part in one["lift"]],
            [part["cumulative_lift"] for part in one["lift"]],
            hue=hue_of(curves, one["code"]),
            look="linked",
            notes=[
                f"first {part['part'] * 10}%: {format_fixed(part['cumulative_lift'], 2)} times" for part in one["lift"]
            ],
        )
        for one in curves["classes"]
    ]
    y = axis_for("lift compared with random selection", [1, *(value for one in series for value in one.y)], zero=True)
    guides = [Series("", (0, 1), (1, 1), look="dashed")]
    return line_chart(_title("Lift", curves), series, share_axis("share of rows selected"), y, guides=guides)


def calibration_chart(curves: CurvesPart) -> Svg:
    """Return the observed frequency by predicted probability; a single class has 95 % intervals."""
    alone = len(curves["classes"]) == 1
    series = [
        Series(
            one["label"],
            [part["probability"] for part in one["calibration"]],
            [part["rate"] for part in one["calibration"]],
            [part["rate_low"] for part in one["calibration"]] if alone else (),
            [part["rate_high"] for part in one["calibration"]] if alone else (),
            hue=hue_of(curves, one["code"]),
            look="dots" if alone else "linked",
            notes=[_calibration_note(part) for part in one["calibration"]],
            sizes=_sizes(one["calibration"]) if alone else (),
        )
        for one in curves["classes"]
    ]
    x, y = share_axis("predicted probability"), share_axis("observed frequency")
    return line_chart(_title("Calibration", curves), series, x, y, guides=[CHANCE])


def coverage_chart(curves: CurvesPart) -> Svg:
    """Return the accuracy if the least confident predictions are omitted."""
    points = curves["coverage"] or {"x": [], "y": []}
    line = Series("", points["x"], points["y"])
    y = axis_for("accuracy of the predicted rows", [1.0, *points["y"]], percent)
    x = share_axis("share of rows predicted")
    return line_chart("Accuracy when abstaining", [line], x, Axis(y.title, max(y.low, 0), min(y.high, 1), percent))


def numbers_chart(curves: CurvesPart) -> Svg:
    """Return the predicted by the actual numbers."""
    found = curves["numbers"]
    both = axis_for("", [*found["predicted"], *found["actual"]])
    x, y = (Axis(title, both.low, both.high) for title in ("predicted", "actual"))
    diagonal = Series("", (both.low, both.high), (both.low, both.high), look="dashed")
    dots = Series("", found["predicted"], found["actual"], look="dots", sizes=[0.0] * len(found["actual"]))
    return line_chart("Predicted and actual", [dots], x, y, guides=[diagonal])


CHARTS: dict[str, Callable[[CurvesPart], Svg]] = {
    "roc": roc_chart,
    "precision-recall": precision_recall_chart,
    "gains": gains_chart,
    "lift": lift_chart,
    "calibration": calibration_chart,
    "coverage": coverage_chart,
    "numbers": numbers_chart,
}


def curve_chart(curves: CurvesPart, name: str) -> Svg:
    """Return the chart `name` of the curves of a test."""
    if name not in CHARTS:
        raise UsageError(f"there is no curve {name!r}; the curves are {', '.join(CHARTS)}")
    if (name == "numbers") != ("numbers" in curves):
        kind = "numbers" if "numbers" in curves else "classes"
        other = "numbers" if kind == "numbers" else "roc"
        raise UsageError(f"there is no curve {name!r} of predicted {kind}; {other!r} is one")
    return CHARTS[name](curves)


def _lines(curves: CurvesPart, key: Line, area: Area, word: str) -> list[Series]:
    alone = len(curves["classes"]) == 1
    return [
        _line(
            curves, one, key, f"{one['label']}: {word} {format_fixed(one[area], 3)}" if alone else _area_text(one, area)
        )
        for one in curves["classes"]
    ]


def _area_text(one: ClassCurves, area: Area) -> str:
    return f"{one['label']} {format_fixed(one[area], 3)}"


def _line(curves: CurvesPart, one: ClassCurves, key: Line, name: str) -> Series:
    return Series(name, one[key]["x"], one[key]["y"], hue=hue_of(curves, one["code"]))


def _title(what: str, curves: CurvesPart) -> str:
    return what if curves["classes"] else f"{what}: no class to draw"


def _describe_curves(curves: CurvesPart, key: Area, word: str) -> str:
    return "\n".join(f"{one['label']}: {word} {format_fixed(one[key], 3)}" for one in curves["classes"])


def _sizes(parts: Sequence[CalibrationPart]) -> list[float]:
    most = max((part["weight"] for part in parts), default=1.0)
    return [part["weight"] / most for part in parts]


def _calibration_note(part: CalibrationPart) -> str:
    given, rate, low, high = map(format_share, (part["probability"], part["rate"], part["rate_low"], part["rate_high"]))
    return f"predicted {given}, observed {rate} ({low} to {high}), {format_weight(part['weight'])} rows"

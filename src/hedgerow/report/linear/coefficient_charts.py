"""Coefficients as pictures: dots with their intervals on a common axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hedgerow.layout.numbers import format_count, format_short
from hedgerow.models.base.model import Model
from hedgerow.report import blocks as b
from hedgerow.report.draw.charts import DASHED, dot
from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.scale import axis_for, number
from hedgerow.report.draw.svg import Svg, document, name_ids, num, path, stack_pictures, text
from hedgerow.report.linear.coefficients import coefficients_part
from hedgerow.report.schema import CoefficientGroup, CoefficientRow, CoefficientsPart

ROW, NAME, MOST_NAME, WIDTH = 24.0, 12.5, 220.0, 680.0
TOP = 36.0
AXIS = "coefficient; for numeric columns, multiplied by the standard deviation"


def coefficients_block(part: CoefficientsPart) -> b.Details:
    """Return pictures of the coefficients, one per function, and how to read them."""
    hidden = max((group["hidden"] for group in part["groups"]), default=0)
    more = [f"{format_count(hidden)} smaller coefficients are not shown."] if hidden else []
    if part["hidden_functions"]:
        what = part.get("functions", "classes")
        more.append(f"{format_count(part['hidden_functions'])} more {what} have their own coefficients.")
    charts = tuple(b.Chart(picture, "", "fit") for picture in coefficient_charts(part))
    return b.Details("", (b.Paragraph((part["reading"], *more), soft=True), b.Charts(charts)))


def coefficients_svg(model: Model) -> Svg | None:
    """Return pictures of the coefficients of a model; None if it has none."""
    part = coefficients_part(model)
    if not part:
        return None
    return stack_pictures("Coefficients", coefficient_charts(part["coefficients"]))


def coefficient_charts(part: CoefficientsPart) -> list[Svg]:
    """Return one picture per function, all with the same axis."""
    values = [row[key] for group in part["groups"] for row in group["rows"] for key in ("value", "low", "high")]
    return [_chart(group, values) for group in part["groups"]]


def _chart(group: CoefficientGroup, values: Sequence[float]) -> Svg:
    rows, title = group["rows"], group["title"]
    names = [fit_text(row["name"], NAME, MOST_NAME) for row in rows]
    left = max((text_width(name, NAME) for name in names), default=0.0) + 22
    told = [number(row["value"]) for row in rows]
    right = max((text_width(one, NAME) for one in told), default=0.0) + 24
    scale = axis_for("", values, zero=True)
    room = max(WIDTH - left - right, 160.0)
    top, bottom = TOP, TOP + ROW * max(len(rows), 1) + 4

    def at(value: float) -> float:
        return left + scale.place(value) * room

    content = [text(0, 18, fit_text(title, 15, WIDTH, bold=True), 15, bold=True)]
    for value in scale.ticks(5):
        content.append(path(f"M{num(at(value))} {num(top)}V{num(bottom)}", 1, "guide"))
        content.append(text(at(value), bottom + 16, number(value), 11.5, "soft", anchor="middle"))
    content.append(path(f"M{num(at(0))} {num(top)}V{num(bottom)}", 1.4, "line7", DASHED))
    for place, (row, name, said) in enumerate(zip(rows, names, told, strict=True)):
        y = top + ROW * (place + 0.5) + 2
        hue = 0 if row["value"] > 0 else 5
        content.append(text(left - 12, y + 4, name, NAME, anchor="end"))
        content += _mark(row, at, y, hue)
        content.append(text(left + room + 12, y + 4, said.replace("-", "\N{MINUS SIGN}"), NAME, "soft"))
    if not rows:
        content.append(text(left, top + 16, "all coefficients are 0", NAME, "soft"))
    spoken = "\n".join(_spoken(row) for row in rows) or "all coefficients are 0"
    content.append(text(left + room / 2, bottom + 34, AXIS, 12, anchor="middle"))
    return document(WIDTH, bottom + 46, name_ids(title, content), title, spoken, content)


def _mark(row: CoefficientRow, at: Callable[[float], float], y: float, hue: int) -> list[str]:
    """Return a dot on its interval, or on a bar from 0 if it has none."""
    note = _spoken(row)
    if math.isfinite(row["low"]) and math.isfinite(row["high"]):
        line = path(f"M{num(at(row['low']))} {num(y)}H{num(at(row['high']))}", 2, f"line{hue}")
    else:
        line = path(f"M{num(at(0))} {num(y)}H{num(at(row['value']))}", 6, f"line{hue}")
    return [line, dot(at(row["value"]), y, 4.2, hue, note)]


def _spoken(row: CoefficientRow) -> str:
    known = math.isfinite(row["low"]) and math.isfinite(row["high"])
    ends = f", {number(row['low'])} to {number(row['high'])}" if known else ""
    return f"{row['name']}: {number(row['value'])}{ends} (coefficient {format_short(row['coefficient'], 6)})"

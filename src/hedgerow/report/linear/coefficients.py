"""Coefficients of linear models as plain values and as pictures: dots with their intervals, made to compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import LevelPart, NumberPart, TermPart
from hedgerow.data.design.cut_block import CutPart
from hedgerow.data.design.design import Design
from hedgerow.models.base.coefficient_sets import CoefficientSets, FunctionCoefficients
from hedgerow.models.base.date_coefficients import day_units, place_names
from hedgerow.models.base.model import Model
from hedgerow.models.linear.text import standardized
from hedgerow.report.draw.charts import DASHED, dot
from hedgerow.report.draw.font import fitted, text_width
from hedgerow.report.draw.scale import axis_for, number
from hedgerow.report.draw.svg import Svg, document, named, num, path, stacked, text

Report = dict[str, Any]
MANY, FEW = 25, 10  # coefficients of a function that are shown, of one or two functions and of more
MOST_FUNCTIONS = 12
ROW, NAME, MOST_NAME, WIDTH = 24.0, 12.5, 220.0, 680.0
TOP = 36.0
AXIS = "coefficient; of a number, times its standard deviation"


def coefficients_part(model: Model) -> Report:
    """Return the part of a model's report on its coefficients, the largest first; empty if it has none.

    Coefficients of numbers are multiplied by the standard deviation of their column, so that columns compare.
    """
    sets = model.coefficient_sets()
    if sets is None or not sets.design.width or not sets.functions:
        return {}
    most = MANY if len(sets.functions) <= 2 else FEW
    groups = [_group(sets.design, one, most) for one in sets.functions[:MOST_FUNCTIONS]]
    reading = _reading(sets) + (f" Those of {sets.mirrored} are the same with opposite signs." if sets.mirrored else "")
    what = {} if sets.called == "functions" else {"functions": sets.called}
    hidden = len(sets.functions) - len(groups)
    return {"coefficients": {"reading": reading, "groups": groups, "hidden_functions": hidden, **what}}


def _group(design: Design, function: FunctionCoefficients, most: int) -> dict[str, Any]:
    """Return the largest coefficients of a function, each with the ends of its 95 % interval if it has one."""
    slopes, errors = function.slopes, function.errors
    values = standardized(design, slopes)
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[values[order] != 0]
    shown = order[:most].tolist() if len(order) > most + 1 else order.tolist()
    ends = np.full(len(slopes), np.nan) if errors is None else function.reach * standardized(design, errors)
    units = day_units(design)
    rows = [
        {
            "name": name,
            "coefficient": float(slopes[place] * units[place]),
            "value": float(values[place]),
            "low": float(values[place] - ends[place]),
            "high": float(values[place] + ends[place]),
        }
        for name, place in zip(place_names(design, shown), shown, strict=True)
    ]
    return {"title": function.title, "rows": rows, "hidden": len(order) - len(shown)}


def _reading(sets: CoefficientSets) -> str:
    """Return how to read the values."""
    parts = [part for _, part in sets.design.used]
    told = []
    if any(isinstance(part, NumberPart) for part in parts):
        told.append("of a number, what one standard deviation more adds")
    if any(isinstance(part, LevelPart) for part in parts):
        against = all(part.base >= 0 for part in parts if isinstance(part, LevelPart))
        told.append(
            "of a level, what it adds" + (" beside the one that levels are measured against" if against else "")
        )
    if any(isinstance(part, CutPart) for part in parts):
        told.append("of a condition, what it adds where it holds")
    if any(isinstance(part, TermPart) for part in parts):
        told.append("of a term, its coefficient")
    known = any(one.errors is not None for one in sets.functions)
    lines = " Lines are 95% intervals." if known else ""
    return f"The largest first: {'; '.join(told)}.{lines}"


# -- pictures -------------------------------------------------------------------------------------------------


def coefficients_svg(model: Model) -> Svg | None:
    """Return the coefficients of a model drawn; None if it has none."""
    part = coefficients_part(model)
    if not part:
        return None
    return stacked("Coefficients", coefficient_charts(part["coefficients"]))


def coefficient_charts(part: Mapping[str, Any]) -> list[Svg]:
    """Return a picture a function; all have the same axis, so that they compare."""
    values = [row[key] for group in part["groups"] for row in group["rows"] for key in ("value", "low", "high")]
    return [_chart(group, values) for group in part["groups"]]


def _chart(group: Mapping[str, Any], values: Sequence[float]) -> Svg:
    rows, title = group["rows"], group["title"]
    names = [fitted(row["name"], NAME, MOST_NAME) for row in rows]
    left = max((text_width(name, NAME) for name in names), default=0.0) + 22
    told = [number(row["value"]) for row in rows]
    right = max((text_width(one, NAME) for one in told), default=0.0) + 24
    scale = axis_for("", values, zero=True)
    room = max(WIDTH - left - right, 160.0)
    top, bottom = TOP, TOP + ROW * max(len(rows), 1) + 4

    def at(value: float) -> float:
        return left + scale.place(value) * room

    content = [text(0, 18, fitted(title, 15, WIDTH, bold=True), 15, bold=True)]
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
    return document(WIDTH, bottom + 46, named(title, content), title, spoken, content)


def _mark(row: Mapping[str, Any], at: Any, y: float, hue: int) -> list[str]:
    """Return a dot on its interval, or on a bar from 0 if it has none."""
    note = _spoken(row)
    if math.isfinite(row["low"]) and math.isfinite(row["high"]):
        line = path(f"M{num(at(row['low']))} {num(y)}H{num(at(row['high']))}", 2, f"line{hue}")
    else:
        line = path(f"M{num(at(0))} {num(y)}H{num(at(row['value']))}", 6, f"line{hue}")
    return [line, dot(at(row["value"]), y, 4.2, hue, note)]


def _spoken(row: Mapping[str, Any]) -> str:
    known = math.isfinite(row["low"]) and math.isfinite(row["high"])
    ends = f", {number(row['low'])} to {number(row['high'])}" if known else ""
    return f"{row['name']}: {number(row['value'])}{ends} (coefficient {row['coefficient']:.6g})"

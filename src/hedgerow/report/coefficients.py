"""Coefficients of linear models as plain values and as pictures: dots with their intervals, made to compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.data.column_part import LevelPart, NumberPart, TermPart
from hedgerow.data.cut_part import CutPart
from hedgerow.data.design import Design
from hedgerow.data.table import Numbers
from hedgerow.models.linear import Figures, Linear
from hedgerow.models.linear_classes import LinearClasses
from hedgerow.models.linear_text import NORMAL_95, standardized
from hedgerow.models.machine_forms import NONE
from hedgerow.models.machine_functions import LinearFunctions
from hedgerow.models.machine_text import machine_name
from hedgerow.models.machines import Machines
from hedgerow.models.model import Model
from hedgerow.models.place_text import day_units, place_names
from hedgerow.report.charts import DASHED, dot
from hedgerow.report.font import fitted, text_width
from hedgerow.report.scale import axis_for, number
from hedgerow.report.svg import Svg, document, named, num, path, stacked, text

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
    if isinstance(model, Linear):
        title = f"What adds to {model.schema.target}"
        groups = [_group(model.design, title, model.slopes, _errors(model), _t_95(model), MANY)]
        hidden, mirrored = 0, ""
    elif isinstance(model, LinearClasses):
        groups, mirrored = _of_classes(model)
        hidden = 0 if mirrored else len(model.told) - len(groups)
    elif isinstance(model, Machines) and isinstance(model.functions, LinearFunctions) and model.form != NONE:
        groups, mirrored = _of_machines(model, model.functions), ""
        hidden = len(model) - len(groups)
    else:
        return {}
    if not model.design.width or not groups:
        return {}
    reading = _reading(model) + (f" Those of {mirrored} are the same with opposite signs." if mirrored else "")
    what = {"functions": "machines"} if isinstance(model, Machines) else {}
    return {"coefficients": {"reading": reading, "groups": groups, "hidden_functions": hidden, **what}}


def _of_classes(model: LinearClasses) -> tuple[list[Report], str]:
    """Return the groups of the classes; of two that are opposite only the first, and the name of the other."""
    most = MANY if len(model.told) <= 2 else FEW
    known = None if model.errors is None else model.errors[:, 1:]
    opposite = len(model.told) == 2 and np.array_equal(model.slopes[0], -model.slopes[1])
    groups = [
        _group(model.design, _title(model, code), slopes, None if known is None else known[n], NORMAL_95, most)
        for n, (code, slopes) in enumerate(zip(model.told.tolist(), model.slopes, strict=True))
        if n < (1 if opposite else MOST_FUNCTIONS)
    ]
    return groups, model.classes[model.told[1]] if opposite else ""


def _of_machines(model: Machines, functions: LinearFunctions) -> list[Report]:
    """Return the groups of linear support vector machines."""
    most = MANY if len(model) <= 2 else FEW
    return [
        _group(model.design, f"What speaks for {machine_name(model, n)}", slopes, None, NORMAL_95, most)
        for n, slopes in enumerate(functions.slopes[:MOST_FUNCTIONS])
    ]


def _title(model: LinearClasses, code: int) -> str:
    against = f" against {model.classes[model.base]}" if model.base >= 0 else ""
    return f"What adds to the {model.unit} of {model.classes[code]}{against}"


def _errors(model: Linear) -> Numbers | None:
    errors = None if model.figures is None else model.figures.errors
    return None if errors is None else np.where(errors[1:] > 0, errors[1:], np.nan)


def _t_95(model: Linear) -> float:
    if not isinstance(model.figures, Figures) or not model.figures.freedom > 0:
        return math.nan
    from scipy.special import stdtrit

    return float(stdtrit(model.figures.freedom, 0.975))


def _group(
    design: Design, title: str, slopes: Numbers, errors: Numbers | None, reach: float, most: int
) -> dict[str, Any]:
    """Return the largest coefficients of a function, each with the ends of its 95 % interval if it has one."""
    values = standardized(design, slopes)
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[values[order] != 0]
    shown = order[:most].tolist() if len(order) > most + 1 else order.tolist()
    ends = np.full(len(slopes), np.nan) if errors is None else reach * standardized(design, errors)
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
    return {"title": title, "rows": rows, "hidden": len(order) - len(shown)}


def _reading(model: Linear | LinearClasses | Machines) -> str:
    """Return how to read the values."""
    parts = [part for _, part in model.design.used]
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
    known = not isinstance(model, Machines) and model.figures is not None and model.figures.errors is not None
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

"""Estimates with their intervals, one line each: learners or classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.report.draw.charts import DASHED, dot
from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.scale import Label, axis_for, percent
from hedgerow.report.draw.svg import Svg, document, name_ids, num, path, text

ROW = 26.0
NAME = 12.5
MOST_NAME = 190.0


@dataclass(frozen=True)
class Dot:
    """One estimate: a name, a value, the ends of its interval, and a mark such as "worse"."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    mark: str = ""


def dots_chart(
    title: str,
    dots: Sequence[Dot],
    *,
    axis: str = "error rate",
    label: Label = percent,
    base: str | None = None,
    width: float = 640,
) -> Svg:
    """Return one line per dot; a dashed line marks the value of the one called `base`."""
    names = [fit_text(one.name, NAME, MOST_NAME, bold=True) for one in dots]
    left = max((text_width(name, NAME, bold=True) for name in names), default=0) + 22
    marks = max((text_width(_format_value(one, label), NAME) for one in dots), default=0) + 14
    scale = axis_for(axis, (value for one in dots for value in (one.value, one.low, one.high)), label)
    room, top = max(width - left - marks, 120), 36.0
    bottom = top + ROW * len(dots) + 4

    def at(value: float) -> float:
        return left + scale.place(value) * room

    content = [text(0, 18, fit_text(title, 15, width, bold=True), 15, bold=True)]
    for value in scale.ticks(5):
        content.append(path(f"M{num(at(value))} {num(top)}V{num(bottom)}", 1, "guide"))
        content.append(text(at(value), bottom + 16, label(value), 11.5, "soft", anchor="middle"))
    content.append(text(left + room / 2, bottom + 34, axis, 12, anchor="middle"))
    content += [
        path(f"M{num(at(one.value))} {num(top)}V{num(bottom)}", 1.2, "line7", DASHED)
        for one in dots
        if one.name == base and math.isfinite(one.value)
    ]
    for place, (one, name) in enumerate(zip(dots, names, strict=True)):
        y, hue = top + ROW * (place + 0.5) + 2, 7 if one.name == base else 0
        content.append(text(left - 12, y + 4, name, NAME, anchor="end", bold=one.name == base))
        if math.isfinite(one.low) and math.isfinite(one.high):
            content.append(path(f"M{num(at(one.low))} {num(y)}H{num(at(one.high))}", 2, f"line{hue}"))
        if math.isfinite(one.value):
            content.append(dot(at(one.value), y, 4.2, hue))
        content.append(text(left + room + 12, y + 4, _format_value(one, label), NAME, "soft"))
    told = "\n".join(_describe_dot(one, label) for one in dots)
    return document(width, bottom + 44, name_ids(title, content), title, f"{axis}\n{told}", content)


def _format_value(one: Dot, label: Label) -> str:
    """Return the value and the mark separately: "4.4% (better)" does not mean 4.4% better."""
    value = label(one.value) if math.isfinite(one.value) else "?"
    return f"{value} ({one.mark})" if one.mark else value


def _describe_dot(one: Dot, label: Label) -> str:
    if not math.isfinite(one.value):
        return f"{one.name}: unknown"
    ends = f", {label(one.low)} to {label(one.high)}" if math.isfinite(one.low) else ""
    return f"{one.name}: {label(one.value)}{ends}{', ' + one.mark if one.mark else ''}"

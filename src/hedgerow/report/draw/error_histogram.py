"""The distribution of the errors of predicted numbers, as a histogram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.layout.numbers import format_weight
from hedgerow.report.draw.charts import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, PlotArea, axes
from hedgerow.report.draw.scale import Axis, axis_for, number
from hedgerow.report.draw.svg import Svg, document, name_ids, num, path, rect, role_attributes, text, title_element


def errors_chart(errors: Mapping[str, Any], title: str = "Errors") -> Svg:
    """Return a histogram of `counts` between `low` and `high`, with a line at 0."""
    counts, low, high = errors["counts"], errors["low"], errors["high"]
    frame = PlotArea(
        Axis("predicted minus actual", low, high),
        axis_for("rows", [*counts, 0.0], zero=True),
        LEFT,
        34,
        WIDTH - LEFT - RIGHT,
        HEIGHT - 34 - BOTTOM,
    )
    step = (high - low) / len(counts)
    content = [text(LEFT, 20, title, 15, bold=True), *axes(frame)]
    for place, tall in enumerate(counts):
        left, top = frame.at(low + place * step, tall)
        right, floor = frame.at(low + (place + 1) * step, 0)
        note = f"{number(low + place * step)} to {number(low + (place + 1) * step)}: {format_weight(tall)} rows"
        bar = rect(left + 0.6, top, right - left - 1.2, floor - top, role_attributes("mark0"))
        content.append(f"<g>{title_element([note])}{bar}</g>" if tall else "")
    middle, top = frame.at(0, frame.y.high)
    content.append(
        path(f"M{num(middle)} {num(top)}V{num(frame.top + frame.height)}", 1.2, "line7", ' stroke-dasharray="5 3"')
    )
    told = f"From {number(low)} to {number(high)} in {len(counts)} parts: {', '.join(map(format_weight, counts))} rows"
    return document(WIDTH, HEIGHT, name_ids(title, content), title, told, content)

"""A chart of named bars: one row per name, with its value written behind the bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.scale import Axis
from hedgerow.report.draw.svg import Svg, document, name_ids, num, path, rect, role_attributes, text

WIDTH, ROW, TOP, NAME = 640.0, 24.0, 44.0, 12.5  # width; height of a row; where the rows start; font size
THICK = 12.0


@dataclass(frozen=True)
class NamedBar:
    """A bar: its name, its length from 0, what is written behind it, its color, and a part of it in another color."""

    name: str
    value: float
    text: str
    hue: int = 0
    part: float = 0.0  # drawn gray, at the end


def bar_chart(title: str, bars: Sequence[NamedBar], axis: Axis, longest: float = 240.0) -> Svg:
    """Return the chart of bars, from top to bottom."""
    names = [fit_text(bar.name, NAME, longest) for bar in bars]
    left = max((text_width(name, NAME) for name in names), default=0.0) + 12
    right = max((text_width(bar.text, NAME) for bar in bars), default=0.0) + 20
    width = max(WIDTH, left + right + 200)
    room, bottom = width - left - right, TOP + ROW * max(len(bars), 1)
    content = [text(0, 20, fit_text(title, 15, width, bold=True), 15, bold=True)]
    for tick in axis.ticks(5):
        x = left + axis.place(tick) * room
        content.append(path(f"M{num(x)} {num(TOP)}V{num(bottom)}", 1, "guide"))
        content.append(text(x, bottom + 16, axis.label(tick), 11.5, "soft", anchor="middle"))
    for place, (bar, name) in enumerate(zip(bars, names, strict=True)):
        content += _bar(bar, name, TOP + ROW * (place + 0.5), left, room, axis)
    content.append(text(left + room / 2, bottom + 36, axis.title, 12, anchor="middle"))
    told = "\n".join(f"{bar.name}: {bar.text}" for bar in bars)
    return document(width, bottom + 46, name_ids(title, content), title, told, content)


def _bar(bar: NamedBar, name: str, y: float, left: float, room: float, axis: Axis) -> list[str]:
    start, end, inner = (left + axis.place(value) * room for value in (0.0, bar.value, bar.value - bar.part))
    low, high = min(start, end), max(start, end)
    drawn = [
        text(left - 10, y + 4, name, NAME, anchor="end"),
        rect(low, y - THICK / 2, high - low, THICK, role_attributes(f"mark{bar.hue}"), 2),
    ]
    if bar.part:
        drawn.append(rect(inner, y - THICK / 2, end - inner, THICK, role_attributes("edge").replace("stroke", "fill")))
    drawn.append(text(high + 8, y + 4, bar.text, NAME, "soft"))
    return drawn

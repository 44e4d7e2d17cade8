"""Small pictures of columns: the distribution of the values, with classes as colors."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.layout.numbers import format_share, format_weight
from hedgerow.report.draw.font import FAMILY, fit_text, text_width
from hedgerow.report.draw.scale import number
from hedgerow.report.draw.svg import GRAY_HUE, escape_words, num, path, rect, role_attributes, text, title_element
from hedgerow.report.schema import ColumnReport

WIDTH, HEIGHT = 252.0, 66.0
SIZE = 11.0
ROW = 17.0
MOST_LEVELS = 7
MOST_NAME = 104.0
WIDEST = 36.0  # bar of a histogram


def column_picture(column: ColumnReport) -> str:
    """Return the picture of a column of a "data" report; empty if there is nothing to see."""
    if column["kind"] == "numeric":
        return "" if column["histogram"] is None else _histogram(column)
    return _levels(column) if column["kind"] == "nominal" and column["levels"] else ""


def _histogram(column: ColumnReport) -> str:
    found = column["histogram"]
    assert found is not None
    counts, bars = found["counts"], len(found["counts"])
    top, wide, floor = max(counts), min(WIDTH / bars, WIDEST), HEIGHT - 15
    content = []
    for place, total in enumerate(counts):
        parts = found["by_class"][place] if "by_class" in found else [total]
        low, high = (found["low"] + (found["high"] - found["low"]) * (place + edge) / bars for edge in (0, 1))
        content.append(_column(parts, total, top, place * wide, wide, floor, f"{number(low)} to {number(high)}"))
    content.append(path(f"M0 {num(floor)}H{num(bars * wide)}", 1, "edge"))
    first, last = number(column["min"]), number(column["max"])
    if "earliest" in column:
        first, last = column["earliest"][:10], column["latest"][:10]
    content.append(text(0, HEIGHT - 2, first, SIZE, "soft"))
    content.append(text(bars * wide, HEIGHT - 2, last, SIZE, "soft", anchor="end"))
    return _small(WIDTH, HEIGHT, f"Histogram of {column['name']}: {', '.join(map(str, counts))}", content)


def _column(parts: Sequence[float], total: float, top: float, x: float, width: float, floor: float, range_: str) -> str:
    """Return one vertical bar of a histogram, stacked by class; rows without a class are gray, on top."""
    pieces, y = [], floor
    for hue, part in [*enumerate(parts), (GRAY_HUE, total - sum(parts))]:
        tall = part / top * (floor - 2)
        if tall > 0:
            y -= tall
            pieces.append(rect(x + 0.6, y, width - 1.2, tall, role_attributes(f"mark{min(hue, GRAY_HUE)}")))
    return f"<g>{title_element([f'{range_}: {format_weight(total)} rows'])}{''.join(pieces)}</g>" if pieces else ""


def _levels(column: ColumnReport) -> str:
    shown = column["levels"][:MOST_LEVELS]
    rest = column["others"] + sum(level["rows"] for level in column["levels"][MOST_LEVELS:])
    top = max(level["rows"] for level in shown) or 1
    left = min(max(text_width(level["level"], SIZE) for level in shown) + 8, MOST_NAME)
    content, room = [], WIDTH - left - 46
    for place, level in enumerate(shown):
        y = place * ROW
        parts = level.get("by_class", [level["rows"]])
        parts = [*parts, level["rows"] - sum(parts)]
        hues = [*(min(hue, GRAY_HUE) for hue in range(len(parts) - 1)), GRAY_HUE]
        note = f"{level['level']}: {level['rows']} rows ({format_share(level['share'])})"
        bar = _stack([part / top for part in parts], hues, left, y + 2, room, ROW - 5, [note] * len(parts))
        name = fit_text(level["level"], SIZE, MOST_NAME - 8)
        content.append(
            f"<g>{title_element([note])}{text(left - 6, y + 12, name, SIZE, anchor='end')}{''.join(bar)}</g>"
        )
        content.append(text(left + room * level["rows"] / top + 5, y + 12, number(level["rows"]), SIZE, "soft"))
    high = len(shown) * ROW
    hidden = column["n_levels"] - len(shown)
    if hidden > 0:
        told = f"{hidden} more level{'s' if hidden > 1 else ''}, {number(rest)} rows"
        content.append(text(left, high + 12, told, SIZE, "soft"))
        high += ROW
    spoken = ", ".join(f"{level['level']} {level['rows']}" for level in shown)
    return _small(WIDTH, high + 1, f"Levels of {column['name']}: {spoken}", content)


def _stack(
    parts: Sequence[float],
    hues: Sequence[int],
    x: float,
    y: float,
    width: float,
    height: float,
    notes: Sequence[str],
) -> list[str]:
    """Return adjacent rectangles for shares of a width."""
    out = []
    for part, hue, note in zip(parts, hues, notes, strict=True):
        long = part * width
        if long > 0:
            gap = 0.8 if long > 3 else 0.0
            out.append(f"<g>{title_element([note])}{rect(x, y, long - gap, height, role_attributes(f'mark{hue}'))}</g>")
        x += long
    return out


def _small(width: float, height: float, label: str, content: Sequence[str], more: str = "") -> str:
    """Return a picture for a page that contains the style of all roles."""
    size = f'width="{num(width)}" height="{num(height)}" viewBox="0 0 {num(width)} {num(height)}"'
    told = f'role="img" aria-label="{escape_words(label)}"'
    return f'<svg class="hedgerow" {size}{more} {told} font-family="{FAMILY}">{"".join(content)}</svg>'

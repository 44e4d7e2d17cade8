"""Decision regions as a picture: one color per class, rows as dots, margins as lines, support vectors with rings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.data.read import read
from hedgerow.data.table.dates import format_dates
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError
from hedgerow.layout.numbers import format_count
from hedgerow.models.base.date_coefficients import ISO_DAY
from hedgerow.models.base.model import Model
from hedgerow.report.draw.charts import BOTTOM, DASHED, LEFT, LEGEND, RIGHT, TITLE, PlotArea, axes, dot
from hedgerow.report.draw.class_colors import OTHERS
from hedgerow.report.draw.contours import contour, rectangles
from hedgerow.report.draw.font import fit_text, fold_words, text_width
from hedgerow.report.draw.scale import Axis, number
from hedgerow.report.draw.svg import GRAY_HUE, Svg, document, name_ids, num, path, role_attributes, text, title_element
from hedgerow.report.regions.regions import DecisionRegions, regions
from hedgerow.report.regions.regions_grid import COARSE, MISSING, Span

WIDTH, HEIGHT = 640.0, 400.0  # of the picture; of the room between the axes
DEPTH = 0.24  # of the regions' colors, through which the paper shines
SMALL, LINE = 11.5, 16.0  # font size of the caption, and how far its lines are apart
RING = 5.2
FEW = 300  # dots up to which they have their full size
MOST_HELD = 8  # columns that are told one by one
NO_ANSWER = "no prediction"


def regions_svg(model: Model, data: Any = None, columns: Sequence[str] = ()) -> Svg:
    """Return the picture of the decision regions of a classifier over two numeric columns.

    Parameters
    ----------
    data
        Rows to show, which also determine the fixed values of the other columns: a Table, or anything that `read`
        takes.
        Linear models and kernel machines can be drawn without.
    columns
        The names of the two columns, across and upwards; by default the first two that the model uses.

    Examples
    --------
    >>> from hedgerow import NaiveBayes, examples
    >>> weather = examples.weather()
    >>> regions_svg(NaiveBayes().train(weather), weather, ["Temperature", "Humidity"])[:4]
    '<svg'
    """
    table = data if data is None or isinstance(data, Table) else read(data)
    cells = int(WIDTH - LEFT - RIGHT), int(HEIGHT)
    return draw_regions(regions(model, table, columns, cells))


def draw_regions(found: DecisionRegions) -> Svg:
    """Return the picture of decision regions."""
    hues = _hues(found)
    legend, top = _legend(found, hues)
    frame = PlotArea(_axis(found.x), _axis(found.y), LEFT, top, WIDTH - LEFT - RIGHT, HEIGHT)
    caption = _caption(found)
    lines = [line for one in caption for line in fold_words(one.split(" "), SMALL, WIDTH - LEFT - RIGHT)]
    below = top + HEIGHT + BOTTOM + 8
    content = [
        text(LEFT, 20, fit_text(found.title, TITLE, WIDTH - LEFT - RIGHT, bold=True), TITLE, bold=True),
        *legend,
        *_areas(found, hues, frame),
        *axes(frame),
        *_margins(found, frame),
        *_dots(found, hues, frame),
        *_rings(found, frame),
        *(text(LEFT, below + LINE * place, line, SMALL, "soft") for place, line in enumerate(lines)),
    ]
    height = below + LINE * len(lines)
    return document(
        WIDTH, height, name_ids(found.title, content), found.title, _describe_regions(found, caption), content
    )


def _hues(found: DecisionRegions) -> list[int]:
    """Return the color of every class; if there are many, only the largest have a color and the others are gray."""
    if len(found.classes) <= GRAY_HUE:
        return list(range(len(found.classes)))
    heaviest = np.sort(np.argsort(-found.counts, kind="stable")[:GRAY_HUE]).tolist()
    return [heaviest.index(code) if code in heaviest else GRAY_HUE for code in range(len(found.classes))]


def _axis(span: Span) -> Axis:
    column = span.column
    if column.date is None:
        return Axis(column.name, span.low, span.high, number)

    def day(value: float) -> str:
        try:
            return format_dates(np.array([value]), ISO_DAY)[0]
        except DataError:  # no day of the calendar
            return number(value)

    return Axis(column.name, span.low, span.high, day)


def _legend(found: DecisionRegions, hues: list[int]) -> tuple[list[str], float]:
    """Return the legend of classes and marks in as many lines as needed, and its end."""
    entries = [(f"mark{hues[code]}", label) for code, label in enumerate(found.classes) if hues[code] != GRAY_HUE]
    if any(hue == GRAY_HUE for hue in hues):
        entries.append((f"mark{GRAY_HUE}", OTHERS))
    if found.points is not None and -1 in found.points.codes:
        entries.append(("unknown", "unknown class"))
    if (found.codes < 0).any():
        entries.append(("none", NO_ANSWER))
    if found.fields:
        entries += [("line", "f = 0"), ("dashed", "f = -1 and f = 1")]
    if found.support is not None and len(found.support):
        entries.append(("ring", "support vectors"))
    out, x, y = [], LEFT, 40.0
    for mark, said in entries:
        name = fit_text(said, LEGEND, WIDTH - LEFT - RIGHT - 24)
        room = 22 + text_width(name, LEGEND)
        if x > LEFT and x + room > WIDTH - RIGHT:
            x, y = LEFT, y + 18
        out += [_draw_mark(mark, x, y - 4), text(x + 21, y, name, LEGEND)]
        x += room + 12
    return out, y + 14


def _draw_mark(mark: str, x: float, y: float) -> str:
    if mark in ("line", "dashed"):
        return path(f"M{num(x)} {num(y)}H{num(x + 16)}", 1.6, "whisker", DASHED if mark == "dashed" else "")
    if mark == "ring":
        return _ring(x + 8, y)
    box = f'x="{num(x)}" y="{num(y - 6)}" width="16" height="12" rx="2"'
    if mark == "none":
        return f'<rect {box} fill="none" stroke-width="1" {role_attributes("guide")}/>'
    if mark == "unknown":
        return _unknown(x + 8, y, 3.4)
    return f'<rect {box} fill-opacity="{DEPTH}" {role_attributes(mark)}/>' + dot(
        x + 8, y, 3.4, int(mark.removeprefix("mark"))
    )


def _areas(found: DecisionRegions, hues: list[int], frame: PlotArea) -> list[str]:
    """Return one shape per class, with its name as the tooltip."""
    high, wide = found.codes.shape
    across, down = frame.width / wide, frame.height / high
    out = []
    for code, boxes in sorted(rectangles(found.codes).items()):
        if code < 0:
            continue
        shape = "".join(
            f"M{num(frame.left + left * across)} {num(frame.top + top * down)}"
            f"h{num(width * across)}v{num(height * down)}h{num(-width * across)}z"
            for left, top, width, height in boxes
        )
        look = f'fill-opacity="{DEPTH}" shape-rendering="crispEdges" {role_attributes(f"mark{hues[code]}")}'
        out.append(f'<path d="{shape}" {look}>{title_element([found.classes[code]])}</path>')
    return out


def _margins(found: DecisionRegions, frame: PlotArea) -> list[str]:
    """Return the lines f = 0, and f = -1 and 1 dashed."""
    high, wide = found.codes.shape
    out = []
    for field in found.fields:
        for level in (-1.0, 0.0, 1.0):
            shape = ""
            for line in contour(field.values, level):
                points = (
                    (
                        frame.left + min(column * COARSE, wide) / wide * frame.width,
                        frame.top + min(row * COARSE, high) / high * frame.height,
                    )
                    for column, row in line
                )
                shape += "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points)
            if shape:
                width, dash = (1.8, "") if level == 0 else (1.2, DASHED)
                out.append(path(shape, width, "whisker", f' stroke-linejoin="round"{dash}'))
    return out


def _dots(found: DecisionRegions, hues: list[int], frame: PlotArea) -> list[str]:
    points = found.points
    if points is None:
        return []
    radius = 3.4 if len(points.x) <= FEW else 2.4
    out = []
    for x, y, code in zip(points.x.tolist(), points.y.tolist(), points.codes.tolist(), strict=True):
        at = frame.at(x, y)
        out.append(_unknown(*at, radius) if code < 0 else dot(*at, radius, hues[code]))
    return out


def _unknown(x: float, y: float, radius: float) -> str:
    return (
        f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(radius)}" fill="none" stroke-width="1.2" '
        f"{role_attributes('edge')}/>"
    )


def _rings(found: DecisionRegions, frame: PlotArea) -> list[str]:
    """Return rings around the support vectors that are inside the picture."""
    if found.support is None:
        return []
    x, y = found.support.T
    inside = (x >= found.x.low) & (x <= found.x.high) & (y >= found.y.low) & (y <= found.y.high)
    return [_ring(*frame.at(across, up)) for across, up in found.support[inside].tolist()]


def _ring(x: float, y: float) -> str:
    return f'<circle cx="{num(x)}" cy="{num(y)}" r="{RING}" fill="none" stroke-width="1" {role_attributes("whisker")}/>'


def _caption(found: DecisionRegions) -> list[str]:
    """Return sentences on what the picture does not show."""
    said = []
    if found.held:
        said.append(_describe_fixed(found.held))
    said += [f"{note[0].upper()}{note[1:]}." for note in found.notes]
    if found.support is not None and len(found.support):
        why = "; their other columns differ from the fixed values, so they may lie anywhere" if found.held else ""
        said.append(f"Rings mark support vectors, at {format_count(len(found.support))} positions{why}.")
    if len(found.fields) > 1:
        said.append("The lines of a pair of classes are drawn only where these are the two best classes.")
    return said


def _describe_fixed(held: Sequence[tuple[str, str]]) -> str:
    """Return a sentence on the fixed values of the other columns; only some if there are many."""
    more = [f"and {len(held) - MOST_HELD} more"] if len(held) > MOST_HELD else []
    some = held[:MOST_HELD]
    if all(value == MISSING for _, value in held):
        return f"Other columns are missing: {', '.join([*(name for name, _ in some), *more])}."
    told = (f"{name} = {value}" if value != MISSING else f"{name} missing" for name, value in some)
    return f"Other columns are fixed at their mean or most frequent value: {', '.join([*told, *more])}."


def _describe_regions(found: DecisionRegions, caption: list[str]) -> str:
    """Return a text description of the picture: the share of the area of each class."""
    lines = [f"{found.y.column.name} by {found.x.column.name}."]
    codes, cells = np.unique(found.codes, return_counts=True)
    for code, share in zip(codes.tolist(), (cells / found.codes.size).tolist(), strict=True):
        lines.append(f"{found.classes[code] if code >= 0 else NO_ANSWER}: {share:.0%} of the area")
    return "\n".join([*lines, *caption])

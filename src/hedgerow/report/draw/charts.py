"""Charts of lines, bands and dots from plain arrays, as static SVG without dependencies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hedgerow.errors import UsageError
from hedgerow.report.draw.font import fit_text, text_width
from hedgerow.report.draw.scale import Axis
from hedgerow.report.draw.svg import GRAY_HUE, Svg, document, name_ids, num, path, role_attributes, text, title_element

WIDTH, HEIGHT = 440.0, 380.0
LEFT, RIGHT, BOTTOM = 58.0, 16.0, 46.0
TICK, TITLE, LEGEND = 11.5, 15.0, 12.0  # font sizes
LOOKS = ("line", "dots", "linked", "dashed")
DASHED = ' stroke-dasharray="5 3"'
EMPTY = "nothing to draw"


@dataclass(frozen=True, eq=False)
class Series:
    """One line of a chart.

    Parameters
    ----------
    name
        The name in the legend; "" omits it from the legend.
    x, y
        The points; the line is broken where one is NaN.
    low, high
        The ends of a band around the line, or of a whisker at each dot.
    hue
        Its color, by position; the last is gray.
    look
        "line", "dots", "linked" (dots joined by a line) or "dashed".
    notes
        A tooltip for each dot.
    sizes
        The weight of each dot, from 0 to 1; by default all are alike.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    hue: int = 0
    look: str = "line"
    notes: Sequence[str] = ()
    sizes: Sequence[float] = ()

    def __post_init__(self) -> None:
        if self.look not in LOOKS:
            raise UsageError(f"there is no line style {self.look!r}; the line styles are {', '.join(LOOKS)}")
        for name in ("x", "y", "low", "high", "sizes"):  # may be arrays
            object.__setattr__(self, name, [float(value) for value in getattr(self, name)])
        for part in (self.y, *filter(len, (self.low, self.high, self.notes, self.sizes))):
            if len(part) != len(self.x):
                raise UsageError(f"line {self.name!r} has {len(self.x)} points, but {len(part)} values for them")

    @property
    def values(self) -> Iterator[float]:
        """All values that the y axis must include."""
        return (value for part in (self.y, self.low, self.high) for value in part)


@dataclass(frozen=True)
class PlotArea:
    """The area inside the axes, and the position of values in it."""

    x: Axis
    y: Axis
    left: float
    top: float
    width: float
    height: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of two values in the picture; values beyond the ends are clipped."""
        across, up = (min(max(place, 0.0), 1.0) for place in (self.x.place(x), self.y.place(y)))
        return self.left + across * self.width, self.top + (1 - up) * self.height


def line_chart(
    title: str,
    series: Sequence[Series],
    x: Axis,
    y: Axis,
    *,
    guides: Sequence[Series] = (),
    about: str = "",
    width: float = WIDTH,
    height: float = HEIGHT,
) -> Svg:
    """Return a chart of lines with a legend; `guides` are drawn below them, thin and gray.

    `about` is the description for screen readers; without it, the ends of every line are described.
    """
    legend, legend_height = _legend(series, width)
    top = 34 + legend_height
    frame = PlotArea(x, y, LEFT, top, width - LEFT - RIGHT, height - top - BOTTOM)
    content = [
        text(LEFT, 20, fit_text(title, TITLE, width - LEFT - RIGHT, bold=True), TITLE, bold=True),
        *legend,
        *axes(frame),
        *(element for one in guides for element in _draw_series(one, frame, 1.2, guide=True)),
        *(element for one in series for element in _band(one, frame)),
        *(element for one in series for element in _draw_series(one, frame, 2.0)),
    ]
    if not any(True for one in series for _ in _points(one)):
        middle = frame.left + frame.width / 2, frame.top + frame.height / 2
        content.append(text(*middle, EMPTY, 13, "soft", anchor="middle", italic=True))
    return document(width, height, name_ids(title, content), title, about or _describe_series(series, x, y), content)


def axes(frame: PlotArea) -> list[str]:
    """Return the grid, the ticks and the titles of both axes."""
    right, bottom = frame.left + frame.width, frame.top + frame.height
    out = []
    for value in frame.y.ticks():
        _, down = frame.at(frame.x.low, value)
        out.append(path(f"M{num(frame.left)} {num(down)}H{num(right)}", 1, "guide"))
        out.append(text(frame.left - 7, down + 4, frame.y.label(value), TICK, "soft", anchor="end"))
    for value in _spaced_ticks(frame):
        across, _ = frame.at(value, frame.y.low)
        out.append(path(f"M{num(across)} {num(bottom)}V{num(bottom + 4)}", 1, "edge"))
        out.append(text(across, bottom + 17, frame.x.label(value), TICK, "soft", anchor="middle"))
    out.append(path(f"M{num(frame.left)} {num(bottom)}H{num(right)}", 1, "edge"))
    middle = frame.left + frame.width / 2
    out.append(text(middle, bottom + 36, fit_text(frame.x.title, 12, frame.width), 12, anchor="middle"))
    side = fit_text(frame.y.title, 12, frame.height)
    turned = f'transform="rotate(-90 14 {num(frame.top + frame.height / 2)})"'
    upright = text(14, frame.top + frame.height / 2, side, 12, anchor="middle")
    out.append(upright.replace("<text ", f"<text {turned} ", 1))
    return out


def _spaced_ticks(frame: PlotArea) -> list[float]:
    """Return ticks of the x axis whose labels do not overlap."""
    for most in (6, 5, 4, 3, 2):
        found = frame.x.ticks(most)
        need = sum(text_width(frame.x.label(value), TICK) + 10 for value in found)
        if need <= frame.width:
            break
    return found


def _legend(series: Sequence[Series], width: float) -> tuple[list[str], float]:
    """Return the legend of names and colors in as many lines as needed, and its height."""
    entries = [one for one in series if one.name]
    out, x, y = [], LEFT, 40.0
    for one in entries:
        name = fit_text(one.name, LEGEND, width - LEFT - RIGHT - 24)
        room = 24 + text_width(name, LEGEND)
        if x > LEFT and x + room > width - RIGHT:
            x, y = LEFT, y + 18
        dash = DASHED if one.look == "dashed" else ""
        if one.look != "dots":
            out.append(path(f"M{num(x)} {num(y - 4)}H{num(x + 17)}", 2.4, f"line{one.hue}", dash))
        if one.look in ("dots", "linked"):
            out.append(dot(x + 8.5, y - 4, 3.5, one.hue))
        out.append(text(x + 23, y, name, LEGEND))
        x += room + 14
    return out, (y - 40 + 18 if entries else 0.0)


def _draw_series(one: Series, frame: PlotArea, width: float, guide: bool = False) -> Iterator[str]:
    role = f"line{GRAY_HUE if guide else one.hue}"
    if one.look != "dots":
        shape = "".join(_segment_path(part) for part in _segments(one, frame))
        dash = DASHED if one.look == "dashed" else ""
        if shape:
            yield path(shape, width, role, f' stroke-linejoin="round"{dash}')
    if one.look in ("dots", "linked"):
        notes = one.notes or [""] * len(one.x)
        for (across, down), place in zip(_to_points(frame, _points(one)), _marker_positions(one), strict=True):
            if one.look == "dots" and one.low:
                yield _whisker(one, frame, place, role)
            radius = 2.2 + 4.3 * one.sizes[place] ** 0.5 if one.sizes else 3.6
            yield dot(across, down, radius, one.hue, notes[place])


def _whisker(one: Series, frame: PlotArea, place: int, role: str) -> str:
    if not (math.isfinite(one.low[place]) and math.isfinite(one.high[place])):
        return ""
    across, bottom = frame.at(one.x[place], one.low[place])
    _, top = frame.at(one.x[place], one.high[place])
    return path(f"M{num(across)} {num(bottom)}V{num(top)}", 1.4, role)


def dot(x: float, y: float, radius: float, hue: int, note: str = "") -> str:
    """Return a dot, with a tooltip if there is a note."""
    place = f'cx="{num(x)}" cy="{num(y)}" r="{num(radius)}" {role_attributes(f"mark{hue}")}'
    return f"<circle {place}>{title_element([note])}</circle>" if note else f"<circle {place}/>"


def _band(one: Series, frame: PlotArea) -> Iterator[str]:
    """Return the area between the ends of intervals."""
    if not one.low or one.look == "dots":
        return
    whole = [all(map(math.isfinite, point)) for point in zip(one.x, one.low, one.high, strict=True)]
    places = [place for place, is_whole in enumerate(whole) if is_whole]
    if len(places) < 2:
        return
    above = [frame.at(one.x[place], one.high[place]) for place in places]
    below = [frame.at(one.x[place], one.low[place]) for place in reversed(places)]
    yield f'<path d="{_segment_path([*above, *below])}Z" fill-opacity="0.16" {role_attributes(f"mark{one.hue}")}/>'


def _marker_positions(one: Series) -> Iterator[int]:
    return (place for place in range(len(one.x)) if math.isfinite(one.x[place]) and math.isfinite(one.y[place]))


def _points(one: Series) -> Iterator[tuple[float, float]]:
    return ((one.x[place], one.y[place]) for place in _marker_positions(one))


def _to_points(frame: PlotArea, points: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    return (frame.at(*point) for point in points)


def _segments(one: Series, frame: PlotArea) -> Iterator[list[tuple[float, float]]]:
    """Yield the parts of a line between points that are missing."""
    part: list[tuple[float, float]] = []
    for x, y in zip(one.x, one.y, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            part.append(frame.at(x, y))
        elif part:
            yield part
            part = []
    if part:
        yield part


def _segment_path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points)


def _describe_series(series: Sequence[Series], x: Axis, y: Axis) -> str:
    """Return a text description of the lines: the ends of each."""
    lines = [f"{y.title} by {x.title}."]
    for one in series:
        points = list(_points(one))
        if not points:
            lines.append(f"{one.name or 'line'}: {EMPTY}")
            continue
        (x0, y0), (x1, y1) = points[0], points[-1]
        begins, ends = f"{y.label(y0)} at {x.label(x0)}", f"{y.label(y1)} at {x.label(x1)}"
        lines.append(f"{one.name or 'line'}: from {begins} to {ends}, {len(points)} points")
    return "\n".join(lines)

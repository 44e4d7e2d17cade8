"""A picture drawn into axes of matplotlib: the elements of our own SVG as its artists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from hedgerow.report.draw.svg import size_of

POINTS = 72  # of an inch
TOKEN = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?(?:e-?\d+)?")
NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
ANCHORS = {"start": "left", "middle": "center", "end": "right"}
ARITY = {"M": 2, "L": 2, "H": 1, "V": 1, "h": 1, "v": 1, "C": 6, "z": 0, "Z": 0}


def draw_on_axes(picture: str, axes: Any) -> Any:
    """Draw a picture into axes of matplotlib, whose own ticks and frame are switched off; return the axes."""
    width, height = size_of(picture)
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    axes.set_axis_off()
    box = axes.get_window_extent()
    scale = min(box.width / width, box.height / height) * POINTS / axes.figure.dpi
    _Artist(axes, scale).draw(ET.fromstring(picture), (0.0, 0.0))  # noqa: S314 # our own picture
    return axes


class _Artist:
    """Draws elements with their sizes in points: `scale` is that of a pixel of the picture."""

    def __init__(self, axes: Any, scale: float) -> None:
        self.axes, self.scale = axes, scale

    def draw(self, element: Any, origin: tuple[float, float]) -> None:
        """Draw an element and those inside it."""
        name, look = element.tag.rpartition("}")[2], element.attrib
        own = getattr(self, f"draw_{name}", None)
        if own is not None:
            own(element, look, origin)
        if name in ("svg", "g"):
            inside = _moved(name, look, origin)
            for child in element:
                self.draw(child, inside)

    def draw_text(self, element: Any, look: Mapping[str, str], origin: tuple[float, float]) -> None:
        """Draw a line of text."""
        turn = look.get("transform", "")
        angle = -float(NUMBERS.findall(turn)[0]) if turn.startswith("rotate") else 0.0
        self.axes.text(
            origin[0] + float(look.get("x", 0)),
            origin[1] + float(look.get("y", 0)),
            (element.text or "").replace("$", r"\$"),
            fontsize=float(look["font-size"]) * self.scale,
            fontweight=look.get("font-weight", "normal"),
            fontstyle=look.get("font-style", "normal"),
            color=look.get("fill", "black"),
            ha=ANCHORS[look.get("text-anchor", "start")],
            va="baseline",
            rotation=angle,
            rotation_mode="anchor",
        )

    def draw_rect(self, _: Any, look: Mapping[str, str], origin: tuple[float, float]) -> None:
        """Draw a rectangle."""
        from matplotlib.patches import Rectangle

        at = origin[0] + float(look.get("x", 0)), origin[1] + float(look.get("y", 0))
        self.axes.add_patch(Rectangle(at, float(look["width"]), float(look["height"]), **self._style(look)))

    def draw_circle(self, _: Any, look: Mapping[str, str], origin: tuple[float, float]) -> None:
        """Draw a dot."""
        from matplotlib.patches import Circle

        at = origin[0] + float(look["cx"]), origin[1] + float(look["cy"])
        self.axes.add_patch(Circle(at, float(look["r"]), **self._style(look)))

    def draw_path(self, _: Any, look: Mapping[str, str], origin: tuple[float, float]) -> None:
        """Draw a line or an area."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points, codes = trace_path(look["d"])
        if points:
            moved = [(x + origin[0], y + origin[1]) for x, y in points]
            self.axes.add_patch(PathPatch(Path(moved, codes), **self._style(look)))

    def _style(self, look: Mapping[str, str]) -> dict[str, Any]:
        from matplotlib.colors import to_rgba

        fill, stroke = look.get("fill", "none"), look.get("stroke", "none")
        dashes = [float(one) * self.scale for one in look.get("stroke-dasharray", "").split()]
        width = float(look.get("stroke-width", 1)) * self.scale
        return {
            "facecolor": "none" if fill == "none" else to_rgba(fill, float(look.get("fill-opacity", 1))),
            "edgecolor": stroke,
            "linewidth": width if stroke != "none" else 0,
            "linestyle": (0, [one / max(width, 1e-9) for one in dashes]) if dashes else "solid",
        }


def _moved(name: str, look: Mapping[str, str], origin: tuple[float, float]) -> tuple[float, float]:
    """Return the origin of what is inside a group or a picture."""
    turn = look.get("transform", "")
    by = [float(one) for one in NUMBERS.findall(turn)] if turn.startswith("translate") else []
    x, y = (*by, 0.0, 0.0)[:2] if name == "g" else (float(look.get("x", 0)), float(look.get("y", 0)))
    return origin[0] + x, origin[1] + y


def trace_path(shape: str) -> tuple[list[tuple[float, float]], list[int]]:
    """Return the points and the codes of matplotlib for a path of the commands M, L, H, V, h, v, C and z.

    >>> trace_path("M1 2h3V0z")
    ([(1.0, 2.0), (4.0, 2.0), (4.0, 0.0), (4.0, 0.0)], [1, 2, 2, 79])
    """
    tokens = TOKEN.findall(shape)
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    x = y = 0.0
    place, command = 0, "M"
    while place < len(tokens):
        if tokens[place].isalpha():
            command = tokens[place]
            place += 1
        own = [float(one) for one in tokens[place : place + ARITY[command]]]
        place += ARITY[command]
        if command == "C":
            points += [(own[0], own[1]), (own[2], own[3]), (own[4], own[5])]
            codes += [4, 4, 4]
            x, y = own[4:]
            continue
        x = own[0] if command in "MLH" else x + own[0] if command == "h" else x
        y = own[-1] if command in "MLV" else y + own[0] if command == "v" else y
        points.append((x, y))
        codes.append({"M": 1, "z": 79, "Z": 79}.get(command, 2))
        command = "L" if command == "M" else command
    return points, codes

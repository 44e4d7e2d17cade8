"""The small marks of a drawn tree: class shares, positions of numbers, colors of leaves."""

from __future__ import annotations

from hedgerow.models.views.tree_view import PALETTE, NodeView
from hedgerow.report.draw.svg import num, path, rect, role_attributes

BAR_HEIGHT = 7.0


def tint(color: str, place: float | None) -> str:
    """Return the fill of a leaf: the light color of its class, or darker for a larger number (0 to 1).

    Transparent colors suit both light and dark pages.
    """
    depth = 0.22 if place is None else 0.07 + 0.5 * place
    return f'fill="{color}" fill-opacity="{depth:.3f}"'


def leaf_tint(node: NodeView, is_number: bool) -> str:
    """Return the fill of a leaf."""
    return tint(node.color, node.position if is_number else None)


def has_bar(node: NodeView, is_number: bool) -> bool:
    """Tell whether there is anything to show: leaves that are empty or written by hand have no weights."""
    return is_number or bool(node.parts)


def bar(node: NodeView, x: float, y: float, width: float, is_number: bool) -> list[str]:
    """Return a bar of class shares, or the position of a number on the scale of all leaves."""
    return _track(node, x, y, width) if is_number else _shares(node, x, y, width)


def _shares(node: NodeView, x: float, y: float, width: float) -> list[str]:
    elements, done = [], 0.0
    for color, share in node.parts:
        long = share * width
        gap = 0.7 if long > 2 and done + share < 1 - 1e-9 else 0.0  # neighbors may be of one color
        elements.append(rect(x + done * width, y, long - gap, BAR_HEIGHT, f'fill="{color}"'))
        done += share
    return elements


def _track(node: NodeView, x: float, y: float, width: float) -> list[str]:
    middle = y + BAR_HEIGHT / 2
    low, high = max(node.position - node.spread, 0), min(node.position + node.spread, 1)
    inset = 3.5
    room = width - 2 * inset
    at = x + inset
    line = path(f"M{num(at + low * room)} {num(middle)}H{num(at + high * room)}", 3, "edge")
    dot = f'<circle cx="{num(at + node.position * room)}" cy="{num(middle)}" r="3.5" fill="{PALETTE[0]}"/>'
    return [rect(x, middle - 1, width, 2, role_attributes("track"), 1), line, dot]

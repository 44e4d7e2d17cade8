"""The positions of the nodes of a tree in a picture, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right end."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower end."""
        return self.y + self.height


def tidy(children: Sequence[Sequence[int]], sizes: Sequence[float], gap: float) -> list[float]:
    """Return the middle of every node in its layer: parents over their children, subtrees as close as possible.

    After Reingold and Tilford (1981), for any number of children and nodes of any size. Children are put side by side
    from the left, then from the right; the mean of both keeps all distances too, and is even. A node's number
    is below those of its children; the leftmost end of all nodes is 0.
    """
    n = len(children)
    away = [0.0] * n  # from the parent's middle
    outlines: dict[int, list[tuple[float, float]]] = {}  # both ends of each layer of a subtree, from its root's middle
    for node in range(n - 1, -1, -1):
        own = (-sizes[node] / 2, sizes[node] / 2)
        inner = [outlines.pop(child) for child in children[node]]
        places = _side_by_side(inner, gap)
        for child, place in zip(children[node], places, strict=True):
            away[child] = place
        outlines[node] = [own, *_outline(inner, places)]
    middles = [0.0] * n
    middles[0] = -min(low for low, _ in outlines[0])
    for node in range(n):
        for child in children[node]:
            middles[child] = middles[node] + away[child]
    return middles


def _side_by_side(outlines: list[list[tuple[float, float]]], gap: float) -> list[float]:
    """Return the positions of subtrees, relative to the middle of the first and the last."""
    if not outlines:
        return []
    n = len(outlines)
    distance = [[_distance(outlines[i], outlines[j]) + gap for i in range(j)] for j in range(n)]
    left = [0.0] * n
    for j in range(1, n):
        left[j] = max(left[i] + distance[j][i] for i in range(j))
    right = [left[-1]] * n
    for i in range(n - 2, -1, -1):
        right[i] = min(right[j] - distance[j][i] for j in range(i + 1, n))
    places = [(one + other) / 2 for one, other in zip(left, right, strict=True)]
    middle = (places[0] + places[-1]) / 2
    return [place - middle for place in places]


def _distance(left: list[tuple[float, float]], right: list[tuple[float, float]]) -> float:
    """Return the minimum distance of the roots of two subtrees."""
    return max(one[1] - other[0] for one, other in zip(left, right, strict=False))


def _outline(outlines: list[list[tuple[float, float]]], places: list[float]) -> list[tuple[float, float]]:
    depth = max(map(len, outlines), default=0)
    layers: list[tuple[float, float]] = []
    for layer in range(depth):
        ends = [
            (outline[layer][0] + place, outline[layer][1] + place)
            for outline, place in zip(outlines, places, strict=True)
            if layer < len(outline)
        ]
        layers.append((min(low for low, _ in ends), max(high for _, high in ends)))
    return layers


def layer_starts(depths: Sequence[int], needs: Sequence[float], gap: float) -> list[float]:
    """Return the start of each layer, which is as thick as its thickest node, with a gap between layers."""
    thickest = [0.0] * (max(depths) + 1)
    for depth, need in zip(depths, needs, strict=True):
        thickest[depth] = max(thickest[depth], need)
    begins = [0.0]
    for thick in thickest:
        begins.append(begins[-1] + thick + gap)
    return begins
